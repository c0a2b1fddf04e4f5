"""The plan of a task's briefing: what may stand in it, in one order, and how each of it grows; whatever the budget."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from clew.graph.elements import Elements
from clew.graph.web import Web
from clew.model.search import Query, Reason, Scope
from clew.pack.around import Around, around
from clew.pack.builder import Asked, Begun, Builder
from clew.pack.dependents import dependents, is_asked
from clew.pack.elision import forms, outlines
from clew.pack.fitting import LINE, Step
from clew.pack.items import MANNERS, Item, Manner, Note, Noted, Section, Shown
from clew.pack.matching import Match, named
from clew.pack.order import interleaved
from clew.pack.reasons import in_few_words
from clew.pack.remembered import NO_MEMORIES, FromMemory, Memories
from clew.pack.request import Intent
from clew.pack.shelf import Shelf, Standing
from clew.retrieve import excerpt
from clew.store.ground import Ground

if TYPE_CHECKING:
    from clew.pack.memories import Gatherer

MATCHES = 150  # that are looked at
SEEDS = 5  # of them that the graph is asked from (A §5.3)
BEFORE_GROWING = 0.5  # of what the code of an item costs, that must have been spent on others
GRAPH = "graph"
OUTLINE = 600  # bytes that one usually takes whose parts are left out


class Wanted(Struct, frozen=True):
    """A task in words, what it is for, what it is about if that is known (an id), and what of memory is wanted."""

    task: str
    intent: Intent = "answer"
    focus: str = ""
    scope: Scope = Scope()
    memory: FromMemory = FromMemory()


class Entry(Struct, frozen=True):
    """What may stand in a pack, and by what right: it matches, it is near the best matches, or the caller named it."""

    match: Match
    section: Section

    @property
    def quoted(self) -> Standing:
        return self.match.quoted

    @property
    def size(self) -> int:
        return self.quoted.size


class Growth(StrEnum):
    """What an entry comes to in its turn: a line, an outline beside parts that stand on their own, or all of it."""

    LINE = "line"
    OUTLINE = "outline"
    WHOLE = "whole"


class Turn(Struct, frozen=True):
    entry: int
    growth: Growth


_Turns = list[Turn]  # that are taken together
_Entering = tuple[_Turns, Turn | None]  # what an entry comes in by, and what it grows in
_NOTHING_NOW: _Entering = ([], None)


class Plan:
    """`entries` are in the order of their first turn. What is said of code, and its text, is made when it is shown."""

    def __init__(self, begun: Begun, found: Around, manner: Manner) -> None:
        self.entries: list[Entry | Note] = []
        self.turns: list[Turn] = []
        self.begun = begun
        self.around = found
        self.manner = manner
        self._told: dict[int, tuple[Item, int]] = {}

    @property
    def best(self) -> str:
        """The id of the code to start at; empty if there is none."""
        return next((one.quoted.id for one in self.entries if isinstance(one, Entry)), "")

    @property
    def task(self) -> str:
        """The id of the task whose plan is in it; empty if there is none."""
        return next((one.id for one in self.entries if isinstance(one, Note) and one.section is Section.PLAN), "")

    def steps(self) -> Iterator[Step[Shown | Noted]]:
        """One after the other; at last everything is whole. What many would show is never asked for."""
        for turn in self.turns:
            yield from self._grown(turn)
        grown = {turn.entry: turn.growth for turn in self.turns}
        for number, growth in grown.items():
            entry = self.entries[number]
            if isinstance(entry, Note):
                if entry.text and (growth is Growth.LINE or entry.size > self.manner.whole_up_to):
                    yield number, partial(Noted, entry, full=True)
            elif growth is not Growth.OUTLINE:
                for code in self._forms(number, entry, outlined=self._has_parts(number, entry)):
                    if growth is Growth.LINE or len(code.encode()) > self.manner.whole_up_to:
                        yield number, partial(self._shown, number, entry, code)

    def _grown(self, turn: Turn) -> Iterator[Step[Shown | Noted]]:
        entry = self.entries[turn.entry]
        if isinstance(entry, Note):
            full = turn.growth is Growth.WHOLE
            if not full or entry.size <= self.manner.whole_up_to:
                yield turn.entry, partial(Noted, entry, full)
            return
        codes: Iterable[str] = ("",)
        if turn.growth is not Growth.LINE:
            codes = self._forms(turn.entry, entry, outlined=turn.growth is Growth.OUTLINE)
        for code in codes:
            if len(code.encode()) > self.manner.whole_up_to:  # forms are ever longer
                break
            yield turn.entry, partial(self._shown, turn.entry, entry, code)

    def _shown(self, number: int, entry: Entry, code: str = "") -> Shown:
        stale = self.begun.shelf.is_stale(entry.quoted)
        title = "" if stale else _in_line(excerpt.signature(entry.quoted.unit().source, entry.quoted.chunk))
        item = self._known(number, entry)[0]
        return Shown(item, title, code, elided=len(code.encode()) < entry.size, stale=stale)

    def _forms(self, number: int, entry: Entry, *, outlined: bool = False) -> Iterator[str]:
        """None of a text that no longer stands in its file."""
        if not self.begun.shelf.still_stands(entry.quoted):
            return iter(())
        unit = entry.quoted.unit(self._known(number, entry)[1])
        return outlines(unit) if outlined else forms(unit)

    def _has_parts(self, number: int, entry: Entry) -> bool:
        """Whether what lies inside of it stands there on its own."""
        others = (one for i, one in enumerate(self.entries) if i != number and isinstance(one, Entry))
        return any(entry.quoted.holds(one.quoted) for one in others)

    def _known(self, number: int, entry: Entry) -> tuple[Item, int]:
        """What is said about an entry, and which passage of it answers best."""
        if number not in self._told:
            if entry.match.told:
                told = entry.match.told()
                self._told[number] = self._item(entry, in_few_words(told.reasons), told.reasons), told.passage
            elif entry.section is Section.DEPENDENCIES:
                why = self.around.why(entry.quoted.id)
                reason = Reason(GRAPH, why.way, round(self.around.shares.get(entry.quoted.id, 0.0), 6))
                self._told[number] = structs.replace(self._item(entry, why.reason, (reason,)), edge=why.edge), 0
            else:
                self._told[number] = self._item(entry, "named in the request", ()), 0
        return self._told[number]

    def _item(self, entry: Entry, reason: str, reasons: tuple[Reason, ...]) -> Item:
        quoted, chunk = entry.quoted, entry.quoted.chunk
        return Item(
            id=quoted.id,
            chunk_id=quoted.uid,
            path=quoted.path,
            first_line=chunk.span.first,
            last_line=chunk.span.last,
            kind=chunk.kind,
            language=quoted.held.content.language,
            label=quoted.label,
            section=entry.section,
            reason=reason,
            score=round(entry.match.score, 4),
            ppr_score=round(self.around.shares.get(quoted.id, 0.0), 6),
            reasons=reasons,
        )


class Briefer:
    """Plans briefings: how the builder goes on from what matches, and in which order."""

    def __init__(self, builder: Builder, ground: Ground, gatherer: "Callable[[], Gatherer]") -> None:
        """`gatherer` is asked for only where there is something to gather."""
        self._builder = builder
        self._files = builder.sources.files
        self._ground = ground
        self._gatherer = gatherer

    def plan(self, wanted: Wanted) -> Plan:
        asked = Asked(Query(wanted.task, MATCHES, wanted.scope), partial(_named, wanted.focus))
        return self._builder.build(asked, partial(self._around, wanted), partial(self._in_turns, wanted))

    def about(self, id: str) -> Memories:
        """What agents decided and learned of one thing, whatever the words."""
        web = self._builder.webs.of(self._builder.corpora.current())
        return self._memories(Wanted("", memory=FromMemory(episodes=False)), [id], web)

    def _around(self, wanted: Wanted, begun: Begun) -> Around:
        seeds: dict[str, float] = {}
        for one in begun.best:
            seeds.setdefault(one.id, one.score)
        best, elements = dict(islice(seeds.items(), SEEDS)), Elements(self._files)
        asked = dependents(begun.web.corpus, elements, list(best), wanted.task, wanted.intent)
        return around(begun.web, elements, best, asked)

    def _in_turns(self, wanted: Wanted, begun: Begun, found: Around) -> Plan:
        plan = Plan(begun, found, MANNERS["impact" if is_asked(wanted.task, wanted.intent) else wanted.intent])
        _Queues(plan, self._memories(wanted, found.seeds, begun.web)).fill()
        return plan

    def _memories(self, wanted: Wanted, seeds: Sequence[str], web: Web) -> Memories:
        marks = self._ground.marks()
        return self._gatherer().gather(wanted.memory, wanted.task, seeds, web, marks) if marks else NO_MEMORIES


def _named(focus: str, shelf: Shelf) -> Match | None:
    shown = shelf.showing(focus) if focus else None
    return named(shown, shown.id) if shown else None


class _Queues:
    """Sections in waiting. An entry stands in the section that came to it first."""

    def __init__(self, plan: Plan, memories: Memories) -> None:
        self._plan = plan
        self._matches = [Entry(one, Section.CORE) for one in plan.begun.best]
        self._memories = memories
        self._met: set[str] = set()  # ids of notes: one may be about more than one thing
        self._learned = self._new(memories.learned)
        self._numbers: dict[str, int] = {}
        self._whole: dict[str, list[Standing]] = {}  # by file: what is whole in its turn
        self._standing: dict[str, list[Standing]] = {}  # by file: what stands there in any form
        self._passed = 0  # matches that have had their turn
        self._spent = 0

    def fill(self) -> None:
        queues = {
            Section.CORE: self._growing(self._matching()),
            Section.RELATED: self._related(),
            Section.DEPENDENCIES: self._dependencies(),
            Section.DECISIONS: self._growing(self._decisions()),
            Section.PLAN: self._growing(map(self._entering, self._memories.plan)),
            Section.EPISODES: self._growing(map(self._entering, self._memories.episodes)),
        }
        for turns in interleaved(queues, self._plan.manner.shares, self._cost):
            self._plan.turns += turns

    def _cost(self, turns: _Turns) -> int:
        cost = sum(map(self._price, turns))
        self._spent += cost
        return cost

    def _price(self, turn: Turn) -> int:
        """About how many bytes."""
        if turn.growth is Growth.WHOLE:
            return min(self._plan.entries[turn.entry].size, self._plan.manner.whole_up_to)
        return LINE if turn.growth is Growth.LINE else OUTLINE

    def _matching(self) -> Iterator[_Entering]:
        for number, match in enumerate(self._matches, 1):
            self._passed = number
            if self._is_shown(match.quoted):
                continue
            known = self._numbers.get(match.quoted.uid)
            growth = self._growth(match)
            turns = self._add(match) if known is None else []
            yield turns, Turn(turns[-1].entry if known is None else known, growth)

    def _growing(self, entering: Iterator[_Entering | None]) -> Iterator[_Turns | None]:
        """Each enters by a line, and grows once enough is spent: else one function could be all of a small pack."""
        waiting: list[Turn] = []
        for one in entering:
            lines, growth = one or _NOTHING_NOW
            if lines:
                yield lines
            waiting += [growth] if growth else []
            while ready := self._ready(waiting):
                waiting.remove(ready)
                yield [ready]
            if one is None:
                yield None
        yield from ([turn] for turn in waiting)

    def _growth(self, match: Entry) -> Growth:
        """What lies in what is whole in its turn never stands there again."""
        own = match.quoted
        if any(own.holds(one) and own.uid != one.uid for one in self._standing.get(own.path, ())):
            return Growth.OUTLINE
        if match.size <= self._plan.manner.whole_up_to:
            self._whole.setdefault(own.path, []).append(own)
        return Growth.WHOLE

    def _ready(self, waiting: Sequence[Turn]) -> Turn | None:
        return next((one for one in waiting if self._price(one) * BEFORE_GROWING <= self._spent), None)

    def _related(self) -> Iterator[_Turns]:
        """The best match in each file that nothing was shown of yet."""
        for number, match in enumerate(self._matches):
            if number >= self._passed and match.quoted.path not in self._standing:
                yield self._add(structs.replace(match, section=Section.RELATED))

    def _dependencies(self) -> Iterator[_Turns]:
        for near in self._plan.around.ids:
            quoted = self._plan.begun.shelf.showing(near)
            if quoted and quoted.symbol == near and quoted.uid not in self._numbers and not self._is_shown(quoted):
                yield self._add(Entry(Match(quoted, 0.0), Section.DEPENDENCIES))

    def _decisions(self) -> Iterator[_Entering | None]:
        """With what was learned of the code that is there by then; None while there is nothing."""
        decided = list(self._memories.decisions)
        while True:
            waiting = [*decided[:1], *self._learned]
            best = min(waiting, key=lambda one: (-one.score, one.id), default=None)
            if best is None:
                yield None
            else:
                (decided if best in decided else self._learned).remove(best)
                yield self._entering(best)

    def _entering(self, note: Note) -> _Entering:
        number = self._note(note)
        return [Turn(number, Growth.LINE)], Turn(number, Growth.WHOLE) if note.text else None

    def _new(self, notes: Iterable[Note]) -> list[Note]:
        found = {note.id: note for note in notes if note.id not in self._met}
        self._met |= found.keys()
        return [*found.values()]

    def _is_shown(self, quoted: Standing) -> bool:
        return any(outer.holds(quoted) for outer in self._whole.get(quoted.path, ()))

    def _add(self, entry: Entry) -> _Turns:
        """By a line, after what others hold of it: so that nobody sees it who does not see that."""
        held = [Turn(self._note(one), Growth.LINE) for one in self._new(self._memories.in_the_way(entry.quoted.id))]
        self._learned += self._new(self._memories.about(entry.quoted.id))
        entries = self._plan.entries
        entries.append(entry)
        self._numbers[entry.quoted.uid] = len(entries) - 1
        self._standing.setdefault(entry.quoted.path, []).append(entry.quoted)
        return [*held, Turn(len(entries) - 1, Growth.LINE)]

    def _note(self, note: Note) -> int:
        self._plan.entries.append(note)
        return len(self._plan.entries) - 1


def _in_line(code: bytes) -> str:
    return " ".join(code.decode("utf-8", "replace").split())
