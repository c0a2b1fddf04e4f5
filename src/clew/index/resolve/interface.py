"""The visible interface of a file as one digest: as long as it stays, no other file's calls resolve differently.

It covers the bindings of the file and its classes, the parameters and results of its functions, and all values that
it passes on: calls with arguments, and stores into members and elements; including the local names from which such
values come. A call without arguments and with an unused result is not part of it.
"""

from collections.abc import Iterable

from blake3 import blake3
from msgspec import msgpack

from clew.index.facts import (
    Attr,
    Call,
    CallFact,
    CallResult,
    Container,
    Facts,
    Param,
    ScopedName,
    Subscript,
    TypeArgumentCall,
    Typed,
    Value,
    Values,
)
from clew.model.code import SCOPE
from clew.model.words import Kind

_OPEN = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


def interface(facts: Facts) -> bytes:
    telling = _InterfaceDigest(facts)
    return telling.digest((telling.face(), telling.passed_on()))


def face(facts: Facts) -> bytes:
    """Without values that are only passed on: for those, other files use the summary and the contents of containers."""
    passing, telling = _InterfaceDigest(facts), _InterfaceDigest(facts)
    passing.digest(passing.passed_on())
    return telling.digest((telling.face(), telling.contents(passing.boxes)))


class _InterfaceDigest:
    """Values told without the numbers of calls, which change with every call before them."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._reached: dict[tuple[str, str], object] = {}
        self._todo: list[tuple[str, str]] = []
        self._calls: dict[int, bytes] = {}
        self.boxes: set[str] = set()  # that were come by

    def digest(self, said: object) -> bytes:
        """The digest of a value and of all names that it refers to."""
        names = self._facts.names
        while self._todo:
            scope, name = place = self._todo.pop()
            self._reached[place] = self._values(names.get(scope, {}).get(name, ()))
        return _hash((said, sorted(self._reached.items())))

    def face(self) -> object:
        facts = self._facts
        return (
            (facts.package, facts.stars, facts.exports, sorted(facts.offers)),
            bool(facts.imports),  # by these a script is a module
            sorted(facts.quoted),
            sorted(facts.kinds.items()),
            sorted(facts.params.items()),
            [(scope, self._types_of(scope, names)) for scope, names in sorted(facts.params.items())],
            sorted(facts.decorators.items()),
            sorted(facts.settings.items()),
            facts.declared,
            [(scope, [self._typed_value(one) for one in types]) for scope, types in sorted(facts.takes.items())],
            sorted(facts.signatures.items()),
            self._table(facts.bases),
            self._table(facts.implements),
            self._table(facts.returns),
            [(scope, self._table(names)) for scope, names in sorted(facts.names.items()) if self._is_open(scope)],
        )

    def passed_on(self) -> object:
        facts = self._facts
        return (
            sorted(self._call(i) for i, call in enumerate(facts.calls) if call.args or call.keywords),
            sorted(_hash((s.name, s.item, self._values(s.of), self._values(s.values))) for s in facts.stores),
        )

    def contents(self, boxes: Iterable[str]) -> object:
        return [self._value(Container(scope)) for scope in sorted(boxes)]

    def _types_of(self, function: str, params: tuple[str, ...]) -> list[object]:
        """The written types of a function's parameters: they type the functions passed to it."""
        names = self._facts.names.get(function, {})
        return [
            self._value(value)
            for name in params
            for value in names.get(name, ())
            if isinstance(value, Call | Container)
        ]

    def _is_open(self, scope: str) -> bool:
        """Whether others see the names of a scope: those of the file and of classes."""
        kind = self._facts.kinds.get(scope, "")
        if not scope or kind in _OPEN:
            return True
        return not kind and "<" not in scope and "*" not in scope  # of a class that is written elsewhere

    def _table(self, table: dict[str, Values]) -> list[tuple[str, object]]:
        return [(key, self._values(values)) for key, values in sorted(table.items())]

    def _values(self, values: Iterable[Value]) -> list[object]:
        return [self._value(value) for value in values]

    def _typed_value(self, told: Typed) -> object:
        return told if isinstance(told, str) else self._value(told)

    def _value(self, value: Value) -> object:
        match value:
            case CallResult(number):
                return "result", self._call(number)
            case Attr(of, name):
                return "attr", self._value(of), name
            case Subscript(of, key):
                return "item", self._value(of), key
            case Call(by):
                return "made", self._value(by)
            case TypeArgumentCall(of, kind):
                return "asked", self._value(of), self._value(kind)
            case ScopedName(scope, name):
                self._reach(scope, name)
            case Container(scope):
                self.boxes.add(scope)
                for name in self._facts.names.get(scope, {}):
                    self._reach(scope, name)
            case Param(scope, star) if star.startswith("*"):  # what is said of each of those that it takes
                self._reach(f"{scope}{SCOPE}{star}", "")
        return value

    def _reach(self, scope: str, name: str) -> None:
        if not self._is_open(scope) and (scope, name) not in self._reached:
            self._reached[scope, name] = None
            self._todo.append((scope, name))

    def _call(self, number: int) -> bytes:
        found = self._calls.get(number)
        if found is None:
            call: CallFact = self._facts.calls[number]
            found = self._calls[number] = _hash(
                (
                    call.written.startswith("@"),
                    self._values(call.callee),
                    [self._values(values) for values in call.args],
                    self._table(call.keywords),
                )
            )
        return found


def _hash(said: object) -> bytes:
    return blake3(msgpack.encode(said)).digest()
