"""Results of functions: their declared or documented types, or else their returned values."""

from collections import defaultdict

from clew.index.extract.binder import Binder
from clew.index.extract.doc_types import DocTypes
from clew.index.extract.scope_map import ScopeMap, inside
from clew.index.extract.values import limit_values
from clew.index.facts import RECEIVED, RESULT, Value, Values
from clew.index.languages.language import Language
from clew.index.languages.rust import macro_result
from clew.index.syntax import chains
from clew.index.syntax.parse import CapturedMark
from clew.model.code import without_numbers


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
        """The results of a Rust macro by its body: one, or several."""
        last = macro_result(mark.text)
        several = [part for _, part in chains.elements(last)] if last.startswith("(") else [last]
        for place, text in enumerate(several, 1):
            own = inside(scope, RESULT % place) if place > 1 else scope
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
            own = inside(scope, mark.text.replace(".", RECEIVED))
            found[own] = tuple(dict.fromkeys((*found.get(own, ()), *values)))
    return found
