"""Types in comments, where code has none: `@var Card[]` above a field, `@return static` above a method."""

from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import ScopeMap
from clew.index.facts import Call, Container, This, Value, Values
from clew.index.languages.language import DocType, Language


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
