"""Tables and sets that record which of their entries are read, there or not."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

Key = tuple[str, object]  # the kind of an input, and which one
EVERY = "*"  # of a kind: whoever reads all of it notices each change
ANY = "?"  # whether there is anything of a kind

K = TypeVar("K")
V = TypeVar("V")


class InputRecorder:
    """The keys that were read since `start`."""

    def __init__(self) -> None:
        self.keys: set[Key] = set()

    def start(self) -> None:
        self.keys = set()


class RecordedMapping(dict[K, V]):
    """A table that records which of its entries are read, there or not."""

    __slots__ = ("_kind", "_recorder")

    def __init__(self, recorder: InputRecorder, kind: str, entries: Mapping[K, V]) -> None:
        super().__init__(entries)
        self._recorder = recorder
        self._kind = kind

    def __getitem__(self, key: K) -> V:
        self._recorder.keys.add((self._kind, key))
        return super().__getitem__(key)

    def get(self, key: K, default: Any = None) -> Any:
        self._recorder.keys.add((self._kind, key))
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._recorder.keys.add((self._kind, key))
        return super().__contains__(key)

    def __bool__(self) -> bool:
        self._recorder.keys.add((self._kind, ANY))
        return len(self) > 0

    def __iter__(self) -> Iterator[K]:
        self._recorder.keys.add((self._kind, EVERY))
        return super().__iter__()

    def keys(self) -> Any:
        self._recorder.keys.add((self._kind, EVERY))
        return super().keys()

    def values(self) -> Any:
        self._recorder.keys.add((self._kind, EVERY))
        return super().values()

    def items(self) -> Any:
        self._recorder.keys.add((self._kind, EVERY))
        return super().items()

    def entries_starting(self, words: str) -> dict[K, V]:
        """The entries whose names begin with some words; they end with a space."""
        self._recorder.keys.add((self._kind, f"{words}{EVERY}"))
        return {key: value for key, value in super().items() if str(key).startswith(words)}


def slot_key(*place: str) -> Key:
    """The key of a slot; or of a whole scope or file, for a reader that found no slot there."""
    return "slot", place


class SettledSlots(dict[str, dict[str, dict[str, Any]]]):
    """Contents of slots by path, scope and name."""

    def content(self, path: str, scope: str, name: str) -> tuple[Any, ...]:
        return self._scope(path, scope, name).get(name, ())

    def names(self, path: str, scope: str) -> list[str]:
        return list(self._scope(path, scope, EVERY))

    def _scope(self, path: str, scope: str, _: str) -> dict[str, tuple[Any, ...]]:
        scopes = self.get(path)
        return scopes.get(scope, {}) if scopes else {}


class RecordedSlots(SettledSlots):
    """Records the slots that are read."""

    def __init__(self, recorder: InputRecorder, slots: Mapping[str, dict[str, dict[str, Any]]]) -> None:
        super().__init__(slots)
        self._recorder = recorder

    def _scope(self, path: str, scope: str, name: str) -> dict[str, tuple[Any, ...]]:
        scopes = self.get(path)
        found = scopes.get(scope) if scopes else None
        key = slot_key(path) if not scopes else slot_key(path, scope) if not found else slot_key(path, scope, name)
        self._recorder.keys.add(key)
        return found or {}


def as_slots(slots: dict[str, dict[str, dict[str, Any]]]) -> SettledSlots:
    """Those that record stay what they are."""
    return slots if isinstance(slots, SettledSlots) else SettledSlots(slots)


class RecordedSet(frozenset[K]):
    """A set that records what it is asked for."""

    _kind: str
    _recorder: InputRecorder

    @classmethod
    def of(cls, recorder: InputRecorder, kind: str, members: Iterable[K]) -> "RecordedSet[K]":
        made = cls(members)
        made._recorder, made._kind = recorder, kind
        return made

    def __contains__(self, key: object) -> bool:
        self._recorder.keys.add((self._kind, key))
        return super().__contains__(key)

    def __iter__(self) -> Iterator[K]:
        self._recorder.keys.add((self._kind, EVERY))
        return super().__iter__()


def entries_starting(table: Mapping[str, V], words: str) -> dict[str, V]:
    """The entries whose names begin with some words; they end with a space."""
    if isinstance(table, RecordedMapping):
        return table.entries_starting(words)
    return {key: value for key, value in table.items() if key.startswith(words)}


def as_set(members: Iterable[K]) -> frozenset[K]:
    """One that records stays what it is."""
    return members if isinstance(members, frozenset) else frozenset(members)
