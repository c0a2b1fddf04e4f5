"""The candidates of a task's briefing, in one order that does not depend on the budget, and how each of them grows.

Lines that a stack trace in the task points at are shown first.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct, structs

from clew.model.code import SCOPE
from clew.model.search import Reason
from clew.model.words import Kind
from clew.pack.around import Around, short
from clew.pack.elision import beginnings, shells, single_lines, windows
from clew.pack.fitting import FillStep
from clew.pack.items import Item, Manner, Note, Noted, Section, ShownItem
from clew.pack.matching import Match, MatchContext
from clew.pack.quoting import Worth, line_of, quote_unit, told_in_line
from clew.pack.reasons import POINTS, in_few_words
from clew.pack.shelf import Standing
from clew.retrieve import excerpt
from clew.retrieve.question import Question
from clew.text.made import HEAD, is_made

LONGEST = 80  # characters of a line that a reason tells
LEAST = 8  # characters of a line of code that a trace quotes; shorter ones stand in many places


class Pointing:
    """Of one task. Lines move from release to release: code that the trace quotes is looked for before its number."""

    def __init__(self, question: Question) -> None:
        self._frames = [(one.path.rpartition("/")[2], one.line) for one in question.frames if one.line]
        lines = (line.strip() for line in question.text.splitlines()) if self._frames else ()
        self._quoted = {line.encode() for line in lines if len(line) >= LEAST}

    def lines(self, unit: Standing) -> tuple[int, ...]:
        """In the order of the file."""
        name, span = unit.path.rpartition("/")[2], unit.chunk.span
        numbers = sorted({line for path, line in self._frames if path == name})
        if not numbers:
            return ()
        text = unit.unit().source[span.start : span.end].split(b"\n")
        quoted_lines = tuple(i for i, line in enumerate(text, span.first) if line.strip() in self._quoted)
        return quoted_lines or tuple(line for line in numbers if span.first <= line <= span.last)

    def tell_line(self, unit: Standing) -> str:
        """The first of these lines with its text, even if there is no room for the code around it."""
        first = next(iter(self.lines(unit)), 0)
        text = line_of(unit.unit().source, first) if first else ""
        short = text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
        return f"{POINTS}{first}{f': `{short}`' if short else ''}" if first else ""

    def passage(self, unit: Standing, otherwise: int) -> int:
        """The number of the one that has the first of these lines, from 1 on."""
        first = next(iter(self.lines(unit)), 0)
        found = (i for i, one in enumerate(unit.chunk.passages, 1) if one.first <= first <= one.last)
        return next(found, otherwise)


GRAPH = "graph"
CALLED = (Kind.FUNCTION, Kind.METHOD)
MOST_BEGUN = 1200  # bytes of the first lines of what is no function, in a pack that has room for nothing else
GENERATED = "a program wrote the file"
LONG_LINE = 2000  # bytes


class Entry(Struct, frozen=True):
    """What may stand in a pack, and by what right: it matches, it is near the best matches, or the caller named it.

    `within`: it is told by its name and line alone, since what is quoted is what it lies in. `context` is the label of
    a unit of the pack that lies in it, where that is why it is there. `reason` is that of what stands beside shown
    code; with `line`, that line alone is told.
    """

    match: Match
    section: Section
    within: bool = False
    context: str = ""
    reason: str = ""
    line: int = 0

    @property
    def quoted(self) -> Standing:
        return self.match.quoted

    @property
    def id(self) -> str:
        return self.match.id

    @property
    def size(self) -> int:
        return 0 if self.within else self.quoted.size


class Growth(StrEnum):
    """The form of an entry from a turn on: a line, all of it but the units inside of it, all of it."""

    LINE = "line"
    SHELL = "shell"
    WHOLE = "whole"


class Turn(Struct, frozen=True):
    """Of a form that is longer than `most` bytes, so many lines of it as fit, the most relevant ones; 0 is no limit."""

    entry: int
    growth: Growth
    most: int = 0


class Plan:
    """`entries` are in the order of their first turn. Descriptions and text of code are made when it is shown."""

    def __init__(self, context: MatchContext, found: Around, manner: Manner, question: Question) -> None:
        self.entries: list[Entry | Note] = []
        self.turns: list[Turn] = []
        self.context = context
        self.around = found
        self.manner = manner
        self._worth = Worth(question.terms)
        self._pointing = Pointing(question)
        self._told: dict[int, tuple[Item, int]] = {}
        self._titles: dict[int, str] = {}

    @property
    def best(self) -> str:
        """The id of the code to start at; empty if there is none."""
        return next((one.quoted.id for one in self.entries if isinstance(one, Entry)), "")

    @property
    def task(self) -> str:
        return next((one.id for one in self.entries if isinstance(one, Note) and one.section is Section.PLAN), "")

    def steps(self) -> Iterator[FillStep[ShownItem | Noted]]:
        """All entries grow in turn, until each is whole. Forms too large to show are never built."""
        for turn in self.turns:
            yield from self._grow(turn)
        grown = {turn.entry: turn for turn in self.turns}
        for number in sorted(grown, key=self._lateness):
            yield from self._grow(self._last(grown[number]))

    def _lateness(self, number: int) -> tuple[bool, int, int]:
        """Sort key: the shortest first; minified code, which fits as a whole or not at all, comes last."""
        entry = self.entries[number]
        lines = entry.quoted.chunk.span.last - entry.quoted.chunk.span.first + 1 if isinstance(entry, Entry) else 1
        return entry.size > LONG_LINE * lines, entry.size, number

    def _last(self, turn: Turn) -> Turn:
        entry = self.entries[turn.entry]
        if isinstance(entry, Note):
            return Turn(turn.entry, Growth.WHOLE if entry.text else Growth.LINE)
        if entry.within or (turn.growth is Growth.LINE and self._is_part(turn.entry, entry)):
            return turn
        is_shell = turn.growth is Growth.SHELL or self._has_parts(turn.entry, entry)
        return Turn(turn.entry, Growth.SHELL if is_shell else Growth.WHOLE)

    def _grow(self, turn: Turn) -> Iterator[FillStep[ShownItem | Noted]]:
        entry = self.entries[turn.entry]
        if isinstance(entry, Note):
            yield FillStep(turn.entry, Noted(entry, turn.growth is Growth.WHOLE))
        elif turn.growth is Growth.LINE or not self.context.shelf.still_stands(entry.quoted):
            yield FillStep(turn.entry, self._show_entry(turn.entry, entry))
        else:
            stages: Iterable[ShownItem | Noted] = ()
            if turn.most or entry.quoted.chunk.scope:
                stages = _Stages(self, entry, turn)
            whole = excerpt.whole(entry.quoted.unit().source, entry.quoted.chunk)
            if turn.growth is Growth.WHOLE and not 0 < turn.most < len(whole.encode()):
                yield FillStep(turn.entry, self._show_entry(turn.entry, entry, whole), stages)
            else:
                yield from (FillStep(turn.entry, stage) for stage in stages)

    def stages(self, entry: Entry, turn: Turn) -> Iterator[ShownItem]:
        """Ever longer forms of an entry, as far as its turn allows."""
        for code in self._forms(turn.entry, entry, turn.growth):
            if turn.most and len(code.encode()) > turn.most:
                break
            yield self._show_entry(turn.entry, entry, code)

    def _forms(self, number: int, entry: Entry, growth: Growth) -> Iterator[str]:
        """Ever longer, each with all lines of the one before; none of a text that no longer stands in its file."""
        unit = entry.quoted.unit(self._item_and_passage(number, entry)[1])
        first = self._pointing.lines(entry.quoted)
        if growth is Growth.WHOLE:
            return windows(unit, self._worth.of, first, without=self._unsaid(entry.quoted, first))
        return shells(unit, self._worth.of, first)

    def _unsaid(self, own: Standing, first: Sequence[int]) -> frozenset[int]:
        """Lines between symbols that contain no term of the task: shown only when the file is shown whole."""
        if own.chunk.scope:
            return frozenset()
        span = own.chunk.span
        lines = own.unit().source[span.start : span.end].decode("utf-8", "replace").split("\n")
        return frozenset(i for i, line in enumerate(lines, span.first) if i not in first and not self._worth.of(line))

    def start_steps(self) -> Iterator[FillStep[ShownItem | Noted]]:
        """The code to start at and the claims on it, for packs without room for more."""
        number = next((i for i, one in enumerate(self.entries) if isinstance(one, Entry)), -1)
        if number < 0:
            return
        for i, note in enumerate(self.entries[:number]):
            if isinstance(note, Note) and note.section is Section.BLOCKERS:
                yield FillStep(i, Noted(note, full=False))
        entry = self.entries[number]
        assert isinstance(entry, Entry)
        for code in ("", *self._few_lines(number, entry)):
            yield FillStep(number, self._show_entry(number, entry, code))

    def _few_lines(self, number: int, entry: Entry) -> Iterator[str]:
        """From its opening on, ever more of it: of a function the lines that say most of the task, else the first."""
        if not self.context.shelf.still_stands(entry.quoted):
            return
        unit = entry.quoted.unit(self._item_and_passage(number, entry)[1])
        folded = excerpt.fold(unit.source, unit.chunk)
        made = [*beginnings(unit, len(folded)), folded]
        if unit.chunk.kind in CALLED:
            first = self._pointing.lines(entry.quoted)
            made += [*single_lines(unit, self._worth.of, first), *windows(unit, self._worth.of, first)]
        else:
            made += [*beginnings(unit, MOST_BEGUN), excerpt.whole(unit.source, unit.chunk)]
        yield from sorted(dict.fromkeys(made), key=len)

    def points_at(self, unit: Standing) -> bool:
        """Whether the task points at a line of it."""
        return bool(self._pointing.lines(unit))

    def _show_entry(self, number: int, entry: Entry, code: str = "") -> ShownItem:
        stale = self.context.shelf.is_stale(entry.quoted)
        item, passage = self._item_and_passage(number, entry)
        source, chunk = entry.quoted.unit().source, entry.quoted.chunk
        if entry.within:
            return ShownItem(item, "" if stale else line_of(entry.quoted.file_text(), item.first_line), stale=stale)
        if number not in self._titles:
            self._titles[number] = "" if stale else told_in_line(source, chunk, self._worth, passage)
        elided = len(code.encode()) < entry.size
        return ShownItem(
            item, self._titles[number], quote_unit(source, chunk, code) if code else "", elided=elided, stale=stale
        )

    def _is_part(self, number: int, entry: Entry) -> bool:
        """Whether it lies inside another unit of the pack."""
        others = (
            one for i, one in enumerate(self.entries) if i != number and isinstance(one, Entry) and not one.within
        )
        return any(one.quoted.holds(entry.quoted) for one in others)

    def _has_parts(self, number: int, entry: Entry) -> bool:
        """Whether units inside it are items of the pack themselves."""
        others = (
            one for i, one in enumerate(self.entries) if i != number and isinstance(one, Entry) and not one.within
        )
        return any(entry.quoted.holds(one.quoted) for one in others)

    def _item_and_passage(self, number: int, entry: Entry) -> tuple[Item, int]:
        """The item of an entry, and the passage of it that answers best."""
        if number not in self._told:
            if entry.reason:
                evidence = entry.match.evidence
                item = self._item(entry, entry.reason, evidence.explain().reasons if evidence else ())
                at_line = structs.replace(item, first_line=entry.line, last_line=entry.line)
                self._told[number] = at_line if entry.line else item, 0
            elif entry.match.evidence and entry.id not in self.around.asked:
                ranked, unit = entry.match.evidence.explain(), entry.quoted
                few = in_few_words(ranked.reasons, unit.label.rpartition(".")[2], unit.chunk.span)
                reason = self._pointing.tell_line(unit) or few if few.startswith(POINTS) else few
                passage = self._pointing.passage(unit, ranked.passage)
                self._told[number] = self._item(entry, reason, ranked.reasons), passage
            elif entry.context:
                self._told[number] = self._item(entry, f"holds {entry.context}", ()), 0
            elif entry.id in self.around.ids or entry.section in (Section.DEPENDENCIES, Section.TESTS):
                before = {one.id for one in self.entries[:number] if isinstance(one, Entry)}
                why = self.around.why(entry.id, before)
                route = Reason(GRAPH, why.way, round(self.around.shares.get(entry.id, 0.0), 6))
                item = structs.replace(self._item(entry, why.reason, (route,)), edge=why.edge)
                self._told[number] = _at_line(item, entry.id) if entry.within else item, 0
            else:
                self._told[number] = self._item(entry, "named in the request", ()), 0
        return self._told[number]

    def _item(self, entry: Entry, reason: str, reasons: tuple[Reason, ...]) -> Item:
        unit, chunk = entry.quoted, entry.quoted.chunk
        return Item(
            id=entry.id,
            chunk_id=unit.uid,
            path=unit.path,
            first_line=chunk.span.first,
            last_line=chunk.span.last,
            kind=chunk.kind,
            language=unit.held.content.language,
            label=unit.label,
            section=entry.section,
            reason=f"{reason}; {GENERATED}" if is_made(unit.opened.text(HEAD)) else reason,
            score=round(entry.match.score, 4),
            ppr_score=round(self.around.shares.get(entry.id, 0.0), 6),
            reasons=reasons,
        )


class _Stages(Struct, frozen=True, eq=False):
    """The forms of an entry, made each time that they are read."""

    plan: Plan
    entry: Entry
    turn: Turn

    def __iter__(self) -> Iterator[ShownItem | Noted]:
        return self.plan.stages(self.entry, self.turn)


def _at_line(item: Item, id: str) -> Item:
    """The item at the line of its evidence, with the name of its symbol."""
    line = item.edge.line if item.edge else item.first_line
    own = f"{short(id)} {item.reason}" if SCOPE in id else item.reason
    return structs.replace(item, first_line=line, last_line=line, reason=own)
