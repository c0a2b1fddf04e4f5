"""The order in which a task's pack fills: the items that it needs, by value, for every budget.

Sections take turns by their shares. Code comes whole, the most valuable first; tests and documents have small shares,
and so have items of a single line.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct, structs

from clew.model.code import SCOPE
from clew.model.words import CLASSES
from clew.pack.companions import Companion, documents_beside, tests_beside
from clew.pack.fitting import LINE
from clew.pack.items import NO_MEMORIES, Memories, Note, Section
from clew.pack.matching import Match, Role
from clew.pack.order import interleave
from clew.pack.plan import CALLED, Entry, Growth, Plan, Turn
from clew.pack.shelf import Standing
from clew.pack.siblings import find_typical
from clew.retrieve.question import Question, understand
from clew.text.paths import is_test_path

SMALL_CLASS = 1200  # bytes; a larger one is shown without its members, which have turns of their own
SHELL = 800  # bytes of what a class has beside its members
BETWEEN_SYMBOLS = 600  # bytes of what stands outside of all symbols: imports, constants, a license
LEAST_SHOWN, COMPLETED = 2, 1 / 4  # members of a class; what is missing of it is shown, too, if it is so much of these
BEFORE_TESTS = 2  # units of code that come before the line of a test
SOON = 5  # units that have their turn next: what they are of is no further file
WITH_TESTS, WITH_DOCUMENTS = 3, 5  # units of code beside which tests and documents are looked for
MOST_BESIDE = 6  # documents and settings beside the code
LONGEST_NOTE = 1600  # bytes of a note that is shown whole in its turn
# Fitted on changed functions of seven repositories and their issues: docs/packs.md.
BY_RANK, BY_SHARE, IF_CALLED, IF_POINTED_AT = -0.9, 2.3, 2.6, 3.0
IF_IN_HEADLINE, IF_NAMED = 4.0, 1.5  # the first line of a task names it, or its body; or the class that it is of
FEW_NAMESAKES = 3  # of one name among the matches; of many, none is meant for sure
IF_TYPICAL, TYPICAL_RANK = 4.0, 5  # of the unit to imitate, if the task asks for another one; its rank is at least so
UNRANKED = 200  # the rank of what only the graph leads to

_Turns = list[Turn]  # that are taken together


class Valued(Struct, frozen=True, eq=False):
    """Code that may be shown, and how much speaks for it."""

    match: Match
    section: Section
    value: float
    reason: str = ""  # if it is no match of words, nor of the graph


class Selection:
    """Sections in waiting. An entry stands in the section that came to it first."""

    def __init__(self, plan: Plan, question: Question, memories: Memories) -> None:
        self._plan = plan
        self._memories = memories
        best = _in_order(plan)
        self._code = value_entries(plan, question, best)
        self._tests = [one for one in best if one.role is Role.TEST and not one.named]
        self._documents = [one for one in best if one.role is Role.DOCUMENT and not one.named]
        self._met: set[str] = set()  # ids of notes: one may be about more than one thing
        self._learned = self._new(memories.learned)
        self._numbers: dict[str, int] = {}
        self._whole: dict[str, list[Standing]] = {}  # by file: what is whole in its turn
        self._grown: dict[str, list[Standing]] = {}  # by file: units with some of their code
        self._standing: dict[str, list[Standing]] = {}  # by file: what stands there in any form
        self._classes: dict[str, Standing | None] = {}  # by id
        self._inside: dict[str, list[Standing]] = {}  # members, by the class
        self._test_turns = self._related_tests()
        self._has_first_test = False
        self._passed = 0  # units of code that have had their turn

    def fill(self) -> None:
        queues: dict[Section, Iterator[_Turns | None]] = {
            Section.CORE: self._units(),
            Section.DEPENDENCIES: self._neighbors(),
            Section.TESTS: self._further_tests(),
            Section.DOCUMENTS: self._related_documents(),
            Section.RELATED: self._further_files(),
        }
        if self._memories is not NO_MEMORIES:  # which would be asked for after everything that comes in
            queues |= {
                Section.DECISIONS: self._decisions(),
                Section.PLAN: self._notes(self._memories.plan),
                Section.EPISODES: self._notes(self._memories.episodes),
            }
        for turns in interleave(queues, self._plan.manner.shares, self._cost):
            self._plan.turns += turns
        self._number_by_turns()

    def _number_by_turns(self) -> None:
        """So that the items of a small pack are the first of a larger one."""
        plan = self._plan
        order = list(dict.fromkeys(turn.entry for turn in plan.turns))
        numbers = {old: new for new, old in enumerate(order)}
        plan.entries[:] = [plan.entries[old] for old in order]
        plan.turns[:] = [structs.replace(turn, entry=numbers[turn.entry]) for turn in plan.turns]

    def _cost(self, turns: _Turns) -> int:
        return sum(map(self._price, turns))

    def _price(self, turn: Turn) -> int:
        """About how many bytes."""
        if turn.growth is Growth.LINE:
            return LINE
        size = self._plan.entries[turn.entry].size
        return min(size, turn.most) if turn.most else size

    def _units(self) -> Iterator[_Turns]:
        """Each whole, the most valuable first."""
        for number, unit in enumerate(self._code, 1):
            self._passed = number
            if not self._is_shown(unit.match.quoted):
                turns = self._enter(Entry(unit.match, unit.section, reason=unit.reason))
                yield [*turns, self._growth(turns[-1].entry, unit.match.quoted)]
                yield from self._context(unit.match.quoted)
                yield from self._complete_class(unit.match.quoted)
            if number > BEFORE_TESTS:
                self._has_first_test = True
            if number == min(BEFORE_TESTS, len(self._code)) and (test := next(self._test_turns, None)):
                yield test
        self._has_first_test = True

    def _growth(self, entry: int, own: Standing) -> Turn:
        """Units inside one that is shown whole are not shown again."""
        has_inner = any(own.holds(one) and own.uid != one.uid for one in self._grown.get(own.path, ()))
        self._grown.setdefault(own.path, []).append(own)
        is_class = _has_units(own) and own.chunk.kind not in CALLED
        if has_inner or (is_class and own.size > SMALL_CLASS):
            return Turn(entry, Growth.SHELL, SHELL)
        most = self._plan.manner.whole_up_to
        if not own.chunk.scope:
            most = min(most, BETWEEN_SYMBOLS)
        if own.size <= most:
            self._whole.setdefault(own.path, []).append(own)
        return Turn(entry, Growth.WHOLE, most)

    def _class_around(self, own: Standing) -> Standing | None:
        """The class that a unit stands in directly."""
        scope = own.chunk.scope.rpartition(SCOPE)[0]
        if not scope:
            return None
        outer = f"{own.path}{SCOPE}{scope}"
        if outer not in self._classes:
            around = self._plan.context.shelf.chunk_of(outer)
            self._classes[outer] = around if around and around.chunk.kind in CLASSES else None
        return self._classes[outer]

    def _context(self, own: Standing) -> Iterator[_Turns]:
        """The class around a unit, in a line."""
        around = self._class_around(own)
        if around and around.uid not in self._numbers and not self._is_shown(around):
            known = next((one for one in self._code if one.match.quoted.uid == around.uid), None)
            match, reason = (known.match, known.reason) if known else (Match(around, 0.0), "")
            entry = Entry(match, Section.CORE, context="" if known else own.label, reason=reason)
            yield self._enter(entry)

    def _complete_class(self, own: Standing) -> Iterator[_Turns]:
        """The remaining members of a class that is mostly shown, and the class's own lines."""
        around = self._class_around(own)
        if around is None or self._is_shown(around):
            return
        whole = [one.size for one in self._whole.get(own.path, ()) if around.holds(one)]
        if len(whole) < LEAST_SHOWN or sum(whole) * (1 + COMPLETED) < around.size:
            return
        members = self._members(around)
        missing = [one for one in members if not self._is_shown(one)]
        shown = sum(one.size for one in members) - sum(one.size for one in missing)
        shell = around.size - sum(one.size for one in members)
        if len(members) - len(missing) < LEAST_SHOWN or sum(one.size for one in missing) + shell > shown * COMPLETED:
            return
        known = {one.match.quoted.uid: one for one in self._code}
        for member in missing:
            valued = known.get(member.uid)
            entry = Entry(valued.match, valued.section, reason=valued.reason) if valued else None
            turns = self._enter(entry or Entry(Match(member, 0.0), Section.CORE, reason=f"completes {around.label}"))
            yield [*turns, self._growth(turns[-1].entry, member)]
        if around.uid in self._numbers:
            yield [Turn(self._numbers[around.uid], Growth.SHELL, SHELL)]

    def _members(self, around: Standing) -> list[Standing]:
        """The units directly in a class, in the order of the file."""
        if around.uid not in self._inside:
            found: list[Standing] = []
            for one in self._plan.context.shelf.behind(around):
                if not around.holds(one):
                    break
                if not (found and found[-1].holds(one)):
                    found.append(one)
            self._inside[around.uid] = found
        return self._inside[around.uid]

    def _further_files(self) -> Iterator[_Turns]:
        """The best match in each file that nothing was shown of yet."""
        for number, unit in enumerate(self._code):
            is_neighbor = unit.match.id in self._plan.around.ids
            if number >= self._passed + SOON and unit.match.quoted.path not in self._standing and not is_neighbor:
                yield self._enter(Entry(unit.match, Section.RELATED, reason=unit.reason))

    def _neighbors(self) -> Iterator[_Turns]:
        """In a line each."""
        for near in self._plan.around.ids:
            quoted = self._plan.context.shelf.chunk_of(near)
            is_asked = near in self._plan.around.asked
            is_known = quoted is None or (quoted.symbol == near and quoted.uid in self._numbers)
            if quoted is None or is_known or (not is_asked and is_test_path(quoted.path)):
                continue
            if quoted.symbol == near and not self._is_shown(quoted):
                yield self._enter(Entry(Match(quoted, 0.0), Section.DEPENDENCIES))
            elif is_asked:  # which is told even so
                yield self._by_its_line(near, quoted, Section.DEPENDENCIES)

    def _by_its_line(self, near: str, quoted: Standing, section: Section) -> _Turns:
        self._plan.entries.append(Entry(Match(quoted, 0.0, named=near), section, within=True))
        return [Turn(len(self._plan.entries) - 1, Growth.LINE)]

    def _further_tests(self) -> Iterator[_Turns | None]:
        """Behind the one that comes with the first units."""
        while not self._has_first_test:
            yield None
        yield from self._test_turns

    def _related_tests(self) -> Iterator[_Turns]:
        """Tests that surely call the best matches; those of the shown code by history and name; others that match.

        The first ones are told in a line each before any is shown as a whole.
        """
        told: list[Match] = []
        for near in self._plan.around.covering:
            quoted = self._plan.context.shelf.chunk_of(near)
            if quoted is not None and quoted.symbol == near:
                told.append(Match(quoted, 0.0))
                yield from self._in_a_line(Entry(told[-1], Section.TESTS))
            elif quoted is not None and quoted.path not in self._standing:
                self._numbers[quoted.uid] = len(self._plan.entries)
                yield self._by_its_line(near, quoted, Section.TESTS)
        matching = [one.quoted for one in self._tests]
        files = {one.match.quoted.path: one.match.quoted for one in reversed(self._code[:WITH_TESTS])}
        for own in reversed(files.values()):
            for test in tests_beside(self._plan.context.web, self._plan.context.shelf, own, matching):
                if test.quoted.path not in self._standing:
                    told.append(self._beside(test, Section.TESTS).match)
                    yield from self._in_a_line(self._beside(test, Section.TESTS))
        yield from self._whole_ones(self._tests[:1], Section.TESTS)
        yield from self._grown_ones(told)
        yield from self._whole_ones(self._tests, Section.TESTS)

    def _related_documents(self) -> Iterator[_Turns]:
        """The best match among documents, then settings and documents beside the shown code, in a line each."""
        first = self._documents[:1]
        for match in first:
            yield from self._in_a_line(Entry(match, Section.DOCUMENTS))
        told: list[Match] = []
        for one in islice(self._documents_beside(), MOST_BESIDE):
            entry = self._beside(one, Section.DOCUMENTS)
            if not entry.line:
                told.append(entry.match)
            yield from self._in_a_line(entry)
        yield from self._grown_ones([*first, *told])
        yield from self._whole_ones(self._documents, Section.DOCUMENTS)

    def _documents_beside(self) -> Iterator[Companion]:
        plan, met = self._plan, set[tuple[str, int]]()
        units = [one.match.quoted for one in self._code[:WITH_DOCUMENTS]]
        for one in documents_beside(plan.context.web, plan.context.shelf, units):
            if (one.quoted.uid, one.line) not in met and one.quoted.uid not in self._numbers:
                met.add((one.quoted.uid, one.line))
                yield one

    def _beside(self, one: Companion, section: Section) -> Entry:
        return Entry(Match(one.quoted, 0.0), section, within=one.line > 0, reason=one.reason, line=one.line)

    def _in_a_line(self, entry: Entry) -> Iterator[_Turns]:
        if entry.within:
            self._plan.entries.append(entry)
            yield [Turn(len(self._plan.entries) - 1, Growth.LINE)]
        elif entry.quoted.uid not in self._numbers and not self._is_shown(entry.quoted):
            yield self._enter(entry)

    def _grown_ones(self, told: Iterable[Match]) -> Iterator[_Turns]:
        for match in told:
            number = self._numbers.get(match.quoted.uid)
            if number is not None and not self._is_shown(match.quoted):
                yield [self._growth(number, match.quoted)]

    def _whole_ones(self, matches: Sequence[Match], section: Section) -> Iterator[_Turns]:
        for match in matches:
            if match.quoted.uid not in self._numbers and not self._is_shown(match.quoted):
                turns = self._enter(Entry(match, section))
                yield turns
                yield [self._growth(turns[-1].entry, match.quoted)]

    def _decisions(self) -> Iterator[_Turns | None]:
        """Decisions and learnings about the code shown so far, the best first; None while there are none."""
        decided = list(self._memories.decisions)
        while True:
            waiting = [*decided[:1], *self._learned]
            best = min(waiting, key=lambda one: (-one.score, one.id), default=None)
            if best is None:
                yield None
            else:
                (decided if best in decided else self._learned).remove(best)
                yield from self._notes([best])

    def _notes(self, notes: Iterable[Note]) -> Iterator[_Turns]:
        for note in notes:
            number = self._note(note)
            yield [Turn(number, Growth.LINE)]
            if note.text and note.size <= min(LONGEST_NOTE, self._plan.manner.whole_up_to):
                yield [Turn(number, Growth.WHOLE)]

    def _new(self, notes: Iterable[Note]) -> list[Note]:
        found = {note.id: note for note in notes if note.id not in self._met}
        self._met |= found.keys()
        return [*found.values()]

    def _is_shown(self, quoted: Standing) -> bool:
        return any(outer.holds(quoted) for outer in self._whole.get(quoted.path, ()))

    def _enter(self, entry: Entry) -> _Turns:
        """As one line, after the claims of others on it, so that no reader misses these."""
        known = self._numbers.get(entry.quoted.uid)
        if known is not None:
            return [Turn(known, Growth.LINE)]
        held = [
            Turn(self._note(one), Growth.LINE) for one in self._new(self._memories.code.in_the_way(entry.quoted.id))
        ]
        self._learned += self._new(self._memories.code.about(entry.quoted.id))
        entries = self._plan.entries
        entries.append(entry)
        self._numbers[entry.quoted.uid] = len(entries) - 1
        self._standing.setdefault(entry.quoted.path, []).append(entry.quoted)
        return [*held, Turn(len(entries) - 1, Growth.LINE)]

    def _note(self, note: Note) -> int:
        self._plan.entries.append(note)
        return len(self._plan.entries) - 1


def value_entries(plan: Plan, question: Question, best: Sequence[Match]) -> list[Valued]:
    """Matching code and its graph neighborhood; the caller's named element and the subject of the task come first."""
    shares = plan.around.shares
    most = max(shares.values(), default=0.0) or 1.0
    names = {part for name in question.names for part in name}
    headline = {name[-1] for name in understand(question.text.partition("\n")[0]).names}
    typical = find_typical(plan.context.web.corpus, plan.context.shelf, question.text, best)
    imitated = {one.uid for one in typical.units} if typical else set[str]()
    labels = Counter(_own_name(one.quoted) for one in best)

    def value_of_name(own: Standing) -> float:
        name = _own_name(own)
        if name in headline and labels[name] <= FEW_NAMESAKES:
            return IF_IN_HEADLINE
        outer = own.chunk.scope.split(SCOPE)[:-1]
        return IF_NAMED if name in names or not names.isdisjoint(outer) else 0.0

    def value(match: Match, rank: int) -> float:
        own = match.quoted
        rank = min(rank, TYPICAL_RANK) if own.uid in imitated else rank
        found = BY_RANK * math.log(rank + 1) + BY_SHARE * math.sqrt(shares.get(own.id, 0.0) / most) + value_of_name(own)
        found += IF_CALLED if own.chunk.kind in CALLED else 0.0
        found += IF_TYPICAL if own.uid in imitated else 0.0
        return found + (IF_POINTED_AT if plan.points_at(own) else 0.0)

    matching = list(enumerate(one for one in best if one.role is Role.CODE or one.named))
    met = {one.quoted.uid for one in best}
    near = (plan.context.shelf.chunk_of(near) for near in plan.around.ids)
    found = [Valued(one, Section.CORE, value(one, rank)) for rank, one in matching]
    for own in near:
        if own is not None and own.uid not in met and own.symbol and not is_test_path(own.path):
            met.add(own.uid)
            found.append(Valued(Match(own, 0.0), Section.DEPENDENCIES, value(Match(own, 0.0), UNRANKED)))
    if typical:
        known = {one.match.quoted.uid: one for one in found}
        for own in typical.units:
            new = Valued(Match(own, 0.0), Section.CORE, value(Match(own, 0.0), UNRANKED))
            known[own.uid] = structs.replace(known.get(own.uid, new), reason=typical.reason)
        found = [*known.values()]
    ahead = {one.id for one in best if one.named} | {plan.around.about.id}
    return sorted(found, key=lambda one: (one.match.id not in ahead, -one.value, one.match.quoted.uid))


def _has_units(own: Standing) -> bool:
    """As `Unit.has_units`, without reading its text."""
    following = own.held.chunks[own.ordinal + 1 : own.ordinal + 2]
    return any(one.span.start < own.chunk.span.end for one in following)


def _own_name(own: Standing) -> str:
    return own.label.rpartition(".")[2]


def _in_order(plan: Plan) -> list[Match]:
    """The best first; the subject of the task precedes them, unless the caller names an element."""
    best = plan.context.best
    return best if plan.context.named else sorted(best, key=lambda one: one.id != plan.around.about.id)
