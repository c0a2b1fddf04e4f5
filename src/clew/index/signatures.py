"""What functions of C++ take and what calls pass them, by the names of types: `string`, `char*`, `Card`.

A type goes by its last name, without `const` and references, so that a prototype and its definition have the same, however
each of them spells it. What cannot be told is "". The last of them is no parameter: see `told.CONST`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from clew.index import chains, types
from clew.index.facts import Attr, Name, This, Typed
from clew.index.languages.language import Language
from clew.index.names import Names
from clew.index.parse import Callsite
from clew.index.places import FUNCTIONS, unnumbered
from clew.index.told import CONST, OPEN, Typing, parts_of
from clew.index.units import Unit

_LITERAL = re.compile(
    r"(?P<text>(?:\"(?:\\.|[^\"\\])*\"\s*)+)|(?P<char>'(?:\\[^']+|[^'\\])')|(?P<bool>true|false)|(?P<null>nullptr|NULL)"
    r"|(?P<int>-?[1-9]\d*)|(?P<double>-?\d+\.\d*(?:[eE][-+]?\d+)?)"
)
_OF_LITERALS = {"text": "char*", "null": "*"}
_MADE = re.compile(r"(new\s+|std::)(\w+(?:::\w+)*)\s*[({]")
_CAST = re.compile(r"(?:static|reinterpret|const|dynamic)_cast\s*<")
_NAME = re.compile(r"([&*]?)((?:this->)?[^\W\d]\w*)")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_CONST = re.compile(r"\s*(?:noexcept\s*|override\s*|&\s*)*const\b")
_ROOT = re.compile(r"(?:this->)?([^\W\d]\w*)(\(?)")
_DELETED = re.compile(rb"\s*=\s*delete\b")


def typing_of(language: Language, names: Names, units: list[Unit], source: bytes) -> "Typing | Signatures":
    return Signatures(names, units, source) if language.name == "cpp" else Typing(names)


def adding_nothing(language: Language, units: list[Unit], source: bytes) -> set[str]:
    """The scopes of functions that are but declared beside their definition, or that nobody can call: `= delete`."""
    if not language.redeclares:
        return set()
    functions = [unit for unit in units if unit.definition.kind in FUNCTIONS]
    deleted = {unit.scope for unit in functions if _DELETED.match(source, unit.definition.head[1])}
    has_overloads = language.name == "cpp"
    keys = {unit.scope: (unnumbered(unit.scope), taken(unit, source) if has_overloads else ()) for unit in functions}
    bodied = {keys[one.scope] for one in functions if one.definition.bodied and one.scope not in deleted}
    again = {one.scope for one in functions if not one.definition.bodied and keys[one.scope] in bodied}
    return deleted | again


def taken(unit: Unit, source: bytes) -> tuple[str, ...]:
    """The types of a function's parameters, and whether it is `const`."""
    head = source[unit.definition.named : unit.definition.head[1]].decode("utf-8", "replace")
    opening = head.find("(", head.find("operator()") + len("operator()") if "operator()" in head else 0)
    if opening < 0 or (end := chains.closing(head, opening)) < 0:
        return ()
    parts = types.arguments(f"<{head[opening + 1 : end]}>")
    last = CONST if _CONST.match(head, end + 1) else OPEN
    return (last,) if parts in ([""], ["void"]) else (*map(short, parts), last)


def short(written: str) -> str:
    """`const pay::Card* card = nullptr` is `Card*`."""
    plain, before = written.partition("=")[0], ""
    while plain != before:
        plain, before = _ARGUMENTS.sub("", plain), plain
    parts = types.type_name(plain)
    return f"{parts[-1]}{'*' * (plain.count('*') + plain.count('['))}" if parts else ""


class Signatures:
    """As `told.Typing`, for C++."""

    def __init__(self, names: Names, units: Iterable[Unit], source: bytes) -> None:
        self._names = names
        self._units = [unit for unit in units if unit.definition.kind in FUNCTIONS]
        self._source = source
        self._told: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._const: set[tuple[str, str]] = set()
        self._takes = {unit.scope: taken(unit, source) for unit in self._units}

    def note(self, scope: str, name: str, text: str, seen_from: str) -> None:
        self._told[scope, name].add(short(text))
        if text.startswith("const "):
            self._const.add((scope, name))

    def taken(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        """What those functions take that share their name with others, or may do so where their class is written."""
        counts = Counter(unnumbered(unit.scope) for unit in self._units)
        several = [unit for unit in self._units if unit.definition.receiver or counts[unnumbered(unit.scope)] > 1]
        return {unit.scope: self._takes[unit.scope] for unit in several}

    def passed(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        """As far as it is known; last, whether what is called on is `const`."""
        parts = parts_of(call.given)
        told = [self._passed(part, scope) for part in parts] if len(parts) == call.passed else [""] * call.passed
        told.append(self._changes(call.callee, scope))
        return tuple(told) if any(told) else ()

    def _changes(self, callee: str, scope: str) -> str:
        """By what a chain begins with: what a const object gives is nearly always const, too."""
        root = _ROOT.match(callee)
        own = self._takes.get(scope, ("",))[-1:]
        if root is None or root[2]:
            return ""
        if root.end() == len(callee):
            return own[0] if own else ""
        match next(iter(self._names.read(root[1], scope)), None):
            case Name(holder, name) | Attr(This(holder), name):
                told = self._told.get((holder, name), ())
                is_value = holder != scope and not any(one.endswith("*") for one in told)
                is_const = (holder, name) in self._const or (is_value and own == (CONST,))
                return "" if not told else CONST if is_const else OPEN
        return ""

    def _passed(self, text: str, scope: str) -> str:
        if literal := _LITERAL.fullmatch(text):
            kind = literal.lastgroup or ""
            return _OF_LITERALS.get(kind, kind)
        if named := _NAME.fullmatch(text):
            told = self._of(named[2], scope)
            return _pointed(named[1], told) if told else ""
        if cast := _CAST.match(text):
            return short(text[cast.end() :].rpartition(">")[0])
        if (made := _MADE.match(text)) and chains.closing(text, made.end() - 1) == len(text) - 1:
            return f"{short(made[2])}{'*' if made[1].startswith('new') else ''}"
        return ""

    def _of(self, name: str, scope: str) -> str:
        """What a name is told to be, if that is always the same."""
        match next(iter(self._names.read(name, scope)), None):
            case Name(holder, own) | Attr(This(holder), own):
                told = self._told.get((holder, own), ())
                return next(iter(told)) if len(told) == 1 else ""
        return ""


def _pointed(mark: str, told: str) -> str:
    if mark == "&":
        return f"{told}*"
    return told.removesuffix("*") if mark == "*" else told
