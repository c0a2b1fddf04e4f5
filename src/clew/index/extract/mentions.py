"""Names in prose, recorded while it is read: code spans, roles, links to files, qualified names, headings and
directives.

They are candidates; linking finds out whether they are symbols of the tree. A name is stored with dots between its
parts, with `()` behind it if written so, and as `module:name` if reST gives the module.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from clew.index.extract.scope_map import ScopeMap
from clew.index.facts import CODE, DIRECTIVE, HEADING, LINK, QUALIFIED, ROLE, TITLE, NameMention
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.units import OutlineUnit
from clew.languages.detection import PLAIN
from clew.languages.plugins import profile_of
from clew.model.words import Kind

SHORTEST_WORD = 5  # of small letters only; shorter ones are words of the language
LONGEST = 120
LONGEST_ROLE = 34

_SPAN = re.compile(rb"(`{1,2})([^`\n]{2,120})\1(?!`)")
_ELEMENT = re.compile(rb"<(?:code|tt|var)>([^<\n]{2,120})</")
_LINKS = (re.compile(rb"\]\(([^)\s]{3,200})\)"), re.compile(rb"href=\"([^\"\s]{3,200})\""))
_DIRECTIVE = re.compile(rb"\.\. ([a-z:]+):: ?([^\n]{1,200})")
_DOTS = re.compile(rb"\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_BEFORE = re.compile(rb"(?<![\w./@:-])[A-Za-z_]\w*\Z")
_TARGET = re.compile(r".*<([^>]+)>\Z")
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#|->|\\)[^\W\d][\w$]*)*\Z")
_JOINT = re.compile(r"::|#|->|\\")
_PATH = re.compile(r"\.{0,2}/?[\w@.-]+(?:/[\w@.-]+)*\Z")
_KEYWORD = re.compile(r"(?:class|function|method|interface|module|type|struct|enum|def|func|fn)\s+")
_WORD = re.compile(r"[a-z]+\Z|[A-Z]+\Z")
_SYMBOLS = frozenset("class exception function method attribute data module property staticmethod classmethod".split())
_MODULES = ("module", "currentmodule", "automodule")
_HOLDERS = ("class", "exception")
_OTHER_ROLES = frozenset(
    "ref doc term ticket setting sup sub option envvar cve rfc pep download numref djadmin djadminopt lookup "
    "templatetag templatefilter kbd guilabel menuselection command program file code literal math abbr".split()
)


def mentions(language: str, units: list[OutlineUnit], source: bytes) -> tuple[NameMention, ...]:
    """In the order of the text; of repeated mentions in a section, the first."""
    places, lines = ScopeMap(units, []), LineIndex(source)
    all_in_units = profile_of(language).all_in_units
    found: dict[tuple[str, str, int], int] = {}
    for at, name, how in sorted(_candidates(language, source)):
        unit = places.unit(at)
        if unit is None and all_in_units:
            continue
        if unit is not None and unit.definition.kind is not Kind.SECTION:
            continue
        found.setdefault((unit.within if unit else "", name, how), lines.at(at))
    for unit in units:
        if unit.definition.kind is Kind.SECTION and (heading := _heading(unit.definition.name)):
            found.setdefault((unit.scope, *heading), lines.at(max(unit.definition.named, unit.definition.head[0])))
    return tuple(NameMention(scope, line, name, how) for (scope, name, how), line in found.items())


def _candidates(language: str, source: bytes) -> Iterator[tuple[int, str, int]]:
    yield from _spans(source)
    yield from _links(source)
    if language in ("restructuredtext", PLAIN):
        yield from _directives(source)
    for match in _DOTS.finditer(source):
        if before := _BEFORE.search(source, max(match.start() - LONGEST, 0), match.start()):
            yield before.start(), _text(before[0] + match[0]), QUALIFIED


def _spans(source: bytes) -> Iterator[tuple[int, str, int]]:
    for match in _SPAN.finditer(source):
        start, role, target = match.start(), "", None
        if source[start - 1 : start] == b":":
            role = _text(source[max(start - LONGEST_ROLE, 0) : start - 1].rpartition(b":")[2])
            if role in _OTHER_ROLES:
                continue
            target = _TARGET.match(_text(match[2]))
        text = target[1] if target else _text(match[2])
        if name := _candidate_name(text.lstrip("~!.")):
            yield start, name, ROLE if role.isalnum() else LINK if "/" in name else CODE
    for match in _ELEMENT.finditer(source):
        if name := _candidate_name(_text(match[1])):
            yield match.start(1), name, LINK if "/" in name else CODE


def _links(source: bytes) -> Iterator[tuple[int, str, int]]:
    for match in (match for link in _LINKS for match in link.finditer(source)):
        target = _text(match[1]).partition("#")[0].partition("?")[0]
        if "//" not in target and "." in target and _PATH.match(target):
            yield match.start(), target, LINK


def _directives(source: bytes) -> Iterator[tuple[int, str, int]]:
    """Described names in reST: members below their class, all of it below the last named module."""
    module, holder, depth = "", "", -1
    for match in _DIRECTIVE.finditer(source):
        before = source[source.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        kind, indent = _text(match[1]).rpartition(":")[2], len(before)
        told = _text(match[2]).partition("(")[0].strip()
        if before.strip():
            continue
        if kind in _MODULES:
            module = told
            holder, depth = "", -1
            if kind != "currentmodule":
                yield match.start(2), told, DIRECTIVE
            continue
        plain = kind.removeprefix("auto")
        if plain not in _SYMBOLS or not _NAME.match(told):
            continue
        if indent <= depth:
            holder, depth = "", -1
        name = f"{holder}.{told}" if holder else told
        if plain in _HOLDERS:
            holder, depth = name, indent
        yield match.start(2), f"{module}:{name}" if module else name, DIRECTIVE


@lru_cache(maxsize=1 << 14)
def _candidate_name(text: str) -> str:
    """A candidate in stored form; "" for others: a phrase, a common word."""
    text = text.strip()
    head, bracket, _ = text.partition("(")
    if bracket and not text.endswith(")"):
        return ""
    if _NAME.match(head) and len(head) > 1:
        name = _JOINT.sub(".", head)
        if _WORD.match(name) and not bracket and len(name) < SHORTEST_WORD:
            return ""
        return f"{name}()" if bracket else name
    return text if "/" in text and "." in text.rpartition("/")[2] and _PATH.match(text) else ""


def _heading(title: str) -> tuple[str, int] | None:
    """A heading that is a name: written as code, or unlike a word; a plain word in large letters may be a class."""
    bare = title.strip().strip("*")
    is_code = bare.startswith("`") and bare.endswith("`")
    bare = _KEYWORD.sub("", bare.strip("`").strip())
    name = _candidate_name(bare)
    if not name or " " in bare.partition("(")[0].strip():
        return None
    if is_code or not name.isalpha() or any(map(str.isupper, name[1:])):
        return name, HEADING
    return (name, TITLE) if name[0].isupper() else None


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace")
