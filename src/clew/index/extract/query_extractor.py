"""From an outline to facts: bindings of each scope, base classes, calls. For every language without a reader of its
own; language-specific parts are in the language's line of the table."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from clew.index.extract.argument_types import NOTED, ArgumentTyping, adding_nothing
from clew.index.extract.binder import (
    ELEMENT,
    Binder,
    at_path,
    limit_values,
    lines_of,
    part_of,
    same_above,
    types_without,
)
from clew.index.extract.decorators import decorators_and_markers
from clew.index.extract.narrowing import narrowings_of
from clew.index.extract.references import OWN, ReferenceExtractor
from clew.index.extract.regions import places_of
from clew.index.extract.scope_map import CLASSES, FUNCTIONS, ScopeMap, extension_holder, inside, is_loose, is_member
from clew.index.facts import (
    ALIASED,
    AWAITED,
    MANY,
    Attr,
    Call,
    CallFact,
    Container,
    Def,
    Facts,
    ImportedName,
    MemberReference,
    Param,
    ScopedName,
    Subscript,
    Super,
    This,
    UnboundName,
    Value,
    Values,
)
from clew.index.syntax import call_dataflow, chains, types
from clew.index.syntax.imports import bound_names, container_types, local, modules_beside, reexports, stars
from clew.index.syntax.parse import Callsite, CapturedMark, Outline, is_read
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.units import OutlineUnit
from clew.languages.member_names import RECEIVED, PassedValue, ResultPart
from clew.languages.profile import DocType, Language
from clew.model.code import SCOPE, Import, without_numbers
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node


# Calls in the bodies of C's macros, of which a tree knows no more than the text, and of macros where none is seen.

_MACRO_DEFINES = re.compile(rb"#[ \t]*define[ \t]+\Z")
_HEAD = re.compile(rb"\w+(?:\([^)\n]*\))?")
_MARKED = re.compile(rb"\b(?:__attribute__|__pragma|_Pragma|__declspec)\s*+\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
_QUOTED = re.compile(rb"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|/\*.*?\*/|//[^\n]*", re.DOTALL)
_CALL = re.compile(
    rb"(?<![\w#.>])(?:(?:::)?[A-Za-z_]\w*+\s*+(?:\.|->|::)\s*+)*+([A-Za-z_]\w*+)(?=\s*+(?:<[\w\s:*&,]*+>\s*+)?\()"
)
_USED = re.compile(rb"(?<![\w#.>])[A-Z][A-Z0-9_]{2,}+(?=[ \t]*+\()")  # as most macros are called
_DIRECTIVE = re.compile(rb"^[ \t]*+#(?:[^\n\\]|\\.)*+", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(rb"(?<=[)\]])\s*+(?:\.|->)\s*+([A-Za-z_]\w*+)(?=\s*+\()")  # of what a call gives
_LETTER = re.compile(rb"[^\n]")
_SPACE = re.compile(rb"[\s\\]+")
_PASTED = re.compile(rb"##\s*\Z")
_DECLARED = re.compile(rb"(?:^|[^\w.>])([A-Za-z_]\w*)[\s*&]+\Z")  # what stands before it is a type
_BEFORE = frozenset(b"return else do case throw new co_return co_await co_yield and or not in goto".split())
_WORDS = frozenset(
    b"""
    if while for switch return sizeof defined do else case alignof alignas static_assert decltype typeof catch throw new
    delete operator noexcept typeid asm int char long short unsigned signed float double void bool static_cast
    reinterpret_cast const_cast dynamic_cast _Static_assert _Generic _Alignof __attribute__ __typeof__ __declspec
    __asm__
    """.split()
)


def macro_calls(language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> Iterator[Callsite]:
    if not language.preprocessed:
        return
    lines = LineIndex(source)
    known = {call.at for call in outline.calls} | {unit.definition.named for unit in units}
    plain = _DIRECTIVE.sub(_blank, _QUOTED.sub(_blank, source))
    for used in _USED.finditer(plain):
        if used.start() not in known:  # in the head of a function, among the members of a class, at the top
            yield Callsite(used.start(), lines.at(used.start()), used[0].decode(), unsure=True)
    for unit in units:
        at, end = unit.definition.named, unit.definition.end
        if is_macro(unit, source) and (head := _HEAD.match(source, at, end)):
            body = _MARKED.sub(_blank, _QUOTED.sub(_blank, source[head.end() : end]))
            for place, callee in _calls(body):
                at = head.end() + place
                yield Callsite(at, lines.at(at), callee.decode("utf-8", "replace"))


def is_macro(unit: OutlineUnit, source: bytes) -> bool:
    at = unit.definition.named
    return _MACRO_DEFINES.search(source, max(0, at - 80), at) is not None


def _calls(body: bytes) -> Iterator[tuple[int, bytes]]:
    for found in _CALL.finditer(body):
        start = found.start()
        before = _DECLARED.search(body, max(0, start - 80), start)
        is_declared = before is not None and before[1] not in _BEFORE and found.start(1) == start
        if found[1] not in _WORDS and not is_declared and not _PASTED.search(body, max(0, start - 8), start):
            yield found.start(1), _SPACE.sub(b"", found[0])
    for found in _MEMBER.finditer(body):
        yield found.start(1), "…->".encode() + found[1]


def _blank(found: re.Match[bytes]) -> bytes:
    return _LETTER.sub(b" ", found[0])


# Types in comments, where code has none: `@var Card[]` above a field, `@return static` above a method.


class DocTypes:
    """The documented types of a file. A type in code takes precedence, unless the comment gives the element type."""

    def __init__(self, language: Language, source: bytes, names: Binder, places: ScopeMap) -> None:
        self._found = list(language.remarks_of(source)) if language.remarks_of else []
        self._names = names
        self._places = places

    def bind(self) -> None:
        """Bind names to their documented types: fields of the class, and variables at their place."""
        for one in self._found:
            if one.kind == "result":
                continue
            is_field = one.kind == "field"
            scope = self._places.class_at(one.at) if is_field else self._places.holder(one.at, one.name)
            known = self._names.bound[self._places.first(scope)][one.name]
            known[:] = self._documented_types(known, one)

    def results(self, found: dict[str, list[Value]]) -> None:
        """Add the documented results of functions to the written ones."""
        for one in self._found:
            if one.kind == "result" and (scope := self._places.function_of_head(one.at)):
                found[scope] = self._documented_types(found[scope], one)

    def _documented_types(self, known: list[Value], one: DocType) -> list[Value]:
        values: Values = self._names.instance_of(one.type, self._places.region(one.at))
        is_written = any(isinstance(value, Call | This) for value in known)
        if any(isinstance(value, Container) for value in values):
            known = [value for value in known if not isinstance(value, Call)]
        elif is_written:
            return known
        return [*known, *(value for value in values if value not in known)]


# Results of functions: their declared or documented types, or else their returned values.


class ReturnTypes:
    def __init__(self, language: Language, names: Binder, places: ScopeMap, remarks: DocTypes) -> None:
        self._language = language
        self._names = names
        self._places = places
        self._remarks = remarks

    def of(self, declared: list[CapturedMark], returned: list[CapturedMark]) -> dict[str, Values]:
        """By function."""
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in declared:
            if scope := self._places.function_of_head(mark.at):
                found[scope] += self._names.instance_of(mark.text, scope)
        self._remarks.results(found)
        given: dict[str, list[CapturedMark]] = defaultdict(list)
        for mark in returned:
            given[self._places.function_of_body(mark.at)].append(mark)
        for scope, marks in given.items():
            is_made = self._language.made_results and all(mark.text.startswith("new ") for mark in marks)
            if without_numbers(scope).endswith("!"):
                for mark in marks:
                    self._of_macro(scope, mark, found)
            elif scope and (is_made or not found[scope]):
                read = [
                    value
                    for mark in marks
                    for value in self._names.read_expression(mark.text, self._places.region(mark.at))
                ]
                found[scope] = list(dict.fromkeys(read)) or found[scope]
        return {scope: few for scope, values in found.items() if (few := limit_values(values))}

    def _of_macro(self, scope: str, mark: CapturedMark, found: dict[str, list[Value]]) -> None:
        """The results of a macro by its body: one, or several."""
        last = self._language.macro_result(mark.text) if self._language.macro_result else ""
        several = [part for _, part in chains.elements(last)] if last.startswith("(") else [last]
        for place, text in enumerate(several, 1):
            own = inside(scope, ResultPart(place).text) if place > 1 else scope
            found[own] += self._names.read_expression(text, self._places.region(mark.at))


def extra_results(names: Binder, places: ScopeMap, marks: dict[str, list[CapturedMark]]) -> dict[str, Values]:
    """The results of functions beside the first, and the values that they pass, each in a scope of its own."""
    found: dict[str, Values] = {}
    for mark in marks["results"]:
        if scope := places.function_of_head(mark.at):
            found.update(names.results(mark.text, scope))
    for mark in marks["passed"]:  # what a type passes that has a name has one number
        scope = places.function_of_head(mark.at) or (places.class_at(mark.at) if mark.text.count("$") == 1 else "")
        if scope and (values := names.instance_of(mark.detail, scope)):
            own = inside(scope, PassedValue(RECEIVED).text if mark.text == "." else mark.text)
            found[own] = tuple(dict.fromkeys((*found.get(own, ()), *values)))
    return found


# Names that stand alone, and call a method of the same file that takes nothing: `size`, in Scala.

# What follows the name of a method that is called without brackets: types, and at most what is passed unseen.
_TAKES_NOTHING = re.compile(rb"\s*(?:\[[^\n]*?\])?\s*(?:[:={\n]|$|\(\s*(?:implicit|using)\s)")
_NAMING = frozenset(  # nodes in which a name is no expression
    "function_definition function_declaration class_definition object_definition trait_definition parameter binding "
    "class_parameter import_declaration namespace_selectors arrow_renamed_identifier type_definition annotation "
    "case_class_pattern tuple_pattern typed_pattern alternative_pattern stable_identifier package_identifier "
    "identifiers type_parameters self_type capture_pattern val_declaration var_declaration".split()
)
_NAMED = {
    "val_definition": "pattern",
    "var_definition": "pattern",
    "field_expression": "field",
    "infix_expression": "operator",
    "case_clause": "pattern",
    "interpolated_string_expression": "interpolator",
}


def bare_reads(language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> Iterator[Callsite]:
    """In a language that has such names, which only the file itself can tell from values."""
    root = outline.root
    if not language.companions or root is None:
        return
    names = {unit.definition.name.encode() for unit in units if _takes_nothing(unit, source)}
    if not names:
        return
    lines = LineIndex(source)
    for found in re.finditer(rb"(?<![\w.])(?:%b)(?![\w$])" % b"|".join(map(re.escape, sorted(names))), source):
        node = root.descendant_for_byte_range(found.start(), found.end())
        if node is not None and node.type == "identifier" and _is_expression(node):
            yield Callsite(found.start(), lines.at(found.start()), found.group().decode(), reads=True)


def _takes_nothing(unit: OutlineUnit, source: bytes) -> bool:
    one = unit.definition
    after = one.named + len(one.name.encode())
    return one.kind in FUNCTIONS and one.name.isidentifier() and _TAKES_NOTHING.match(source, after) is not None


def _is_expression(node: "Node") -> bool:
    around = node.parent
    if around is None or not is_read(node):
        return False
    named = _NAMED.get(around.type)
    if named is not None:
        return around.child_by_field_name(named) != node
    if around.type in ("function_definition", "function_declaration"):
        return around.child_by_field_name("body") == node
    return around.type not in _NAMING


# Methods that nobody writes: `attr_accessor :bank`, `describe Card do` of Ruby, `record Card(Bank bank)` of Java.


def bind_generated_methods(names: Binder, places: ScopeMap, marks: dict[str, list[CapturedMark]]) -> dict[str, Values]:
    """Bind `bank=` to the definition of `bank`; its result is `@bank`.

    An alias has the result of its original.
    """
    found: dict[str, Values] = {}
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute.written"]]):
        holder, _, name = unit.scope.rpartition(SCOPE)
        names.bind(places.first(holder), f"{name.partition('#')[0]}=", (Def(unit.scope),))
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute"]]):
        found[unit.scope] = names.read_expression(f"@{unit.definition.name}", unit.scope)
    for mark in marks["aliased"]:
        if around := places.unit(mark.at):
            found[around.scope] = names.read_expression(f"{mark.detail.removeprefix(':')}()", around.scope)
    return found | _bind_record_components(names, places, marks["component"])


def _bind_record_components(names: Binder, places: ScopeMap, marks: list[CapturedMark]) -> dict[str, Values]:
    """`card.bank()` returns the record's component, unless it is defined explicitly."""
    found: dict[str, Values] = {}
    for mark in marks:
        holder = places.class_at(mark.at)
        held, own = names.bound[holder][mark.text], inside(holder, mark.text)
        if own in places.by_scope and not any(isinstance(value, Def) for value in held):
            found[own] = tuple(value for value in held if not isinstance(value, Param))
            held.append(Def(own))
    return {own: values for own, values in found.items() if values}


def bind_described_class(names: Binder, marks: list[CapturedMark]) -> None:
    """The names of RSpec for the described class and its instance."""
    for mark in marks[:1]:
        values = (names.path(mark.text.split("::"), ""),)
        names.bind("", "described_class", values)
        names.bind("", "subject", tuple(Call(Attr(value, "new")) for value in values))


def by_side(names: Binder, values: Values, scope: str) -> Values:
    """The callee; where a class and its instances may have methods of one name, those of `self`'s side."""
    match values:
        case (ScopedName(around, name),):
            defined = [value.scope for value in names.bound[around][name] if isinstance(value, Def)]
            own = names.resolve_name("self", scope) if not names.statics.isdisjoint(defined) else None
            return (Attr(own, name),) if own is not None and own in (Def(around), This(around)) else values
    return values


# The arguments of a call as written: one by one, and those that reach the called function; and plain names.

_THESE = frozenset("this null undefined self that _this".split())  # what a function is called on


def arguments(text: str) -> list[str]:
    """The arguments one by one; an element as a whole, with its attributes."""
    if not text or text.startswith("<"):
        return [text] if text else []
    return [part for _, part in chains.elements(text if text.startswith("(") else f"({text})")]


def passed_on(callee: str, texts: list[str]) -> list[str]:
    """The arguments that `run.call(this, card)` passes to run. `plugin.apply(it)` is nearly always a method of its
    own."""
    if callee.endswith("apply"):
        return texts if len(texts) == 1 else []
    return texts[1:] if texts and texts[0] in _THESE else []


def plain_name(text: str, language: Language) -> str:
    """A name without sigils; "" for other expressions."""
    name = language.bare(text.removeprefix(":")).rstrip("!?")
    return name if chains.is_name(name) or name.isdecimal() else ""


def offered_name(text: str) -> str:
    """The name that others take it by; a thing that stands for the whole file is its default."""
    return text if chains.is_name(text) else "default"


CONSTRUCTOR = "constructor"  # what a class binds its constructors to, whatever the language calls them

_PLACES = {"second": 2, "third": 3}  # of results, that names are given
_MEMBERS = {"element": ELEMENT, "awaited": AWAITED, "alias": ALIASED}
_PARTS = {"each": "", "first": "0", "latter": "1"}  # of what is gone through, or taken apart
_OPEN = ("each", "local", "plain", "put")  # marks of names that something may be known of later
_DEFINES = re.compile(r"(?:async\s+)?(?:function|class)\b")
_OWN_PREFIX = re.compile(r"(?:this\.|self\.|\$this->|this->|(?:self|static)::(?=\$))#?")


def extract_facts(language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> Facts:
    if language.rest is not Kind.MODULE:  # prose and data bind no names
        kinds = {unit.scope: unit.definition.kind.value for unit in units}
        package = next((mark.text for mark in outline.marks if mark.kind == "package"), "")
        return Facts(package=package, kinds=kinds, imports=tuple(one for _, one in outline.imports))
    return _FactExtractor(language, units, outline, source).facts()


def _typing_by_text(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> ArgumentTyping:
    return ArgumentTyping(names)


class _FactExtractor:
    def __init__(self, language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> None:
        self._language = language
        self._units = units
        self._outline = outline
        self._source = source
        self._places = places_of(language, units, outline)
        self._names = Binder(language, self._places)
        self._bound = self._names.bound
        self._takes = language.takes_of(units, source) if language.takes_of else {}
        self._narrowed = narrowings_of(language, outline.marks, source)
        self._remarks = DocTypes(language, source, self._names, self._places)
        typing_of = language.typing_of or _typing_by_text
        self._typing = typing_of(self._names, self._places, self._takes)
        self._params: dict[str, list[str]] = defaultdict(list)
        self._told: set[tuple[str, str]] = set()  # names whose type is written, in their scopes
        self._placed: dict[int, tuple[str, str]] = {}
        self._patterns: dict[int, str] = {}  # parameters that are taken apart, by where they stand
        self._imports: list[Import] = []
        self._said_at: dict[tuple[str, Value], int] = {}  # where a class names what it extends or implements
        self._bind_definitions(units)
        self._bind_imports()
        self._names.holders = container_types(language, self._bound[""], self._imports)

    def facts(self) -> Facts:
        marks: dict[str, list[CapturedMark]] = defaultdict(list)
        for mark in self._outline.marks:
            marks[mark.kind].append(mark)
        parts = *marks["package"][:1], *marks["subpackage"]
        self._names.package = self._language.separator.join(mark.text for mark in parts)
        bases = self._types_of(marks["base"])
        implements = types_without(
            self._types_of(marks["implements"], self._implemented_types(marks["asserted"])), bases
        )
        self._names.extending = {*bases, *implements}
        self._names.statics = self._places.functions_at(mark.at for mark in marks["static"])
        bind_described_class(self._names, marks["described"])
        self._bind_all(marks)
        offers = self._offers(marks["exported"] + marks["offered"])
        unseen = bare_reads if self._language.companions else macro_calls
        written = [*self._outline.calls, *unseen(self._language, self._units, self._outline, self._source)]
        sites = [(site, self._places.region(site.at)) for site in sorted(written)]
        calls = [(called, self._dataflow(*site)) for site in sites if (called := self._call_fact(*site))]
        placed = [(at, one) for (at, _), one in zip(self._outline.imports, self._imports, strict=True)]
        (uses, refers), told = self._uses(), ReturnTypes(self._language, self._names, self._places, self._remarks)
        package, units = self._names.package, self._units
        signatures_of = self._language.signatures_of
        signatures = signatures_of(units, package, self._imports, self._source) if signatures_of else {}
        lines = {unit.scope: (unit.definition.first,) for unit in units if unit.definition.kind in CLASSES}
        return Facts(
            package=self._names.package,
            kinds={scope: unit.definition.kind.value for scope, unit in self._places.by_scope.items()},
            returns=told.of(marks["result"], marks["returned"])
            | extra_results(self._names, self._places, marks)
            | bind_generated_methods(self._names, self._places, marks),
            bases=bases,
            implements=implements,
            lines=(lines if self._language.located_types else {})
            | lines_of(LineIndex(self._source), self._said_at, bases, implements),
            decorators=decorators_and_markers(self._units, self._outline.marks, self._places, self._names.statics),
            params={scope: tuple(names) for scope, names in self._params.items()},
            names={scope: known for scope, of in self._bound.items() if (known := self._known_names(scope, of))},
            calls=tuple(call for call, _ in calls),
            flows=bytes(way for _, way in calls),
            imports=tuple(self._imports),
            stars=stars(self._outline.imports, self._imports, {mark.at for mark in marks["relative"]}),
            exports=(*offers, *(mark.text for mark in marks["everywhere"])),
            declared=() if self._language.bodiless else self._places.bodiless_functions(),
            uses=uses,
            refers=refers,
            takes=self._typing.parameter_types(self._params),
            offers=offers | reexports(self._language, placed, {mark.at for mark in marks["handed"]}),
            signatures=signatures,
        )

    def _bind_definitions(self, units: list[OutlineUnit]) -> None:
        for scope in sorted(self._places.namespaces):
            holder, _, name = scope.rpartition(SCOPE)
            self._bound[holder][name].append(Def(scope))
        again = adding_nothing(units, self._takes, self._source) if self._language.redeclares else ()
        for unit in units:
            if unit.definition.into or self._is_value(unit) or unit.scope in again or self._is_opened_again(unit):
                continue
            (holder, name), receiver = self._binding_scope(unit), unit.definition.receiver
            self._bound[holder][name].append((Container if unit.definition.is_object else Def)(unit.scope))
            if name == self._language.constructor:
                self._bound[holder][CONSTRUCTOR].append(Def(unit.scope))
            if holder and self._language.preprocessed and is_macro(unit, self._source):  # others see it, too
                self._bound[""][name].append(Def(unit.scope))
            if around := extension_holder(unit):  # an extension is a member of where it stands, too
                self._bound[around.within][name].append(Def(unit.scope))
            if receiver and (made := self._places.by_scope.get(receiver)) and self._is_value(made):
                self._bound[""][receiver] = [Container(receiver)]  # an object that is made step by step

    def _is_value(self, unit: OutlineUnit) -> bool:
        """Whether it is no thing that a name stands for: a value, or a cell of a notebook."""
        return unit.definition.kind not in (*CLASSES, *FUNCTIONS) and not unit.definition.is_object

    def _is_opened_again(self, unit: OutlineUnit) -> bool:
        return unit.definition.kind in CLASSES and self._places.first(unit.scope) != unit.scope

    def _binding_scope(self, unit: OutlineUnit) -> tuple[str, str]:
        """Where a definition is bound, and the name that it goes by there."""
        d, parent = unit.definition, unit.parent
        if self._language.whole_names:
            return parent.within if parent else "", d.name
        holder = unit.scope.rpartition(SCOPE)[0]
        if d.receiver in self._language.this_words:
            holder = self._places.class_of(holder) or holder
        elif not is_member(unit):
            holder = self._places.holder_of(unit, d.name)
        elif not d.receiver and is_loose(unit):
            holder = self._places.object_around(unit)
        holder = self._places.first(holder)
        return holder, self._member_name(holder, self._language.bare(d.name.rpartition(SCOPE)[2]))

    def _member_name(self, holder: str, name: str) -> str:
        """A constructor is none of the names that a class binds: inside of Card, Card is the class."""
        if not holder or name not in (holder.rpartition(SCOPE)[2].partition("#")[0], "this"):
            return name
        return CONSTRUCTOR if self._language.constructors and self._places.is_class(holder) else name

    def _bind_imports(self) -> None:
        own = {name for name, values in self._bound[""].items() if any(isinstance(value, Def) for value in values)}
        beside = modules_beside(one for _, one in self._outline.imports)
        for at, found in self._outline.imports:
            one = local(found, own, beside, self._language)
            self._imports.append(one)
            for name, value in bound_names(one, self._language):
                self._bound[self._places.holder(at, name)][self._language.bare(name)].append(
                    self._own_module_value(value)
                )

    def _own_module_value(self, value: Value) -> Value:
        """An import from a module inside this file is replaced by its scope."""
        match value:
            case ImportedName(module, name) if (
                scope := module.removeprefix(f"self{self._language.separator}")
            ) != module:
                if scope in self._places.namespaces or scope in self._places.by_scope:
                    return Attr(Def(scope), name) if name else Def(scope)
        return value

    def _bind_all(self, marks: dict[str, list[CapturedMark]]) -> None:  # noqa: C901, PLR0912 - one branch per kind of capture
        """Every name is known before any value is read."""
        names, scope_at = self._names, self._places.region
        for mark in marks["generic"]:
            names.open_generic(self._places.scope(mark.at), mark.text, mark.detail)
        for mark in sorted(marks["param"] + marks["taken"], key=lambda mark: mark.at):
            self._bind_param(mark)
        for mark in marks["rest"]:
            if scope := self._places.taker(mark.at):
                self._params[scope].append(MANY)
        for unit in filter(None, [self._places.unit(mark.at) for mark in marks["canonical"]]):
            self._params[unit.scope] = self._params[unit.scope.rpartition(SCOPE)[0]]
        typed, assigned = [*marks["typed"], *marks["field"]], (*marks["assigned"], *marks["offered"])
        later = [mark for kind in _PLACES for mark in marks[kind]]
        for mark in (*typed, *assigned, *later, *(mark for kind in _OPEN for mark in marks[kind])):
            self._bind(mark, ())
        for mark in marks["generic"]:
            self._bind_generic(mark)
        for mark in marks["itself"]:
            if (scope := self._places.taker(mark.at)) and self._places.by_scope[scope].definition.name != mark.text:
                names.bind(scope, mark.text, (Def(scope),))
        for mark in marks["self"]:
            self._bind(mark, (This(self._places.class_at(mark.at)),))
        for mark in typed:
            self._bind(mark, names.instance_of(mark.detail, scope_at(mark.at)))
        for mark in marks["wanted"]:
            type_, _, path = mark.detail.partition(". ")
            self._bind(mark, tuple(at_path(value, path) for value in names.instance_of(type_, scope_at(mark.at))))
        self._remarks.bind()
        for mark in (mark for kind in NOTED for mark in marks[kind]) if self._language.typed_overloads else ():
            self._typing.note_type(*self._place(mark), mark.detail, scope_at(mark.at))
        for mark in (*assigned, *marks["reassigned"]):
            self._bind(mark, self._values(mark) if mark.detail else ())
        for mark in later:
            called = [
                value.by for value in names.read_expression(mark.detail, scope_at(mark.at)) if isinstance(value, Call)
            ]
            self._bind(mark, tuple(Attr(value, ResultPart(_PLACES[mark.kind])) for value in called))
        for mark in (mark for kind in _PARTS for mark in marks[kind]):
            self._bind(
                mark,
                tuple(Subscript(of, _PARTS[mark.kind]) for of in names.read_expression(mark.detail, scope_at(mark.at))),
            )
        for mark in marks["put"]:
            if values := names.read_expression(mark.detail, scope_at(mark.at)):
                self._bind(mark, (names.new_container(*values),))
        for mark in (mark for kind in _MEMBERS for mark in marks[kind]):
            if holder := self._places.class_at(mark.at):
                self._bound[holder][_MEMBERS[mark.kind]] += names.instance_of(mark.text, holder)

    def _bind_generic(self, mark: CapturedMark) -> None:
        """A type parameter is an instance of its bound."""
        scope, parts = self._places.scope(mark.at), types.type_name(mark.detail)
        if parts and parts != (mark.text,):
            self._names.bind(scope, mark.text, (self._names.path(parts, scope),))

    def _bind_param(self, mark: CapturedMark) -> None:
        """A destructured parameter has no name; its parts are members."""
        scope, name = self._places.taker(mark.at), self._language.bare(mark.text.removeprefix("mut ").lstrip("&*."))
        if not scope:
            self._names.declare(self._places.holder(mark.at, name), name)
            return
        params = self._params[scope]
        if mark.kind == "taken":
            whole = ScopedName(scope, params[-1]) if params else UnboundName(name)
            self._bound[scope][name].append(part_of(whole, mark.detail))
            return
        if not chains.is_name(name):
            name = self._patterns[mark.at] = f"{{{len(params)}}}"
        params.append(name)
        self._bound[scope][name].append(Param(scope, name))

    def _bind(self, mark: CapturedMark, values: Values) -> None:
        """A name that is bound here hides those outside, even where nothing can be told of it."""
        scope, name = self._place(mark)
        if name:
            self._names.bind(first := self._places.first(scope), name, values)
            if values and mark.kind in ("typed", "field"):
                self._told.add((first, name))

    def _place(self, mark: CapturedMark) -> tuple[str, str]:
        """The scope of a binding, needed before its value is known, and again afterwards."""
        return self._placed.get(id(mark)) or self._placed.setdefault(id(mark), self._found_place(mark))

    def _found_place(self, mark: CapturedMark) -> tuple[str, str]:
        """`this.x` is bound in the class, an export in the file, any other name at its place."""
        if mark.kind == "offered":
            return "", offered_name(mark.text)
        if mark.kind == "field":
            return self._places.class_at(mark.at), plain_name(mark.text, self._language)
        if mark.at in self._patterns:
            return self._places.taker(mark.at), self._patterns[mark.at]
        if mark.text.startswith("@"):  # a method may have the name, too
            return self._places.class_at(mark.at), mark.text
        if own := _OWN_PREFIX.match(mark.text):
            return self._places.class_at(mark.at), plain_name(mark.text[own.end() :], self._language)
        if mark.kind == "reassigned":
            return self._rebound_scope(mark.text, self._places.region(mark.at))
        return self._places.holder(mark.at, mark.text, mark.end), plain_name(mark.text, self._language)

    def _rebound_scope(self, text: str, scope: str) -> tuple[str, str]:
        """A name that is bound elsewhere, or a member of an object that has a scope of its own."""
        holder, _, member = text.rpartition(".")
        bound = self._names.resolve_name(holder or text, scope)
        if not isinstance(bound, ScopedName):
            return "", ""
        if not holder:
            return bound.scope, plain_name(text, self._language)
        inner = inside(self._places.definition_scope(bound.scope), holder)
        return (inner, plain_name(member, self._language)) if inner in self._places.by_scope else ("", "")

    def _values(self, mark: CapturedMark) -> Values:
        """The values of a binding; an object with a scope of its own keeps its elements there."""
        scope, seen = self._places.scope(mark.at), self._places.region(mark.at)
        if mark.kind == "offered" and _DEFINES.match(mark.detail) and scope:
            return (Def(scope),)  # `module.exports = function run() {}`
        is_inside = scope.rpartition(SCOPE)[2].partition("#")[0] == mark.text  # the name of an object, in its scope
        own = scope if is_inside else inside(scope, mark.text) if mark.kind == "assigned" else ""
        unit = self._places.by_scope.get(own) if self._language.literals else None
        if unit and unit.definition.bodied and unit.definition.start <= mark.at < unit.definition.end:
            if unit.definition.is_object:
                self._names.fill(own, mark.detail, seen)
            return ()
        return self._names.read_expression(self._narrowed.expression_at(mark.detail, mark.at), seen)

    def _call_fact(self, call: Callsite, scope: str) -> CallFact | None:
        if call.makes or call.sets_up:
            parts = types.type_name(call.callee)
            values: Values = (self._names.path(parts, scope),) if parts else ()
            values = tuple(Attr(value, CONSTRUCTOR) for value in values) if call.sets_up else values
        else:
            callee = self._narrowed.expression_at(call.callee, call.at)
            values = (self._names.read_expression if call.bare or call.reads else self._names.callee)(callee, scope)
            values += self._narrowed.implicit_receivers(callee, call.at, scope, self._names)
            values = by_side(self._names, values, scope) if self._language.maker else values
        first = values[0] if values else None
        if (call.bare and self._is_local(first)) or (
            isinstance(first, UnboundName) and first.name in self._language.loads
        ):
            return None
        if isinstance(first, Super) and self._language.super_calls:
            values = (same_above(first, self._places.definition_scope(scope)),)
        elif self._language.maker and call.callee.rpartition(".")[2].strip() == self._language.maker:
            values = tuple(value.by for value in values if isinstance(value, Call)) or values
        texts = arguments(call.args)
        if call.callee.endswith(self._language.callers):
            texts = passed_on(call.callee, texts)
        args = [self._argument_values(text, scope) for text in texts]
        while args and not args[-1]:
            args.pop()
        written = chains.end_of(call.callee)
        told = self._typing.argument_types(call, scope) if self._language.typed_overloads else ()
        around = self._places.definition_scope(scope)
        implied, many = call.sets_up or call.reads or call.unsure, 0 if call.reads else call.passed
        return CallFact(
            around, call.line, written, values, tuple(args), {}, implied, many, told, call.makes, call.reads
        )

    def _dataflow(self, call: Callsite, scope: str) -> int:
        return call_dataflow.dataflow_ways(
            call.is_statement, call.given, lambda name: self._names.resolve_name(name, scope)
        )

    def _argument_values(self, text: str, scope: str) -> Values:
        """The values of an argument; the attributes of an element are one object."""
        return (
            self._names.container_of(text, scope) if text.startswith("<") else self._names.read_expression(text, scope)
        )

    def _is_local(self, value: Value | None) -> bool:
        """Whether a name stands for something other than a definition."""
        if not isinstance(value, ScopedName):
            return value is None
        return not any(isinstance(one, Def) for one in self._bound[value.scope][value.name])

    def _implemented_types(self, marks: list[CapturedMark]) -> list[tuple[str, CapturedMark]]:
        """Types of this file that a language's assertion declares as implementing an interface."""
        type_of = self._language.asserted_type
        said = [(type_of(mark.detail), mark) for mark in marks] if type_of else []
        return [(name, mark) for name, mark in said if self._places.is_class(name)]

    def _types_of(
        self, marks: list[CapturedMark], asserted: Sequence[tuple[str, CapturedMark]] = ()
    ) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for holder, mark in chain(((self._places.class_at(mark.at), mark) for mark in marks), asserted):
            if holder:
                around = self._places.outer(holder)
                for one in types.names(mark.text, self._language.transparent):
                    if one[-1] not in self._language.giving:
                        value = self._names.path(one, around)
                        is_own = value == ScopedName(around, holder.rpartition(SCOPE)[2])
                        if is_own and f"{holder}#2" not in self._places.by_scope:
                            value = UnboundName(one[0])  # `Card : Card<Cash>` means one of another file
                        found[holder].append(value)
                        self._said_at.setdefault((holder, value), mark.at)
        return {scope: tuple(dict.fromkeys(values)) for scope, values in found.items()}

    def _known_names(self, scope: str, names: dict[str, list[Value]]) -> dict[str, Values]:
        """The bindings; for members and definitions, unknown values too."""
        is_class, known = self._places.is_class(scope), self._places.by_scope
        kept = [name for name, all_ in names.items() if all_ or is_class or inside(scope, name) in known]
        return {name: limit_values(names[name], is_told=(scope, name) in self._told) for name in kept}

    def _offers(self, marks: list[CapturedMark]) -> dict[str, int]:
        """The names that are offered to others, with their lines."""
        lines, found = LineIndex(self._source), dict[str, int]()
        for mark in marks:
            if (name := offered_name(mark.text)) in self._bound[""]:
                found.setdefault(name, lines.at(mark.at))
        return found

    def _uses(self) -> tuple[dict[str, dict[str, int]], dict[str, tuple[MemberReference, ...]]]:
        """The names, and the members, that are referred to."""
        tops = {*self._bound[""], *(scope for scope in self._places.by_scope if SCOPE not in scope)}
        tops |= {OWN} if self._language.module_roots else set()
        tokens = ReferenceExtractor(self._language, self._source, self._outline, self._places, self._names)
        is_open = self._language.shares_names or any(one.star for one in self._imports)
        return tokens.references({name.encode() for name in tops}, is_open=is_open), tokens.members()
