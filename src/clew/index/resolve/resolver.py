"""What the calls of a file lead to, given what the whole tree has settled."""

from collections.abc import Callable, Mapping

from clew.index.facts import Facts, Value
from clew.index.link import outside
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
        self._calling = Calling(self._tree, settled.heirs, frozenset())
        self._reporter = Reporter(self._calling, settled.methods)
        thing = self._tree.things.thing
        for path, scopes in settled.passed.items():
            for scope, names in scopes.items():
                for name, passed in names.items():
                    things = [thing(Sort(sort), *rest) for sort, *rest in passed]
                    self._calling.flow.add(self._calling.slot((path, scope, name)), things)

    def calls(self, path: str) -> list[Resolved]:
        self._reporter.prepare(path)
        self._calling.flow.run()
        return self._reporter.calls(path)

    def types(self, path: str, value: Value) -> list[str]:
        """The ids of the classes that a written type means, by its names alone."""
        found = self._tree.static(path, value)
        ids = [one.id for one in found if one.sort is Sort.CLASS]
        return [*ids, *(outside(one.path) for one in found if one.sort is Sort.OUTSIDE)]
