"""Words of a question that do not occur in the project: reports them, the understood words, and similar names."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import Naming
from clew.retrieve.question import MOST_ASKING, content_words, understand
from clew.tools.unindexed_files import UnindexedFiles

MOST_UNKNOWN = 8  # words that are named as unknown; a long question has many
MOST_NAMES = 3  # that stand nowhere, in words
MOST_MISSPELT = 2  # words that are looked for among all names, which takes time
SHORTEST_MISSPELT = 4  # letters; shorter words are near to very many
LONGEST = 60  # letters of a word that is told, or looked for: no budget shortens a sentence
ALIKE = 0.8  # two letters that changed places in a word of five
_NAME = re.compile(r"[a-z][A-Z]|\w_\w|\w\.\w|^[A-Z][A-Z\d]+$")
_PARTS = re.compile(r"[A-Z]?[^\W\dA-Z_]+")  # of a name


class UnknownTerms(Struct, frozen=True):
    """`understood` are the other words, if they are no more than those that are not; `near` is by word."""

    understood: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = {}


def find_unknown_terms(engine: Engine, question: str, unknown: Sequence[str]) -> UnknownTerms:
    """To look through all names takes time: only for names, or where little else is known, and in no long question."""
    said = (one.text for one in understand(question).terms.values() if not one.is_other)
    words = content_words(word for word in said if len(word) <= LONGEST)
    lost = content_words(unknown)
    if not lost or len(words) > MOST_ASKING:
        return UnknownTerms()
    known = tuple(word for word in words if word not in lost)
    is_lost = len(known) <= len(lost)
    sought = [one for one in lost if SHORTEST_MISSPELT <= len(one) <= LONGEST and not one.isdecimal()]
    sought = [one for one in sought if is_lost or _NAME.search(one)]
    near = _near(Naming(engine.files, engine.nodes, Elements(engine.files)), sought[:MOST_MISSPELT])
    return UnknownTerms(known if is_lost else (), near)


def _near(naming: Naming, words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By word; of one of several parts that nothing is like, by its parts."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        parts = [one for one in _PARTS.findall(word) if SHORTEST_MISSPELT <= len(one) < len(word)]
        for one in (word, *parts):
            names = {name.lower(): name for name in reversed(naming.alike(one, ALIKE))}
            if names and one.lower() not in names:
                found[one] = tuple(reversed(names.values()))[:MOST_NAMES]
                if one == word:
                    break
    return found


def describe_unknown_terms(
    unknown: Sequence[str], told: UnknownTerms, *, found: bool, in_all: bool, left: UnindexedFiles
) -> str:
    """The important words of a question that occur nowhere, in a sentence, so that a weak match is known as one.

    Names of code come first; of a long text, such as a log, only these are listed. Unless the answer could see all
    files as they are, a word may still occur in one of the others.
    """
    is_lost = bool(told.understood) or not found
    short = [word for word in content_words(unknown) if len(word) <= LONGEST]
    telling = [word for word in short if _NAME.search(word) or word in told.near]
    if is_lost or len(unknown) <= MOST_UNKNOWN:
        telling += [word for word in short if word not in telling]
    names = sorted(telling[:MOST_NAMES], key=short.index)
    if not names:
        return ""
    more = f" and {len(telling) - len(names)} more" if len(telling) > len(names) else ""
    where = "Nowhere in this project" if in_all and not left.count else "Not in what is indexed"
    so_far = "" if in_all else " so far"
    unread = str(left) if left.count else ""
    said = [f"{where}{so_far}: {', '.join(names)}{more}.", unread, *_suggest_words(told.near)]
    if told.understood:
        said.append(f"Understood: {', '.join(told.understood)}.")
    if is_lost and not told.near and len(short) > 1:
        said.append("Ask in words that the files have, or by names.")
    return " ".join(filter(None, said))


def _suggest_words(near: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    return (f"Did you mean {' or '.join(names)} rather than {word}?" for word, names in near.items())
