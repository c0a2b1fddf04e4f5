"""Linking: from the facts of all files to the edges that each file shows. Pure; the run stores what comes out.

What only all files together can tell (`Settled`) is worked out anew when something changed that others can see; a file
whose interface stayed the same is linked alone, with what was settled before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from clew.index.facts import Facts
from clew.index.link import imports_to_edges
from clew.index.modules import World
from clew.index.resolve import Resolved, Resolver, Settled
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import Linked, Loose, Shown, strongest

FactsOf = Callable[[str], Facts]


class Linker:
    """Links files of one tree; `languages` has every path."""

    def __init__(self, world: World, facts: FactsOf, languages: Mapping[str, str], settled: Settled | None) -> None:
        self._world = world
        self._facts = facts
        self._languages = languages
        if settled is None:
            self._resolver = Resolver.settle(world, facts, languages, languages)
        else:
            self._resolver = Resolver.after(world, facts, languages, settled)
        self.settled = self._resolver.settled

    def end(self) -> None:
        self._resolver.end()

    def link(self, path: str) -> Linked:
        facts = self._facts(path)
        (calls,) = (found for _, found in self._resolver.calls([path]))
        edges = [
            *imports_to_edges(path, self._languages[path], facts.imports, self._world),
            *_calls(calls),
            *self._inherits(path, facts),
        ]
        return Linked(strongest(edges), tuple(_loose(calls)))

    def _inherits(self, path: str, facts: Facts) -> Iterator[Shown]:
        for kind, table in ((EdgeKind.INHERITS, facts.bases), (EdgeKind.IMPLEMENTS, facts.implements)):
            for scope, values in table.items():
                line = facts.lines.get(scope, 1)
                for target in sorted({one for value in values for one in self._resolver.types(path, value)}):
                    yield Shown(scope, kind, target, line, EvidenceKind.IDENTIFIER, 1.0)


def _calls(calls: Iterable[Resolved]) -> Iterator[Shown]:
    for call in calls:
        for target, confidence in call.targets:
            yield Shown(call.scope, EdgeKind.CALLS, target, call.line, EvidenceKind.CALLSITE, round(confidence, 3))


def _loose(calls: Iterable[Resolved]) -> Iterator[Loose]:
    for call in calls:
        if not call.targets:
            yield Loose(call.scope, call.line, call.written, call.reason.value if call.reason else "")
