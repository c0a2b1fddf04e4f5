"""What may stand in a task's briefing, in one order, and how each of it grows; whatever the budget."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial

from msgspec import Struct, structs

from clew.model.code import SCOPE
from clew.model.search import Reason
from clew.model.words import Kind
from clew.pack.around import Around, short
from clew.pack.builder import Begun
from clew.pack.elision import forms, outlines
from clew.pack.fitting import Step
from clew.pack.items import Item, Manner, Note, Noted, Section, ShownItem
from clew.pack.matching import Match
from clew.pack.pointing import Pointing
from clew.pack.quoting import Worth, line_of, quoted, told_in_line
from clew.pack.reasons import POINTS, in_few_words
from clew.pack.shelf import Standing
from clew.pack.windows import windows
from clew.retrieve import excerpt
from clew.retrieve.question import Question
from clew.text.made import HEAD, is_made

GRAPH = "graph"
CALLED = (Kind.FUNCTION, Kind.METHOD)
GENERATED = "a program wrote the file"
PART = 800  # bytes of the best match that are shown before all of it is
OUTLINE = 600  # bytes that what stands around others in the pack may take, itself being left out


class Entry(Struct, frozen=True):
    """What may stand in a pack, and by what right: it matches, it is near the best matches, or the caller named it.

    `within`: it is told by its name and line alone, since what is quoted is what it lies in.
    """

    match: Match
    section: Section
    within: bool = False

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
    """What an entry comes to in its turn: a line, some lines, an outline beside parts that stand alone, all of it."""

    LINE = "line"
    PART = "part"
    OUTLINE = "outline"
    WHOLE = "whole"


class Turn(Struct, frozen=True):
    entry: int
    growth: Growth


class Plan:
    """`entries` are in the order of their first turn. What is said of code, and its text, is made when it is shown."""

    def __init__(self, begun: Begun, found: Around, manner: Manner, question: Question) -> None:
        self.entries: list[Entry | Note] = []
        self.turns: list[Turn] = []
        self.begun = begun
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
        """The id of the task whose plan is in it; empty if there is none."""
        return next((one.id for one in self.entries if isinstance(one, Note) and one.section is Section.PLAN), "")

    def steps(self) -> Iterator[Step[ShownItem | Noted]]:
        """One after the other; at last everything is whole. What many would show is never asked for."""
        for turn in self.turns:
            yield from self._grown(turn)
        grown = {turn.entry: turn.growth for turn in self.turns}
        for number, growth in grown.items():
            entry = self.entries[number]
            if isinstance(entry, Note):
                if entry.text and (growth is Growth.LINE or entry.size > self.manner.whole_up_to):
                    yield number, partial(Noted, entry, full=True)
            elif growth is not Growth.OUTLINE and not entry.within:
                for code in self._forms(number, entry, outlined=self._has_parts(number, entry)):
                    if growth is Growth.LINE or len(code.encode()) > self.manner.whole_up_to:
                        yield number, partial(self._shown, number, entry, code)

    def parts(self) -> Iterator[tuple[int, Iterator[Step[ShownItem | Noted]]]]:
        """Of each match ever more lines, for what is left where no more steps fit."""
        for number, entry in enumerate(self.entries):
            if isinstance(entry, Entry) and entry.section is not Section.DEPENDENCIES:
                codes = self._windows(number, entry, entry.size)
                yield number, ((number, partial(self._shown, number, entry, code)) for code in codes)

    def _grown(self, turn: Turn) -> Iterator[Step[ShownItem | Noted]]:
        entry = self.entries[turn.entry]
        if isinstance(entry, Note):
            full = turn.growth is Growth.WHOLE
            if not full or entry.size <= self.manner.whole_up_to:
                yield turn.entry, partial(Noted, entry, full)
            return
        codes: Iterable[str] = ("",)
        if turn.growth is Growth.PART:
            codes = self._windows(turn.entry, entry, PART)
        elif turn.growth is Growth.WHOLE and entry.size <= self.manner.whole_up_to:
            codes = self._whole(entry)
        elif turn.growth is not Growth.LINE:
            codes = self._forms(turn.entry, entry, outlined=turn.growth is Growth.OUTLINE)
        most = self.manner.whole_up_to
        for code in codes:
            if len(code.encode()) > (min(OUTLINE, most) if turn.growth is Growth.OUTLINE else most):  # ever longer
                break
            yield turn.entry, partial(self._shown, turn.entry, entry, code)

    def _shown(self, number: int, entry: Entry, code: str = "") -> ShownItem:
        stale = self.begun.shelf.is_stale(entry.quoted)
        item, passage = self._known(number, entry)
        source, chunk = entry.quoted.unit().source, entry.quoted.chunk
        if entry.within:
            return ShownItem(item, "" if stale else line_of(entry.quoted.file_text(), item.first_line), stale=stale)
        if number not in self._titles:
            self._titles[number] = "" if stale else told_in_line(source, chunk, self._worth, passage)
        elided = len(code.encode()) < entry.size
        return ShownItem(
            item, self._titles[number], quoted(source, chunk, code) if code else "", elided=elided, stale=stale
        )

    def _forms(self, number: int, entry: Entry, *, outlined: bool = False) -> Iterator[str]:
        """None of a text that no longer stands in its file; nor its first line alone, which tells it already."""
        if not self.begun.shelf.still_stands(entry.quoted):
            return iter(())
        unit = entry.quoted.unit(self._known(number, entry)[1])
        made = outlines(unit) if outlined else forms(unit)
        is_line = unit.chunk.kind is Kind.MODULE or b"\n" not in excerpt.opening(unit.source, unit.chunk)
        says_nothing = excerpt.folded(unit.source, unit.chunk) if is_line else ""
        return (text for text in made if text != says_nothing or text == excerpt.whole(unit.source, unit.chunk))

    def _whole(self, entry: Entry) -> Iterator[str]:
        """Or nothing: what does not fit in its turn is shown by parts, if there is room at last."""
        if self.begun.shelf.still_stands(entry.quoted):
            yield excerpt.whole(entry.quoted.unit().source, entry.quoted.chunk)

    def _windows(self, number: int, entry: Entry, most: int) -> Iterator[str]:
        """The lines of it that say most of the task; of a class its outline, if that is not too long."""
        if not self.begun.shelf.still_stands(entry.quoted):
            return
        unit = entry.quoted.unit(self._known(number, entry)[1])
        outline = [*outlines(unit)][-1:] if unit.has_units and entry.quoted.chunk.kind not in CALLED else []
        if outline and len(outline[0].encode()) <= most:
            yield from outline
        else:
            first = self._pointing.lines(entry.quoted)
            yield from windows(unit, self._worth.of, most, first)

    def _has_parts(self, number: int, entry: Entry) -> bool:
        """Whether what lies inside of it stands there on its own."""
        others = (
            one for i, one in enumerate(self.entries) if i != number and isinstance(one, Entry) and not one.within
        )
        return any(entry.quoted.holds(one.quoted) for one in others)

    def _known(self, number: int, entry: Entry) -> tuple[Item, int]:
        """What is said about an entry, and which passage of it answers best."""
        if number not in self._told:
            if entry.match.told:
                told, quoted = entry.match.told(), entry.quoted
                few = in_few_words(told.reasons, quoted.label.rpartition(".")[2], quoted.chunk.span)
                reason = self._pointing.told(quoted) or few if few.startswith(POINTS) else few
                passage = self._pointing.passage(quoted, told.passage)
                self._told[number] = self._item(entry, reason, told.reasons), passage
            elif entry.section is Section.DEPENDENCIES:
                before = {one.id for one in self.entries[:number] if isinstance(one, Entry)}
                why = self.around.why(entry.id, before.__contains__)
                route = Reason(GRAPH, why.way, round(self.around.shares.get(entry.id, 0.0), 6))
                item = structs.replace(self._item(entry, why.reason, (route,)), edge=why.edge)
                self._told[number] = _at_line(item, entry.id) if entry.within else item, 0
            else:
                self._told[number] = self._item(entry, "named in the request", ()), 0
        return self._told[number]

    def _item(self, entry: Entry, reason: str, reasons: tuple[Reason, ...]) -> Item:
        quoted, chunk = entry.quoted, entry.quoted.chunk
        return Item(
            id=entry.id,
            chunk_id=quoted.uid,
            path=quoted.path,
            first_line=chunk.span.first,
            last_line=chunk.span.last,
            kind=chunk.kind,
            language=quoted.held.content.language,
            label=quoted.label,
            section=entry.section,
            reason=f"{reason}; {GENERATED}" if is_made(quoted.opened.text(HEAD)) else reason,
            score=round(entry.match.score, 4),
            ppr_score=round(self.around.shares.get(entry.id, 0.0), 6),
            reasons=reasons,
        )


def _at_line(item: Item, id: str) -> Item:
    """Where the evidence stands, and whose it is."""
    line = item.edge.line if item.edge else item.first_line
    own = f"{short(id)} {item.reason}" if SCOPE in id else item.reason
    return structs.replace(item, first_line=line, last_line=line, reason=own)
