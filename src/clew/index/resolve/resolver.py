"""What the calls of a file lead to, given what the whole tree has settled."""

from collections.abc import Callable, Mapping

from clew.index.facts import Facts
from clew.index.modules import World
from clew.index.resolve.calling import Calling
from clew.index.resolve.report import Reporter, Resolved
from clew.index.resolve.settled import Settled
from clew.index.resolve.things import Sort, Things
from clew.index.resolve.tree import Tree


class Resolver:
    def __init__(
        self, world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], settled: Settled
    ) -> None:
        self._tree = Tree(world, facts, languages, Things())
        self._calling = Calling(self._tree, settled.heirs)
        self._reporter = Reporter(self._calling, settled.methods)
        thing = self._tree.things.thing
        for path, scopes in settled.passed.items():
            for scope, names in scopes.items():
                for name, passed in names.items():
                    slot = self._calling.slot((path, scope, name))
                    for sort, *rest in passed:
                        self._calling.flow.give(slot, thing(Sort(sort), *rest))

    def calls(self, path: str) -> list[Resolved]:
        self._reporter.prepare(path)
        self._calling.flow.run()
        return self._reporter.calls(path)
