"""Linking: from the facts of all files to the edges that each file shows. Pure; the run stores what comes out.

What only all files together can tell (`Settled`) is worked out anew when something changed that others can see; a file
whose interface stayed the same is linked alone, with what was settled before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from clew.index import modules
from clew.index.edges import uses as using
from clew.index.edges.flows import Flows
from clew.index.edges.offers import offers
from clew.index.edges.prose import Prose, named
from clew.index.edges.symbols import Symbols
from clew.index.edges.tests import Tests
from clew.index.facts import Facts
from clew.index.link import imports_to_edges
from clew.index.modules import World
from clew.index.resolve import Resolved, Resolver, Settled
from clew.model.code import split_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import LIKELY, Linked, Loose, Shown, strongest
from clew.text.test_names import forget_words

FactsOf = Callable[[str], Facts]


class Agreed(Struct, frozen=True, array_like=True):
    """What only all files together tell: what they pass to each other, and the few definitions of each name."""

    settled: Settled
    named: dict[str, tuple[str, ...]]


class Linker:
    """Links files of one tree; `languages` has every path."""

    def __init__(self, world: World, facts: FactsOf, languages: Mapping[str, str], agreed: Agreed | None) -> None:
        self._world = world
        self._facts = facts
        self._languages = languages
        if agreed is None:
            self._resolver = Resolver.settle(world, facts, languages, languages)
            agreed = Agreed(self._resolver.settled, named((path, facts(path)) for path in languages))
        else:
            self._resolver = Resolver.after(world, facts, languages, agreed.settled)
        self.agreed = agreed
        self._symbols = Symbols(self._resolver.tree)
        self._flows = Flows(self._resolver.tree)
        self._tests = Tests(world)
        self._prose = Prose(world, facts, agreed.named, self._symbols)

    def end(self) -> None:
        self._resolver.end()
        forget_words()
        modules.forget()

    def link(self, path: str) -> Linked:
        facts = self._facts(path)
        (calls,) = (found for _, found in self._resolver.calls([path]))
        language = self._languages[path]
        imports = imports_to_edges(path, language, facts.imports, self._world, self._resolver.tree.files)
        edges = [
            *imports,
            *_calls(calls),
            *self._inherits(path, facts),
        ]
        known = {(edge.scope, edge.target) for edge in edges if edge.confidence >= LIKELY}
        by_name = using.named(path, language, facts, self._symbols)
        handing = using.hands_on(language, facts)
        edges += using.uses(path, (*by_name, *self._resolver.references(path)), known, handing)
        edges += self._flows.of(facts, calls)
        edges += self._tests.of(path, facts, calls, imports)
        edges += self._prose.of(path, facts.mentions)
        edges += offers(path, facts, self._resolver.tree, self._symbols)
        return Linked(strongest(edges), tuple(_loose(calls, language)))

    def _inherits(self, path: str, facts: Facts) -> Iterator[Shown]:
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
                        yield Shown(scope, kind, target, line, EvidenceKind.IDENTIFIER, 1.0)

    def _can_be(self, path: str, target: str) -> bool:
        """Whether something may be what a type of a file has above it: in Rust, nothing but traits."""
        file, scope = split_id(target)
        if self._languages[path] != "rust" or file not in self._languages:
            return True
        return self._facts(file).kinds.get(scope) == Kind.INTERFACE.value


def _calls(calls: Iterable[Resolved]) -> Iterator[Shown]:
    kind, evidence = EdgeKind.CALLS, EvidenceKind.CALLSITE  # looked up once: Python 3.11 is slow to find a member
    for call in calls:
        scope, line = call.scope, call.line
        for target, confidence in (*call.targets, *call.behind) if call.behind else call.targets:
            yield Shown(scope, kind, target, line, evidence, confidence if confidence == 1 else round(confidence, 3))


def _loose(calls: Iterable[Resolved], language: str) -> Iterator[Loose]:
    """As people write them: in Ruby, what is called on a block's element is handed on as `&:pay`."""
    for call in calls:
        if not call.targets:
            is_handed = language == "ruby" and call.written.startswith("_.")
            written = f"&:{call.written.removeprefix('_.')}" if is_handed else call.written
            yield Loose(call.scope, call.line, written, call.reason or "")
