"""Tasks and features at rest, on both engines."""

from msgspec.structs import replace

from clew.model.fleet import Feature, StepState, Task, TaskStatus, TaskStep
from clew.store.database import Database, Where
from clew.store.tasks import Features, Tasks
from tests.conftest import DAY_1, DAY_2
from tests.store.claiming import ANN, BEN

TASK = Task(
    "T1", "Pay by card", "…", "checkout", TaskStatus.IN_PROGRESS, ANN, 3, ("T0",),
    (TaskStep("write"), TaskStep("test", StepState.DONE)), ("src/pay.py",), DAY_1, DAY_1, 1,
)  # fmt: skip


def test_a_task_comes_back_as_it_is_now_with_all_its_changes(db: Database, where: Where) -> None:
    tasks = Tasks(db, where)
    later = replace(TASK, status=TaskStatus.COMPLETED, changed_at=DAY_2, revision=2)
    with db.transaction():
        tasks.put(TASK, ANN, {"title": "Pay by card"}, "")
        tasks.put(later, BEN, {"status": "completed"}, "it works")

    assert tasks.get("T1") == later
    assert tasks.get("T2") is None
    assert [(change.by, change.fields, change.note) for change in tasks.changes("T1")] == [
        (ANN, {"title": "Pay by card"}, ""),
        (BEN, {"status": "completed"}, "it works"),
    ]


def test_tasks_come_by_importance_and_age(db: Database, where: Where) -> None:
    tasks = Tasks(db, where)
    with db.transaction():
        for name, priority, created in (("b", 0, DAY_1), ("a", 0, DAY_2), ("c", 5, DAY_2)):
            tasks.put(Task(name, name, priority=priority, created_at=created), ANN, {}, "")

    assert [task.id for task in tasks.all()] == ["c", "b", "a"]


def test_a_feature_keeps_when_it_was_made(db: Database, where: Where) -> None:
    features = Features(db, where)
    with db.transaction():
        features.put(Feature("checkout", "Checkout", (), DAY_1))
        features.put(Feature("checkout", "The checkout", ("src/pay.py",), DAY_2))

    assert features.get("checkout") == Feature("checkout", "The checkout", ("src/pay.py",), DAY_1)
    assert len(features.all()) == 1
