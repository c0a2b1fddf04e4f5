"""From an outline to facts: what each scope binds, what classes extend, what is called. For every language that needs
no reader of its own; what it knows of one is in that language's line of the table.
"""

import re
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
    Value,
    Values,
)
from clew.index.languages import Language
from clew.index.names import Names
from clew.index.parse import Callsite, Mark, Outline
from clew.index.places import CLASSES, Places, inside, is_loose, object_of, unnumbered
from clew.index.units import Unit
from clew.model.code import SCOPE, Import
from clew.model.words import Kind

LONGEST_WRITTEN = 160
CONSTRUCTOR = "constructor"  # what a class binds its constructors to, whatever the language calls them
MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown

_SELF_PREFIX = re.compile(r"(?:this\.|self\.|\$this->|this->|@@|@)#?")


def gather(language: Language, units: list[Unit], outline: Outline) -> Facts:
    return _Gathering(language, units, outline).facts()


class _Gathering:
    def __init__(self, language: Language, units: list[Unit], outline: Outline) -> None:
        self._language = language
        self._outline = outline
        self._places = Places(units, outline)
        self._by_scope = self._places.by_scope
        self._names = Names(language, self._places)
        self._bound = self._names.bound
        self._params: dict[str, list[str]] = defaultdict(list)
        self._patterns: dict[int, str] = {}  # parameters that are taken apart, by where they stand
        self._bodied = {unnumbered(unit.scope) for unit in units if unit.definition.bodied}
        self._bind_definitions(units)
        self._bind_imports()

    def facts(self) -> Facts:
        marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in self._outline.marks:
            marks[mark.kind].append(mark)
        for mark in sorted(marks["param"] + marks["taken"], key=lambda mark: mark.at):
            self._bind_param(mark)
        for mark in (*marks["typed"], *marks["field"], *marks["assigned"], *marks["offered"], *marks["each"]):
            self._bind(mark, None)  # every name is known before any value is read
        for mark in (*marks["typed"], *marks["field"]):
            self._bind(mark, self._names.typed(mark.detail, self._places.scope(mark.at)))
        for mark in (*marks["assigned"], *marks["reassigned"], *marks["offered"]):
            self._bind(mark, self._value(mark))
        for mark in marks["each"]:
            if (held := self._names.read(mark.detail, self._places.scope(mark.at))) is not None:
                self._bind(mark, Item(held))
        calls = tuple(called for call in sorted(self._outline.calls) if (called := self._called(call)))
        return Facts(
            package=marks["package"][0].text if marks["package"] else "",
            kinds={scope: unit.definition.kind.value for scope, unit in self._by_scope.items()},
            returns=self._returns(marks["result"], marks["returned"]),
            bases=self._types_of(marks["base"]),
            implements=self._types_of(marks["implements"]),
            decorators=self._decorators(marks["decorator"]),
            params={scope: tuple(names) for scope, names in self._params.items()},
            names={scope: known for scope, of in self._bound.items() if (known := self._known(scope, of))},
            calls=calls,
            imports=tuple(self._outline.imports),
            stars=tuple(dict.fromkeys(one.module for one in self._outline.imports if one.star)),
            exports=self._exports(marks["exported"] + marks["offered"]),
        )

    def _bind_definitions(self, units: list[Unit]) -> None:
        for unit in units:
            d = unit.definition
            plain = self._is_plain(unit.scope)
            declared = not d.bodied and unnumbered(unit.scope) in self._bodied  # of an overloaded function
            again = d.kind in CLASSES and self._places.first(unit.scope) != unit.scope  # adds to the first
            if not (d.into or plain or declared or again):
                holder, name = self._held(unit)
                self._bound[holder][name].append(Box(unit.scope) if d.kind is Kind.VARIABLE else Def(unit.scope))
                if d.receiver and self._is_plain(d.receiver):
                    self._bound[""][d.receiver] = [Box(d.receiver)]  # an object that is made step by step
                if name == self._language.constructor:
                    self._bound[holder][CONSTRUCTOR].append(Def(unit.scope))

    def _is_plain(self, scope: str) -> bool:
        unit = self._by_scope.get(scope)
        return unit is not None and unit.definition.kind is Kind.VARIABLE and not unit.definition.bodied

    def _held(self, unit: Unit) -> tuple[str, str]:
        """Where a definition is bound, and the name that it goes by there."""
        d, parent = unit.definition, unit.parent
        if self._language.whole_names:
            return parent.within if parent else "", d.name
        holder = unit.scope.rpartition(SCOPE)[0]
        if d.receiver in self._language.this_words:
            holder = self._places.class_of(holder) or holder
        elif (d.kind is Kind.METHOD or d.member) and not d.receiver and is_loose(unit):
            holder = object_of(holder)
        return self._places.first(holder), d.name.rpartition(SCOPE)[2].lstrip("#$")

    def _bind_imports(self) -> None:
        for one in self._outline.imports:
            for name, value in _bound(one, self._language):
                self._bound[""][name.lstrip("$")].append(value)

    def _bind_param(self, mark: Mark) -> None:
        """A parameter that is taken apart has no name; what is taken from it are its members."""
        scope = self._places.function_of_head(mark.at)
        name = mark.text.lstrip("$&*.")
        if not scope:
            self._names.touch(self._places.scope(mark.at), name)
            return
        params = self._params[scope]
        if mark.kind == "taken":
            whole = Name(scope, params[-1]) if params else Free(name)
            self._bound[scope][name].append(_part(whole, mark.detail))
            return
        if not name.isidentifier():
            name = self._patterns[mark.at] = f"{{{len(params)}}}"
        params.append(name)
        self._bound[scope][name].append(Param(scope, name))

    def _bind(self, mark: Mark, value: Value | None) -> None:
        scope, name = self._place(mark)
        if not name:
            return
        known = self._bound[scope][name]
        if value is not None and value not in known and value != Name(scope, name):
            known.append(value)

    def _place(self, mark: Mark) -> tuple[str, str]:
        """Where a name is bound: `this.x` in the class, what is offered in the file, any other where it stands."""
        if mark.kind == "offered":
            return "", _offered(mark.text)
        if mark.kind == "field":
            return self._class(mark.at), _plain(mark.text)
        if mark.at in self._patterns:
            return self._places.function_of_head(mark.at), self._patterns[mark.at]
        if own := _SELF_PREFIX.match(mark.text):
            return self._class(mark.at), _plain(mark.text[own.end() :])
        scope, name = self._places.scope_of_name(mark.at), _plain(mark.text)
        if mark.kind == "reassigned":
            holder, _, member = mark.text.rpartition(".")
            bound = self._names.named(holder or mark.text, scope)
            if not isinstance(bound, Name):
                return "", ""
            if not holder:
                return bound.scope, name
            inner = inside(bound.scope, holder)
            return (inner, _plain(member)) if inner in self._by_scope else ("", "")
        return scope, name

    def _value(self, mark: Mark) -> Value | None:
        """What a name is given; an object that has a scope of its own keeps its elements there."""
        scope = self._places.scope(mark.at)
        own = inside(scope, mark.text) if mark.kind == "assigned" else ""
        if scope.rpartition(SCOPE)[2] == mark.text:  # the name of an object stands inside of it
            own = scope
        unit = self._by_scope.get(own)
        if unit and unit.definition.bodied and unit.definition.start <= mark.at < unit.definition.end:
            if unit.definition.kind is Kind.VARIABLE:
                self._names.fill(own, mark.detail, scope)
            return None
        return self._names.read(mark.detail, scope)

    def _called(self, call: Callsite) -> Called | None:
        scope = self._places.scope(call.at)
        value = self._names.read(call.callee, scope)
        if (call.bare and self._is_local(value)) or (isinstance(value, Free) and value.name in self._language.loads):
            return None
        if isinstance(value, Super):  # the same method, of what is above
            own = scope.rpartition(SCOPE)[2].partition("#")[0]
            value = Attr(value, own) if own != value.scope.rpartition(SCOPE)[2] else value
        elif self._language.maker and isinstance(value, Made) and _ends(call.callee, self._language.maker):
            value = value.by
        args = tuple((one,) if one is not None else () for one in self._passed(call.args, scope))
        while args and not args[-1]:
            args = args[:-1]
        written = " ".join(call.callee.split())
        return Called(scope, call.line, written[-LONGEST_WRITTEN:], (value,) if value is not None else (), args)

    def _passed(self, text: str, scope: str) -> list[Value | None]:
        text = text if text[:1] in ("", "(", "<") else f"({text})"
        if text.startswith("<"):  # the attributes of an element are one object
            return [self._names.boxed(text, scope)]
        return [self._names.read(part, scope) for _, part in chains.elements(text)]

    def _is_local(self, value: Value | None) -> bool:
        """Whether a name stands for something other than a definition."""
        if not isinstance(value, Name):
            return value is None
        return not any(isinstance(one, Def) for one in self._bound[value.scope][value.name])

    def _returns(self, declared: list[Mark], returned: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in declared:
            scope = self._places.function_of_head(mark.at)
            if scope and (value := self._names.typed(mark.text, scope)) is not None:
                found[scope].append(value)
        told = set(found)
        for mark in returned:
            scope = self._places.function_of_body(mark.at)
            if scope and scope not in told:
                value = self._names.read(mark.text, scope)
                found[scope] += [value] if value is not None and value not in found[scope] else []
        return {scope: _few(values) for scope, values in found.items() if values}

    def _class(self, at: int) -> str:
        return self._places.class_of(self._places.scope(at))

    def _types_of(self, marks: list[Mark]) -> dict[str, Values]:
        found: dict[str, list[Value]] = defaultdict(list)
        for mark in marks:
            holder = self._class(mark.at)
            parts = chains.type_name(mark.text)
            if holder and parts:
                found[holder].append(self._names.path(parts, holder.rpartition(SCOPE)[0]))
        return {scope: tuple(dict.fromkeys(values)) for scope, values in found.items()}

    def _known(self, scope: str, names: dict[str, list[Value]]) -> dict[str, Values]:
        """What is bound; of what there is a definition, unknown things too."""
        return {name: _few(values) for name, values in names.items() if values or inside(scope, name) in self._by_scope}

    def _exports(self, marks: list[Mark]) -> tuple[str, ...]:
        names = dict.fromkeys(_offered(mark.text) for mark in marks)
        return tuple(name for name in names if name in self._bound[""])

    def _decorators(self, marks: list[Mark]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for mark in marks:
            if unit := self._places.unit(mark.at):
                found[unit.scope].append(mark.text.lstrip("@").strip()[:LONGEST_WRITTEN])
        return {scope: tuple(texts) for scope, texts in found.items()}


def _part(whole: Value, key: str) -> Value:
    """A member, what is left of all (`...rest`), or an element."""
    if key.startswith("..."):
        return whole
    return Attr(whole, key) if key else Item(whole)


def _plain(text: str) -> str:
    """A name without its marks; "" for what is none."""
    name = text.lstrip("$#").rstrip("!?")
    return name if name.replace("$", "").isidentifier() else ""


def _offered(text: str) -> str:
    """The name that others take it by; a thing that stands for the whole file is its default."""
    return text if text.isidentifier() else "default"


def _ends(written: str, member: str) -> bool:
    return written.rpartition(".")[2].strip() == member


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
    if not (parts or one.aliases):
        return []
    name = one.aliases[0] if one.aliases else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, Ref(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, Ref(one.module))]
