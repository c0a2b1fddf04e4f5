"""The type of an argument by its text: a literal, a constructor call, a cast, a name.

A written type is the value of its name, without `Call`; a primitive one is its own name. An array of those is
`int[]`, any other `[]`, an anonymous function `->`, and an unknown type "".
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import FUNCTIONS
from clew.index.facts import (
    MANY,
    Attr,
    ScopedName,
    This,
    Typed,
)
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite
from clew.index.syntax.units import OutlineUnit
from clew.model.code import without_numbers

PRIMITIVES = frozenset("byte short int long float double char boolean".split())
SIMPLE = PRIMITIVES | frozenset("bool decimal sbyte ushort uint ulong".split())  # of C#, which may be null as `int?`
ARRAY = "[]"
BLOCK = "{}"  # among labels: a function that is passed behind the brackets
NOTED = ("typed", "field", "plain", "local", "optional")  # marks that tell the types of names
_DELETED = re.compile(rb"\s*=\s*delete\b")
LEFT_OUT = "="  # how the last of the types begins, before how many must be given
CONST, OPEN = "const", "open"  # what the last of the types of C++ tells: whether a method changes its object

_LITERAL = re.compile(
    r"""(?P<String>"(?:\\.|[^"\\])*"(?:\s*\+[^=?<>&|]*)?|\"{3}.*\"{3})|(?P<char>'(?:\\[^']+|[^'\\])')|(?P<boolean>true|false)"""
    r"|(?P<int>-?(?:0[xX][\da-fA-F_]+|\d[\d_]*))|(?P<long>-?(?:0[xX][\da-fA-F_]+|\d[\d_]*)[lL])"
    r"|(?P<float>-?(?:\d[\d_]*\.?\d*|\.\d+)[fF])|(?P<double>-?(?:\d[\d_]*\.\d*|\.\d+)(?:[eE][-+]?\d+)?[dD]?)"
    r"|(?P<null>null)|(?P<Class>[\w.]+(?:\[\])*\.class)|(?P<Type>typeof\([^()]*\))|(?P<decimal>-?\d[\d_]*(?:\.\d+)?[mM])"
    r"""|(?P<Text>[@$]{1,2}"(?:[^"]|"")*"|nameof\([^()]*\))"""
    r"|(?P<arrow>(?:async\s*)?(?:\([^()]*\)|\w+)\s*[-=]>.*|[\w.]+::\w+)",
    re.DOTALL,
)
_KINDS = {"arrow": "->", "Text": "String"}
_MARKS = re.compile(r"\bfinal\b|@[\w.]+(?:\([^()]*\))?")
_MADE = re.compile(r"new\s+([\w.]+)\s*(?:<[^()]*>)?\s*(?=[(\[{])")
_CAST = re.compile(r"\(\s*([^\W\d][\w.]*(?:<[^()]*>)?(?:\[\])*\??)\s*\)\s*[\w.]+(?:\([^()]*\))?")


class ArgumentTyping:
    """The declared types of names; and the types of arguments and parameters by them."""

    def __init__(self, names: Binder) -> None:
        self._names = names
        self._told: dict[tuple[str, str], set[Typed]] = defaultdict(set)
        self._optional: set[tuple[str, str]] = set()

    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        if text == "=":
            self._optional.add((scope, name))
            return
        held, many, _ = text.partition(MANY)
        if many:  # `Card... cards` is an array inside, and takes cards one by one
            self._told[scope, f"{name}{MANY}"].add(self._type(_MARKS.sub("", held).strip(), seen_from))
            text = f"{_MARKS.sub('', held).strip()}{ARRAY}"
        self._told[scope, name].add(self._type(text, seen_from))

    def parameter_types(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        """The parameters of overloaded functions; last, the number of required ones, if not all are."""
        found: dict[str, tuple[Typed, ...]] = {}
        for scope in self._overloaded_functions(params):
            told = tuple(self._type_of_name(scope, name) for name in _parameter_names(params[scope]))
            if left := sum((scope, name) in self._optional for name in params[scope]):
                found[scope] = (*told, f"{LEFT_OUT}{len(told) - left}")
            elif any(told):
                found[scope] = told
        return found

    def _overloaded_functions(self, params: Mapping[str, Sequence[str]]) -> list[str]:
        """The functions that share their name with others, or may do so with those of other files."""
        named: dict[str, list[str]] = defaultdict(list)
        for scope in params:
            named[without_numbers(scope)].append(scope)
        fewest = 1 if self._names.parted_overloads else 2
        return [scope for scopes in named.values() if len(scopes) >= fewest for scope in scopes]

    def argument_types(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        parts = parts_of(call.given)
        told = tuple(self._argument_type(part, scope) for part in parts) if len(parts) == call.passed else ()
        return told if any(told) else ()

    def _argument_type(self, text: str, scope: str) -> Typed:
        if told := literal(text):
            return told
        if text.removeprefix("this.").isidentifier():
            match (
                self._names.resolve_name(text, scope)
                if text.isidentifier()
                else self._names.read_expression(text, scope)[0]
            ):
                case ScopedName(holder, name) | Attr(This(holder), str(name)) if (holder, name) in self._told:
                    return self._type_of_name(holder, name)
                case This(_) as own:
                    return own
        return self._type(written_type(text), scope) or self._computed_type(text, scope)

    def _computed_type(self, text: str, scope: str) -> Typed:
        """An expression with a type that depends on the whole tree is kept as it is."""
        return ""

    def _type_of_name(self, scope: str, name: str) -> Typed:
        """The declared type of a name, if it is always the same."""
        told = self._told.get((scope, name), ())
        return next(iter(told)) if len(told) == 1 else ""

    def _type(self, text: str, scope: str) -> Typed:
        if text in PRIMITIVES:
            return text
        if text.endswith(ARRAY):
            held = text.removesuffix(ARRAY).rstrip()
            return f"{held}{ARRAY}" if held in PRIMITIVES else ARRAY
        if text.endswith("?") and text[:-1] in SIMPLE:
            return text
        parts = types.type_name(text) if text != "object" else (text,)
        return self._names.path(parts, scope) if parts and not self._names.is_generic(parts[0], scope) else ""


def _parameter_names(params: Sequence[str]) -> Sequence[str]:
    """Parameters by their recorded names."""
    return [*params[:-2], f"{params[-2]}{MANY}"] if params[-1:] == [MANY] and len(params) > 1 else params


def parts_of(given: str) -> list[str]:
    """The arguments of a call, from the text behind its callee; none if it is cut off."""
    given = given.lstrip()
    if not given.startswith("(") or (end := chains.closing_bracket(given, 0)) < 0:
        return []
    return [part for _, part in chains.elements(given[: end + 1])]


def literal(text: str) -> str:
    """The type of a literal, or ""."""
    found = _LITERAL.fullmatch(text)
    kind = (found.lastgroup or "") if found else ""
    return _KINDS.get(kind, kind)


def written_type(text: str) -> str:
    """The type in the argument itself: of a constructor call or a cast."""
    if made := _MADE.match(text):
        return _constructed_type(text, made[1], made.end())
    cast = _CAST.fullmatch(text)
    return cast[1] if cast else ""


def _constructed_type(text: str, name: str, at: int) -> str:
    """`new Card(1)`, with a body or without, `new int[3]`; but not `new Card(1).pay()`."""
    is_array = text[at] == "["
    while at < len(text) and text[at] in "([{":
        end = chains.closing_bracket(text, at) + 1
        if not end:
            return ""
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return "" if at < len(text) else f"{name}{ARRAY}" if is_array else name


def adding_nothing(units: list[OutlineUnit], takes: Mapping[str, tuple[str, ...]], source: bytes) -> set[str]:
    """The scopes of functions that are but declared beside their definition, or that nobody can call: `= delete`."""
    functions = [unit for unit in units if unit.definition.kind in FUNCTIONS]
    deleted = {unit.scope for unit in functions if _DELETED.match(source, unit.definition.head[1])}
    keys = {unit.scope: (without_numbers(unit.scope), takes.get(unit.scope)) for unit in functions}
    bodied = {keys[one.scope] for one in functions if one.definition.bodied and one.scope not in deleted}
    again = {one.scope for one in functions if not one.definition.bodied and keys[one.scope] in bodied}
    return deleted | again
