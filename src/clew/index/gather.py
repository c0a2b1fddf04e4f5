"""From an outline to facts: what each scope binds, what classes extend, what is called. For every language that needs
no reader of its own; what it knows of one is in that language's line of the table.
"""

from bisect import bisect_right
from collections import defaultdict

from clew.index import chains
from clew.index.facts import (
    Attr,
    Box,
    Called,
    Def,
    Facts,
    Free,
    Item,
    Made,
    Name,
    Param,
    Ref,
    Super,
    This,
    Value,
    Values,
)
from clew.index.languages import Language
from clew.index.parse import Mark, Outline
from clew.index.units import Unit
from clew.model.code import SCOPE, Import
from clew.model.words import Kind

LONGEST_WRITTEN = 160
MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown

_CLASSES = (Kind.CLASS, Kind.INTERFACE)
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_ELEMENT = ""  # the name of any element, in the scope of what holds it


def gather(language: Language, units: list[Unit], outline: Outline) -> Facts:
    return _Gathering(language, units, outline).facts()


class _Gathering:
    def __init__(self, language: Language, units: list[Unit], outline: Outline) -> None:
        self._language = language
        self._outline = outline
        self._units = [unit for unit in units if unit.definition.kind is not Kind.VARIABLE]
        self._starts = [unit.definition.start for unit in self._units]
        self._by_scope = {unit.scope: unit for unit in units if not unit.definition.into}
        self._namespaces = {unit.within for unit in units if unit.definition.namespace}
        self._names: dict[str, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))
        self._params: dict[str, list[str]] = defaultdict(list)
        self._generics: dict[tuple[str, str], str] = {}  # what a type parameter is known to be, by scope and name
        self._boxes: dict[Value, Box] = {}
        self._imports: list[Import] = []
        self._bind_definitions(units)
        self._bind_imports()

    def facts(self) -> Facts:
        marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in self._outline.marks:
            marks[mark.kind].append(mark)
        self._bind_all(marks)
        calls = tuple(self._called(*call) for call in sorted(self._outline.calls))
        return Facts(
            package=marks["package"][0].text if marks["package"] else "",
            kinds={scope: unit.definition.kind.value for scope, unit in self._by_scope.items()},
            returns=self._returns(marks["result"], marks["returned"]),
            bases=self._types_of(marks["base"]),
            implements=self._types_of(marks["implements"]),
            decorators=self._decorators(marks["decorator"]),
            params={scope: tuple(names) for scope, names in self._params.items()},
            names={scope: {name: _few(values) for name, values in of.items()} for scope, of in self._names.items()},
            calls=calls,
            imports=tuple(self._imports),
            stars=tuple(dict.fromkeys(one.module for one in self._imports if one.star)),
            exports=tuple(mark.text for mark in marks["exported"]),
        )

    def _bind_all(self, marks: dict[str, list[Mark]]) -> None:
        for mark in marks["generic"]:
            self._generics.setdefault((self._scope(mark.at), mark.text), mark.detail)
        for mark in marks["param"]:
            self._bind_param(mark)
        for mark in (*marks["typed"], *marks["assigned"], *marks["each"]):
            self._open(mark)
        for mark in marks["typed"]:
            self._bind(mark, self._typed(mark.detail, self._scope(mark.at)))
        for mark in marks["assigned"]:
            self._bind(mark, self._read(mark.detail, self._scope(mark.at)))
        for mark in marks["each"]:
            if (held := self._read(mark.detail, self._scope(mark.at))) is not None:
                self._bind(mark, Item(held))
        for mark in marks["element"]:
            holder = self._class(mark.at)
            if holder and (value := self._typed(mark.text, holder)) is not None:
                self._names[holder][_ELEMENT].append(value)

    def _open(self, mark: Mark) -> None:
        """A name that is bound here hides those outside, even where nothing can be told of it."""
        scope, name = self._place(mark)
        if name:
            self._names[scope].setdefault(name, [])

    def _bind_definitions(self, units: list[Unit]) -> None:
        for scope in sorted(self._namespaces):
            holder, _, name = scope.rpartition(SCOPE)
            self._names[holder][name].append(Def(scope))
        for unit in units:
            if unit.definition.into:
                continue
            holder, _, name = unit.scope.rpartition(SCOPE)
            if unit.definition.kind is not Kind.VARIABLE:
                self._names[holder][name.partition("#")[0]].append(Def(unit.scope))

    def _bind_imports(self) -> None:
        own = {name for name, values in self._names[""].items() if any(isinstance(value, Def) for value in values)}
        self._imports = [_local(one, own, self._language) for one in self._outline.imports]
        for one, at in zip(self._imports, self._outline.imported_at, strict=True):
            for name, value in _bound(one, self._language):
                self._names[self._scope(at)][name].append(self._own(value))

    def _own(self, value: Value) -> Value:
        """What an import takes from a module that is written in this file is told by its scope."""
        match value:
            case Ref(module, name) if (scope := module.removeprefix(f"self{self._language.separator}")) != module:
                if scope in self._namespaces or scope in self._by_scope:
                    return Attr(Def(scope), name) if name else Def(scope)
        return value

    def _bind_param(self, mark: Mark) -> None:
        scope = self._function(mark.at)
        if scope:
            self._params[scope].append(mark.text)
            if mark.text.isidentifier():  # else a pattern, which takes its place
                self._names[scope][mark.text].append(Param(scope, mark.text))

    def _bind(self, mark: Mark, value: Value | None) -> None:
        scope, name = self._place(mark)
        if name and value is not None and value not in self._names[scope][name]:
            self._names[scope][name].append(value)

    def _place(self, mark: Mark) -> tuple[str, str]:
        """Where a name is bound: `this.x` in the class, any other where it stands."""
        for prefix in ("this.", "self.", "$this->", "this->", "@@", "@"):
            if mark.text.startswith(prefix):
                name = mark.text.removeprefix(prefix)
                return (self._class(mark.at), name) if name.isidentifier() else ("", "")
        return self._scope(mark.at), mark.text.lstrip("$") if mark.text.lstrip("$").isidentifier() else ""

    def _called(self, at: int, line: int, written: str) -> Called:
        scope = self._scope(at)
        value = self._read(written, scope)
        return Called(scope, line, written[-LONGEST_WRITTEN:], (value,) if value is not None else ())

    def _returns(self, declared: list[Mark], returned: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in declared:
            if (scope := self._function(mark.at)) and (value := self._typed(mark.text, scope)) is not None:
                found[scope].append(value)
        for mark in returned:
            scope = self._function(mark.at)
            if scope and scope not in found and (value := self._read(mark.text, scope)) is not None:
                found[scope].append(value)
        return {scope: _few(values) for scope, values in found.items()}

    def _types_of(self, marks: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in marks:
            holder = self._class(mark.at)
            parts = chains.type_name(mark.text)
            if holder and parts:
                found[holder].append(self._path(parts, holder.rpartition(SCOPE)[0]))
        return {scope: tuple(dict.fromkeys(values)) for scope, values in found.items()}

    def _decorators(self, marks: list[Mark]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for mark in marks:
            if unit := self._unit(mark.at):
                found[unit.scope].append(mark.text.lstrip("@").strip()[:LONGEST_WRITTEN])
        return {scope: tuple(texts) for scope, texts in found.items()}

    def _typed(self, text: str, scope: str) -> Value | None:
        """An object of a written type; of one that holds many, a box of them."""
        if held := chains.element(text, self._language.containers):
            value = self._typed(held, scope)
            return self._box(value) if value is not None else None
        parts = chains.type_name(text)
        if parts and parts[-1] in self._language.transparent and (given := chains.arguments(text)):
            return self._typed(given[0], scope)
        return Made(self._path(parts, scope)) if parts else None

    def _box(self, held: Value) -> Box:
        if held not in self._boxes:
            self._boxes[held] = Box(f"<box{len(self._boxes) + 1}>")
            self._names[self._boxes[held].scope][_ELEMENT].append(held)
        return self._boxes[held]

    def _path(self, parts: list[str], scope: str) -> Value:
        value = self._named(parts[0], scope)
        for part in parts[1:]:
            value = self._member(value, part)
        return value

    def _member(self, of: Value, name: str) -> Value:
        """A member; above a module of this file, what is around it."""
        if name != "super" or not self._language.module_roots:
            return Attr(of, name)
        match of:
            case Def(scope):
                return self._module(name, scope)
            case Ref("self"):
                return Ref(name)
        return Attr(of, name)

    def _read(self, text: str, scope: str) -> Value | None:
        if self._language.module_roots:
            text = text.removeprefix("self::")
        value = chains.read(text, lambda name: self._named(name, scope))
        return self._through(value) if value is not None and self._language.transparent else value

    def _through(self, value: Value) -> Value:
        """Without the methods that hand on what they are called on."""
        match value:
            case Made(Attr(of, name)) if name in self._language.transparent:
                return self._through(of)
            case Attr(of, "await"):
                return self._through(of)
            case Made(by):
                return Made(self._through(by))
            case Attr(of, name):
                return self._member(self._through(of), name)
            case Item(of, key):
                return Item(self._through(of), key)
        return value

    def _named(self, name: str, scope: str) -> Value:
        """What a name is, seen from a scope: the nearest that binds it, in the words of the language."""
        holder = self._class_of(scope)
        if name == "Self" and holder:
            outer, _, last = holder.rpartition(SCOPE)
            return Def(holder) if holder in self._by_scope else self._named(last, outer)
        if name in self._language.this_words and holder:
            return This(holder)
        if name in self._language.module_roots:
            return self._module(name, scope)
        if name in self._language.super_words and holder:
            return Super(holder)
        if name.startswith("@") and holder:
            return Attr(This(holder), name.lstrip("@"))
        name = name.lstrip("$")
        while True:
            is_class = scope in self._by_scope and self._by_scope[scope].definition.kind in _CLASSES
            if name in self._names.get(scope, {}) and not (is_class and not self._language.members_in_scope):
                return Name(scope, name)
            if bound := self._generics.get((scope, name)):
                return self._path(chains.type_name(bound) or [name], scope.rpartition(SCOPE)[0])
            if is_class and self._language.members_in_scope:
                return Attr(This(scope), name) if self._may_hold(scope, name) else Free(name)
            if not scope:
                return Free(name)
            scope = scope.rpartition(SCOPE)[0]

    def _module(self, root: str, scope: str) -> Value:
        """What a path starts from: a module outside of the file, or the one around the scope."""
        around = [within for within in self._namespaces if f"{scope}{SCOPE}".startswith(f"{within}{SCOPE}")]
        if root != "super" or not around:
            return Ref(root)
        outer = max(around, key=len).rpartition(SCOPE)[0]
        return Def(outer) if outer else Ref("self")

    def _may_hold(self, scope: str, name: str) -> bool:
        """A class that extends others may have what they have; a name that begins large is a type nearly always."""
        return not name[:1].isupper() and name not in self._names.get("", {})

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
            if unit is None and scope in self._namespaces:
                return ""
            if unit is None or unit.definition.kind in _CLASSES:
                return scope  # without a unit, it is defined in another file, and its methods stand in this one
            scope = scope.rpartition(SCOPE)[0]
        return ""


def _few(values: list[Value]) -> Values:
    return tuple(values) if len(values) <= MOST_VALUES else ()


def _local(one: Import, own: set[str], language: Language) -> Import:
    """Where a path may start with a name of the file itself, it is told by `self`."""
    starts_here = language.module_roots and one.module.split(language.separator)[0] in own
    return one._replace(module=f"self{language.separator}{one.module}") if starts_here else one


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
    name = one.aliases[0] if one.aliases else language.bound_as(one.module) if language.bound_as else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, Ref(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, Ref(one.module))] if name != "_" else []
