"""Linking: from the facts of all files to the edges of each file. Pure; the run stores the result.

The global summary of all files is computed anew when a visible interface changed; a file with an unchanged interface
is linked alone, with the stored summary.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from clew.index import modules
from clew.index.edges import references as using
from clew.index.edges.flows import FlowEdges
from clew.index.edges.prose import ProseEdges, definitions_by_name
from clew.index.edges.symbols import SymbolTable, export_edges
from clew.index.edges.tests import TestEdges
from clew.index.facts import Facts
from clew.index.import_edges import import_edges
from clew.index.modules import SourceTree
from clew.index.resolve import GlobalSummary, ResolvedCall, Resolver, value_kinds
from clew.model.code import split_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import LIKELY, FileEdge, Linked, Loose, strongest
from clew.text.test_names import forget_words

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
        return Linked(strongest(edges), tuple(_unresolved_calls(calls, language)))

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
        """Whether a symbol may be a base type: in Rust, only traits."""
        file, scope = split_id(target)
        if self._languages[path] != "rust" or file not in self._languages:
            return True
        return self._facts(file).kinds.get(scope) == Kind.INTERFACE.value


def _calls(calls: Iterable[ResolvedCall]) -> Iterator[FileEdge]:
    kind, evidence = EdgeKind.CALLS, EvidenceKind.CALLSITE  # looked up once: Python 3.11 is slow to find a member
    for call in calls:
        scope, line = call.scope, call.line
        for target, confidence in (*call.targets, *call.behind) if call.behind else call.targets:
            yield FileEdge(scope, kind, target, line, evidence, confidence if confidence == 1 else round(confidence, 3))


def _unresolved_calls(calls: Iterable[ResolvedCall], language: str) -> Iterator[Loose]:
    """As people write them: in Ruby, a call on a block's element is passed as `&:pay`."""
    for call in calls:
        if not call.targets:
            is_handed = language == "ruby" and call.written.startswith("_.")
            written = f"&:{call.written.removeprefix('_.')}" if is_handed else call.written
            yield Loose(call.scope, call.line, written, call.reason or "")
