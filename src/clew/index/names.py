"""What the names of a file are bound to, scope by scope, and what an expression that is made of them may be."""

import re
from collections import defaultdict

from clew.index import chains
from clew.index.facts import Attr, Box, Def, Free, Made, Name, Ref, Super, This, Value
from clew.index.languages import Language
from clew.index.places import OBJECT, Places, holds_members, inside, object_of
from clew.model.code import SCOPE

_ELEMENT = ""  # the name of any element, in the scope of what holds it
_LOAD = re.compile(r"""\s*\(\s*["'`]([^"'`]+)["'`]\s*\)""")
_METHOD = re.compile(r"[^{(]*\([^{]*\)\s*(?::[^{]*)?\{")  # as it stands in a literal
_INLINE = re.compile(r"=>|\bfunction\b|\)\s*(?::[^{}();]*)?\{")  # a function inside of a literal


class Names:
    """Bound first, all of them; then read, by what is bound."""

    def __init__(self, language: Language, places: Places) -> None:
        self._language = language
        self._places = places
        self._boxes: dict[Value, Box] = {}
        self._made_boxes = 0
        self._seen: dict[tuple[str, str], Value] = {}
        self.bound: dict[str, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))

    def touch(self, scope: str, name: str) -> None:
        """Let a name be bound, to whatever: it hides what has the same name outside."""
        if name.isidentifier():
            self.bound[scope].setdefault(name, [])

    def typed(self, text: str, scope: str) -> Value | None:
        """An object of a written type; of one that holds many, a box of them."""
        if held := chains.element(text, self._language.containers):
            value = self.typed(held, scope)
            return self._box_of(value) if value is not None else None
        parts = chains.type_name(text)
        if parts and parts[-1] in self._language.transparent and (given := chains.arguments(text)):
            return self.typed(given[0], scope)
        return Made(self.path(parts, scope)) if parts else None

    def _box_of(self, held: Value) -> Box:
        """A container of which no more is known than what it holds."""
        if held not in self._boxes:
            self._boxes[held] = self._new_box()
            self.bound[self._boxes[held].scope][_ELEMENT].append(held)
        return self._boxes[held]

    def _new_box(self) -> Box:
        self._made_boxes += 1
        return Box(f"<box{self._made_boxes}>")

    def path(self, parts: list[str], scope: str) -> Value:
        value = self.named(parts[0], scope) or Free(parts[0])
        for part in parts[1:]:
            value = Attr(value, part)
        return value

    def read(self, text: str, scope: str) -> Value | None:
        language = self._language
        if language.whole_names:
            return self.named(text, scope)
        if text.isidentifier() and not chains.is_word(text) and text != language.maker:
            return self.named(text, scope)
        if text[:1] in ("{", "[") or text.startswith("({"):
            return self.boxed(text.lstrip("("), scope) if chains.is_bracketed(text) else None
        if language.silent:
            text = text.replace(language.silent, "")
        value = chains.read(text, lambda name: self.named(name, scope))
        if value is not None and any(word in text for word in language.loads):
            value = self._loaded(text, value)
        return _made(value, language.maker) if language.maker and value is not None else value

    def _loaded(self, text: str, value: Value) -> Value:
        """The same, with the module in place of the call that gives it."""
        match value:
            case Made(Free(name)) if name in self._language.loads:
                given = _LOAD.match(text, text.index(name) + len(name))
                return Ref(given[1]) if given else value
            case Attr(of, name):
                return Attr(self._loaded(text, of), name)
            case Made(by):
                return Made(self._loaded(text, by))
        return value

    def boxed(self, text: str, scope: str) -> Value | None:
        """A container, if anything is known of what it holds."""
        if text.startswith("{") and _INLINE.search(text) and object_of(scope) in self.bound:
            self.fill(object_of(scope), text, scope)
            return Box(object_of(scope))
        box = self._new_box()
        self.fill(box.scope, text, scope)
        return box if box.scope in self.bound else None

    def fill(self, box: str, text: str, scope: str) -> None:
        for place, (key, part) in enumerate(chains.elements(text)):
            own = inside(box.removesuffix(OBJECT).removesuffix(SCOPE), key)
            if key and part.startswith("{") and own in self._places.by_scope:  # an object that has a scope of its own
                self.fill(own, part, scope)
                continue
            value = self.read(part, scope) if key or not _METHOD.match(part) else None
            if value is not None:
                self.bound[box][key or str(place)].append(value)

    def named(self, name: str, scope: str) -> Value:
        """What a name is, seen from a scope. Asked for only when all names are bound, so that answers can be kept."""
        known = self._seen.get((name, scope))
        if known is None:
            known = self._seen[name, scope] = self._look_up(name, scope)
        return known

    def _look_up(self, name: str, scope: str) -> Value:
        """The nearest that binds it, in the words of the language."""
        holder = self._places.class_of(scope)
        if name in self._language.this_words and holder:
            return This(holder)
        if name in self._language.super_words and holder:
            return Super(holder)
        if name.startswith("@") and holder:
            return Attr(This(holder), name.lstrip("@"))
        name = name.lstrip("$")
        while True:
            unit = self._places.by_scope.get(scope)
            closed = unit is not None and holds_members(unit) and not self._language.members_in_scope
            visible = not closed or name[:1].isupper()  # a type that a class is made for: `class Till<T>`
            if visible and name in self.bound.get(self._places.first(scope), {}):
                return Name(self._places.first(scope), name)
            if unit is not None and not closed and holds_members(unit) and self._may_hold(name):
                return Attr(This(self._places.first(scope)), name)
            if not scope:
                return Free(name)
            scope = scope.rpartition(SCOPE)[0]

    def _may_hold(self, name: str) -> bool:
        """A class that extends others may have what they have; a name that begins large is a type nearly always."""
        return not name[:1].isupper() and name not in self.bound.get("", {})


def _made(value: Value, maker: str) -> Value:
    """`Card.new(1).pay` with what the member that makes an object gives."""
    match value:
        case Made(Attr(This(scope), name)) | Attr(This(scope), name) if name == maker:
            return Made(Def(scope))
        case Made(Attr(of, name)) | Attr(of, name) if name == maker:
            return Made(_made(of, maker))
        case Attr(of, name):
            return Attr(_made(of, maker), name)
        case Made(by):
            return Made(_made(by, maker))
    return value
