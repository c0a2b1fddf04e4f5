"""PHP: types as they are written, and those that only comments tell."""

import re
from collections.abc import Iterator

from clew.languages.profile import DocType

# What is no class, in code or in a comment.
_PLAIN = frozenset(
    "array iterable list int integer float double number numeric string bool boolean true false null void never mixed "
    "object resource callable scalar closed-resource open-resource array-key".split()
)
# What holds many, by its last name in small letters; what it holds is told second, or alone.
_HOLDING = frozenset(
    "array iterable list non-empty-array non-empty-list traversable iterator iteratoraggregate generator arrayiterator "
    "arrayobject splobjectstorage spldoublylinkedlist splqueue splstack splfixedarray splpriorityqueue".split()
)
_GENERATOR = "generator"  # says nothing without what it holds: its function's body does
_COMMENT = re.compile(rb"/\*\*(?=[^/])((?:[^*@]|\*(?!/))*@.*?)\*/", re.DOTALL)
_TAG = re.compile(r"@(?:psalm-|phpstan-)?(param|return|var|property(?:-read|-write)?)\s+(.*)")
_TEMPLATE = re.compile(rb"@(?:psalm-|phpstan-)?template(?:-co(?:ntra)?variant)?\s+(\w+)")
_NAMED = re.compile(r"\s*&?(?:\.\.\.)?\$(\w+)")
_ATTRIBUTES = rb"\s*(?:#\[[^\n]*\]\s*)*"
_FUNCTION = re.compile(
    _ATTRIBUTES + rb"(?:(?:abstract|final|public|protected|private|static)\s+)*function\s+&?\s*\w+\s*(?=\()"
)
_FIELD = re.compile(
    _ATTRIBUTES + rb"(?:(?:public|protected|private|static|readonly|var|final)\s+)+(?:[\\?\w|&]+\s+)?\$(?P<name>\w+)"
)
_CLASS = re.compile(_ATTRIBUTES + rb"(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+\w")
_ASSIGNED = re.compile(rb"\s*(?:return\s+)?(?P<own>\$this->)?\$?(?P<name>\w+)\s*=(?![=>])")
_PROMOTED = rb"\b(?:public|protected|private|readonly)\s[^,$(){}]*\$%s\b"
_OPENS, _CLOSES = "<({[", ">)}]"
LONGEST_HEAD = 4000  # bytes behind a comment in which the parameters of a function are looked for


def alternatives(text: str) -> list[str]:
    """The classes that a type tells: each by its name, one of which something holds many with `[]` behind it."""
    return [one for part in _split(text.strip(), "|&") for one in _alternative(part.strip().removeprefix("?"))]


def _alternative(text: str) -> list[str]:
    if text.endswith("[]"):
        return [f"{one}[]" for one in alternatives(text[:-2])]
    if text.startswith("("):
        return alternatives(text[1:-1]) if text.endswith(")") else []
    name, opens, given = text.partition("<")
    if opens and name.rpartition("\\")[2].lower() in _HOLDING:
        held = _split(given.rpartition(">")[0], ",")
        return [f"{one}[]" for one in alternatives(held[min(1, len(held) - 1)])]
    name = "self" if name in ("$this", "static") else name
    is_class = (
        name.replace("\\", "").isidentifier()
        and name.lower() not in _PLAIN
        and name.rpartition("\\")[2].lower() != _GENERATOR
    )
    return [name] if is_class else []


def _split(text: str, signs: str) -> list[str]:
    """The parts between some signs, but for those inside of brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in _OPENS) - (char in _CLOSES)
        if not depth and char in signs:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def doc_types(source: bytes) -> Iterator[DocType]:
    """The types that comments tell: of parameters, results, fields and variables."""
    templates = {name.decode() for name in _TEMPLATE.findall(source)}
    for comment in _COMMENT.finditer(source):
        for tag in _TAG.finditer(comment[1].decode("utf-8", "replace")):
            written, rest = _type_in(tag[2])
            told = [one for one in alternatives(written) if one.rstrip("[]") not in templates]
            named = _NAMED.match(rest)
            if told:
                yield from _place_doc_type(tag[1], "|".join(told), named[1] if named else "", source, comment.end())


def _type_in(text: str) -> tuple[str, str]:
    """A type at the start of a text, and the rest; there may be spaces inside of its brackets."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in _OPENS) - (char in _CLOSES)
        if char.isspace() and not depth:
            return text[:i], text[i:]
    return text, ""


def _place_doc_type(tag: str, written: str, name: str, source: bytes, end: int) -> Iterator[DocType]:
    """Where a type belongs that a comment tells which ends there."""
    if tag.startswith("property"):
        if name and (head := _CLASS.match(source, end)):
            yield DocType("field", head.end(), name, written)
    elif tag == "var":
        yield from _variable(written, name, source, end)
    elif head := _FUNCTION.match(source, end):
        at = head.end()
        if tag == "return":
            yield DocType("result", at, "", written)
        elif name:
            yield DocType("typed", at, name, written)
            if re.compile(_PROMOTED % name.encode()).search(source, at, _end_of_head(source, at)):
                yield DocType("field", at, name, written)


def _variable(written: str, name: str, source: bytes, end: int) -> Iterator[DocType]:
    if field := _FIELD.match(source, end):
        yield DocType("field", field.start("name"), field["name"].decode(), written)
    elif name:
        yield DocType("typed", end, name, written)
    elif assigned := _ASSIGNED.match(source, end):
        yield DocType("field" if assigned["own"] else "typed", end, assigned["name"].decode(), written)


def _end_of_head(source: bytes, at: int) -> int:
    opens = source.find(b"{", at, at + LONGEST_HEAD)
    return opens if opens >= 0 else at + LONGEST_HEAD
