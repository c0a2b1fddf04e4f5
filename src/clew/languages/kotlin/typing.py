"""Types of arguments and parameters in Kotlin by their texts."""

import re
from collections.abc import Mapping

from clew.index.extract.argument_types import ArgumentTyping, literal
from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import ScopeMap
from clew.index.facts import (
    MANY,
    Attr,
    Call,
    Def,
    ImportedName,
    ScopedName,
    This,
    TypeArgumentCall,
    Typed,
    UnboundName,
    Value,
)
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite

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
        case Attr(_, str(name)) | ScopedName(_, name) | ImportedName(_, name) | UnboundName(name):
            return name
        case Def(scope):
            return scope.rpartition(":")[2]
    return ""


def typing_of(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> KotlinTyping:
    return KotlinTyping(names)
