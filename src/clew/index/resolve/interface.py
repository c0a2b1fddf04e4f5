"""The visible interface of a file as one digest: as long as it stays, no other file's calls resolve differently.

It covers the bindings of the file and its classes, the parameters and results of its functions, and all values that
it passes on: calls with arguments, and stores into members and elements; including the local names from which such
values come. A call without arguments and with an unused result is not part of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
    StoreFact,
    Subscript,
    TypeArgumentCall,
    Typed,
    Value,
    Values,
)
from clew.model.code import SCOPE
from clew.model.words import Kind

Entry = tuple[str, str, str]  # a visible part of a file: its sort, scope and name
_OPEN = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


def interface(facts: Facts) -> bytes:
    telling = _InterfaceDigest(facts)
    return telling.digest((telling.face(), telling.passed_on()))


def face(facts: Facts) -> bytes:
    """Without values that are only passed on: for those, other files use the summary and the contents of containers."""
    passing, telling = _InterfaceDigest(facts), _InterfaceDigest(facts)
    passing.digest(passing.passed_on())
    return telling.digest((telling.face(), telling.contents(passing.boxes)))


def visible_entries(facts: Facts) -> dict[Entry, bytes]:
    """The digest of each visible part of a file, by sort, scope and name; those of the file as a whole have no scope.

    Parts: what `face` covers, one by one, each with the local names that it refers to.
    """
    found: dict[Entry, bytes] = {}
    for entry, said in _entries(facts):
        telling = _InterfaceDigest(facts)
        found[entry] = telling.digest(telling.entry(entry, said))
    return found


def _entries(facts: Facts) -> Iterator[tuple[Entry, Any]]:
    whole = facts.package, facts.stars, facts.exports, sorted(facts.offers), bool(facts.imports), sorted(facts.quoted)
    yield ("file", "", ""), (*whole, sorted(facts.settings.items()), sorted(facts.declared))
    tables: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("kind", facts.kinds),
        ("params", facts.params),
        ("decorators", facts.decorators),
        ("takes", facts.takes),
        ("signatures", facts.signatures),
        ("bases", facts.bases),
        ("implements", facts.implements),
        ("returns", facts.returns),
    )
    for sort, table in tables:
        yield from (((sort, scope, ""), said) for scope, said in table.items())
    for scope, bound in facts.names.items():
        if is_open(facts, scope):
            yield from ((("name", scope, name), values) for name, values in bound.items())
    passing = _InterfaceDigest(facts)
    passing.digest(passing.passed_on())
    yield from ((("box", box, ""), ()) for box in passing.boxes)


def is_open(facts: Facts, scope: str) -> bool:
    """Whether others see the names of a scope: those of the file and of classes."""
    kind = facts.kinds.get(scope, "")
    if not scope or kind in _OPEN:
        return True
    return not kind and "<" not in scope and "*" not in scope  # of a class that is written elsewhere


def constraint_digests(facts: Facts) -> dict[bytes, list[int]]:
    """By digest, the calls that pass something, by number; and the stores, counted down from -1.

    A digest covers the local names that values come from.
    """
    found: dict[bytes, list[int]] = {}
    for number, call in enumerate(facts.calls):
        if call.args or call.keywords:
            telling = _InterfaceDigest(facts)
            found.setdefault(telling.digest(("call", telling.call(number))), []).append(number)
    for number, store in enumerate(facts.stores):
        telling = _InterfaceDigest(facts)
        found.setdefault(telling.digest(("store", telling.store(store))), []).append(-number - 1)
    return found


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
            self._reached[place] = self.values(names.get(scope, {}).get(name, ()))
        return _hash((said, sorted(self._reached.items())))

    def face(self) -> object:
        facts = self._facts
        return (
            (facts.package, facts.stars, facts.exports, sorted(facts.offers)),
            bool(facts.imports),  # by these a script is a module
            sorted(facts.quoted),
            sorted(facts.kinds.items()),
            sorted(facts.params.items()),
            [(scope, self.types_of(scope, names)) for scope, names in sorted(facts.params.items())],
            sorted(facts.decorators.items()),
            sorted(facts.settings.items()),
            facts.declared,
            [(scope, [self.typed_value(one) for one in types]) for scope, types in sorted(facts.takes.items())],
            sorted(facts.signatures.items()),
            self._table(facts.bases),
            self._table(facts.implements),
            self._table(facts.returns),
            [
                (scope, self._table(names))
                for scope, names in sorted(facts.names.items())
                if is_open(self._facts, scope)
            ],
        )

    def passed_on(self) -> object:
        facts = self._facts
        return (
            sorted(self.call(i) for i, call in enumerate(facts.calls) if call.args or call.keywords),
            sorted(map(self.store, facts.stores)),
        )

    def entry(self, entry: Entry, said: Any) -> object:
        sort, scope, _ = entry
        if sort == "params":
            return said, self.types_of(scope, said)
        if sort == "takes":
            return [self.typed_value(one) for one in said]
        if sort in ("bases", "implements", "returns", "name"):
            return self.values(said)
        return self.contents([scope]) if sort == "box" else said

    def store(self, store: StoreFact) -> bytes:
        return _hash((store.name, store.item, self.values(store.of), self.values(store.values)))

    def contents(self, boxes: Iterable[str]) -> object:
        return [self._value(Container(scope)) for scope in sorted(boxes)]

    def types_of(self, function: str, params: tuple[str, ...]) -> list[object]:
        """The written types of a function's parameters: they type the functions passed to it."""
        names = self._facts.names.get(function, {})
        return [
            self._value(value)
            for name in params
            for value in names.get(name, ())
            if isinstance(value, Call | Container)
        ]

    def _table(self, table: dict[str, Values]) -> list[tuple[str, object]]:
        return [(key, self.values(values)) for key, values in sorted(table.items())]

    def values(self, values: Iterable[Value]) -> list[object]:
        return [self._value(value) for value in values]

    def typed_value(self, told: Typed) -> object:
        return told if isinstance(told, str) else self._value(told)

    def _value(self, value: Value) -> object:
        match value:
            case CallResult(number):
                return "result", self.call(number)
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
        if not is_open(self._facts, scope) and (scope, name) not in self._reached:
            self._reached[scope, name] = None
            self._todo.append((scope, name))

    def call(self, number: int) -> bytes:
        found = self._calls.get(number)
        if found is None:
            call: CallFact = self._facts.calls[number]
            found = self._calls[number] = _hash(
                (
                    call.written.startswith("@"),
                    self.values(call.callee),
                    [self.values(values) for values in call.args],
                    self._table(call.keywords),
                )
            )
        return found


def _hash(said: object) -> bytes:
    return blake3(msgpack.encode(said)).digest()
