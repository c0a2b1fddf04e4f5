"""From an outline to facts: what each scope binds, what classes extend, what is called. For every language that needs
no reader of its own; what it knows of one is in that language's line of the table.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable

from clew.index import chains
from clew.index.facts import Attr, Called, Def, Facts, Free, Made, Name, Param, Ref, Super, This, Value, Values
from clew.index.languages import Language
from clew.index.parse import NEW, Mark, Outline
from clew.index.units import Unit
from clew.model.code import SCOPE, Import
from clew.model.words import Kind

LONGEST_WRITTEN = 160
MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown
CONSTRUCTOR = "constructor"  # what a class binds its constructors to, whatever the language calls them

_CLASSES = (Kind.CLASS, Kind.INTERFACE)
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)


def gather(language: Language, units: list[Unit], outline: Outline) -> Facts:
    return _Gathering(language, units, outline).facts()


class _Gathering:
    def __init__(self, language: Language, units: list[Unit], outline: Outline) -> None:
        self._language = language
        self._outline = outline
        self._units = [unit for unit in units if unit.definition.kind is not Kind.VARIABLE or unit.inner]
        self._starts = [unit.definition.start for unit in self._units]
        self._by_scope = {unit.scope: unit for unit in units if not unit.definition.into}
        self._names: dict[str, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))
        self._params: dict[str, list[str]] = defaultdict(list)
        self._extending: set[str] = set()
        self._bind_definitions(units)
        self._bind_imports()

    def facts(self) -> Facts:
        marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in self._outline.marks:
            marks[mark.kind].append(mark)
        bases = self._types_of(marks["base"])
        implements = _without(self._types_of(marks["implements"]), bases)
        self._extending = {*bases, *implements}
        for mark in marks["param"]:
            self._bind_param(mark)
        for mark in marks["local"]:
            self._bind(mark, ())
        for mark in marks["self"]:
            self._bind(mark, (This(self._class(mark.at)),))
        for mark in marks["typed"]:
            self._bind(mark, self._typed(mark.detail, self._scope(mark.at)))
        for mark in marks["assigned"]:
            self._bind(mark, self._read(mark.detail, self._scope(mark.at)))
        calls = tuple(self._called(*call) for call in sorted(self._outline.calls))
        return Facts(
            package=self._language.separator.join(mark.text for mark in [*marks["package"][:1], *marks["subpackage"]]),
            kinds={scope: unit.definition.kind.value for scope, unit in self._by_scope.items()},
            returns=self._returns(marks["result"], marks["returned"]),
            bases=bases,
            implements=implements,
            decorators=self._decorators(marks["decorator"], marks["property"]),
            params={scope: tuple(names) for scope, names in self._params.items()},
            names={scope: {name: _few(values) for name, values in of.items()} for scope, of in self._names.items()},
            calls=calls,
            imports=tuple(self._outline.imports),
            stars=tuple(dict.fromkeys(one.module for one in self._outline.imports if one.star)),
            exports=tuple(mark.text for mark in marks["exported"]),
        )

    def _bind_definitions(self, units: list[Unit]) -> None:
        for unit in units:
            if unit.definition.into:
                continue
            holder, _, name = unit.scope.rpartition(SCOPE)
            if unit.definition.kind is not Kind.VARIABLE:
                name = self._member_name(holder, name.partition("#")[0])
                self._names[holder][name].append(Def(unit.scope))
                if unit.definition.receiver and unit.parent:  # an extension is a member of where it stands, too
                    self._names[unit.parent.within][name].append(Def(unit.scope))

    def _member_name(self, holder: str, name: str) -> str:
        """A constructor is none of the names that a class binds: inside of Card, Card is the class."""
        own = holder.rpartition(SCOPE)[2].partition("#")[0]
        return CONSTRUCTOR if holder and name in (own, "this") else name

    def _bind_imports(self) -> None:
        for one in self._outline.imports:
            for name, value in _bound(one, self._language):
                self._names[""][name].append(value)

    def _bind_param(self, mark: Mark) -> None:
        unit = self._unit(mark.at)
        in_head = unit and unit.definition.kind in _CLASSES  # of a class: its constructor's
        scope = unit.scope if unit and in_head else self._function(mark.at)
        if scope:
            self._params[scope].append(mark.text)
            self._names[scope][mark.text].append(Param(scope, mark.text))

    def _bind(self, mark: Mark, values: Values) -> None:
        """A name that is declared is bound, if only to what cannot be told: it hides others of the name."""
        scope, name = self._place(mark)
        if name and (values or mark.kind != "assigned"):
            known = self._names[scope][name]
            known += [value for value in values if value not in known]

    def _place(self, mark: Mark) -> tuple[str, str]:
        """Where a name is bound: `this.x` in the class, any other where it stands."""
        for prefix in ("this.", "self.", "$this->", "this->", "@@", "@"):
            if mark.text.startswith(prefix):
                name = mark.text.removeprefix(prefix)
                return (self._class(mark.at), name) if name.isidentifier() else ("", "")
        unit, name = self._unit(mark.at), mark.text.lstrip("$")
        if unit and unit.definition.kind is Kind.VARIABLE and unit.definition.name == name:
            unit = unit.parent
        return unit.within if unit else "", name if name.isidentifier() else ""

    def _called(self, at: int, line: int, written: str) -> Called:
        scope = self._scope(at)
        if written.startswith(NEW):
            written = written.removeprefix(NEW)
            parts = chains.type_name(written)
            values: Values = (self._path(parts, scope),) if parts else ()
        else:
            values = self._callee(written, scope)
        return Called(scope, line, written[-LONGEST_WRITTEN:], values)

    def _callee(self, written: str, scope: str) -> Values:
        """As what is read; but of a bare name that is called, a function is meant, and not a variable that hides it."""
        if not (self._language.members_in_scope and written.isidentifier()):
            return self._read(written, scope)
        if (around := self._binding(written, scope, _is_function)) is not None:
            return (Name(around, written),)
        found = self._read(written, scope)
        if found and isinstance(found[0], Name):
            return (*found, *(Attr(This(holder), written) for holder in self._holders(scope)))
        return found

    def _returns(self, declared: list[Mark], returned: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in declared:
            if scope := self._function(mark.at):
                found[scope] += self._typed(mark.text, scope)
        declared_in = set(found)
        for mark in returned:
            scope = self._function(mark.at)
            if scope and scope not in declared_in:
                found[scope] += [value for value in self._read(mark.text, scope) if value not in found[scope]]
        return {scope: few for scope, values in found.items() if (few := _few(values))}

    def _types_of(self, marks: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in marks:
            holder = self._class(mark.at)
            parts = chains.type_name(mark.text)
            if holder and parts:
                found[holder].append(self._path(parts, holder.rpartition(SCOPE)[0]))
        return {scope: tuple(dict.fromkeys(values)) for scope, values in found.items()}

    def _decorators(self, marks: list[Mark], properties: list[Mark]) -> dict[str, tuple[str, ...]]:
        """A function that is read like a field counts as decorated with `property`, whatever the language calls it."""
        found: dict[str, list[str]] = defaultdict(list)
        for mark in [*marks, *properties]:
            if unit := self._unit(mark.at):
                text = "property" if mark.kind == "property" else mark.text.lstrip("@").strip()[:LONGEST_WRITTEN]
                found[unit.scope].append(text)
        return {scope: tuple(texts) for scope, texts in found.items()}

    def _typed(self, text: str, scope: str) -> Values:
        parts = chains.type_name(text) if not text.endswith("[]") else []
        return (Made(self._path(parts, scope)),) if parts else ()

    def _path(self, parts: list[str], scope: str) -> Value:
        """A type that is written: no variable or function of the name is meant."""
        first, language = parts[0], self._language
        around = self._binding(first, scope, self._is_type)
        value: Value = Name(around, first) if around is not None else Free(first)
        if first in language.own or first in language.inherited:
            value = self._named(first, scope) or value
        for part in parts[1:]:
            value = Attr(value, part)
        return value

    def _read(self, text: str, scope: str) -> Values:
        """What an expression may be. A bare name that nothing here binds may be inherited, or come from elsewhere."""
        found = chains.read(text, lambda name: self._named(name, scope, called=text.startswith(f"{name}(")))
        if found is None:
            return ()
        is_bare = self._language.members_in_scope and not text.startswith("new ")
        first = chains.start(found) if is_bare else None
        if not isinstance(first, Free) or (first.name[:1].isupper() and not self._language.large_members):
            return (found,)  # what begins large is a type nearly always
        return (*(chains.moved(found, Attr(This(holder), first.name)) for holder in self._holders(scope)), found)

    def _named(self, name: str, scope: str, called: bool = False) -> Value | None:
        """What a name is, seen from a scope: the nearest that binds it, in the words of the language."""
        if holder := self._class_of(scope):
            word, _, label = name.partition("@") if name[0] != "@" else (name, "", "")
            if word in self._language.own:
                return This(self._labelled(scope, label) or holder)
            if name in self._language.inherited:
                return Super(holder)
            if name.startswith("@"):
                return Attr(This(holder), name.lstrip("@"))
        bare = name.lstrip("$")
        around = self._binding(bare, scope, _is_function) if called and self._language.members_in_scope else None
        around = around if around is not None else self._binding(bare, scope)
        if around is None:
            return Free(bare) if bare not in self._language.implicit else None
        return Name(around, bare)

    def _binding(self, name: str, scope: str, wanted: Callable[[list[Value]], bool] | None = None) -> str | None:
        """The nearest scope around that binds a name, to what is wanted."""
        while True:
            unit = self._by_scope.get(scope)
            is_class = bool(scope) and (unit is None or unit.definition.kind in _CLASSES)
            values = self._names[scope].get(name) if scope in self._names else None
            seen = values is not None and (self._language.members_in_scope or not is_class)
            if seen and (wanted is None or wanted(values or [])):
                return scope
            if not scope:
                return None
            if unit and unit.definition.receiver and unit.parent:
                scope = unit.parent.within
            else:
                scope = scope.rpartition(SCOPE)[0]

    def _is_type(self, values: list[Value]) -> bool:
        """Whether a name may be a type, or a parameter of one: no object, no function, and nothing that is passed."""
        defined = [self._by_scope.get(value.scope) for value in values if isinstance(value, Def)]
        functions = all(unit and unit.definition.kind in _FUNCTIONS for unit in defined) if defined else False
        return not functions and not any(isinstance(value, Made | Param) for value in values)

    def _holders(self, scope: str) -> list[str]:
        """The classes around whose members may stand elsewhere: the nearest, and those that extend others."""
        found: list[str] = []
        unit = self._by_scope.get(scope)
        while unit is not None:
            if unit.definition.kind in _CLASSES and (not found or unit.scope in self._extending):
                found.append(unit.scope)
            unit = unit.parent
        return found or list(filter(None, [self._class_of(scope)]))

    def _labelled(self, scope: str, label: str) -> str:
        """The class around that has a name: `this@Card`."""
        while label and scope:
            if scope.rpartition(SCOPE)[2] == label:
                return self._class_of(scope)
            scope = scope.rpartition(SCOPE)[0]
        return ""

    def _unit(self, at: int) -> Unit | None:
        """The innermost definition around a place."""
        i = bisect_right(self._starts, at) - 1
        unit: Unit | None = self._units[i] if i >= 0 else None
        while unit is not None and unit.definition.end <= at:
            unit = unit.parent
        return unit

    def _scope(self, at: int) -> str:
        unit = self._unit(at)
        return unit.within if unit else ""

    def _function(self, at: int) -> str:
        unit = self._unit(at)
        while unit is not None and unit.definition.kind not in _FUNCTIONS:
            unit = unit.parent
        return unit.scope if unit else ""

    def _class(self, at: int) -> str:
        unit = self._unit(at)
        return self._class_of(unit.within) if unit else ""

    def _class_of(self, scope: str) -> str:
        while scope:
            unit = self._by_scope.get(scope)
            if unit is None or unit.definition.kind in _CLASSES:
                return scope if unit else self._into(scope)
            scope = scope.rpartition(SCOPE)[0]
        return ""

    def _into(self, scope: str) -> str:
        """A class that is defined in another file, whose methods stand in this one."""
        return scope


def _is_function(values: list[Value]) -> bool:
    return any(isinstance(value, Def | Ref) for value in values)


def _without(types: dict[str, Values], others: dict[str, Values]) -> dict[str, Values]:
    left = {scope: tuple(one for one in found if one not in others.get(scope, ())) for scope, found in types.items()}
    return {scope: found for scope, found in left.items() if found}


def _few(values: list[Value]) -> Values:
    return tuple(values) if len(values) <= MOST_VALUES else ()


def _bound(one: Import, language: Language) -> list[tuple[str, Value]]:
    """The names that an import binds in its file."""
    if one.star:
        return []
    if one.names:
        aliases = one.aliases if len(one.aliases) == len(one.names) else one.names
        return [(alias, Ref(one.module, name)) for name, alias in zip(one.names, aliases, strict=True)]
    parts = [part for part in language.path_of(one.module) if part]
    if not parts:
        return []
    name = one.aliases[0] if one.aliases else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, Ref(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, Ref(one.module))]
