"""Which names mean the same thing: case, plurals, separators, aliases and qualified names. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple

WORD = re.compile(r"[^\W_]+", re.UNICODE)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUALIFIED = re.compile(r"[\w$./#:-]*[\w$](?:::|\.|/|#)[\w$][\w$./#:-]*")
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|your|their|his|her|its)\s+", re.IGNORECASE)
_CODE = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|::|\(\)$|\w\.\w|\w/\w|^[A-Z][a-z0-9]+[A-Z]")


class NameMatch(NamedTuple):
    """How sure it is that two names mean the same thing, and why."""

    evidence: str
    confidence: float


EXACT = NameMatch("the same name", 1.0)
ALIAS = NameMatch("an alias", 0.98)
CASE = NameMatch("the same name but for case, articles and separators", 0.95)
PLURAL = NameMatch("the same name but for a plural", 0.9)
QUALIFIED = NameMatch("the last part of its qualified name", 0.85)


def clean(name: str) -> str:
    """A name in one line, without surrounding quotes and spaces."""
    return " ".join(name.split()).strip("\"'`\u201c\u201d\u2018\u2019 ")


@lru_cache(maxsize=1 << 16)
def fold(name: str) -> str:
    """A name without case, articles and separators: `HTTPServer`, `http_server` and `the HTTP server` are one."""
    bare = _ARTICLE.sub("", clean(name)).removesuffix("()")
    words = [part for word in WORD.findall(bare) for part in _HUMP.split(word)]
    return " ".join(words).casefold()


@lru_cache(maxsize=1 << 16)
def singular(folded: str) -> str:
    """A folded name with its last word in the singular."""
    head, space, last = folded.rpartition(" ")
    return f"{head}{space}{_singular(last)}"


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def last_part(name: str) -> str:
    """The last part of a qualified name (`pay.Card.charge`, `src/pay.py::Card`), folded; empty for others."""
    bare = clean(name).removesuffix("()")
    if not _QUALIFIED.fullmatch(bare):
        return ""
    parts = [part for part in re.split(r"::|[./#]", bare) if part]
    return fold(parts[-1]) if len(parts) > 1 else ""


def is_code(name: str) -> bool:
    """Whether a name is written as an identifier, a path or a call."""
    return " " not in name and bool(_CODE.search(name))


def compare(name: str, other: str) -> NameMatch | None:
    """Whether two names mean the same thing; None if nothing says so."""
    if clean(name) == clean(other):
        return EXACT
    one, two = fold(name), fold(other)
    if not one or not two:
        return None
    if one == two:
        return CASE
    if singular(one) == singular(two):
        return PLURAL
    if (last_part(name) == two and is_code(name)) or (last_part(other) == one and is_code(other)):
        return QUALIFIED
    return None


def keys(name: str) -> tuple[str, ...]:
    """The keys under which a name is filed: all names that `compare` matches share one."""
    folded = fold(name)
    found = (clean(name), folded, singular(folded), last_part(name))
    return tuple(dict.fromkeys(one for one in found if one))


@lru_cache(maxsize=1 << 14)
def predicate(text: str) -> str:
    """A predicate as it is compared: `isOwnedBy`, `is_owned_by` and `owned by` are one."""
    words = fold(text).split()
    while len(words) > 1 and words[0] in _AUXILIARIES:
        words = words[1:]
    return " ".join(words)


_AUXILIARIES = frozenset("is are was were be been has have had does do did will would".split())
