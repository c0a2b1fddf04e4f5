"""Parameters and arguments of C++ functions by the names of types: `string`, `char*`, `Card`."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from clew.index.extract.argument_types import CONST, OPEN, parts_of
from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import FUNCTIONS, ScopeMap
from clew.index.facts import (
    Attr,
    ScopedName,
    This,
    Typed,
    UnboundName,
    Value,
)
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite
from clew.index.syntax.units import OutlineUnit
from clew.model.code import without_numbers

_CPP_LITERAL = re.compile(
    r"(?P<text>(?:\"(?:\\.|[^\"\\])*\"\s*)+)|(?P<char>'(?:\\[^']+|[^'\\])')|(?P<bool>true|false)|(?P<null>nullptr|NULL)"
    r"|(?P<int>-?[1-9]\d*)|(?P<double>-?\d+\.\d*(?:[eE][-+]?\d+)?)"
)
_OF_LITERALS = {"text": "char*", "null": "*"}
_CPP_MADE = re.compile(r"(new\s+|std::)(\w+(?:::\w+)*)\s*[({]")
_CPP_CAST = re.compile(r"(?:static|reinterpret|const|dynamic)_cast\s*<")
_NAME = re.compile(r"([&*]?)((?:this->)?[^\W\d]\w*)")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_OWN = frozenset("bool char short int long float double unsigned signed void".split())
_WORD = re.compile(r"\w+")
_CONST = re.compile(r"\s*(?:noexcept\s*|override\s*|&\s*)*const\b")
_ROOT = re.compile(r"(?:this->)?([^\W\d]\w*)(\(?)")


def takes_of(units: list[OutlineUnit], source: bytes) -> dict[str, tuple[str, ...]]:
    """The parameters of each function, by its scope."""
    return {unit.scope: types_of_parameters(unit, source) for unit in units if unit.definition.kind in FUNCTIONS}


def types_of_parameters(unit: OutlineUnit, source: bytes) -> tuple[str, ...]:
    """The types of a function's parameters, and whether it is `const`."""
    head = source[unit.definition.named : unit.definition.head[1]].decode("utf-8", "replace")
    opening = head.find("(", head.find("operator()") + len("operator()") if "operator()" in head else 0)
    if opening < 0 or (end := chains.closing_bracket(head, opening)) < 0:
        return ()
    parts = types.arguments(f"<{head[opening + 1 : end]}>")
    last = CONST if _CONST.match(head, end + 1) else OPEN
    return (last,) if parts in ([""], ["void"]) else (*map(short, parts), last)


def short(written: str) -> str:
    """`const pay::Card* card = nullptr` is `Card*`, `unsigned int n` is `unsigned`."""
    plain, before = written.partition("=")[0], ""
    while plain != before:
        plain, before = _ARGUMENTS.sub("", plain), plain
    own = [word for word in _WORD.findall(plain) if word in _OWN]
    name = (" ".join(sorted(set(own) - {"int", "signed"})) or "int") if own else "".join(types.type_name(plain)[-1:])
    return f"{name}{'*' * (plain.count('*') + plain.count('['))}" if name else ""


class CppSignatures:
    """As `ArgumentTyping`, for C++."""

    def __init__(
        self, names: Binder, by_scope: Mapping[str, OutlineUnit], takes: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._names = names
        self._by_scope = by_scope
        self._takes = takes
        self._told: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._const: dict[tuple[str, str], set[bool]] = defaultdict(set)

    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        self._told[scope, name].add(short(text))
        self._const[scope, name].add(text.startswith("const "))

    def parameter_types(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        """The parameters of functions that are overloaded, or may be so within their class."""
        counts = Counter(map(without_numbers, self._takes))
        apart = {scope for scope, unit in self._by_scope.items() if unit.definition.receiver}
        return {one: types for one, types in self._takes.items() if one in apart or counts[without_numbers(one)] > 1}

    def argument_types(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        """As far as known; last, whether the receiver is `const`."""
        parts = parts_of(call.given)
        told = [self._argument_type(part, scope) for part in parts] if len(parts) == call.passed else [""] * call.passed
        told.append(self._changes(call.callee, scope))
        return tuple(told) if any(told) else ()

    def _changes(self, callee: str, scope: str) -> str:
        """By the root of a chain: members of a const object are nearly always const, too."""
        root = _ROOT.match(callee)
        own = self._takes.get(scope, ("",))[-1:]
        if root is None or root[2]:
            return ""
        if root.end() == len(callee):
            return own[0] if own else ""
        match self._resolve_name(root[1], scope):
            case ScopedName(holder, name) | Attr(This(holder), str(name)):
                told, consts = self._told.get((holder, name), ()), self._const.get((holder, name), ())
                is_value = holder != scope and not any(one.endswith("*") for one in told)
                is_const = True in consts or (is_value and own == (CONST,))
                return "" if len(consts) != 1 else CONST if is_const else OPEN
        return ""

    def _argument_type(self, text: str, scope: str) -> str:
        if literal := _CPP_LITERAL.fullmatch(text):
            kind = literal.lastgroup or ""
            return _OF_LITERALS.get(kind, kind)
        if named := _NAME.fullmatch(text):
            told = self._of(named[2], scope)
            return _pointer_type(named[1], told) if told else ""
        if cast := _CPP_CAST.match(text):
            return short(text[cast.end() :].rpartition(">")[0])
        if (made := _CPP_MADE.match(text)) and chains.closing_bracket(text, made.end() - 1) == len(text) - 1:
            return f"{short(made[2])}{'*' if made[1].startswith('new') else ''}"
        return ""

    def _of(self, name: str, scope: str) -> str:
        """The declared type of a name, if it is always the same."""
        match self._resolve_name(name.removeprefix("this->"), scope):
            case ScopedName(holder, own) | Attr(This(holder), str(own)):
                told = self._told.get((holder, own), ())
                return next(iter(told)) if len(told) == 1 else ""
        return ""

    def _resolve_name(self, name: str, scope: str) -> Value | None:
        """The value of a name; without a binding, a member."""
        found = self._names.resolve_name(name, scope)
        return next(iter(self._names.read_expression(name, scope)), None) if isinstance(found, UnboundName) else found


def _pointer_type(mark: str, told: str) -> str:
    if mark == "&":
        return f"{told}*"
    return told.removesuffix("*") if mark == "*" else told


def typing_of(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> CppSignatures:
    return CppSignatures(names, places.by_scope, takes)
