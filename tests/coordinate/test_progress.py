"""What waits for what, and what is in the way."""

from hypothesis import given
from hypothesis import strategies as st

from clew.coordinate.claims import ClaimState, ClaimWithState
from clew.coordinate.progress import Filter, IssueKind, Waiting, cycles, issues, waits_for
from clew.model.fleet import Task, TaskStatus
from tests.store.claiming import ANN, BEN, a_claim


def board(**dependencies: str) -> dict[str, Task]:
    return {name: Task(name, name, dependencies=tuple(others.split())) for name, others in dependencies.items()}


def test_a_task_waits_for_what_is_not_completed() -> None:
    tasks = board(a="b c gone", b="", c="") | {"b": Task("b", "b", status=TaskStatus.COMPLETED)}

    assert waits_for(tasks["a"], tasks) == ("c", "gone")
    assert Waiting(tasks).held_up("c") == ("a",)


def test_tasks_that_wait_for_each_other_are_found_once() -> None:
    tasks = board(a="b", b="c", c="a", d="a", e="f", f="e", g="")

    assert cycles(tasks) == [("a", "b", "c"), ("e", "f")]
    assert Waiting(tasks).held_up("a") == ("b", "c", "d")


@given(st.dictionaries(st.sampled_from("abcdef"), st.text("abcdef", max_size=3)))
def test_a_cycle_is_what_leads_back_to_itself(drawn: dict[str, str]) -> None:
    tasks = board(**{name: " ".join(others) for name, others in drawn.items()})
    inside = {name for group in cycles(tasks) for name in group}

    assert all(name in tasks for name in inside)
    assert (not inside) == _can_be_done(tasks)


def _can_be_done(tasks: dict[str, Task]) -> bool:
    """Whether all can be completed one after the other, what is unknown left aside."""
    left = {name: set(task.dependencies) & tasks.keys() for name, task in tasks.items()}
    while free := [name for name, others in left.items() if not others]:
        left = {name: others - set(free) for name, others in left.items() if name not in free}
    return not left


def test_what_is_in_the_way_is_told_the_worst_first() -> None:
    tasks = board(a="b", b="a", c="missing") | {
        "d": Task("d", "d", status=TaskStatus.BLOCKED),
        "e": Task("e", "e", files=("src/pay.py",), assignee=ANN),
        "f": Task("f", "f", dependencies=("e",)),
    }
    held = [
        ClaimWithState(a_claim("src", id="1", holder=BEN, intent="tidy up"), ClaimState.ACTIVE),
        ClaimWithState(a_claim("lib", id="2"), ClaimState.ABANDONED),
        ClaimWithState(a_claim("src/pay.py", id="3"), ClaimState.STALE),
    ]
    found = issues(tasks, held, {"d": "no key"})

    assert [one.kind for one in found] == list(IssueKind)
    assert [one.detail for one in found[1:3]] == ["no key", "src is held by ben/1: tidy up"]


def test_a_filter_takes_all_that_it_does_not_exclude() -> None:
    task = Task("T1", "Pay by card", feature="checkout", assignee=ANN)

    fitting = [
        Filter(), Filter(status=(TaskStatus.PENDING,)), Filter(feature="checkout", assignee="ann"),
        Filter(assignee="ann/1", text="CARD pay"),
    ]  # fmt: skip
    others = [Filter(status=(TaskStatus.BLOCKED,)), Filter(feature="x"), Filter(assignee="ben"), Filter(text="cash")]
    assert [one.fits(task) for one in fitting + others] == [True] * 4 + [False] * 4


def test_an_unmet_dependency_says_who_has_it_and_what_it_holds_up() -> None:
    tasks = board(a="b", b="c", c="") | {"c": Task("c", "c", status=TaskStatus.IN_PROGRESS, assignee=ANN)}
    found = {one.tasks: one for one in issues(tasks, [], {})}

    assert found[("c",)].kind is IssueKind.UNMET_DEPENDENCY
    assert found[("c",)].detail == f"c is in progress, assigned to {ANN}, and others wait for it"
    assert found[("c",)].holds_up == ("a", "b")
    assert found[("b",)].detail == "b is pending, assigned to nobody, and others wait for it"
