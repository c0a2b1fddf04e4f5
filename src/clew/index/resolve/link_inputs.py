"""The global inputs that the links of one file depend on: facts of other files, modules, parts of the summary.

Each file is evaluated alone, and every input that it reads is recorded by a key. A change of the whole program then
concerns just the files that read a key whose value changed. Keys are stored as hashes: two that collide link a file
once more than needed, never less often.
"""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from msgspec import structs

from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve.abstract_values import AbstractValues, Place
from clew.index.resolve.global_summary import GlobalSummary
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.program import Program
from clew.index.resolve.recorded_facts import FileFacts, changed_hashes
from clew.index.resolve.recorded_inputs import (
    ANY,
    EVERY,
    InputRecorder,
    Key,
    RecordedMapping,
    RecordedSet,
    RecordedSlots,
    slot_key,
)
from clew.index.resolve.source_index import NameIndexes, TreeRules, homes_of, visible_bindings
from clew.index.resolve.value_sets import AllPassed

ModuleLookup = tuple[str, str, str, str]  # language, the view that lookups are shared by, a path of it, the module
_FACTS, _MODULE, _NAME, _STARS = "facts", "module", "bound", "stars"
_BY_NAME = ("heirs", "methods", "common", "implicit")  # of a summary, the tables whose entries are read one by one
_SETS = ("stored", "members")  # of a summary, those of which it matters what is in them
_TOP, _DEFINED = "*top", "*defined"  # in the place of a scope
_HASH = "I"  # of an array: 32 bits


class RecordedNames(NameIndexes):
    """Indexes that all evaluations share: of files that are indexed together, only names that are asked for count."""

    def __init__(
        self, recorder: InputRecorder, facts: Callable[[str], Facts], rules: Callable[[str], LanguageRules]
    ) -> None:
        super().__init__(facts, rules)
        self._recorder = recorder

    def visible(self, key: Hashable, files: Sequence[str], name: str) -> Sequence[Place]:
        self._recorder.keys.add((_NAME, name))
        return super().visible(key, files, name)

    def defining_file(self, key: Hashable, files: Sequence[str], name: str) -> str:
        self._recorder.keys.add((_NAME, name))
        return super().defining_file(key, files, name)

    def defines(self, file: str, name: str) -> bool:
        self._recorder.keys.add((_NAME, name))
        return super().defines(file, name)

    def binding_files(self, files: tuple[str, ...], name: str) -> list[str]:
        self._recorder.keys.add((_NAME, name))
        return super().binding_files(files, name)

    def stars(self, file: str) -> Sequence[str]:
        self._recorder.keys.add((_STARS, file))
        return super().stars(file)


class SharedInputs:
    """All that evaluations of single files share, each read of which is recorded."""

    def __init__(
        self,
        world: SourceTree,
        facts: Callable[[str], Facts],
        languages: Mapping[str, str],
        settled: GlobalSummary,
        named: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.recorder = recorder = InputRecorder()
        self.languages = languages
        self.world = SourceTree(
            RecordedSet.of(recorder, "path", world.paths),
            RecordedMapping(recorder, "folder", world.folders),
            RecordedMapping(recorder, "package", world.packages),
            RecordedMapping(recorder, "settings", world.settings),
            RecordedMapping(recorder, "name", world.names),
        )
        rules = TreeRules(world, languages)
        rules.folder_parts = RecordedSet.of(recorder, "folder part", rules.folder_parts)
        rules.package_roots = RecordedSet.of(recorder, "package root", rules.package_roots)
        self.rules = rules
        self.names = RecordedNames(recorder, facts, rules.rules)
        self.things = AbstractValues()
        self.homes = RecordedMapping(recorder, "home", homes_of(settled.parts, self.things))
        self.settled: GlobalSummary = structs.replace(
            settled,
            passed=RecordedSlots(recorder, settled.passed),
            parts=RecordedMapping(recorder, "parts", settled.parts),
            **{table: RecordedMapping(recorder, table, getattr(settled, table)) for table in _BY_NAME},
            **{name: RecordedSet.of(recorder, name, getattr(settled, name)) for name in (*_SETS, "crowded")},
        )
        self.named = RecordedMapping(recorder, "named", named)

    def end(self) -> None:
        self.things.end()


class RecordedProgram:
    """The program as one evaluation sees it: all that it reads is recorded, but for the facts of its own file."""

    def __init__(self, shared: SharedInputs, facts: Callable[[str], Facts], own: str | None = None) -> None:
        self._shared = shared
        self._facts = FileFacts(facts, own)
        shared.recorder.start()
        self.tree = Program(
            shared.world, self._facts.__getitem__, shared.languages, shared.things, shared.rules, shared.names
        )
        self.tree.join_prepared(shared.settled.parts, shared.homes, shared.settled.common)

    def inputs(self, lookups: Iterable[ModuleLookup] = ()) -> bytes:
        """All that was read, with further lookups of modules, as hashes."""
        hashes = {_hash(key) for key in self._shared.recorder.keys}
        for path, recorded in self._facts.recorded_files():
            start = _hash((_FACTS, path))
            hashes.add(start)
            recorded.add_hashes(start, hashes)
        if any(kind == _NAME for kind, _ in self._shared.recorder.keys):
            hashes.add(_hash((_NAME, EVERY)))
        hashes.update(_hash((_MODULE, one[:2] + one[3:])) for one in (*self.tree.module_lookups(), *lookups))
        return array(_HASH, sorted(hashes)).tobytes()


def joined_inputs(inputs: bytes, more: bytes) -> bytes:
    found = array(_HASH)
    found.frombytes(inputs)
    found.frombytes(more)
    return array(_HASH, sorted(set(found))).tobytes()


def _hash(key: Key) -> int:
    return crc32(repr(key).encode("utf-8", "surrogateescape"))


class ProgramState(NamedTuple):
    """The tree and the facts that need all its files, at one time."""

    world: SourceTree
    languages: Mapping[str, str]
    settled: GlobalSummary
    named: Mapping[str, tuple[str, ...]]


class InputChanges:
    """The hashes of all inputs that differ between two states of a program."""

    def __init__(
        self,
        before: ProgramState,
        after: ProgramState,
        facts: Mapping[str, tuple[Facts, Facts] | None],
        modules: Iterable[ModuleLookup],
    ) -> None:
        """`facts`: those of files of which others may see a change, before and after; None if they are not known."""
        self.before, self.facts = before, facts
        keys: set[Key] = set()
        entries: set[int] = set()
        for path, known in facts.items():
            if known is None:
                keys |= {(_FACTS, path), (_STARS, path), (_NAME, EVERY)}
                continue
            keys.update(_changed_names(*known))
            entries.update(changed_hashes(_hash((_FACTS, path)), *known))
            if known[0].stars != known[1].stars:
                keys.add((_STARS, path))
        keys |= {(_FACTS, path) for path in before.world.paths ^ after.world.paths}
        keys.update(_changed_entries("named", before.named, after.named))
        for table in _BY_NAME:
            keys.update(_changed_entries(table, getattr(before.settled, table), getattr(after.settled, table)))
        for name in _SETS:
            keys.update(_changed_members(name, getattr(before.settled, name), getattr(after.settled, name)))
        keys.update(_changed_parts(before.settled, after.settled))
        keys.update(_changed_world(before, after, modules))
        self._hashes = entries.union(map(_hash, keys))
        self.is_all = False
        self.add_solution(before.settled, after.settled)

    def add_solution(self, before: GlobalSummary, after: GlobalSummary) -> None:
        """Note how the values passed differ between two summaries."""
        keys = [*_changed_slots(before.passed, after.passed)]
        keys += _changed_members("crowded", before.crowded, after.crowded)
        self._hashes |= set(map(_hash, keys))
        self.is_all = self.is_all or before.is_cut != after.is_cut

    def concern(self, hashes: bytes) -> bool:
        """Whether links with such inputs may be others now; those with unknown inputs may."""
        if self.is_all or not hashes:
            return True
        read = array(_HASH)
        read.frombytes(hashes)
        return not self._hashes.isdisjoint(read)


def _changed_names(before: Facts, after: Facts) -> Iterator[Key]:
    """The names that a file binds or defines otherwise, as indexes of names see it."""
    yield from ((_NAME, name) for name, _ in _shown_names(before) ^ _shown_names(after))


def _shown_names(facts: Facts) -> set[tuple[str, str]]:
    shown = {(name, scope) for scope, name in visible_bindings(facts, nested=True)}
    shown.update((name, _TOP) for name in facts.names.get("", {}))
    shown.update((scope, _DEFINED) for scope in facts.kinds)
    return shown


def _changed_slots(before: AllPassed, after: AllPassed) -> Iterator[Key]:
    for path in before.keys() | after.keys():
        old, new = before.get(path, {}), after.get(path, {})
        if path not in before or path not in after:
            yield slot_key(path)
        for scope in old.keys() | new.keys() if old != new else ():
            was, there = old.get(scope, {}), new.get(scope, {})
            if scope not in old or scope not in new:
                yield slot_key(path, scope)
            changed = [name for name in was.keys() | there.keys() if was.get(name) != there.get(name)]
            yield from (slot_key(path, scope, name) for name in (*changed, EVERY) if changed)


def _changed_entries(kind: str, before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Iterator[Key]:
    changed = [key for key, value in before.items() if after.get(key) != value]
    changed += after.keys() - before.keys()
    if bool(before) != bool(after):
        yield kind, ANY
    if changed:
        yield kind, EVERY
    for key in changed:
        yield kind, key
        if isinstance(key, str):
            yield from ((kind, start) for start in _starts(key))


def _starts(key: str) -> Iterator[str]:
    """The marks by which a reader of all entries that begin with some words is noticed."""
    words = key.split(" ")
    for end in range(1, len(words)):
        yield f"{' '.join(words[:end])} {EVERY}"


def _changed_members(kind: str, before: Iterable[Any], after: Iterable[Any]) -> Iterator[Key]:
    changed = set(before) ^ set(after)
    if changed:
        yield kind, EVERY
    yield from ((kind, one) for one in changed)


def _changed_parts(before: GlobalSummary, after: GlobalSummary) -> Iterator[Key]:
    for kind, one in _changed_entries("parts", before.parts, after.parts):
        yield kind, one
        if isinstance(one, str):
            for part in {*before.parts.get(one, ()), *after.parts.get(one, ())}:
                yield "home", part
            yield "home", EVERY


def _changed_world(before: ProgramState, after: ProgramState, modules: Iterable[ModuleLookup]) -> Iterator[Key]:
    old, new = before.world, after.world
    if old.paths == new.paths and old.packages == new.packages and old.settings == new.settings:
        return
    yield from _changed_members("path", old.paths, new.paths)
    yield from _changed_entries("folder", old.folders, new.folders)
    yield from _changed_entries("package", old.packages, new.packages)
    yield from _changed_entries("settings", old.settings, new.settings)
    yield from _changed_entries("name", old.names, new.names)
    rules = [TreeRules(state.world, state.languages) for state in (before, after)]
    yield from _changed_members("folder part", *(one.folder_parts for one in rules))
    yield from _changed_members("package root", *(one.package_roots for one in rules))
    every = list(modules)
    was = [rules[0].find_module(*one) for one in every]  # all of one tree at once: lookups keep what they derive of it
    found = [rules[1].find_module(*one) for one in every]
    for lookup, one, other in zip(every, was, found, strict=True):
        if one != other:
            yield _MODULE, lookup[:2] + lookup[3:]
