"""The plan of a task's briefing: matches and their graph neighborhood, in the order in which they take turns."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.graph.elements import Elements
from clew.graph.naming import Naming
from clew.graph.parts import Things
from clew.graph.walk_graph import Web
from clew.model.search import Query, Scope
from clew.pack.around import About, Around, around, choose_subject, dependents, is_asked, names_asked_about
from clew.pack.items import EXPLAINING, MANNERS, NO_MEMORIES, FromMemory, Manner, Memories
from clew.pack.matching import Match, MatchContext, Matcher, match_by_name
from clew.pack.plan import Plan
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
    """Plans briefings."""

    def __init__(
        self, matcher: Matcher, ground: Ground, symbols: tuple[Nodes, Links], gatherer: "Callable[[], Gatherer]"
    ) -> None:
        """`symbols` tell which ids are one; `gatherer` is asked for only where there is something to gather."""
        self._matcher = matcher
        self._symbols = symbols
        self._files = matcher.sources.files
        self._ground = ground
        self._gatherer = gatherer

    def plan(self, request: BriefingRequest) -> Plan:
        """Match, expand along the graph, recall, order: the stages of a briefing before it is cut to its budget."""
        corpus = self._matcher.corpora.current()
        shelf = self._matcher.open_shelf(corpus)
        query = Query(request.task, MATCHES, request.scope)
        context = self._matcher.match(query, corpus, shelf, _find_focus(request.focus, shelf))
        neighborhood = self._expand(request, context)
        memories = self._memories(request, neighborhood.seeds, context.web)
        question = understand(request.task)
        plan = Plan(context, neighborhood, _manner(request), question)
        Selection(plan, question, memories).fill()
        return plan

    def about(self, id: str) -> Memories:
        """Decisions and learnings about one node, regardless of the words of a task."""
        web = self._matcher.webs.of(self._matcher.corpora.current())
        return self._memories(BriefingRequest("", memory=FromMemory(episodes=False)), [id], web)

    def _expand(self, request: BriefingRequest, context: MatchContext) -> Around:
        """The graph around the best matches, and the dependents of the symbol that the task asks about."""
        seeds: dict[str, float] = {}
        for one in context.best:
            seeds.setdefault(one.id, one.score)
        elements = Elements(self._files)
        symbols = Things(*self._symbols, elements)
        names = names_asked_about(request.task, request.intent)
        named = next(filter(None, (self._find_named(symbols, elements, name) for name in names)), [])
        subject = choose_subject(list(seeds), named) if is_asked(request.task, request.intent) else About()
        whole = symbols.each([subject.id]) if subject.id else ()
        roots = [root for one in whole for root in one.roots]
        asked = dependents(context.web.corpus, elements, roots, request.task)
        return around(context.web, elements, dict(islice(seeds.items(), SEEDS)), subject, asked)

    def _find_named(self, symbols: Things, elements: Elements, name: str) -> list[str]:
        """The symbols that have a name, each by one of its ids; none, if very many have it."""
        found = Naming(self._files, self._symbols[0], elements).find(name)
        return (
            [one.element.id for one in symbols.each(elements.definitions(found))] if len(found) <= MOST_CALLED else []
        )

    def _memories(self, request: BriefingRequest, seeds: Sequence[str], web: Web) -> Memories:
        marks = self._ground.marks()
        return self._gatherer().gather(request.memory, request.task, seeds, web, marks) if marks else NO_MEMORIES


def _manner(request: BriefingRequest) -> Manner:
    if is_asked(request.task, request.intent):
        return MANNERS["impact"]
    return EXPLAINING if request.intent == "answer" and understand(request.task).asks_how else MANNERS[request.intent]


def _find_focus(focus: str, shelf: Shelf) -> Match | None:
    shown = shelf.chunk_of(focus) if focus else None
    return match_by_name(shown, shown.id) if shown else None
