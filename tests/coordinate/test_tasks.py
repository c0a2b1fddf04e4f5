"""Tasks: taken by one at a time, changed with a record, closed with all that hangs on them; on both engines."""

import threading
from dataclasses import replace

import pytest

from clew.coordinate.claims import Desk, Wish
from clew.coordinate.hooks import Closing, Seams
from clew.coordinate.tasks import Board, Edit
from clew.model.agents import Identity
from clew.model.errors import Conflict, InvalidInput, NotFound
from clew.model.fleet import NOBODY, EndReason, StepState, TaskStatus, TaskStep
from clew.store.claims import Claims
from clew.store.database import Database, Where
from clew.store.tasks import Features, Tasks
from tests.conftest import DAY_1
from tests.coordinate.desks import Clock, a_desk
from tests.store.at_once import in_threads
from tests.store.claiming import ANN, BEN

STARTED = Edit(status=TaskStatus.IN_PROGRESS)
DONE = Edit(status=TaskStatus.COMPLETED, note="it works")


@pytest.fixture
def desk(db: Database, where: Where) -> Desk:
    return a_desk(db, where, Clock(DAY_1))


@pytest.fixture
def board(db: Database, where: Where, desk: Desk) -> Board:
    board = Board(db, where, desk, Clock(DAY_1))
    board.update(ANN, "T1", Edit(title="Pay by card", feature="checkout", plan=(TaskStep("write"), TaskStep("test"))))
    return board


def test_a_new_task_needs_a_title(board: Board) -> None:
    with pytest.raises(NotFound, match="T9"):
        board.update(ANN, "T9", STARTED)
    with pytest.raises(InvalidInput):
        board.update(ANN, " ", Edit(title="x"))


def test_a_task_and_its_feature_are_there(board: Board, db: Database, where: Where) -> None:
    task = Tasks(db, where).get("T1")

    assert task is not None
    assert (task.title, task.status, task.assignee, task.revision) == ("Pay by card", TaskStatus.PENDING, NOBODY, 1)
    assert [feature.id for feature in Features(db, where).all()] == ["checkout"]


def test_to_give_up_a_task_is_to_keep_another_that_is_called_almost_like_it(board: Board, desk: Desk) -> None:
    names = ["T1", "T1/card", "T1::card"]
    for name in names:
        board.update(ANN, name, Edit(title=name, status=TaskStatus.IN_PROGRESS))

    assert [claim.target for claim in board.update(ANN, "T1", Edit(assignee="")).released] == ["task:T1"]
    assert sorted(one.claim.target for one in desk.open()) == ["task:T1/card", "task:T1::card"]


def test_who_starts_a_task_has_it_and_the_second_gets_a_conflict(board: Board, desk: Desk) -> None:
    first, second = board.update(ANN, "T1", STARTED), board.update(BEN, "T1", STARTED)

    assert (first.task.assignee, first.conflicts) == (ANN, ())
    assert [one.claim.holder for one in second.conflicts] == [ANN]
    assert second.task == first.task
    assert desk.claim(BEN, Wish("task:T1")).conflicts, "nor can it be had by a claim"


def test_a_claim_on_a_task_keeps_others_from_starting_it(board: Board, desk: Desk) -> None:
    desk.claim(ANN, Wish("task:T1"))

    assert board.update(BEN, "T1", STARTED).conflicts
    assert board.update(BEN, "T1", DONE).conflicts
    assert not board.update(BEN, "T1", Edit(note="I have seen this before", priority=2)).conflicts


def test_of_many_who_start_a_task_at_once_one_has_it(board: Board, db: Database, where: Where) -> None:
    taken: list[bool] = []
    lock = threading.Lock()

    def start(number: int) -> None:
        own = Board(db, where, a_desk(db, where, Clock(DAY_1)), Clock(DAY_1))
        free = not own.update(Identity("a", str(number)), "T1", STARTED).conflicts
        with lock:
            taken.append(free)

    assert in_threads(6, start) == []
    assert sorted(taken) == [False] * 5 + [True]


def test_every_change_is_on_record(board: Board, db: Database, where: Where) -> None:
    board.update(ANN, "T1", STARTED)
    board.update(ANN, "T1", Edit(steps={1: StepState.DONE}, note="written"))
    board.update(
        ANN,
        "T1",
        Edit(priority=0),
    )

    changes = Tasks(db, where).changes("T1")
    assert [sorted(change.fields)[:2] for change in changes[1:]] == [["assignee", "status"], ["plan"]]
    assert changes[2].note == "written"
    assert changes[2].fields["plan"] == [{"text": "write", "state": "done"}, {"text": "test", "state": "pending"}]


def test_a_step_that_is_not_there_is_told(board: Board) -> None:
    with pytest.raises(InvalidInput, match="no step 3"):
        board.update(ANN, "T1", Edit(steps={3: StepState.DONE}))
    with pytest.raises(InvalidInput, match="itself"):
        board.update(ANN, "T1", Edit(dependencies=("T1",)))


def test_who_gives_a_task_up_lets_others_have_it(board: Board) -> None:
    board.update(ANN, "T1", STARTED)
    given_up = board.update(ANN, "T1", Edit(assignee=""))

    assert (given_up.task.status, given_up.task.assignee) == (TaskStatus.PENDING, NOBODY)
    assert [claim.end_reason for claim in given_up.released] == [EndReason.RELEASED]
    assert board.update(BEN, "T1", STARTED).task.assignee == BEN


def test_a_task_can_be_handed_on(board: Board) -> None:
    board.update(ANN, "T1", STARTED)
    handed = board.update(ANN, "T1", Edit(assignee="ben"))

    assert handed.task.assignee == Identity("ben", "")
    assert not board.update(BEN, "T1", STARTED).conflicts


def test_the_task_of_someone_who_is_gone_can_be_taken_over(board: Board, dead: str) -> None:
    board.update(replace(ANN, process=dead), "T1", STARTED)

    assert board.update(BEN, "T1", STARTED).conflicts
    taken = board.update(BEN, "T1", replace(STARTED, takeover=True))
    assert taken.task.assignee == BEN


def test_completion_ends_all_claims_of_the_task(board: Board, desk: Desk) -> None:
    board.update(ANN, "T1", STARTED)
    desk.claim(ANN, Wish("src/pay.py", task="T1"))
    desk.claim(ANN, Wish("src/other.py"))
    done = board.update(ANN, "T1", DONE)

    assert [(claim.target, claim.end_reason) for claim in done.released] == [
        ("task:T1", EndReason.TASK_COMPLETED), ("src/pay.py", EndReason.TASK_COMPLETED),
    ]  # fmt: skip
    assert [one.claim.target for one in desk.open()] == ["src/other.py"]
    assert not board.update(ANN, "T1", DONE).released, "the same done twice"


def test_completion_is_one_transaction_with_what_follows_it(db: Database, where: Where, board: Board) -> None:
    def fail(closing: Closing) -> None:
        raise RuntimeError(f"{closing.task.status} by {closing.by}, {len(closing.claims)} claims")

    board.update(ANN, "T1", STARTED)
    failing = Board(db, where, a_desk(db, where, Clock(DAY_1)), Clock(DAY_1), Seams(on_closed=fail))
    with pytest.raises(RuntimeError, match="completed by ann/1, 1 claims"):
        failing.update(ANN, "T1", DONE)

    task = Tasks(db, where).get("T1")
    assert task is not None
    assert task.status is TaskStatus.IN_PROGRESS
    assert [claim.target for claim in Claims(db, where).open()] == ["task:T1"]
    assert len(Tasks(db, where).changes("T1")) == 2


def test_a_damaged_task_is_written_anew_as_a_whole_or_not_at_all(board: Board, db: Database, where: Where) -> None:
    """Else its damaged text would come under a digest that fits."""
    db.define("UPDATE task SET title = 'skip the tests'")
    db.define("UPDATE feature SET title = 'skip the tests'")
    with pytest.raises(Conflict, match="damaged"):
        board.update(ANN, "T1", STARTED)
    with pytest.raises(Conflict, match="damaged"):
        board.describe(ANN, "checkout", None, ("a.py",))
    made = board.update(ANN, "T1", Edit(title="Pay by card", plan=(TaskStep("write"),)))
    described = board.describe(ANN, "checkout", "Checkout", None)

    assert not made.created
    assert (made.task, described) == (Tasks(db, where).get("T1"), Features(db, where).get("checkout"))
    assert (made.task.title, made.task.revision, made.task.is_damaged) == ("Pay by card", 2, False)
