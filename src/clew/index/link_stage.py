"""The last stage of a run: all files or the changed ones are linked, and their edges stored."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, closing
from functools import partial
from itertools import islice
from typing import NamedTuple, cast

import msgspec
from msgspec import Struct, structs

from clew.index import modules
from clew.index.affected_files import VisibleChange, affected_files, drop_missing_targets
from clew.index.edges import references as using
from clew.index.edges.flows import FlowEdges
from clew.index.edges.prose import AT_ROOT, LANGUAGE_OF_MODULES, ProseEdges, definitions_by_name
from clew.index.edges.symbols import SymbolTable, export_edges
from clew.index.edges.tests import TestEdges
from clew.index.facts import Facts
from clew.index.facts_cache import NO_FACTS, FactsCache, have_names
from clew.index.forked_work import CopyReport, forked_results, possible_copies
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
from clew.index.resolve.global_summary import member_names
from clew.index.resolve.language_rules import LanguageRules, rules_named
from clew.index.resolve.link_inputs import (
    InputChanges,
    ModuleLookup,
    ProgramState,
    RecordedProgram,
    SharedInputs,
    joined_inputs,
)
from clew.index.resolve.resolver import files_looked_into, may_be_sealed
from clew.index.resolve.whole_program import Solution, find_tables, keep_solution, with_solution_of
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

    def parts(self) -> tuple[GlobalSummary, dict[str, tuple[str, ...]]]:
        return self.settled, self.named


class WholeProgram:
    """The facts of a tree that need all its files: the tables are made here, the solution on demand."""

    def __init__(self, world: SourceTree, facts: FactsOf, languages: Mapping[str, str]) -> None:
        self.world, self.languages, self._facts = world, languages, facts
        self._tables, self.looked_up, self.lookups = find_tables(world, facts, languages, languages)
        self._named = definitions_by_name((path, facts(path)) for path in languages)
        self.solution_inputs = b""

    def solve(self) -> GlobalFacts:
        solution = Solution(self.world, self._facts, self.languages, self.languages, self._tables)
        self.solution_inputs = solution.inputs()
        self.looked_up |= solution.looked_up()
        self.lookups |= solution.lookups()
        solution.end()
        return GlobalFacts(solution.summary, self._named)

    def with_solution_of(self, solved: GlobalSummary) -> GlobalFacts:
        return GlobalFacts(with_solution_of(self._tables, solved), self._named)

    def keep_solution(
        self, before: ProgramState, kept: GlobalFacts, inputs: bytes, changes: Mapping[str, tuple[Facts, Facts]]
    ) -> GlobalFacts | None:
        """With an earlier solution, if that holds after changes of calls and stores in some files."""
        found = keep_solution(before, self.state(kept), self._facts, changes)
        if found is None:
            return None
        self.solution_inputs = joined_inputs(inputs, found.inputs)
        return structs.replace(kept, settled=found.summary)

    def state(self, agreed: GlobalFacts) -> ProgramState:
        return ProgramState(self.world, self.languages, *agreed.parts())


class LookupNotes(NamedTuple):
    """The files that names of modules have led to, and these names."""

    looked_up: set[str]
    lookups: set[ModuleLookup]


class Linker:
    """Links files of one tree, each by itself, by what all together say; `languages` has every path."""

    def __init__(
        self, world: SourceTree, facts: FactsOf, languages: Mapping[str, str], agreed: GlobalFacts | None
    ) -> None:
        self._world, self._languages = world, languages
        self._facts = facts
        self.looked_up: set[str] = set()  # files that names of modules have led to
        self.lookups: set[ModuleLookup] = set()
        self.agreed = agreed = agreed or WholeProgram(world, facts, languages).solve()
        self._shared = SharedInputs(world, facts, languages, agreed.settled, agreed.named)
        self._tests = TestEdges(self._shared.world)

    def state(self) -> ProgramState:
        return ProgramState(self._world, self._languages, *self.agreed.parts())

    def lookup_notes(self) -> LookupNotes:
        return LookupNotes(self.looked_up, self.lookups)

    def note(self, found: LookupNotes) -> None:
        self.looked_up |= found.looked_up
        self.lookups |= found.lookups

    def end(self) -> None:
        forget_words()
        modules.forget()

    def link(self, path: str) -> Linked:
        return self.link_with_inputs(path)[0]

    def link_with_inputs(self, path: str) -> tuple[Linked, bytes]:
        """The links of a file, and all that they depend on outside of it, as hashes."""
        program = RecordedProgram(self._shared, self._facts, path)
        resolver = Resolver.alone(program, self._shared.settled)
        file = _FileLinker(path, self._world, self._shared, resolver, self._tests)
        linked = file.link()
        self.looked_up |= resolver.files_looked_up()
        self.lookups.update(resolver.tree.module_lookups(), file.module_lookups())
        inputs = program.inputs(file.module_lookups())
        resolver.end()
        return linked, inputs


class _FileLinker:
    def __init__(
        self, path: str, world: SourceTree, shared: SharedInputs, resolver: Resolver, tests: TestEdges
    ) -> None:
        self._path = path
        self._world = world
        self._shared = shared
        self._resolver = resolver
        self._tests = tests
        self._facts = resolver.tree.facts
        self._languages = shared.languages
        self._found_modules: set[str] = set()

    def link(self) -> Linked:
        path, resolver, facts = self._path, self._resolver, self._facts(self._path)
        symbols = SymbolTable(resolver.tree)
        (calls,) = (found for _, found in resolver.calls([path]))
        language = self._languages[path]
        imports = import_edges(path, language, facts.imports, self._shared.world, resolver.tree.files)
        edges = [
            *imports,
            *_calls(calls),
            *self._inherits(path, facts),
            *self._implements(path, facts),
        ]
        known = {(edge.scope, edge.target) for edge in edges if edge.confidence >= LIKELY}
        by_name = using.references_by_name(path, language, facts, symbols)
        handing = using.hands_on(language, facts)
        edges += using.use_edges(path, (*by_name, *resolver.references(path)), known, handing)
        edges += FlowEdges(resolver.tree).of(facts, calls)
        edges += self._tests.of(path, facts, calls, imports)
        if facts.mentions:
            prose = ProseEdges(self._shared.world, self._facts, self._shared.named, symbols, self._module)
            edges += prose.of(path, facts.mentions)
        edges += export_edges(path, facts, resolver.tree, symbols)
        return Linked(strongest(edges), tuple(_unresolved_calls(calls, resolver.tree.rules(path))))

    def module_lookups(self) -> Iterator[ModuleLookup]:
        return ((LANGUAGE_OF_MODULES, "", AT_ROOT, name) for name in self._found_modules)

    def _module(self, name: str) -> str:
        """The file of a module that prose names."""
        self._found_modules.add(name)
        return next(iter(modules.files_of(self._world, LANGUAGE_OF_MODULES, AT_ROOT, name)), "")

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
MANY_FILES = 200  # from which on files are linked by several processes
TOO_MUCH = "analysis limit reached: calls through parameters stay unresolved"
MOST_NAMES = 200  # that a change may concern, for other files to be searched for them
MOST_HOLDING = 400  # files that have any of them, and are looked at
MOST_NEAR = 60  # files that are linked with those that changed, while the rest is still to come


FileDeclarations = tuple[list[tuple[str, str, str]], dict[str, dict[str, str]]]  # packages, settings


class TreeLinkState(Joined, frozen=True, array_like=True):
    """The state of the whole tree when its links were made."""

    packages: list[tuple[str, str, str]]
    settings: dict[str, dict[str, str]]
    linked: GlobalFacts
    sealed: tuple[str, ...] = ()  # files that no other file looks into
    lookups: bytes = b""  # all lookups of modules that links depend on, packed
    altered: dict[str, bool] = msgspec.field(default_factory=dict)  # not all links know of these: whether each existed
    former: FileDeclarations | None = None  # those of before these changes
    solved: bytes = b""  # all that the solution depends on, hashed


class FileChanges(NamedTuple):
    """The changes of one run: the paths of before; those of changed files; those of which others may see a change."""

    before: Set[str]
    changed: Set[str]
    visible: Set[str]
    facts: (
        Mapping[str, Facts] | None
    ) = {}  # as they were before, of files of which others see more than before; or None


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
        workers: int = 1,
    ) -> None:
        self._db = db
        self._extracts = extracts
        self._links = links
        self._derived = derived
        self._change = change
        self._times = times or StageTimes()
        self._workers = workers
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

    def link_all(self, contents: list[Content], changed: set[str], known: int) -> None:
        """Link every file, regardless of the stored state."""
        self._link_widely(contents, FileChanges(frozenset(), changed, changed), known, anew=True)

    def link_dependents(self, contents: list[Content], changes: FileChanges, known: int) -> None:
        """Solve the whole program again, and link the files with inputs that changed."""
        self._link_widely(contents, changes, known, anew=False)

    def _link_widely(self, contents: list[Content], changes: FileChanges, known: int, *, anew: bool) -> None:
        with without_gc():
            with self._times.measure(RunStage.PROGRAM):
                plan = self._plan(contents, changes, anew=anew)
            self._warn(plan.agreed)
            if plan.is_whole:
                damaged = self._links.find_damaged([one.file for one in contents])
                self._waiting.append(partial(self._links.forget, damaged, known))
                was = {file: digest for file, digest in self._links.current().items() if file not in damaged}
            else:
                was = self._links.current_of([one.file for one in plan.todo])
            copies = possible_copies(self._workers) if len(plan.todo) >= MANY_FILES and plan.is_filled else 0
            with closing(plan.results(copies)) as results:
                self._link(results, changes.changed, was, known)
            self._found = plan.state()
            plan.linker.end()

    def _plan(self, contents: list[Content], changes: FileChanges, *, anew: bool) -> "_LinkPlan":
        before = None if anew else self._load_state()
        amended = None if before is None else _after_text(before, contents, changes, self._facts_cache(contents))
        is_filled = amended is None
        if before is not None and amended is not None:
            shelf = self._facts_cache(contents)
            linker = _linker(contents, shelf, amended)
            found = self._input_changes(before, contents, changes, shelf, linker.state())
        else:
            shelf = self._facts_cache(contents, filled=True)
            packages, settings = _declarations(contents, shelf)
            world = SourceTree.of([one.path for one in contents], packages, settings)
            program = WholeProgram(world, shelf.__getitem__, _languages(contents))
            if before is None:
                found, linked = None, program.solve()
            else:
                found, linked = self._update(program, before, contents, changes, shelf)
            amended = TreeLinkState(
                _type_parts(linked, shelf), packages, settings, linked, solved=program.solution_inputs
            )
            linker = _linker(contents, shelf, amended)
            linker.note(LookupNotes(program.looked_up, program.lookups))
        if found is None or before is None:
            return _LinkPlan(linker, amended, None, contents, is_whole=True, is_filled=True)
        inputs = self._links.inputs()
        todo = [one for one in contents if one.path in changes.changed or found.concern(inputs.get(one.file, b""))]
        is_whole = len(todo) == len(contents)
        return _LinkPlan(linker, amended, before, todo, is_whole=is_whole, is_filled=is_filled)

    def _update(
        self,
        program: WholeProgram,
        before: TreeLinkState,
        contents: list[Content],
        changes: FileChanges,
        shelf: FactsCache,
    ) -> tuple[InputChanges, GlobalFacts]:
        """The global facts after a change, with the earlier solution if that still holds; and how they differ."""
        kept = program.with_solution_of(before.linked.settled)
        found = self._input_changes(before, contents, changes, shelf, program.state(kept))
        known = _known_changes(changes, found.facts, shelf)
        if known is not None and before.solved and not found.concern(before.solved):
            same = program.keep_solution(found.before, kept, before.solved, known)
            if same is not None:
                return found, same
        linked = program.solve()
        found.add_solution(before.linked.settled, linked.settled)
        return found, linked

    def _input_changes(
        self,
        before: TreeLinkState,
        contents: list[Content],
        changes: FileChanges,
        shelf: FactsCache,
        after: ProgramState,
    ) -> InputChanges:
        altered = {path: path in changes.before for path in changes.changed} | before.altered
        paths = {one.path for one in contents if altered.get(one.path, True)}
        paths.update(path for path, was_there in altered.items() if was_there)
        packages, settings = before.former or (before.packages, before.settings)
        world, was = after.world, changes.facts or {}
        state = ProgramState(SourceTree.of(paths, packages, settings), after.languages, *before.linked.parts())
        facts: dict[str, tuple[Facts, Facts] | None] = dict.fromkeys(changes.visible | paths - world.paths)
        facts |= {path: (NO_FACTS, shelf[path]) for path in world.paths - paths}
        facts |= {path: (was[path], shelf[path]) for path in changes.visible & was.keys()}
        facts |= dict.fromkeys(before.altered)
        return InputChanges(state, after, facts, _unpack_lookups(before.lookups))

    def link_changed(
        self, contents: list[Content], changed: set[str], known: int, after: "TreeLinkState | None" = None
    ) -> None:
        """Link the changed files while their interfaces are unchanged, or by the state after a hidden change."""
        todo, shelf = [one for one in contents if one.path in changed], self._facts_cache(contents)
        settled, was, _ = together(
            self._db,
            self._links.settled_later,
            partial(self._links.current_of_later, [one.file for one in todo]),
            partial(shelf.take_later, [one.path for one in todo]),
        )
        if not settled:
            self.link_all(contents, changed, known)
            return
        agreed = after or unpack(settled, TreeLinkState)
        self._warn(agreed)
        with without_gc():
            plan = _LinkPlan(_linker(contents, shelf, agreed), agreed, agreed, todo, is_whole=False)
            self._link(plan.results(), changed, was, known)
            state = plan.state()
            plan.linker.end()
        if after or state != agreed:
            self._found = state

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
        settled, names, inputs = found
        named = {name: ids for name, ids in agreed.linked.named.items() if name not in names}
        for paths in set(names.values()):
            defined = definitions_by_name((path, shelf[path]) for path in paths)
            named |= {name: ids for name, ids in defined.items() if name in names}
        linked = GlobalFacts(settled, dict(sorted(named.items())))
        return structs.replace(agreed, linked=linked, solved=agreed.solved and joined_inputs(agreed.solved, inputs))

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
        self._found = amended = _amend_state(agreed, contents, change, shelf)  # the next change goes on from here
        with without_gc():
            linker, paths = _linker(contents, shelf, amended), {one.path for one in contents}
            was = self._links.current_of([one.file for one in todo])
            linked = ((one, drop_missing_targets(linker.link(one.path), paths, shelf)) for one in todo)
            self._link(((one, pack_links(links), _UNKNOWN) for one, links in linked), change.paths, was, known)
            linker.end()
        return True

    def link_ahead(self, contents: list[Content], goes_on: Callable[[], bool]) -> "LinkedAhead | None":
        """The results of `link_dependents` without storing them; None as soon as it must stop."""
        with without_gc():
            nothing = FileChanges(frozenset(), frozenset(), frozenset())
            plan = self._plan(contents, nothing, anew=False)
            results, found = plan.results(), list[FileLinks]()
            while goes_on() and (some := list(islice(results, LINKS_AT_ONCE))):
                found += some
            agreed = plan.state()
            plan.linker.end()
        was = self._links.current_of([one.file for one, _, _ in found])
        different = sum(digest_of(data) != was.get(one.file) for one, data, _ in found)
        return LinkedAhead(agreed, found, different) if goes_on() else None

    def store_ahead(self, ahead: "LinkedAhead", known: int) -> None:
        self._found = ahead.agreed
        was = self._links.current_of([one.file for one, _, _ in ahead.links])
        self._link(iter(ahead.links), frozenset(), was, known)

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

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()

    def _link(self, results: "Iterator[FileLinks]", changed: Set[str], was: Mapping[int, bytes], known: int) -> None:
        is_first = True
        while some := list(islice(results, LINKS_AT_ONCE)):
            if not is_first and self._waiting:
                with self._derived():
                    self._write()
            is_first = False
            self._waiting.append(partial(self._links.put_inputs, [(one.file, inputs) for one, _, inputs in some]))
            other = [(one, data) for one, data, _ in some if digest_of(data) != was.get(one.file)]
            if other:
                self._waiting.append(partial(self._store, other, changed, was, known))

    def _store(
        self, other: list[tuple[Content, bytes]], changed: Set[str], was: Mapping[int, bytes], known: int
    ) -> None:
        for one, data in other:
            write = self._links.show if one.path in changed else self._links.relink
            write(one.file, one.version, data, was.get(one.file), known)
        self._change(len({one.path for one, _ in other} - changed))


FileLinks = tuple[Content, bytes, bytes]  # a file, its packed links, and their inputs


class LinkedAhead(NamedTuple):
    """The result of linking: the files that were linked, each with its packed links and their inputs; how many have
    other links than before."""

    agreed: TreeLinkState
    links: list[FileLinks]
    different: int


_CODE = frozenset({Kind.CLASS, Kind.INTERFACE, Kind.FUNCTION, Kind.METHOD, Kind.VARIABLE})
_UNKNOWN = b""  # the inputs of links that are to be made again


class _LinkPlan:
    """The files to link, by what; and the state of before, if not all of them are linked."""

    def __init__(
        self,
        linker: Linker,
        agreed: TreeLinkState,
        before: TreeLinkState | None,
        todo: list[Content],
        *,
        is_whole: bool,
        is_filled: bool = False,
    ) -> None:
        self.linker = linker
        self.agreed = agreed
        self.todo = todo
        self.is_whole = is_whole
        self.is_filled = is_filled  # whether no facts need be read from the store
        self._before = None if is_whole else before

    def results(self, copies: int = 0) -> Generator[FileLinks]:
        """The links of each file of the plan, in order; some by copies of this process."""
        if not copies:
            yield from ((one, *self._link(one)) for one in self.todo)
            return
        notes = CopyReport(LookupNotes, self.linker.lookup_notes, self.linker.note)
        results = forked_results(self.todo, self._link, tuple[bytes, bytes], notes, copies)
        with closing(results):
            yield from ((one, *links) for one, links in zip(self.todo, results, strict=True))

    def _link(self, one: Content) -> tuple[bytes, bytes]:
        linked, inputs = self.linker.link_with_inputs(one.path)
        return pack_links(linked), inputs

    def state(self) -> TreeLinkState:
        """After all files of the plan were linked."""
        noticed = self.linker.looked_up.union(files_looked_into(self.agreed.linked.settled))
        if self._before is None:
            sealed = sorted(one.path for one in self.todo if may_be_sealed(one.path, one.language))
            lookups = _pack_lookups(self.linker.lookups)
        else:
            sealed = list(self._before.sealed)
            lookups = _with_lookups(self._before.lookups, self.linker.lookups)
        kept = tuple(path for path in sealed if path not in noticed)
        return structs.replace(self.agreed, sealed=kept, lookups=lookups)


def _pack_lookups(lookups: Iterable[ModuleLookup]) -> bytes:
    return pack(sorted("\0".join(one) for one in lookups))


def _unpack_lookups(packed: bytes) -> list[ModuleLookup]:
    return [cast("ModuleLookup", tuple(one.split("\0"))) for one in unpack(packed, list[str])] if packed else []


def _with_lookups(packed: bytes, more: Set[ModuleLookup]) -> bytes:
    known = unpack(packed, list[str]) if packed else []
    new = {"\0".join(one) for one in more}.difference(known)
    return pack(sorted([*known, *new])) if new else packed


def _languages(contents: list[Content]) -> dict[str, str]:
    return {one.path: one.language for one in contents}


def _linker(contents: list[Content], shelf: FactsCache, agreed: TreeLinkState) -> Linker:
    world = SourceTree.of([one.path for one in contents], agreed.packages, agreed.settings)
    return Linker(world, shelf.__getitem__, _languages(contents), agreed.linked)


def _after_text(
    before: TreeLinkState, contents: list[Content], changes: FileChanges, shelf: FactsCache
) -> TreeLinkState | None:
    """The state after changes of prose and data alone, which pass nothing and define no code; None after others.

    Names of sections may be those of members of classes: a name that came is added, one that went needs all files.
    """
    if (
        before.altered
        or changes.before != {one.path for one in contents}
        or changes.facts is None
        or not changes.visible <= changes.facts.keys()
    ):
        return None
    pairs = [(facts, shelf[path]) for path, facts in changes.facts.items()]
    if not all(_is_text(facts) for pair in pairs for facts in pair):
        return None
    was, there = ({name for pair in pairs for name in member_names(pair[side])} for side in (0, 1))
    if was - there:
        return None
    settled = before.linked.settled
    members = tuple(sorted({*settled.members, *there}))
    linked = structs.replace(before.linked, settled=structs.replace(settled, members=members))
    return structs.replace(before, linked=linked)


def _is_text(facts: Facts) -> bool:
    """Whether facts are those of prose or data: sections and mentions, and nothing that code would say."""
    plain = Facts(kinds=facts.kinds, lines=facts.lines, mentions=facts.mentions, flows=facts.flows)
    return plain == structs.replace(facts, calls=tuple(facts.calls)) and _CODE.isdisjoint(facts.kinds.values())


def _declarations(contents: list[Content], shelf: FactsCache) -> FileDeclarations:
    facts = [(one, shelf[one.path]) for one in contents]
    return _packages(facts), _settings(facts)


def _known_changes(
    changes: FileChanges, visible: Mapping[str, tuple[Facts, Facts] | None], shelf: FactsCache
) -> dict[str, tuple[Facts, Facts]] | None:
    """The facts of all files with other calls or stores, before and after; None if some of the former are not known."""
    if changes.facts is None or None in visible.values():
        return None
    known = {path: (facts, shelf[path]) for path, facts in changes.facts.items()}
    return known | {path: pair for path, pair in visible.items() if pair is not None}


def _type_parts(agreed: GlobalFacts, shelf: FactsCache) -> dict[str, tuple[tuple[str, str], ...]]:
    """For the tree's own classes, the scopes that add members to them and are no classes themselves."""
    own = {one: parts for one, parts in agreed.settled.parts.items() if not one.startswith(EXTERNAL)}
    added = {one: tuple(p for p in parts if p[1] not in shelf[p[0]].kinds) for one, parts in own.items()}
    return {one: parts for one, parts in added.items() if parts}


def _amend_state(
    agreed: TreeLinkState, contents: list[Content], change: VisibleChange, shelf: FactsCache
) -> TreeLinkState:
    """The module declarations of files, without those from before a change, which is noted."""
    read = [(one, shelf[one.path]) for one in contents if one.path in change.read]
    packages = [one for one in agreed.packages if one[2] not in change.paths] + _packages(read)
    settings = {path: said for path, said in agreed.settings.items() if path not in change.paths} | _settings(read)
    return structs.replace(
        agreed,
        packages=packages,
        settings=settings,
        altered={path: path not in change.came for path in sorted(change.paths)} | agreed.altered,
        former=agreed.former or (agreed.packages, agreed.settings),
    )


def _packages(read: list[tuple[Content, Facts]]) -> list[tuple[str, str, str]]:
    return [(rules_named(one.language).language, said.package, one.path) for one, said in read if said.package]


def _settings(read: list[tuple[Content, Facts]]) -> dict[str, dict[str, str]]:
    return {one.path: said.settings for one, said in read if said.settings}
