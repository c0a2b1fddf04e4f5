"""In which order what may stand in a briefing comes in and grows: sections in waiting, which take turns."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from clew.pack.fitting import LINE
from clew.pack.items import Note, Section
from clew.pack.matching import Match
from clew.pack.order import interleaved
from clew.pack.plan import OUTLINE, PART, Entry, Growth, Plan, Turn
from clew.pack.remembered import NO_MEMORIES, Memories
from clew.pack.shelf import Standing

BEFORE_GROWING = 0.5  # of what the code of an item costs, that must have been spent on others

_Turns = list[Turn]  # that are taken together
_Entering = tuple[_Turns, _Turns]  # what an entry comes in by, and what it grows in
_NOTHING_NOW: _Entering = ([], [])


class Queues:
    """Sections in waiting. An entry stands in the section that came to it first."""

    def __init__(self, plan: Plan, memories: Memories) -> None:
        self._plan = plan
        self._matches = [Entry(one, Section.CORE) for one in _in_order(plan)]
        self._memories = memories
        self._met: set[str] = set()  # ids of notes: one may be about more than one thing
        self._learned = self._new(memories.learned)
        self._numbers: dict[str, int] = {}
        self._whole: dict[str, list[Standing]] = {}  # by file: what is whole in its turn
        self._standing: dict[str, list[Standing]] = {}  # by file: what stands there in any form
        self._passed = 0  # matches that have had their turn
        self._spent = 0
        self._parted = -1  # the entry of which a part is there before all of it

    def fill(self) -> None:
        queues: dict[Section, Iterator[_Turns | None]] = {
            Section.CORE: self._growing(self._matching()),
            Section.RELATED: self._related(),
            Section.DEPENDENCIES: self._dependencies(),
        }
        if self._memories is not NO_MEMORIES:  # which would be asked for after everything that comes in
            queues |= {
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
            price = min(self._plan.entries[turn.entry].size, self._plan.manner.whole_up_to)
            return price - (PART if turn.entry == self._parted else 0)
        if turn.growth is Growth.PART:
            return PART
        return LINE if turn.growth is Growth.LINE else OUTLINE

    def _matching(self) -> Iterator[_Entering]:
        for number, match in enumerate(self._matches, 1):
            self._passed = number
            if self._is_shown(match.quoted):
                continue
            known = self._numbers.get(match.quoted.uid)
            growth = self._growth(match)
            turns = self._add(match) if known is None else []
            entry = turns[-1].entry if known is None else known
            yield turns, [*(self._part(entry) if number == 1 else ()), Turn(entry, growth)]

    def _part(self, best: int) -> _Turns:
        """Of the best match, some lines long before all of it: so that a small pack shows more of it than its name."""
        size = self._plan.entries[best].size
        if size <= PART:
            return []
        self._parted = best if size <= self._plan.manner.whole_up_to else -1
        return [Turn(best, Growth.PART)]

    def _growing(self, entering: Iterator[_Entering | None]) -> Iterator[_Turns | None]:
        """Each enters by a line, and grows once enough is spent: else one function could be all of a small pack."""
        waiting: list[Turn] = []
        for one in entering:
            lines, growth = one or _NOTHING_NOW
            if lines:
                yield lines
            waiting += growth
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
            if quoted is None or (quoted.symbol == near and quoted.uid in self._numbers):
                continue
            if quoted.symbol == near and not self._is_shown(quoted):
                yield self._add(Entry(Match(quoted, 0.0), Section.DEPENDENCIES))
            elif near in self._plan.around.asked or self._is_untold_test(near, quoted):  # which is told even so
                self._plan.entries.append(Entry(Match(quoted, 0.0, named=near), Section.DEPENDENCIES, within=True))
                yield [Turn(len(self._plan.entries) - 1, Growth.LINE)]

    def _is_untold_test(self, near: str, quoted: Standing) -> bool:
        return near in self._plan.around.covering and quoted.path not in self._standing

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
        return [Turn(number, Growth.LINE)], [Turn(number, Growth.WHOLE)] if note.text else []

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


def _in_order(plan: Plan) -> list[Match]:
    """The best first; before it what the task asks about, unless the caller names something."""
    best = plan.begun.best
    return best if plan.begun.named else sorted(best, key=lambda one: one.id != plan.around.about.id)
