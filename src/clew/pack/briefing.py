"""The plan of a task's briefing: what may stand in it, in one order, and how each of it grows; whatever the budget."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct, structs

from clew.graph.elements import Elements
from clew.graph.web import Webs
from clew.model.search import Query, Reason, Scope
from clew.pack.around import Around, around
from clew.pack.elision import forms, outlines
from clew.pack.items import MANNERS, Item, Manner, Section, Shown
from clew.pack.order import interleaved
from clew.pack.quoting import Quotes
from clew.pack.reasons import in_few_words
from clew.pack.request import Intent
from clew.pack.shelf import Shelf, Standing
from clew.retrieve import excerpt
from clew.retrieve.diversity import Candidate
from clew.retrieve.retriever import Sources
from clew.retrieve.search import Ranking, Searcher

MATCHES = 150  # that are looked at
SEEDS = 5  # of them that the graph is asked from (A §5.3)
BEFORE_GROWING = 0.5  # of what the code of an item costs, that must have been spent on others
GRAPH = "graph"
LINE = 130  # bytes that an item takes beside its text
OUTLINE = 600  # bytes that one usually takes whose parts are left out


class Wanted(Struct, frozen=True):
    """A task in words, what it is for, and what it is about if that is known: an id."""

    task: str
    intent: Intent = "answer"
    focus: str = ""
    scope: Scope = Scope()


class Entry(Struct, frozen=True):
    """What may stand in a pack, and by what right: it matches, it is near the best matches, or the caller named it."""

    quoted: Standing
    section: Section
    match: Candidate | None = None

    @property
    def size(self) -> int:
        return self.quoted.chunk.span.end - self.quoted.chunk.span.start


class Growth(StrEnum):
    """What an entry comes to in its turn: a line, an outline beside parts that stand on their own, or its code."""

    LINE = "line"
    OUTLINE = "outline"
    CODE = "code"


class Turn(Struct, frozen=True):
    entry: int
    growth: Growth


class Plan:
    """`entries` are in the order of their first turn. What is said of one, and its text, is made when it is shown."""

    def __init__(self, ranking: Ranking, quotes: Quotes, found: Around, manner: Manner) -> None:
        self.entries: list[Entry] = []
        self.turns: list[Turn] = []
        self.ranking = ranking
        self.quotes = quotes
        self.around = found
        self.manner = manner
        self._told: dict[int, tuple[Item, int]] = {}

    def steps(self) -> Iterator[tuple[int, Shown]]:
        """One after the other: which entry, and how it stands from then on. At last everything is whole."""
        for turn in self.turns:
            yield from self._grown(turn)
        grown = {turn.entry: turn.growth for turn in self.turns}
        for number, growth in grown.items():
            if growth is not Growth.OUTLINE:
                for code in self._forms(number, outlined=self._has_parts(number)):
                    if growth is Growth.LINE or len(code.encode()) > self.manner.whole_up_to:
                        yield number, self._shown(number, code)

    def item(self, number: int) -> Item:
        return self._known(number)[0]

    def _grown(self, turn: Turn) -> Iterator[tuple[int, Shown]]:
        codes: Iterable[str] = ("",)
        if turn.growth is not Growth.LINE:
            codes = self._forms(turn.entry, outlined=turn.growth is Growth.OUTLINE)
        for code in codes:
            if len(code.encode()) > self.manner.whole_up_to:  # forms are ever longer
                break
            yield turn.entry, self._shown(turn.entry, code)

    def _shown(self, number: int, code: str = "") -> Shown:
        entry = self.entries[number]
        stale = self.quotes.is_stale(entry.quoted)
        title = "" if stale else _in_line(excerpt.opening(entry.quoted.unit().source, entry.quoted.chunk))
        return Shown(self.item(number), title, code, elided=len(code.encode()) < entry.size, stale=stale)

    def _forms(self, number: int, *, outlined: bool = False) -> Iterator[str]:
        """None of a text that no longer stands in its file."""
        quoted = self.entries[number].quoted
        if not self.quotes.still_stands(quoted):
            return iter(())
        unit = quoted.unit(self._known(number)[1])
        return outlines(unit) if outlined else forms(unit)

    def _has_parts(self, number: int) -> bool:
        """Whether what lies inside of it stands there on its own."""
        own = self.entries[number].quoted
        return any(own.holds(one.quoted) for i, one in enumerate(self.entries) if i != number)

    def _known(self, number: int) -> tuple[Item, int]:
        """What is said about an entry, and which passage of it answers best."""
        if number not in self._told:
            entry = self.entries[number]
            if entry.match:
                told = self.ranking.told(entry.match)
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
            score=round(entry.match.score, 4) if entry.match else float(entry.section is Section.CORE),
            ppr_score=round(self.around.shares.get(quoted.id, 0.0), 6),
            reasons=reasons,
        )


class Briefer:
    """Plans packs."""

    def __init__(self, sources: Sources, webs: Webs) -> None:
        self._sources = sources
        self._webs = webs

    def plan(self, wanted: Wanted, searcher: Searcher) -> Plan:
        ranking = searcher.rank(Query(wanted.task, MATCHES, wanted.scope))
        quotes = Quotes(self._sources.root, Shelf(ranking.corpus, self._sources.held, self._sources.files))
        matches = [Entry(quotes.at(one.place), Section.CORE, one) for one in ranking.best]
        if focus := quotes.showing(wanted.focus) if wanted.focus else None:
            named = Entry(focus, Section.CORE)
            matches = [named, *(one for one in matches if one.quoted.uid != focus.uid)]
        plan = Plan(ranking, quotes, self._around(ranking, matches), MANNERS[wanted.intent])
        _Queues(plan, matches).fill()
        return plan

    def _around(self, ranking: Ranking, matches: Sequence[Entry]) -> Around:
        seeds: dict[str, float] = {}
        for one in matches:
            if len(seeds) < SEEDS:
                seeds.setdefault(one.quoted.id, one.match.score if one.match else 1.0)
        return around(self._webs.of(ranking.corpus), Elements(self._sources.files), seeds)


class _Queues:
    """Sections in waiting. An entry stands in the section that came to it first."""

    def __init__(self, plan: Plan, matches: Sequence[Entry]) -> None:
        self._plan = plan
        self._matches = matches
        self._numbers: dict[str, int] = {}
        self._whole: dict[str, list[Standing]] = {}  # by file: what is whole in its turn
        self._files: set[str] = set()
        self._passed = 0  # matches that have had their turn
        self._spent = 0

    def fill(self) -> None:
        queues = {
            Section.CORE: self._core(),
            Section.RELATED: self._related(),
            Section.DEPENDENCIES: self._dependencies(),
        }
        self._plan.turns += interleaved(queues, self._plan.manner.shares, self._cost)

    def _cost(self, turn: Turn) -> int:
        cost = self._price(turn)
        self._spent += cost
        return cost

    def _price(self, turn: Turn) -> int:
        """About how many bytes."""
        if turn.growth is Growth.CODE:
            return min(self._plan.entries[turn.entry].size, self._plan.manner.whole_up_to)
        return LINE if turn.growth is Growth.LINE else OUTLINE

    def _core(self) -> Iterator[Turn]:
        """Each enters by a line, and grows once enough is spent: else one function could be all of a small pack."""
        waiting: list[Turn] = []
        for number, match in enumerate(self._matches, 1):
            self._passed = number
            if self._is_shown(match.quoted):
                continue
            known = self._numbers.get(match.quoted.uid)
            growth = self._growth(match)
            if known is None:
                known = self._add(match)
                yield Turn(known, Growth.LINE)
            waiting.append(Turn(known, growth))
            while ready := self._ready(waiting):
                waiting.remove(ready)
                yield ready
        yield from waiting

    def _growth(self, match: Entry) -> Growth:
        """What lies in what is whole in its turn never stands there again."""
        own = match.quoted
        if any(own.holds(one.quoted) and own.uid != one.quoted.uid for one in self._plan.entries):
            return Growth.OUTLINE
        if match.size <= self._plan.manner.whole_up_to:
            self._whole.setdefault(own.path, []).append(own)
        return Growth.CODE

    def _ready(self, waiting: Sequence[Turn]) -> Turn | None:
        return next((one for one in waiting if self._price(one) * BEFORE_GROWING <= self._spent), None)

    def _related(self) -> Iterator[Turn]:
        """The best match in each file that nothing was shown of yet."""
        for number, match in enumerate(self._matches):
            if number >= self._passed and match.quoted.path not in self._files:
                yield Turn(self._add(structs.replace(match, section=Section.RELATED)), Growth.LINE)

    def _dependencies(self) -> Iterator[Turn]:
        for near in self._plan.around.ids:
            quoted = self._plan.quotes.of(near)
            if quoted and quoted.uid not in self._numbers and not self._is_shown(quoted):
                yield Turn(self._add(Entry(quoted, Section.DEPENDENCIES)), Growth.LINE)

    def _is_shown(self, quoted: Standing) -> bool:
        return any(outer.holds(quoted) for outer in self._whole.get(quoted.path, ()))

    def _add(self, entry: Entry) -> int:
        entries = self._plan.entries
        entries.append(entry)
        self._numbers[entry.quoted.uid] = len(entries) - 1
        self._files.add(entry.quoted.path)
        return len(entries) - 1


def _in_line(code: bytes) -> str:
    return " ".join(code.decode("utf-8", "replace").split())
