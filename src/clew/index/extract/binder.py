"""Binds the names of a file, scope by scope, and evaluates expressions over them."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from clew.index.extract.scope_map import CLASSES, FUNCTIONS, OBJECT, ScopeMap, inside, object_of
from clew.index.facts import (
    AWAITED,
    Attr,
    Call,
    Container,
    Def,
    ImportedName,
    Param,
    ScopedName,
    Subscript,
    Super,
    This,
    TypeArgumentCall,
    UnboundName,
    Value,
    Values,
    WrappedType,
)
from clew.index.syntax import chains, types
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.type_tokens import class_reader
from clew.languages.member_names import ResultPart, member_name
from clew.languages.profile import Language
from clew.model.code import SCOPE

# Operations on values during extraction: parts, the same in another scope, and limits of their number.

MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown

_AWAITING = ("await", "await?")
_LOAD = re.compile(r"""\s*\(\s*["'`]([^"'`]+)["'`]\s*\)""")


def part_of(whole: Value, key: str) -> Value:
    """A member, the rest (`...rest`), or an element."""
    if key.startswith("..."):
        return whole
    return Attr(whole, key) if key else Subscript(whole)


def at_path(whole: Value, path: str) -> Value:
    """A member of a member: `onPay.card`."""
    for name in path.split("."):
        whole = Attr(whole, member_name(name))
    return whole


def same_above(above: Super, scope: str) -> Value:
    """The same method in the base class; for the class itself, its constructor."""
    own = scope.rpartition(SCOPE)[2].partition("#")[0]
    return Attr(above, own) if own != above.scope.rpartition(SCOPE)[2] else above


def types_without(types: dict[str, Values], others: dict[str, Values]) -> dict[str, Values]:
    left = {scope: tuple(one for one in found if one not in others.get(scope, ())) for scope, found in types.items()}
    return {scope: found for scope, found in left.items() if found}


def lines_of(
    lines: LineIndex, said_at: Mapping[tuple[str, Value], int], *tables: dict[str, Values]
) -> dict[str, tuple[int, ...]]:
    """By scope, the lines of a table's entries, one table after the other."""
    found: dict[str, tuple[int, ...]] = {}
    for table in tables:
        for scope, values in table.items():
            found[scope] = (*found.get(scope, ()), *(lines.at(said_at[scope, one]) for one in values))
    return found


def limit_values(values: list[Value], *, is_told: bool = False) -> Values:
    """All definitions, since those of one name are overloads; of too many other values none, or the first ones."""
    if len(values) <= MOST_VALUES:
        return tuple(values)
    defined = [value for value in values if isinstance(value, Def)]
    others = [value for value in values if not isinstance(value, Def)]
    return (*defined, *(others if is_told or len(others) <= MOST_VALUES else ())[:MOST_VALUES])


def made_with(value: Value, maker: str) -> Value:
    """`Card.new(1).pay` with the result of the constructor's definition."""
    match value:
        case Call(Attr(This(scope), name)) | Attr(This(scope), name) if name == maker:
            return Call(Attr(Def(scope), maker))
        case Call(Attr(of, name)) | Attr(of, name) if name == maker:
            return Call(Attr(made_with(of, maker), maker))
        case Attr(of, name):
            return Attr(made_with(of, maker), name)
        case Call(by):
            return Call(made_with(by, maker))
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(made_with(of, maker), kind)
    return value


def replace_loader(text: str, value: Value, loads: frozenset[str]) -> Value:
    """The same, with the module in place of the call that gives it."""
    match value:
        case Call(UnboundName(name)) if name in loads:
            given = _LOAD.match(text, text.index(name) + len(name))
            return ImportedName(given[1]) if given else value
        case Attr(of, name):
            return Attr(replace_loader(text, of, loads), name)
        case Call(by):
            return Call(replace_loader(text, by, loads))
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(replace_loader(text, of, loads), kind)
    return value


def skip_transparent(value: Value, transparent: frozenset[str], member: Callable[[Value, str], Value]) -> Value:
    """Without methods that return their receiver."""
    if type(value) is Attr:
        of, name = skip_transparent(value.of, transparent, member), value.name
        if name in _AWAITING:
            return Attr(of, AWAITED)
        return member(of, name) if name == "super" else value if of is value.of else Attr(of, name)
    if type(value) is Call:
        if type(value.by) is Attr and value.by.name in transparent:
            return skip_transparent(value.by.of, transparent, member)
        return Call(skip_transparent(value.by, transparent, member))
    if type(value) is TypeArgumentCall:
        return TypeArgumentCall(skip_transparent(value.of, transparent, member), value.kind)
    return Subscript(skip_transparent(value.of, transparent, member), value.key) if type(value) is Subscript else value


# Paths of Rust: their roots, and the imports that they stand for.

_PATH = re.compile(r"[\s&*!(]*([a-z_]\w*(?:::\w+)+)(?![!\w])")
# Types whose names look like those of modules.
_PRIMITIVES = frozenset("bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize".split())


def member(of: Value, name: str, modules: Collection[str]) -> Value:
    """A member; `super` of a module in this file is its parent."""
    if name == "super" and isinstance(of, Def):
        return above(name, of.scope, modules)
    return ImportedName(name) if name == "super" and of == ImportedName("self") else Attr(of, name)


def above(root: str, scope: str, modules: Collection[str]) -> Value:
    """The root of a path in Rust: a module outside of the file, or the one around the scope."""
    around = [within for within in modules if f"{scope}{SCOPE}".startswith(f"{within}{SCOPE}")]
    if root != "super" or not around:
        return ImportedName(root)
    outer = max(around, key=len).rpartition(SCOPE)[0]
    return Def(outer) if outer else ImportedName("self")


def is_crate(value: Value) -> bool:
    """Whether a path of Rust that starts with it starts outside of the file."""
    return isinstance(value, UnboundName) and value.name[:1].islower() and value.name not in _PRIMITIVES


def imported_path(parts: Sequence[str]) -> Value:
    """`http::request::Parts::new` is `new` of the import `use http::request::Parts`."""
    end = next((i for i, part in enumerate(parts) if i and part[:1].isupper()), len(parts) - 1)
    value: Value = ImportedName("::".join(parts[:end]), parts[end])
    for part in parts[end + 1 :]:
        value = Attr(value, part)
    return value


def as_imported(value: Value, text: str) -> Value:
    """The same, if it starts with a path of Rust of which the file binds nothing."""
    path = _PATH.match(text)
    first, *rest = path[1].split("::") if path else ("",)
    written: Value = UnboundName(first)
    for part in rest:
        written = Attr(written, part)
    return _replace(value, written, imported_path([first, *rest])) if rest and is_crate(UnboundName(first)) else value


def _replace(value: Value, old: Value, new: Value) -> Value:
    if value == old:
        return new
    match value:
        case Attr(of, name):
            return Attr(_replace(of, old, new), name)
        case Call(by):
            return Call(_replace(by, old, new))
        case Subscript(of, key):
            return Subscript(_replace(of, old, new), key)
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(_replace(of, old, new), kind)
    return value


ELEMENT = ""  # the name of any element, in the scope of what holds it
_MAKES = re.compile(r"new\s+(\w+)\s*<[^()]*>\([^()]*\)$")  # a container, and what it is to hold
_MARKED = re.compile(r"(\.|->|::)\s*\$")  # a member that is told by a variable, or the variable of a class
# Bounds of type parameters that say nothing of what these stand for.
_MARKING = frozenset("Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd Send Sized Sync Unpin".split())
_METHOD = re.compile(r"[^{(]*\([^{]*\)\s*(?::[^{]*)?\{")  # as it stands in a literal
_CALLED = re.compile(r"([\w.]+)\(")
_WILDCARD = re.compile(r"^\s*\?\s*(?:extends|super)\s+")
_INLINE = re.compile(r"=>|\bfunction\b|\)\s*(?::[^{}();]*)?\{")  # a function inside of a literal


class Binder:
    """All names are bound first; then expressions are read by these bindings."""

    def __init__(self, language: Language, places: ScopeMap) -> None:
        self._language, self._places, self.parted_overloads = language, places, language.parted_overloads
        self._boxes: dict[Values, Container] = {}
        self._made_boxes, self.holders = 0, language.holders
        self._generics: set[tuple[str, str]] = set()
        self._bounds: dict[str, dict[str, str]] = defaultdict(dict)  # of those that stand for what these name or hold
        self._held_bounds = language.standing and (language.standing | language.containers)
        self._known: dict[tuple[str, str], Value | None] = {}
        self.package = ""  # the namespace of the file
        self.extending: set[str] = set()  # classes that may have what others give them
        self.statics: frozenset[str] = frozenset()  # methods of classes, and not of their objects
        self.bound: dict[str, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))

    def declare(self, scope: str, name: str) -> None:
        """Bind a name to an unknown value: it hides outer names."""
        if chains.is_name(name):
            self.bound[scope].setdefault(name, [])

    def bind(self, scope: str, name: str, values: Values) -> None:
        known = self.bound[scope][name]
        for value in values:
            if value not in known and value != ScopedName(scope, name) and not self._is_empty(value, known):
                known.append(value)

    def _is_empty(self, value: Value, known: list[Value]) -> bool:
        """Whether it is a new container with elements that are known already."""
        match value:
            case Call(UnboundName(name)) if name in self._language.containers:
                return any(isinstance(one, Container) for one in known)
        return False

    def open_generic(self, scope: str, name: str, bound: str) -> None:
        """A type parameter has a bare name, even inside a class in which members have none."""
        self._generics.add((scope, name))
        if self._held_bounds and bound and bound not in _MARKING:  # of several, none stands for the parameter
            is_only = scope not in self._bounds[name] and "<" in bound
            is_held = is_only and bool(self._held_bounds.intersection(types.type_name(bound)[-1:]))
            self._bounds[name][scope] = bound if is_held else ""
        self.declare(scope, name)

    def is_generic(self, name: str, scope: str) -> bool:
        """Whether a written type is a parameter of an enclosing definition."""
        return self._nearest_binding(name, scope, lambda holder, name: (holder, name) in self._generics) is not None

    def instance_of(self, text: str, scope: str) -> Values:
        """An object of a written type; of one that holds many, a box of them."""
        if self._language.alternatives:
            every = self._language.alternatives(text)
            return tuple(dict.fromkeys(each for one in every for each in self._with_target(one, scope)))
        if self._language.pointed and (holder := self._language.pointed(text)):
            return self._elements_of_type(holder, scope)
        held = self._elements_of_type(text, scope) if self.holders and not self._language.target and "<" in text else ()
        value = self._instance_of(text, scope) if held else None
        return (value, self.new_container(*held)) if value is not None else self._with_target(text, scope)

    def _with_target(self, text: str, scope: str) -> Values:
        """With the arguments of a wrapper type, which may stand for them or return them: `Padded<Card>`,
        `Mono<Card>`."""
        value = self._instance_of(text, scope)
        given = types.put_into(text, self._language.transparent) if isinstance(value, Call) else ""
        target = self._instance_of(given, scope) if given and not self.is_generic(given, scope) else None
        told = [WrappedType(value.by, target)] if isinstance(value, Call) and isinstance(target, Call) else []
        return (value, *told) if value is not None else ()

    def _elements_of_type(self, text: str, scope: str) -> Values:
        """The elements of a built-in container type without known members: `List<Card>`."""
        parts = types.type_name(text)
        holders = self._language.holders if parts and parts[1:] else self.holders
        if not (parts and parts[-1] in holders and (given := types.arguments(text))):
            return ()
        held = self._language.held_by(parts[-1], given) if self._language.held_by else given[-1]
        return self.instance_of(_WILDCARD.sub("", held), scope)

    def _instance_of(self, text: str, scope: str) -> Value | None:
        if self._language.fields_of and (fields := self._language.fields_of(text)):
            return self._struct(fields, scope)
        if held := types.element(text, self._language.containers):
            value = self._instance_of(held, scope)
            return self.new_container(value) if value is not None else None
        if self._language.giving and text.startswith(("typeof ", "import(")):
            value = self._chain(text.removeprefix("typeof "), scope)
            return value if value is None or text.startswith("typeof ") else Call(value)
        if self._language.giving and (looked := types.looked_up(text)):
            value = self._instance_of(looked[1], scope)
            return Attr(value, looked[2]) if value is not None else None
        parts = types.type_name(text)
        if len(parts) == 1 and parts[0] in self._bounds and (bound := self._bound_of(parts[0], scope)):
            return self._by_bound(parts[0], bound, scope)
        if parts and parts[-1] in self._language.transparent and (given := types.arguments(text)):
            return self._instance_of(given[0], scope)
        if parts and parts[-1] in self._language.standing and (stood_for := types.stood_for(text)):
            return self._instance_of(stood_for, scope)
        if parts and parts[-1] in self._language.giving:
            called = self._instance_of((types.arguments(text) or [""])[0], scope)
            return Call(called) if called is not None else None
        is_own = parts[:1] == ("std",) and parts[-1] in self._language.own_types
        found = ImportedName("::".join(parts)) if is_own else self.path(parts, scope) if parts else None
        return found if found is None or isinstance(found, This) else Call(found)

    def _bound_of(self, name: str, scope: str) -> str:
        around = self._nearest_binding(name, scope, lambda holder, name: holder in self._bounds[name])
        return self._bounds[name][around] if around is not None else ""

    def _by_bound(self, name: str, bound: str, scope: str) -> Value | None:
        """A type parameter, by its bound; without recursion, `T: AsRef<T>`."""
        bounds = self._bounds.pop(name)
        value = self._instance_of(bound, scope)
        self._bounds[name] = bounds
        return value

    def results(self, text: str, scope: str) -> Iterator[tuple[str, Values]]:
        """The further results of a function, by their inner scopes; `text` has all the types."""
        written = self._language.results_of(text)[1:] if self._language.results_of else ()
        for place, one in enumerate(written, 2):
            if values := self.instance_of(one, scope):
                yield inside(scope, ResultPart(place).text), values

    def _struct(self, fields: list[tuple[str, str]], scope: str) -> Container:
        """An object of an anonymous type: a container with the members as keys."""
        box = self._new_container()
        for name, written in fields:
            self.bound[box.scope][name] += self.instance_of(written, scope)
        return box

    def new_container(self, *held: Value) -> Container:
        """A container about which only its elements are known."""
        if held not in self._boxes:
            self._boxes[held] = self._new_container()
            self.bound[self._boxes[held].scope][ELEMENT] += held
        return self._boxes[held]

    def _new_container(self) -> Container:
        self._made_boxes += 1
        return Container(f"<box{self._made_boxes}>")

    def path(self, parts: Sequence[str], scope: str) -> Value:
        """A type that is written: no variable or function of the name is meant."""
        if not parts[0]:  # `\Pay\Card` is not looked up here
            return ImportedName(self._language.separator.join(parts[1:-1]), parts[-1])
        if self._language.separator == "\\" and parts[1:]:
            return ImportedName("\\".join([*self._namespace(parts[0]), *parts[1:-1]]), parts[-1])
        value = self._type(parts[0], scope)
        if self._language.module_roots and parts[1:] and is_crate(value):
            return imported_path(parts)
        for part in parts[1:]:
            value = self._member(value, part)
        return value

    def _namespace(self, first: str) -> Iterator[str]:
        """The start of a qualified name in PHP: the import of its first part, or the own namespace."""
        used = [value for value in self.bound[""].get(first, ()) if isinstance(value, ImportedName)]
        return filter(None, [used[0].module, used[0].name] if used else [self.package, first])

    def _type(self, name: str, scope: str) -> Value:
        words = self._language.this_words, self._language.super_words, self._language.module_roots
        value = self.resolve_name(name, scope) if any(name in some for some in words) else None
        return value or self._known_type(name, scope) or UnboundName(name)

    def _known_type(self, name: str, scope: str) -> Value | None:
        around = self._nearest_binding(name, scope, self._is_type)
        if around is None:
            return None
        classes = self._classes(around, name)
        is_mixed = any(isinstance(value, Call) for value in self.bound[around][name])
        return classes[0] if classes and is_mixed else ScopedName(around, name)

    def _classes(self, scope: str, name: str) -> list[Def]:
        """The classes of a name, regardless of its other meanings: `interface P {}` and `const P = make()`."""
        defined = [value for value in self.bound[scope][name] if isinstance(value, Def)]
        units = [self._places.by_scope.get(value.scope) for value in defined]
        return [one for one, unit in zip(defined, units, strict=True) if unit and unit.definition.kind in CLASSES]

    def read_expression(self, text: str, scope: str) -> Values:
        """The possible values of an expression. An unbound bare name may be inherited or come from another file."""
        language = self._language
        if language.literal_type and (written := language.literal_type(text)):
            return self.instance_of(written, scope)
        if language.either and (parts := language.either(text)):
            return tuple(value for part in parts for value in self.read_expression(part, scope))
        if language.spelled:
            text = language.spelled(text)
        if text[:1] in language.literals or (language.literals and text.startswith("({")):
            return self.container_of(literal, scope) if (literal := chains.bracketed_text(text.lstrip("("))) else ()
        if language.copiers and (copied := chains.copied_arguments(text, language.copiers)):
            return tuple(value for part in copied for value in self.read_expression(part, scope))
        found = self._chain(text, scope) if text else None
        if found is None:
            return ()
        is_bare = language.members_in_scope and not text.startswith("new ")
        first = chains.start(found) if is_bare else None
        if not isinstance(first, UnboundName) or (first.name[:1].isupper() and not language.large_members):
            return (found,)  # what begins large is a type nearly always
        if chains.is_path(text):
            return (found,)
        own = (
            chains.with_start(found, Attr(This(holder), first.name))
            for holder in self._places.holders(scope, self.extending)
        )
        if first.name == language.maker:
            return tuple(made_with(value, language.maker) for value in own)
        return (*own, found)

    def container_of(self, text: str, scope: str) -> Values:
        """A container, if any of its elements is known."""
        loose = object_of(self._places.definition_scope(scope))
        if text.startswith("{") and _INLINE.search(text) and loose in self.bound:
            self.fill(loose, text, scope)
            return (Container(loose),)
        box = self._new_container()
        self.fill(box.scope, text, scope)
        return (box,) if box.scope in self.bound else ()

    def fill(self, box: str, text: str, scope: str) -> None:
        for place, (key, part) in enumerate(chains.elements(text)):
            own = inside(box.removesuffix(OBJECT).removesuffix(SCOPE), key)
            if key and part.startswith("{") and own in self._places.by_scope:  # an object that has a scope of its own
                self.fill(own, part, scope)
            elif values := self.read_expression(part, scope) if key or not _METHOD.match(part) else ():
                self.bound[box][key or str(place)] += values

    def callee(self, written: str, scope: str) -> Values:
        """Like an expression; but a called bare name is a function, not a variable that hides it."""
        if written.endswith("="):  # `card.owner = me` is a call of `owner=`
            read = self.callee(written[:-1], scope)
            return tuple(Attr(value.of, f"{value.name}=") for value in read if isinstance(value, Attr))
        if not (self._language.members_in_scope and written.isidentifier()):
            return self._outside_of_blocks(self.read_expression(written, scope))
        if (around := self._nearest_binding(written, scope, self._is_function)) is not None:
            return (ScopedName(around, written),)
        found = self.read_expression(written, scope)
        if found and isinstance(found[0], ScopedName):
            return (*found, *(Attr(This(holder), written) for holder in self._places.holders(scope, self.extending)))
        return found

    def _outside_of_blocks(self, values: Values) -> Values:
        """A pattern's binding in one part of a Rust function does not hide a function in the others."""
        match values:
            case (ScopedName(scope, name),) if scope and self._language.module_roots and not self.bound[scope][name]:
                around = self._nearest_binding(name, scope, self._is_function)
                return (ScopedName(around, name),) if around is not None else values
        return values

    def _chain(self, text: str, scope: str) -> Value | None:
        language = self._language
        if language.whole_names or (text.isidentifier() and text != language.maker):
            return self.resolve_name(text, scope) if not chains.is_word(text) else None
        if language.module_roots:
            text = chains.unwrap(text.removeprefix("self::").rstrip("?"))  # which is no part of a name there
        elif language.silent:
            text = text.replace(language.silent, "")
        elif language.handing and (called := _CALLED.match(text)):
            text = self._returned_argument(text, called, scope)
        if "$" in text and not language.dollars:
            text = _MARKED.sub(r"\1", text)
        if "<" in text and language.containers and (made := _MAKES.match(text)) and made[1] in language.containers:
            return self._instance_of(text[made.start(1) : text.index("(")], scope)
        is_path = chains.is_path(text)

        def known_value(name: str) -> Value | None:
            if "\\" in name:
                return self.path(name.removeprefix("namespace\\").split("\\"), scope)
            if is_path and (value := self._known_type(name, scope)):
                return value
            called = language.members_in_scope and text.startswith(f"{name}(")
            around = self._nearest_binding(name, scope, self._is_function) if called else None
            return ScopedName(around, name) if around is not None else self.resolve_name(name, scope)

        value = chains.read_chain(text, known_value, language.string, class_reader(language.class_tokens))
        if isinstance(value, Call) and isinstance(value.by, This) and text.startswith("new "):
            return value.by  # `new static()`
        if value is not None and any(word in text for word in language.loads):
            value = replace_loader(text, value, language.loads)
        if value is not None and language.maker:
            value = made_with(value, language.maker)
        if value is not None and is_path and language.module_roots:
            value = as_imported(value, text)
        hands_on = language.transparent and ("(" in text or language.module_roots)
        return skip_transparent(value, language.transparent, self._member) if value is not None and hands_on else value

    def _returned_argument(self, text: str, called: re.Match[str], scope: str) -> str:
        """`requireNonNull(card).pay` is the same as `card.pay`."""
        first, dot, rest = called[1].partition(".")
        around = self._nearest_binding(first, scope)
        bound = self.bound[around][first] if around is not None else ()
        names = {f"{one.module}.{one.name}{dot}{rest}" for one in bound if isinstance(one, ImportedName)}
        end = chains.closing_bracket(text, called.end() - 1)
        if end < 0 or names.isdisjoint(self._language.handing):
            return text
        given = chains.elements(text[called.end() - 1 : end + 1])
        return f"({given[0][1]}){text[end + 1 :]}" if given else text

    def resolve_name(self, name: str, scope: str) -> Value | None:
        """The value of a name seen from a scope. Called only after all names are bound, so that results can be
        cached."""
        if (name, scope) not in self._known:
            self._known[name, scope] = self._look_up(name, scope)
        return self._known[name, scope]

    def _look_up(self, name: str, scope: str) -> Value | None:
        """The nearest that binds it, in the words of the language."""
        language, part, scope = self._language, scope, self._places.definition_scope(scope)
        if holder := self._places.class_of(scope):
            if name == "Self":
                outer, _, last = holder.rpartition(SCOPE)
                return Def(holder) if holder in self._places.by_scope else self.resolve_name(last, outer)
            if name.startswith("@"):
                return Attr(This(holder), name)
            word, _, label = name.partition("@")
            if word in language.this_words:
                if self._is_static(scope, holder):
                    return Def(holder)
                return This(self._places.labelled_class(scope, label) or holder)
            if name in language.super_words:
                return Super(holder)
        if name in language.module_roots:
            return above(name, scope, self._places.namespaces)
        name = language.bare(name)
        if (around := self._nearest_binding(name, part)) is not None:
            return ScopedName(around, name)
        return UnboundName(name) if name not in language.implicit else None

    def _is_static(self, scope: str, holder: str) -> bool:
        """Whether a scope is, or is inside of, a method of the class itself."""
        while self.statics and len(scope) > len(holder):
            if scope in self.statics and self._places.first(scope.rpartition(SCOPE)[0]) == holder:
                return True
            scope = scope.rpartition(SCOPE)[0]
        return False

    def _nearest_binding(self, name: str, scope: str, wanted: Callable[[str, str], bool] | None = None) -> str | None:
        """The nearest enclosing scope with a wanted binding of the name."""
        bound = self.bound
        for holder in self._places.around(scope):
            seen = holder in bound and name in bound[holder] and self._is_visible_inside(holder, name)
            if seen and (wanted is None or wanted(holder, name)):
                return holder
        return None

    def _is_visible_inside(self, scope: str, name: str) -> bool:
        """Whether bindings of a scope have bare names inside it."""
        by_name = self._language.members_in_scope or not self._places.is_class(scope)
        return by_name or (scope, name) in self._generics

    def _is_function(self, scope: str, name: str) -> bool:
        return any(isinstance(value, Def | ImportedName) for value in self.bound[scope][name])

    def _is_type(self, scope: str, name: str) -> bool:
        """Whether a name may be a type, or a parameter of one: no object, no function, and nothing that is passed."""
        values = self.bound[scope][name]
        if not values or any(isinstance(value, Call | Param | Subscript) for value in values):
            return (scope, name) in self._generics or bool(self._classes(scope, name))
        defined = [self._places.by_scope.get(value.scope) for value in values if isinstance(value, Def)]
        return not defined or not all(unit and unit.definition.kind in FUNCTIONS for unit in defined)

    def _member(self, of: Value, name: str) -> Value:
        return member(of, name, self._places.namespaces) if self._language.module_roots else Attr(of, name)
