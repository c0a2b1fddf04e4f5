"""From an outline to facts: what each scope binds, what classes extend, what is called. For every language that needs
no reader of its own; what it knows of one is in that language's line of the table.
"""

from collections import defaultdict

from clew.index import types
from clew.index.facts import Attr, Called, Def, Facts, Item, Param, Ref, This, Value, Values
from clew.index.languages.language import Language
from clew.index.names import ELEMENT, Names
from clew.index.parse import Callsite, Mark, Outline
from clew.index.places import FUNCTIONS, Places, extension_holder
from clew.index.units import Unit
from clew.model.code import SCOPE, Import
from clew.model.words import Kind

LONGEST_WRITTEN = 160
MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown
CONSTRUCTOR = "constructor"  # what a class binds its constructors to, whatever the language calls them

_OWN_PREFIXES = ("this.", "self.", "$this->", "this->", "@@", "@")


def gather(language: Language, units: list[Unit], outline: Outline) -> Facts:
    return _Gathering(language, units, outline).facts()


class _Gathering:
    def __init__(self, language: Language, units: list[Unit], outline: Outline) -> None:
        self._language = language
        self._outline = outline
        self._places = Places(units)
        self._names = Names(language, self._places)
        self._bound = self._names.bound
        self._params: dict[str, list[str]] = defaultdict(list)
        self._imports: list[Import] = []
        self._bind_definitions(units)
        self._bind_imports()

    def facts(self) -> Facts:
        marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in self._outline.marks:
            marks[mark.kind].append(mark)
        bases = self._types_of(marks["base"])
        implements = _without(self._types_of(marks["implements"]), bases)
        self._names.extending = {*bases, *implements}
        self._bind_all(marks)
        calls = tuple(self._called(call) for call in sorted(self._outline.calls))
        return Facts(
            package=self._language.separator.join(mark.text for mark in [*marks["package"][:1], *marks["subpackage"]]),
            kinds={scope: unit.definition.kind.value for scope, unit in self._places.by_scope.items()},
            returns=self._returns(marks["result"], marks["returned"]),
            bases=bases,
            implements=implements,
            decorators=self._decorators(marks["decorator"] + marks["property"]),
            params={scope: tuple(names) for scope, names in self._params.items()},
            names={scope: {name: _few(values) for name, values in of.items()} for scope, of in self._bound.items()},
            calls=calls,
            imports=tuple(self._imports),
            stars=tuple(dict.fromkeys(one.module for one in self._imports if one.star)),
            exports=tuple(mark.text for mark in marks["exported"]),
            declared=tuple(scope for scope, unit in self._places.by_scope.items() if _is_declared(unit)),
        )

    def _bind_definitions(self, units: list[Unit]) -> None:
        for scope in sorted(self._places.namespaces):
            holder, _, name = scope.rpartition(SCOPE)
            self._bound[holder][name].append(Def(scope))
        for unit in units:
            if unit.definition.into or unit.definition.kind is Kind.VARIABLE:
                continue
            holder, _, name = unit.scope.rpartition(SCOPE)
            name = self._member_name(holder, name.partition("#")[0])
            self._bound[holder][name].append(Def(unit.scope))
            if name == self._language.constructor:
                self._bound[holder][CONSTRUCTOR].append(Def(unit.scope))
            if around := extension_holder(unit):  # an extension is a member of where it stands, too
                self._bound[around.within][name].append(Def(unit.scope))

    def _member_name(self, holder: str, name: str) -> str:
        """A constructor is none of the names that a class binds: inside of Card, Card is the class."""
        if not holder or name not in (holder.rpartition(SCOPE)[2].partition("#")[0], "this"):
            return name
        return CONSTRUCTOR if self._places.is_class(holder) else name

    def _bind_imports(self) -> None:
        own = {name for name, values in self._bound[""].items() if any(isinstance(value, Def) for value in values)}
        self._imports = [_local(one, own, self._language) for one in self._outline.imports]
        for one, at in zip(self._imports, self._outline.imported_at, strict=True):
            for name, value in _taken(one, self._language):
                self._bound[self._places.scope(at)][name].append(self._own(value))

    def _own(self, value: Value) -> Value:
        """What an import takes from a module that is written in this file is told by its scope."""
        match value:
            case Ref(module, name) if (scope := module.removeprefix(f"self{self._language.separator}")) != module:
                if scope in self._places.namespaces or scope in self._places.by_scope:
                    return Attr(Def(scope), name) if name else Def(scope)
        return value

    def _bind_all(self, marks: dict[str, list[Mark]]) -> None:
        """Every name is known before any value is read."""
        names, scope_at = self._names, self._places.scope
        for mark in marks["generic"]:
            names.open_generic(scope_at(mark.at), mark.text)
        for mark in marks["param"]:
            self._bind_param(mark)
        for mark in (*marks["typed"], *marks["field"], *marks["assigned"], *marks["each"], *marks["local"]):
            self._bind(mark, ())
        for mark in marks["generic"]:
            self._bind_generic(mark)
        for mark in marks["self"]:
            self._bind(mark, (This(self._places.class_at(mark.at)),))
        for mark in (*marks["typed"], *marks["field"]):
            self._bind(mark, names.typed(mark.detail, scope_at(mark.at)))
        for mark in marks["assigned"]:
            self._bind(mark, names.read(mark.detail, scope_at(mark.at)) if mark.detail else ())
        for mark in marks["each"]:
            self._bind(mark, tuple(Item(held) for held in names.read(mark.detail, scope_at(mark.at))))
        for mark in marks["element"]:
            if holder := self._places.class_at(mark.at):
                self._bound[holder][ELEMENT] += names.typed(mark.text, holder)

    def _bind_generic(self, mark: Mark) -> None:
        """A type parameter is what it is known to extend."""
        scope, parts = self._places.scope(mark.at), types.type_name(mark.detail)
        if parts and parts != [mark.text]:
            self._names.bind(scope, mark.text, (self._names.path(parts, scope),))

    def _bind_param(self, mark: Mark) -> None:
        if scope := self._places.taker(mark.at):
            self._params[scope].append(mark.text)
            if mark.text.isidentifier():  # else a pattern, which takes its place
                self._bound[scope][mark.text].append(Param(scope, mark.text))

    def _bind(self, mark: Mark, values: Values) -> None:
        """A name that is bound here hides those outside, even where nothing can be told of it."""
        scope, name = self._place(mark)
        if name:
            self._names.bind(scope, name, values)

    def _place(self, mark: Mark) -> tuple[str, str]:
        """Where a name is bound: `this.x` in the class, any other where it stands."""
        if mark.kind == "field":
            return self._places.class_at(mark.at), mark.text
        for prefix in _OWN_PREFIXES:
            if mark.text.startswith(prefix):
                name = mark.text.removeprefix(prefix)
                return (self._places.class_at(mark.at), name) if name.isidentifier() else ("", "")
        name = mark.text.lstrip("$")
        return (self._places.scope_of_name(mark.at), name) if name.isidentifier() else ("", "")

    def _called(self, call: Callsite) -> Called:
        scope = self._places.scope(call.at)
        if call.makes:
            parts = types.type_name(call.callee)
            values: Values = (self._names.path(parts, scope),) if parts else ()
        else:
            values = self._names.callee(call.callee, scope)
        return Called(scope, call.line, call.callee[-LONGEST_WRITTEN:], values)

    def _returns(self, declared: list[Mark], returned: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in declared:
            if scope := self._places.function(mark.at):
                found[scope] += self._names.typed(mark.text, scope)
        told = {scope for scope, values in found.items() if values}
        for mark in returned:
            scope = self._places.function(mark.at)
            if scope and scope not in told:
                found[scope] += [value for value in self._names.read(mark.text, scope) if value not in found[scope]]
        return {scope: few for scope, values in found.items() if (few := _few(values))}

    def _types_of(self, marks: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in marks:
            holder = self._places.class_at(mark.at)
            parts = types.type_name(mark.text)
            if holder and parts:
                found[holder].append(self._names.path(parts, holder.rpartition(SCOPE)[0]))
        return {scope: tuple(dict.fromkeys(values)) for scope, values in found.items()}

    def _decorators(self, marks: list[Mark]) -> dict[str, tuple[str, ...]]:
        """A function that is read like a field counts as decorated with `property`, whatever the language calls it."""
        found: dict[str, list[str]] = defaultdict(list)
        for mark in marks:
            if unit := self._places.unit(mark.at):
                text = "property" if mark.kind == "property" else mark.text.lstrip("@").strip()[:LONGEST_WRITTEN]
                found[unit.scope].append(text)
        return {scope: tuple(texts) for scope, texts in found.items()}


def _is_declared(unit: Unit) -> bool:
    return unit.definition.kind in FUNCTIONS and not unit.definition.bodied


def _without(types: dict[str, Values], others: dict[str, Values]) -> dict[str, Values]:
    left = {scope: tuple(one for one in found if one not in others.get(scope, ())) for scope, found in types.items()}
    return {scope: found for scope, found in left.items() if found}


def _few(values: list[Value]) -> Values:
    return tuple(values) if len(values) <= MOST_VALUES else ()


def _local(one: Import, own: set[str], language: Language) -> Import:
    """Where a path may start with a name of the file itself, it is told by `self`."""
    starts_here = language.module_roots and one.module.split(language.separator)[0] in own
    return one._replace(module=f"self{language.separator}{one.module}") if starts_here else one


def _taken(one: Import, language: Language) -> list[tuple[str, Value]]:
    """The names that an import binds in its file."""
    if one.star:
        return []
    if one.names:
        aliases = one.aliases if len(one.aliases) == len(one.names) else one.names
        return [(alias, Ref(one.module, name)) for name, alias in zip(one.names, aliases, strict=True)]
    parts = [part for part in language.path_of(one.module) if part]
    if not parts:
        return []
    name = one.aliases[0] if one.aliases else language.bound_as(one.module) if language.bound_as else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, Ref(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, Ref(one.module))] if name != "_" else []
