"""Claims, tasks, features and notes as of another time: each answer is the one that was given then."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from clew.coordinate.claims import Wish
from clew.coordinate.fleet import Fleet
from clew.coordinate.tasks import Edit
from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.errors import ClewError
from clew.model.fleet import NOBODY, StepState, TaskStatus, TaskStep
from clew.model.memory import AgentNote, NoteScope
from clew.model.time import FOREVER, NOW, AsOf
from clew.runtime.settings import FleetSettings
from clew.store.claims import Sessions
from clew.store.digests import DAMAGED
from clew.store.notes import Notes
from clew.store.tasks import Tasks
from tests.conftest import DAY_1
from tests.coordinate.desks import Clock

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")
MINUTE = 60_000_000  # microseconds
TARGETS = ("a.py", "src/b.py::f", "src")
IDS = ("T1", "T2", "T3")


class Story:
    """Random work of two agents, each step a minute after the one before."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.clock = Clock(DAY_1)
        self.random = random.Random(seed)
        self.engine = engine
        number = iter(range(10**6))
        self.fleet = Fleet(
            engine.db, engine.where, engine.place.root, FleetSettings(), self.clock, lambda: f"c{next(number)}"
        )
        self.notes = Notes(engine.db, engine.where)

    def step(self) -> None:
        self.clock.now += MINUTE
        who, pick = self.random.choice((ANN, BEN)), self.random.choice
        edit = pick([
            Edit(title=f"title {self.clock.now}", plan=(TaskStep("one"), TaskStep("two")), feature=pick(("pay", ""))),
            Edit(status=pick(list(TaskStatus)), note="because"),
            Edit(assignee=pick(("ann", "ben", "")), priority=self.random.randint(-2, 2)),
            Edit(dependencies=(pick(IDS),), files=(pick(TARGETS),), steps={1: pick(list(StepState))}),
            Edit(note="only a note"),
        ])  # fmt: skip
        steps: list[Callable[[], object]] = [
            lambda: self.fleet.desk.claim(who, Wish(pick(TARGETS), "to work", pick(("", *IDS)))),
            lambda: self.fleet.desk.release(who, pick(TARGETS), "it is done"),
            lambda: self.fleet.board.update(who, pick(IDS), edit),
            lambda: self.fleet.board.update(who, pick(IDS), edit),
            lambda: self.fleet.board.describe(who, "pay", pick(("Payments", None)), pick((("a.py",), None))),
            lambda: self._note(who),
        ]
        with suppress(ClewError):  # nobody holds it, or it does not exist yet: that, too, is a state
            pick(steps)()

    def _note(self, who: Identity) -> None:
        name = self.random.choice(("build", "style"))
        old = self.notes.find(NoteScope.SHARED, "", name)
        if old:
            self.notes.end(old, self.clock.now, "changed")
        if not old or self.random.random() < 0.7:
            at = self.clock.now
            self.notes.put(AgentNote(f"n{at}", NoteScope.SHARED, who, f"note {at}", name, known_from=at))

    def state(self, at: AsOf = NOW) -> dict[str, Any]:
        """All that is told of the fleet, but for what is not recorded: how claims stand, and when holders were seen."""
        overview = self.fleet.lookout.overview(at)
        return {
            "held": [
                (one.claim.id, one.claim.target, one.claim.holder, one.claim.ended_at, one.claim.outcome)
                for one in overview.held
            ],
            "total": overview.total_claims,
            "counts": overview.tasks,
            "members": sorted(str(one.holder) for one in overview.members),
            "tasks": self.fleet.lookout.tasks.all(at),
            "features": self.fleet.features.all(at),
            "ended": [(one.id, one.outcome) for one in self.fleet.lookout.agent(ANN, at).ended],
            "of_task": [one.id for task in IDS for one in self.fleet.claims.of_task(task, at)],
            "issues": [(one.kind, one.detail, one.tasks) for one in self.fleet.lookout.issues(at)],
            "notes": self.notes.open(NoteScope.SHARED, "", at),
        }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_every_time_of_a_random_story_answers_what_was_true_then(engine: Engine, seed: int) -> None:
    story = Story(engine, seed)
    told = {story.clock.now: story.state()}
    for _ in range(60):
        story.step()
        told[story.clock.now] = story.state()

    for moment, then in told.items():
        for within in (moment, moment + MINUTE - 1):  # until the next thing happens, nothing changes
            assert story.state(AsOf(within, NOW.known)) == then
        assert story.state(AsOf(NOW.valid, moment)) == then  # known as soon as it is true: the earlier clock decides
        assert story.state(AsOf(moment + MINUTE, moment)) == then


def test_a_claim_that_ended_since_is_open_then(engine: Engine) -> None:
    story = Story(engine, 0)
    claim = story.fleet.desk.claim(ANN, Wish("a.py", "to round")).claim
    assert claim is not None
    made = claim.since
    engine.db.define(f"UPDATE agent_session SET since = {made}, digest = ''")
    story.clock.now += MINUTE
    story.fleet.desk.release(ANN, "a.py", "rounded")
    (then,) = story.fleet.claims.open(AsOf(made, NOW.known))
    (member,) = story.fleet.lookout.overview(AsOf(made, NOW.known)).members

    assert story.fleet.claims.open() == []
    assert (then.target, then.ended_at, then.outcome, then.intent) == ("a.py", FOREVER, "", "to round")
    assert (member.holder, member.claims, member.gone) == (ANN, 1, False)
    assert story.fleet.claims.open(AsOf(made - 1, NOW.known)) == []
    assert story.fleet.lookout.overview(AsOf(made - 1, NOW.known)).members == ()


def test_a_session_that_ended_later_was_not_gone_then(engine: Engine) -> None:
    sessions = Sessions(engine.db, engine.where)
    sessions.mark_seen(ANN, DAY_1)
    engine.db.define(f"UPDATE agent_session SET ended_at = {DAY_1 + MINUTE}, end_digest = ''")
    gone = [
        [one.ended_at < FOREVER for one in sessions.all(DAY_1 + 9 * MINUTE, AsOf(DAY_1 + n * MINUTE, NOW.known))]
        for n in (0, 1, 2)
    ]

    assert gone == [[False], [True], [True]]


def test_a_damaged_change_makes_the_past_task_damaged_until_it_is_written_again(engine: Engine) -> None:
    tasks, story = Tasks(engine.db, engine.where), Story(engine, 0)
    story.fleet.board.update(ANN, "T1", Edit(title="Pay", assignee="ann"))
    engine.db.define('UPDATE task_change SET fields = \'{"title":"planted"}\'')
    story.clock.now += MINUTE
    story.fleet.board.update(ANN, "T1", Edit(note="go on"))
    engine.db.define("UPDATE task_change SET at = 1, digest = '' WHERE number = 2")
    engine.db.define("UPDATE task_change SET at = 0 WHERE number = 1")

    (then,) = tasks.all(AsOf(1, NOW.known))
    assert (then.title, then.is_damaged, then.assignee, then.revision) == (DAMAGED, True, NOBODY, 2)
