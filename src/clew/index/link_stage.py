"""The last stage of a run: all files or the changed ones are linked, and their edges stored."""

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from msgspec import Struct, structs

from clew.index import modules
from clew.index.affected_files import VisibleChange, affected_files, drop_missing_targets
from clew.index.edges import references as using
from clew.index.edges.flows import FlowEdges
from clew.index.edges.prose import ProseEdges, definitions_by_name
from clew.index.edges.symbols import SymbolTable, export_edges
from clew.index.edges.tests import TestEdges
from clew.index.facts import Facts
from clew.index.facts_cache import FactsCache, have_names
from clew.index.import_edges import import_edges
from clew.index.modules import SourceTree
from clew.index.resolve import (
    FactsChange,
    GlobalSummary,
    ResolvedCall,
    Resolver,
    value_kinds,
    without_gc,
)
from clew.index.resolve.language_rules import LanguageRules, rules_named
from clew.index.stage_times import StageTimes
from clew.model.code import EXTERNAL, split_id
from clew.model.run import RunStage
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.database import Database
from clew.store.extracts import Extracts
from clew.store.files import Content
from clew.store.links import LIKELY, FileEdge, Joined, Linked, Links, Loose, digest_of, pack_links, strongest
from clew.store.packing import pack, unpack
from clew.store.together import together
from clew.text.test_names import forget_words

# Linking: from the facts of all files to the edges of each file. Pure; the run stores the result.

FactsOf = Callable[[str], Facts]


class GlobalFacts(Struct, frozen=True, array_like=True):
    """The facts that need all files together: the points-to summary, and the definitions of each rare name."""

    settled: GlobalSummary
    named: dict[str, tuple[str, ...]]


class Linker:
    """Links files of one tree; `languages` has every path."""

    def __init__(
        self, world: SourceTree, facts: FactsOf, languages: Mapping[str, str], agreed: GlobalFacts | None
    ) -> None:
        self._world = world
        self._facts = facts
        self._languages = languages
        if agreed is None:
            self._resolver = Resolver.settle(world, facts, languages, languages)
            agreed = GlobalFacts(self._resolver.settled, definitions_by_name((path, facts(path)) for path in languages))
        else:
            self._resolver = Resolver.after(world, facts, languages, agreed.settled)
        self.agreed = agreed
        self._symbols = SymbolTable(self._resolver.tree)
        self._flows = FlowEdges(self._resolver.tree)
        self._tests = TestEdges(world)
        self._prose = ProseEdges(world, facts, agreed.named, self._symbols)

    def end(self) -> None:
        self._resolver.end()
        forget_words()
        modules.forget()

    def sealed_files(self) -> tuple[str, ...]:
        return self._resolver.sealed_files(self._languages)

    def files_looked_up(self) -> set[str]:
        return self._resolver.files_looked_up()

    def link(self, path: str) -> Linked:
        facts = self._facts(path)
        (calls,) = (found for _, found in self._resolver.calls([path]))
        language = self._languages[path]
        imports = import_edges(path, language, facts.imports, self._world, self._resolver.tree.files)
        edges = [
            *imports,
            *_calls(calls),
            *self._inherits(path, facts),
            *self._implements(path, facts),
        ]
        known = {(edge.scope, edge.target) for edge in edges if edge.confidence >= LIKELY}
        by_name = using.references_by_name(path, language, facts, self._symbols)
        handing = using.hands_on(language, facts)
        edges += using.use_edges(path, (*by_name, *self._resolver.references(path)), known, handing)
        edges += self._flows.of(facts, calls)
        edges += self._tests.of(path, facts, calls, imports)
        edges += self._prose.of(path, facts.mentions)
        edges += export_edges(path, facts, self._resolver.tree, self._symbols)
        return Linked(strongest(edges), tuple(_unresolved_calls(calls, self._resolver.tree.rules(path))))

    def _inherits(self, path: str, facts: Facts) -> Iterator[FileEdge]:
        for kind, table in ((EdgeKind.INHERITS, facts.bases), (EdgeKind.IMPLEMENTS, facts.implements)):
            for scope, values in table.items():
                before = len(facts.bases.get(scope, ())) if table is facts.implements else 0
                lines = facts.lines.get(scope, (1,))
                targets: dict[str, int] = {}
                for number, value in enumerate(values, before):
                    for target in self._resolver.types(path, value):
                        targets.setdefault(target, lines[min(number, len(lines) - 1)])
                for target, line in sorted(targets.items()):
                    if self._can_be(path, target):
                        yield FileEdge(scope, kind, target, line, EvidenceKind.IDENTIFIER, 1.0)

    def _implements(self, path: str, facts: Facts) -> Iterator[FileEdge]:
        """Interfaces whose methods a type has, without a line that says so; the type's own line is the evidence."""
        implicit = self._resolver.settled.implicit
        for scope in facts.kinds if implicit else ():
            one = self._resolver.tree.things.thing(value_kinds.CLASS, path, scope)
            above = {upper.id for upper in self._resolver.tree.order(one)[1:]} if one.id in implicit else set()
            for target in implicit.get(one.id, ()):
                if target not in above:
                    line = facts.lines.get(scope, (1,))[0]
                    yield FileEdge(scope, EdgeKind.IMPLEMENTS, target, line, EvidenceKind.SPAN, 1.0)

    def _can_be(self, path: str, target: str) -> bool:
        """Whether a symbol may be a base type: in some languages, only an interface."""
        file, scope = split_id(target)
        if not self._resolver.tree.rules(path).implements_interfaces_only or file not in self._languages:
            return True
        return self._facts(file).kinds.get(scope) == Kind.INTERFACE.value


def _calls(calls: Iterable[ResolvedCall]) -> Iterator[FileEdge]:
    kind, evidence = EdgeKind.CALLS, EvidenceKind.CALLSITE  # looked up once: Python 3.11 is slow to find a member
    for call in calls:
        scope, line = call.scope, call.line
        for target, confidence in (*call.targets, *call.behind) if call.behind else call.targets:
            yield FileEdge(scope, kind, target, line, evidence, confidence if confidence == 1 else round(confidence, 3))


def _unresolved_calls(calls: Iterable[ResolvedCall], rules: LanguageRules) -> Iterator[Loose]:
    """As people write them."""
    for call in calls:
        if not call.targets:
            yield Loose(call.scope, call.line, rules.written_call(call.written), call.reason or "")


LINKS_AT_ONCE = 200  # files whose links are written in one transaction
TOO_MUCH = "analysis limit reached: calls through parameters stay unresolved"
MOST_NAMES = 200  # that a change may concern, for other files to be searched for them
MOST_HOLDING = 400  # files that have any of them, and are looked at
MOST_NEAR = 60  # files that are linked with those that changed, while the rest is still to come


class TreeLinkState(Joined, frozen=True, array_like=True):
    """The global state of linking: it is valid as long as no interface changes, and no path is added or deleted."""

    packages: list[tuple[str, str, str]]
    settings: dict[str, dict[str, str]]
    linked: GlobalFacts
    sealed: tuple[str, ...] = ()  # files that no other file looks into

    def is_like(self, other: "TreeLinkState") -> bool:
        alike = self.joined == other.joined and _same_lookup(self, other) and self.linked.named == other.linked.named
        return alike and self.linked.settled.is_like(other.linked.settled)


class LinkStage:
    """`derived` opens a transaction of the run; `change` counts files with changed links.

    Results are written at the end, but for many files in batches before.
    """

    def __init__(
        self,
        db: Database,
        extracts: Extracts,
        links: Links,
        derived: Callable[[], AbstractContextManager[None]],
        change: Callable[[int], None],
        times: StageTimes | None = None,
    ) -> None:
        self._db = db
        self._extracts = extracts
        self._links = links
        self._derived = derived
        self._change = change
        self._times = times or StageTimes()
        self.warnings: tuple[str, ...] = ()
        self._found: TreeLinkState | None = None
        self._waiting: list[Callable[[], None]] = []

    def finish(self, last: Callable[[], None]) -> None:
        """Write the remaining results, then `last`: all of it or nothing."""
        with self._derived():
            self._write()
            if self._found is not None:
                self._links.settle(pack(self._found))
            last()

    def link_all(self, contents: list[Content], changed: set[str], known: int, *, unless_alike: bool = False) -> None:
        """Link every file, regardless of the stored state; or, if `unless_alike` and the global state is the same,
        only the changed ones.

        The visible names of files must then be unchanged.
        """
        with without_gc():
            self._link_all(contents, changed, known, unless_alike=unless_alike)
        if len(contents) > LINKS_AT_ONCE:  # a few leave little behind, and the search goes through all of the process
            gc.collect()  # for the room that Python keeps for more of what is gone; the snapshot needs it

    def _link_all(self, contents: list[Content], changed: set[str], known: int, *, unless_alike: bool) -> None:
        with self._times.measure(RunStage.PROGRAM):
            linker, agreed = _find_global_facts(contents, self._facts_cache(contents, filled=True))
        self._warn(agreed)
        alike = self._find_like_state(agreed) if unless_alike else None
        if alike:
            todo, was = [one for one in contents if one.path in changed], self._links.current()
        else:
            todo, damaged, self._found = contents, self._links.find_damaged([one.file for one in contents]), agreed
            self._waiting.append(partial(self._links.forget, damaged, known))
            was = {file: digest for file, digest in self._links.current().items() if file not in damaged}
        self._link(todo, changed, was, known, lambda one: pack_links(linker.link(one.path)))
        self._found = _with_sealed(agreed, linker, alike)
        linker.end()

    def link_changed(
        self, contents: list[Content], changed: set[str], known: int, after: "TreeLinkState | None" = None
    ) -> None:
        """Link the changed files while their interfaces are unchanged, or by the state after a hidden change."""
        todo, shelf = [one for one in contents if one.path in changed], self._facts_cache(contents)
        settled, was, _ = together(
            self._db,
            self._links.settled_later,
            self._links.current_later,
            partial(shelf.take_later, [one.path for one in todo]),
        )
        if not settled:
            self.link_all(contents, changed, known)
            return
        agreed = after or unpack(settled, TreeLinkState)
        self._warn(agreed)
        with without_gc():
            linker = _linker(contents, shelf, agreed)
            self._link(todo, changed, was, known, lambda one: pack_links(linker.link(one.path)))
            looked_up = linker.files_looked_up()
            linker.end()
        if after or not looked_up.isdisjoint(agreed.sealed):
            self._found = structs.replace(agreed, sealed=tuple(p for p in agreed.sealed if p not in looked_up))

    def state_after_hidden(self, contents: list[Content], before: Mapping[str, Facts]) -> "TreeLinkState | None":
        """The global state after changes that only the changed files notice; None if others might.

        `before` has the former facts of the files whose interface changed.
        """
        agreed = self._load_state()
        if agreed is None or agreed.linked.settled.held < 0:
            return None
        shelf, sealed = self._facts_cache(contents), frozenset(agreed.sealed)
        changes = [FactsChange(path, facts, shelf[path], path in sealed) for path, facts in sorted(before.items())]
        world = SourceTree.of([one.path for one in contents], agreed.packages, agreed.settings)
        found = Resolver.after_hidden(
            world,
            shelf.__getitem__,
            _languages(contents),
            agreed.linked.settled,
            changes,
            lambda names: self._files_with(names, contents, shelf),
        )
        if found is None:
            return None
        settled, names = found
        named = {name: ids for name, ids in agreed.linked.named.items() if name not in names}
        for paths in set(names.values()):
            defined = definitions_by_name((path, shelf[path]) for path in paths)
            named |= {name: ids for name, ids in defined.items() if name in names}
        linked = GlobalFacts(settled, dict(sorted(named.items())))
        return structs.replace(agreed, linked=linked)

    def _files_with(
        self, names: Collection[str], contents: list[Content], shelf: FactsCache
    ) -> Mapping[str, Facts] | None:
        """The files whose facts have any of some names; None if they are too many to look at."""
        if len(names) > MOST_NAMES:
            return None
        wanted, found = [name.encode() for name in names], {}
        for one, packed in zip(contents, self._extracts.facts([one.file for one in contents]), strict=True):
            if have_names(packed, wanted):
                found[one.path] = shelf[one.path]
                if len(found) > MOST_HOLDING:
                    return None
        return found

    def link_affected(self, contents: list[Content], change: VisibleChange, known: int) -> bool:
        """Link the changed and the most affected files; returns whether there was a state to start from.

        The global state stays as it was before the change, so that some links may be corrected later.
        """
        agreed = self._load_state()
        if agreed is None:
            return False
        shelf = self._facts_cache(contents)
        numbers = [one.file for one in contents if one.path not in change.read]
        near = frozenset(affected_files(self._links.of(numbers), change, shelf, MOST_NEAR))
        todo = [one for one in contents if one.path in change.read or one.file in near]
        amended = _amend_state(agreed, contents, change, shelf)
        if not _same_lookup(agreed, amended):  # the next change goes on from here
            self._found = amended
        with without_gc():
            linker, paths = _linker(contents, shelf, amended), {one.path for one in contents}
            was = self._links.current()
            self._link(
                todo,
                change.paths,
                was,
                known,
                lambda one: pack_links(drop_missing_targets(linker.link(one.path), paths, shelf)),
            )
            linker.end()
        return True

    def link_ahead(
        self, contents: list[Content], goes_on: Callable[[], bool], *, unless_alike: bool = False
    ) -> "LinkedAhead | None":
        """The results of `link_all` without storing them; None as soon as it must stop."""
        with without_gc():
            linker, agreed = _find_global_facts(contents, self._facts_cache(contents, filled=True))
            alike = self._find_like_state(agreed) if unless_alike else None
            todo = [] if alike else contents
            was, found = self._links.current(), []
            for start in range(0, len(todo), LINKS_AT_ONCE):
                if not goes_on():
                    break
                packed = [(one, pack_links(linker.link(one.path))) for one in todo[start : start + LINKS_AT_ONCE]]
                found += [(one, data) for one, data in packed if digest_of(data) != was.get(one.file)]
            agreed = _with_sealed(agreed, linker, alike)
            linker.end()
        return LinkedAhead(agreed, found) if goes_on() else None

    def store_ahead(self, ahead: "LinkedAhead", known: int) -> None:
        self._found, packed = ahead.agreed, {one.file: data for one, data in ahead.links}
        was = self._links.current()
        self._link([one for one, _ in ahead.links], frozenset(), was, known, lambda one: packed[one.file])

    def _facts_cache(self, contents: list[Content], *, filled: bool = False) -> FactsCache:
        shelf = FactsCache(self._extracts, {one.path: one.file for one in contents})
        if filled:
            shelf.fill()
        return shelf

    def _warn(self, agreed: TreeLinkState) -> None:
        if agreed.linked.settled.is_cut:
            self.warnings = (TOO_MUCH,)

    def _load_state(self) -> TreeLinkState | None:
        packed = self._links.global_summary()
        return unpack(packed, TreeLinkState) if packed else None

    def _find_like_state(self, agreed: TreeLinkState) -> TreeLinkState | None:
        """The stored state, if files link the same by it."""
        known = self._load_state()
        return known if known is not None and agreed.is_like(known) else None

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()

    def _link(
        self,
        todo: list[Content],
        changed: Set[str],
        was: Mapping[int, bytes],
        known: int,
        packed: Callable[[Content], bytes],
    ) -> None:
        for start in range(0, len(todo), LINKS_AT_ONCE):
            if start and self._waiting:
                with self._derived():
                    self._write()
            some = [(one, packed(one)) for one in todo[start : start + LINKS_AT_ONCE]]
            other = [(one, data) for one, data in some if digest_of(data) != was.get(one.file)]
            if other:
                self._waiting.append(partial(self._store, other, changed, was, known))

    def _store(
        self, other: list[tuple[Content, bytes]], changed: Set[str], was: Mapping[int, bytes], known: int
    ) -> None:
        for one, data in other:
            write = self._links.show if one.path in changed else self._links.relink
            write(one.file, one.version, data, was.get(one.file), known)
        self._change(len({one.path for one, _ in other} - changed))


class LinkedAhead(NamedTuple):
    """The result of linking all files: those with links that differ from the stored ones."""

    agreed: TreeLinkState
    links: list[tuple[Content, bytes]]


def _with_sealed(agreed: TreeLinkState, linker: Linker, known: TreeLinkState | None) -> TreeLinkState:
    """The state with its sealed files; with those of the stored one, if not all files were linked."""
    if known is None:
        return structs.replace(agreed, sealed=linker.sealed_files())
    noticed = linker.files_looked_up().union(agreed.linked.settled.escaped)
    return structs.replace(agreed, sealed=tuple(path for path in known.sealed if path not in noticed))


def _languages(contents: list[Content]) -> dict[str, str]:
    return {one.path: one.language for one in contents}


def _linker(contents: list[Content], shelf: FactsCache, agreed: TreeLinkState) -> Linker:
    world = SourceTree.of([one.path for one in contents], agreed.packages, agreed.settings)
    return Linker(world, shelf.__getitem__, _languages(contents), agreed.linked)


def _find_global_facts(contents: list[Content], shelf: FactsCache) -> tuple[Linker, TreeLinkState]:
    facts = [(one, shelf[one.path]) for one in contents]
    packages, settings = _packages(facts), _settings(facts)
    world = SourceTree.of([one.path for one in contents], packages, settings)
    linker = Linker(world, shelf.__getitem__, _languages(contents), None)
    return linker, TreeLinkState(_type_parts(linker.agreed, shelf), packages, settings, linker.agreed)


def _type_parts(agreed: GlobalFacts, shelf: FactsCache) -> dict[str, tuple[tuple[str, str], ...]]:
    """For the tree's own classes, the scopes that add members to them and are no classes themselves."""
    own = {one: parts for one, parts in agreed.settled.parts.items() if not one.startswith(EXTERNAL)}
    added = {one: tuple(p for p in parts if p[1] not in shelf[p[0]].kinds) for one, parts in own.items()}
    return {one: parts for one, parts in added.items() if parts}


def _amend_state(
    agreed: TreeLinkState, contents: list[Content], change: VisibleChange, shelf: FactsCache
) -> TreeLinkState:
    """The module declarations of files, without those from before a change."""
    read = [(one, shelf[one.path]) for one in contents if one.path in change.read]
    packages = [one for one in agreed.packages if one[2] not in change.paths]
    settings = {path: said for path, said in agreed.settings.items() if path not in change.paths}
    return TreeLinkState(agreed.joined, packages + _packages(read), settings | _settings(read), agreed.linked)


def _same_lookup(one: TreeLinkState, other: TreeLinkState) -> bool:
    return sorted(one.packages) == sorted(other.packages) and one.settings == other.settings


def _packages(read: list[tuple[Content, Facts]]) -> list[tuple[str, str, str]]:
    return [(rules_named(one.language).language, said.package, one.path) for one, said in read if said.package]


def _settings(read: list[tuple[Content, Facts]]) -> dict[str, dict[str, str]]:
    return {one.path: said.settings for one, said in read if said.settings}
