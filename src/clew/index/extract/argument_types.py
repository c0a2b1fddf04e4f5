"""The type of an argument by its text: a literal, a constructor call, a cast, a name.

A written type is the value of its name, without `Call`; a primitive one is its own name. An array of those is
`int[]`, any other `[]`, an anonymous function `->`, and an unknown type "".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import FUNCTIONS, ScopeMap
from clew.index.facts import (
    MANY,
    Attr,
    Call,
    Def,
    ImportedName,
    NarrowedValue,
    ScopedName,
    This,
    TypeArgumentCall,
    Typed,
    UnboundName,
    Value,
)
from clew.index.languages.language import Language
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite
from clew.index.syntax.units import OutlineUnit
from clew.model.code import without_numbers

PRIMITIVES = frozenset("byte short int long float double char boolean".split())
SIMPLE = PRIMITIVES | frozenset("bool decimal sbyte ushort uint ulong".split())  # of C#, which may be null as `int?`
ARRAY = "[]"
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
                case ScopedName(holder, name) | Attr(This(holder), name) if (holder, name) in self._told:
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


# Types of arguments in Java by their texts; for constants, fields and calls, the owner's.

_EXPRESSION = re.compile(r"[^\W\d][\w.]*(?:\(.*\))?", re.DOTALL)
LONGEST = 160


class JavaTyping(ArgumentTyping):
    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        if text != "var":
            super().note_type(scope, name, text, seen_from)

    def _computed_type(self, text: str, scope: str) -> Typed:
        if text.endswith(".length"):
            return "int"
        found = self._names.read_expression(text, scope) if len(text) <= LONGEST and _EXPRESSION.fullmatch(text) else ()
        return NarrowedValue(found[0], ()) if len(found) == 1 else ""


# Parameters and arguments in Swift by labels: `move(from:to:)` differs from `move(by:)`.

BLOCK = "{}"
_LABEL = re.compile(r"(?:@\w+(?:\([^()]*\))?\s+)*`?(\w+)`?(?:\s+\w+)?\s*:")
_BEFORE = re.compile(r"\w+[?!]?\s*")


def labels_of(units: list[OutlineUnit], source: bytes) -> dict[str, tuple[str, ...]]:
    """The parameters of each function, by its scope."""
    found = {unit.scope: _parameter_labels(unit, source) for unit in units if unit.definition.kind in FUNCTIONS}
    return {scope: (labels,) for scope, labels in found.items() if labels is not None}


def _parameter_labels(unit: OutlineUnit, source: bytes) -> str | None:
    head = source[unit.definition.named : unit.definition.head[1]].decode("utf-8", "replace")
    name = _BEFORE.match(head)
    opening = name.end() if name else 0
    if head.startswith("<", opening):
        opening = head.find("(", chains.closing_bracket(head, opening))
    if not head.startswith("(", max(opening, 0)) or (end := chains.closing_bracket(head, opening)) < 0:
        return None
    parts = types.arguments(f"<{head[opening + 1 : end]}>")
    labels = [_label(part) for part in parts if part]
    return "".join(labels) if all(labels) else None


def _label(part: str) -> str:
    label = _LABEL.match(part)
    type_, default, _ = part.partition("=")
    marks = f"{'=' if default else ''}{'*' if '...' in type_ else ''}{'&' if '->' in type_ else ''}"
    return f"{label[1]}{marks}:" if label else ""


class SwiftLabels:
    """As `told.Typing`, for Swift."""

    def __init__(self, takes: Mapping[str, tuple[str, ...]]) -> None:
        self._takes = takes

    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        """Types of names say nothing here."""

    def parameter_types(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        return dict(self._takes)

    def argument_types(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        given = call.given.lstrip()
        if given.startswith("{"):
            return (f"{BLOCK}:",)
        end = chains.closing_bracket(given, 0) if given.startswith("(") else -1
        if end < 0:
            return ()
        labels = [key or "_" for key, _ in chains.elements(given[: end + 1])]
        labels += [BLOCK] if given[end + 1 :].lstrip().startswith("{") else []
        return ("".join(f"{label}:" for label in labels),)


NOTED = ("typed", "field", "plain", "local", "optional")  # marks that tell the types of names


# Types of arguments and parameters in Kotlin by their texts.

_PRIMITIVES = {one: one.lower() for one in "Byte Short Int Long Float Double Char Boolean".split()}
_ANYTHING = frozenset({"Any", "Unit", "Nothing", "dynamic"})
_FUNCTION = "->"
_KCLASS = ImportedName("kotlin.reflect", "KClass")
_CLASS_OF = re.compile(r"[\w.<>*]+::class(\.java)?")
_KOTLIN_MADE = re.compile(r"((?:[A-Z]\w*\.)*[A-Z]\w*)(?:<[^()]*>)?(?=\()")
_KOTLIN_CAST = re.compile(r"[\w.]+ as (\w[\w.]*(?:<.*>)?)")


class KotlinTyping(ArgumentTyping):
    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        if text == "=":
            self._optional.add((scope, name))
        elif text:
            self._told[scope, name].add(self._type(text, seen_from))

    def argument_types(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        given = call.given.lstrip()
        end = chains.closing_bracket(given, 0) if given.startswith("(") else -1
        parts = chains.elements(given[: end + 1]) if end > 0 else []
        if not len(parts) <= call.passed <= len(parts) + 1:
            return ()
        told: list[Typed] = []
        is_by_place = True
        for key, part in parts:  # what is given by name may stand anywhere, and all behind it
            is_by_place = is_by_place and not key
            told.append(self._argument_type(part, scope) if is_by_place else "")
        told += [_FUNCTION if is_by_place else ""] * (call.passed - len(parts))
        return tuple(told) if any(told) else ()

    def _argument_type(self, text: str, scope: str) -> Typed:
        if text.startswith("{") or (text.startswith("::") and text[2:].isidentifier()):
            return _FUNCTION
        if kind := _CLASS_OF.fullmatch(text):
            return "Class" if kind[1] else _KCLASS
        if told := literal(text):
            return told if told not in ("Class", _FUNCTION) else ""
        if text.isidentifier():
            return self._named_argument_type(text, scope)
        if (made := _KOTLIN_MADE.match(text)) and chains.closing_bracket(text, made.end()) == len(text) - 1:
            return self._type(made[1], scope)
        cast = _KOTLIN_CAST.fullmatch(text)
        return self._type(cast[1], scope) if cast else ""

    def _named_argument_type(self, text: str, scope: str) -> Typed:
        match self._names.resolve_name(text, scope):
            case ScopedName(holder, name):
                return self._type_of_name(holder, name) or self._bound_to(holder, name)
            case This(_) as own:
                return own
        return ""

    def _bound_to(self, scope: str, name: str) -> Typed:
        """The type of a name bound to a new object: `val card = Card()`."""
        match self._names.bound[scope][name]:
            case [Call(TypeArgumentCall(of, _))] | [Call(of)] if _last(of)[:1].isupper():
                return of
        return ""

    def _type_of_name(self, scope: str, name: str) -> Typed:
        return super()._type_of_name(scope, name.removesuffix(MANY))

    def _type(self, text: str, scope: str) -> Typed:
        plain = text.strip().rstrip("?")
        if plain in _PRIMITIVES:
            return _PRIMITIVES[plain] if plain == text.strip() else ""
        if plain in _ANYTHING:
            return ""
        if plain.startswith("(") or _FUNCTION in plain:
            return _FUNCTION
        parts = types.type_name(plain)
        return self._names.path(parts, scope) if parts and not self._names.is_generic(parts[0], scope) else ""


def _last(value: Value) -> str:
    match value:
        case Attr(_, name) | ScopedName(_, name) | ImportedName(_, name) | UnboundName(name):
            return name
        case Def(scope):
            return scope.rpartition(":")[2]
    return ""


# Parameters and arguments of C++ functions by the names of types: `string`, `char*`, `Card`.

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
_DELETED = re.compile(rb"\s*=\s*delete\b")


def takes_of(language: Language, units: list[OutlineUnit], source: bytes) -> dict[str, tuple[str, ...]]:
    """The parameters of each function, by its scope, in languages with overloads."""
    if language.name == "swift":
        return labels_of(units, source)
    if language.name != "cpp":
        return {}
    return {unit.scope: types_of_parameters(unit, source) for unit in units if unit.definition.kind in FUNCTIONS}


def adding_nothing(units: list[OutlineUnit], takes: Mapping[str, tuple[str, ...]], source: bytes) -> set[str]:
    """The scopes of functions that are but declared beside their definition, or that nobody can call: `= delete`."""
    functions = [unit for unit in units if unit.definition.kind in FUNCTIONS]
    deleted = {unit.scope for unit in functions if _DELETED.match(source, unit.definition.head[1])}
    keys = {unit.scope: (without_numbers(unit.scope), takes.get(unit.scope)) for unit in functions}
    bodied = {keys[one.scope] for one in functions if one.definition.bodied and one.scope not in deleted}
    again = {one.scope for one in functions if not one.definition.bodied and keys[one.scope] in bodied}
    return deleted | again


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
    """As `told.Typing`, for C++."""

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
            case ScopedName(holder, name) | Attr(This(holder), name):
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
            case ScopedName(holder, own) | Attr(This(holder), own):
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


def typing_of(
    language: Language, names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]
) -> ArgumentTyping | CppSignatures | SwiftLabels:
    if language.name == "cpp":
        return CppSignatures(names, places.by_scope, takes)
    if language.name == "swift":
        return SwiftLabels(takes)
    if language.name == "java":
        return JavaTyping(names)
    return KotlinTyping(names) if language.name == "kotlin" else ArgumentTyping(names)
