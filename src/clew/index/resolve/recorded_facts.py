"""Facts of files that record which of their entries an evaluation reads, there or not.

Others see of a file the names of its scopes and what is stated of its definitions. Reads are recorded one by one, so
that a new function of a file concerns only those who looked for its name. A reader of all entries is noted as such.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, TypeVar, cast, overload
from zlib import crc32

from clew.index.facts import Facts
from clew.index.resolve.fixture_names import declared_fixtures
from clew.index.resolve.interface import visible_entries

NAMES = "names"
_TABLES = frozenset("kinds params decorators takes signatures bases implements returns offers".split())
_WHOLE = ("package", "stars", "exports", "settings", "declared", "quoted", "imports")  # read as one
_SORTS = {"kind": "kinds"}  # of entries, those that are not called like their table
_FILE, _SCOPES, _EVERY, _FIXTURES = "file", "scopes", "*", "fixtures"

_UTF = ("utf-8", "surrogateescape")
V = TypeVar("V")
T = TypeVar("T")


class RecordedTable(Mapping[str, V]):
    """A table that keeps the keys that were asked for; no dictionary, so that nothing reads it past this."""

    __slots__ = ("entries", "is_read_whole", "read")

    def __init__(self, entries: Mapping[str, V]) -> None:
        self.entries = entries
        self.read: set[str] = set()
        self.is_read_whole = False

    @overload
    def get(self, key: str, /) -> V | None: ...

    @overload
    def get(self, key: str, /, default: V | T) -> V | T: ...

    def get(self, key: str, /, default: V | T | None = None) -> V | T | None:
        self.read.add(key)
        return self.entries.get(key, default)

    def __getitem__(self, key: str) -> V:
        self.read.add(key)
        return self.entries[key]

    def __contains__(self, key: object) -> bool:
        self.read.add(cast("str", key))
        return key in self.entries

    def __iter__(self) -> Iterator[str]:
        self.is_read_whole = True
        return iter(self.entries)

    def __len__(self) -> int:
        self.is_read_whole = True
        return len(self.entries)

    def add_hashes(self, start: int, table: str, found: set[int]) -> None:
        before = crc32(table.encode(*_UTF), start)
        found.update([crc32(key.encode(*_UTF), before) for key in self.read])
        if self.is_read_whole:
            found.add(crc32(_EVERY.encode(), before))

    def items(self) -> ItemsView[str, V]:
        self.is_read_whole = True
        return self.entries.items()

    def values(self) -> ValuesView[V]:
        self.is_read_whole = True
        return self.entries.values()


class RecordedScopes(RecordedTable[Any]):
    """The names of each scope, recorded scope by scope."""

    __slots__ = ("opened",)

    def __init__(self, scopes: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(scopes)
        self.opened: dict[str, RecordedTable[Any]] = {}

    def get(self, scope: str, /, default: Any = None) -> Any:
        found = self.opened.get(scope)
        if found is None:
            names = super().get(scope)
            if names is None:
                return default
            found = self.opened[scope] = RecordedTable(names)
        return found

    def __getitem__(self, scope: str) -> RecordedTable[Any]:
        found: RecordedTable[Any] | None = self.get(scope)
        if found is None:
            raise KeyError(scope)
        return found

    def items(self) -> ItemsView[str, RecordedTable[Any]]:
        return ItemsView(self)  # each scope as it is recorded

    def values(self) -> ValuesView[RecordedTable[Any]]:
        return ValuesView(self)


class RecordedFacts:
    """Looks like the facts of a file. Calls, stores and lines are given as they are: what others see of them is part of
    the entries that lead to them."""

    def __init__(self, facts: Facts) -> None:
        self._recorded = facts
        self._fixtures: Mapping[str, str] | None = None

    def fixtures(self) -> Mapping[str, str]:
        if self._fixtures is None:
            self._fixtures = declared_fixtures(self._recorded)
        return self._fixtures

    def __getattr__(self, field: str) -> Any:
        """Called once for each field: the recorded table is kept."""
        found = getattr(self._recorded, field)
        if field == NAMES:
            found = RecordedScopes(found)
        elif field in _TABLES:
            found = RecordedTable(found)
        vars(self)[field] = found
        return found

    def add_hashes(self, start: int, found: set[int]) -> None:
        """Those of all that was read; `start` stands for the file."""
        for field, read in vars(self).items():
            if field in _TABLES:
                read.add_hashes(start, field, found)
            elif field == NAMES:
                read.add_hashes(start, _SCOPES, found)
                for scope, names in read.opened.items():
                    if names.read or names.is_read_whole:
                        names.add_hashes(start, f"{NAMES} {scope}", found)
            elif field in _WHOLE:
                found.add(_hash(start, _FILE, field))
        if self._fixtures is not None:
            found.add(_hash(start, _FILE, _FIXTURES))


def _hash(start: int, table: str, key: str) -> int:
    return crc32(key.encode(*_UTF), crc32(table.encode(*_UTF), start))


def changed_hashes(start: int, before: Facts, after: Facts) -> Iterator[int]:
    """Those of all entries of a file that are not the same in both; readers of anything else notice nothing."""
    for table, key in changed_entries(before, after):
        yield _hash(start, table, key)


def changed_entries(before: Facts, after: Facts) -> set[tuple[str, str]]:
    """The table and the key of each changed entry; and of the tables that have one, the mark of those who read it
    whole."""
    old, new = visible_entries(before), visible_entries(after)
    found: set[tuple[str, str]] = set()
    for entry in old.keys() | new.keys():
        if old.get(entry) == new.get(entry):
            continue
        sort, scope, name = entry
        if sort == "name":
            found |= _entry_marks(f"{NAMES} {scope}", name)
        elif sort == "box":
            found.update(_content_marks(scope, before, after))
        elif sort != _FILE:
            found |= _entry_marks(_SORTS.get(sort, sort), scope)
            if sort == "params":  # the types of parameters are those of their names
                found.update(_content_marks(scope, before, after))
    found.update((_FILE, field) for field in _WHOLE if _whole(before, field) != _whole(after, field))
    if declared_fixtures(before) != declared_fixtures(after):
        found.add((_FILE, _FIXTURES))
    for name in before.offers.keys() ^ after.offers.keys():
        found |= _entry_marks("offers", name)
    for scope in before.names.keys() ^ after.names.keys():
        found |= _entry_marks(_SCOPES, scope)
    return found


def _whole(facts: Facts, field: str) -> object:
    """As others see it: of imports, whether there are any."""
    found = getattr(facts, field)
    return bool(found) if field == "imports" else found


def _entry_marks(table: str, key: str) -> set[tuple[str, str]]:
    return {(table, key), (table, _EVERY)}


def _content_marks(scope: str, before: Facts, after: Facts) -> Iterable[tuple[str, str]]:
    for facts in (before, after):
        for name in facts.names.get(scope, {}):
            yield from _entry_marks(f"{NAMES} {scope}", name)


def fixtures_of(facts: Facts) -> Mapping[str, str]:
    """The fixtures of a file, by the names that they go by: which function each is."""
    return facts.fixtures() if isinstance(facts, RecordedFacts) else declared_fixtures(facts)


class FileFacts(dict[str, Facts]):
    """The facts that the evaluation of one file asked for; those of other files are recorded."""

    def __init__(self, facts: Callable[[str], Facts], own: str | None) -> None:
        self._facts = facts
        self._own = own

    def __missing__(self, path: str) -> Facts:
        found = self._facts(path)
        if path != self._own:
            found = cast("Facts", RecordedFacts(found))
        self[path] = found
        return found

    def recorded_files(self) -> Iterator[tuple[str, RecordedFacts]]:
        for path, facts in self.items():
            if isinstance(facts, RecordedFacts):
                yield path, facts
