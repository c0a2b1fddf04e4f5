"""The plan of a task's briefing: matches and their graph neighborhood, in the order in which they take turns."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.graph.elements import Elements
from clew.graph.naming import Naming
from clew.graph.parts import Things
from clew.graph.walk_graph import Web
from clew.model.search import Query, Scope
from clew.pack.around import Around, around
from clew.pack.builder import Asked, Begun, Builder
from clew.pack.dependents import asked_about, dependents, is_asked
from clew.pack.items import EXPLAINING, MANNERS, Manner
from clew.pack.matching import Match, named
from clew.pack.plan import Plan
from clew.pack.remembered import NO_MEMORIES, FromMemory, Memories
from clew.pack.request import Intent
from clew.pack.selection import Selection
from clew.pack.shelf import Shelf
from clew.retrieve.question import understand
from clew.store.graph import Nodes
from clew.store.ground import Ground
from clew.store.links import Links

if TYPE_CHECKING:
    from clew.pack.memories import Gatherer

MATCHES = 150  # that are looked at
MOST_CALLED = 20  # ids of a name that a task says
SEEDS = 5  # of them that the graph is asked from (A §5.3)


class BriefingRequest(Struct, frozen=True):
    """A task in words, its intent, the id of its subject if that is known, and the kinds of memory to read."""

    task: str
    intent: Intent = "answer"
    focus: str = ""
    scope: Scope = Scope()
    memory: FromMemory = FromMemory()


class Briefer:
    """Plans briefings: how to expand from the matches, and in which order."""

    def __init__(
        self, builder: Builder, ground: Ground, things: tuple[Nodes, Links], gatherer: "Callable[[], Gatherer]"
    ) -> None:
        """`things` tell which ids are one; `gatherer` is asked for only where there is something to gather."""
        self._builder = builder
        self._things = things
        self._files = builder.sources.files
        self._ground = ground
        self._gatherer = gatherer

    def plan(self, wanted: BriefingRequest) -> Plan:
        asked = Asked(Query(wanted.task, MATCHES, wanted.scope), partial(_named, wanted.focus))
        return self._builder.build(asked, partial(self._around, wanted), partial(self._in_turns, wanted))

    def about(self, id: str) -> Memories:
        """Decisions and learnings about one node, regardless of the words of a task."""
        web = self._builder.webs.of(self._builder.corpora.current())
        return self._memories(BriefingRequest("", memory=FromMemory(episodes=False)), [id], web)

    def _around(self, wanted: BriefingRequest, begun: Begun) -> Around:
        seeds: dict[str, float] = {}
        for one in begun.best:
            seeds.setdefault(one.id, one.score)
        best, elements = dict(islice(seeds.items(), SEEDS)), Elements(self._files)
        things = Things(*self._things, elements)
        about = asked_about(list(seeds), partial(self._called, things, elements), wanted.task, wanted.intent)
        whole = things.each([about.id]) if about.id else ()
        asked = dependents(begun.web.corpus, elements, [one for of in whole for one in of.roots], wanted.task)
        return around(begun.web, elements, best, about, asked)

    def _called(self, things: Things, elements: Elements, name: str) -> list[str]:
        """The things that have a name, each by one of its ids; none, if very many have it."""
        found = Naming(self._files, self._things[0], elements).find(name)
        return [one.element.id for one in things.each(elements.definitions(found))] if len(found) <= MOST_CALLED else []

    def _in_turns(self, wanted: BriefingRequest, begun: Begun, found: Around) -> Plan:
        question = understand(wanted.task)
        plan = Plan(begun, found, _manner(wanted), question)
        Selection(plan, question, self._memories(wanted, found.seeds, begun.web)).fill()
        return plan

    def _memories(self, wanted: BriefingRequest, seeds: Sequence[str], web: Web) -> Memories:
        marks = self._ground.marks()
        return self._gatherer().gather(wanted.memory, wanted.task, seeds, web, marks) if marks else NO_MEMORIES


def _manner(wanted: BriefingRequest) -> Manner:
    if is_asked(wanted.task, wanted.intent):
        return MANNERS["impact"]
    return EXPLAINING if wanted.intent == "answer" and understand(wanted.task).asks_how else MANNERS[wanted.intent]


def _named(focus: str, shelf: Shelf) -> Match | None:
    shown = shelf.showing(focus) if focus else None
    return named(shown, shown.id) if shown else None
