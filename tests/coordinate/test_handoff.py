"""What is still open after some episodes, and what comes next."""

from typing import Any

from clew.coordinate.handoff import QuestionKind, next_step, open_questions
from clew.model.fleet import StepState, Task, TaskStatus, TaskStep
from clew.model.memory import Episode, EpisodeType, Outcome
from tests.memory.telling import METADATA, a_draft, an_episode


def told(*some: tuple[str, EpisodeType, dict[str, Any]]) -> list[Episode]:
    return [an_episode(n, a_draft(content, kind, **more)) for n, (content, kind, more) in enumerate(some, 1)]


def asked(*some: tuple[str, EpisodeType, dict[str, Any]]) -> list[tuple[QuestionKind, str]]:
    return [(one.kind, one.content) for one in open_questions(told(*some))]


def error(content: str, **more: Any) -> tuple[str, EpisodeType, dict[str, Any]]:
    return content, EpisodeType.ERROR, more


def run(content: str, failed: int) -> tuple[str, EpisodeType, dict[str, Any]]:
    metadata = {**METADATA[EpisodeType.TEST_RESULT], "failed": failed}
    return content, EpisodeType.TEST_RESULT, {"metadata": metadata}


def saw(content: str, **more: Any) -> tuple[str, EpisodeType, dict[str, Any]]:
    return content, EpisodeType.OBSERVATION, more


def test_an_error_is_open_until_something_helped_or_the_same_code_succeeded() -> None:
    cured = {**METADATA[EpisodeType.ERROR], "recovery_action": "retry"}
    assert asked(error("boom", entities=("a.py",))) == [(QuestionKind.ERROR, "boom")]
    assert asked(error("boom", metadata=cured)) == []
    fixed = saw("fixed", entities=("a.py",), outcome=Outcome.SUCCESS)
    assert asked(error("boom", entities=("a.py",)), fixed) == []
    assert asked(error("boom", entities=("b.py",)), fixed) == [(QuestionKind.ERROR, "boom")]


def test_tests_are_open_if_their_last_run_failed() -> None:
    assert asked(run("two fail", 2), run("one fails", 1)) == [(QuestionKind.TESTS, "one fails")]
    assert asked(run("two fail", 2), run("all pass", 0)) == []


def test_what_failed_is_open_until_it_succeeds() -> None:
    tried = saw("tried to cache it", entities=("a.py",), outcome=Outcome.FAILURE)
    assert asked(tried) == [(QuestionKind.FAILED, "tried to cache it")]
    assert asked(tried, saw("cached", entities=("a.py",), outcome=Outcome.SUCCESS)) == []


def test_a_question_is_open_until_something_is_decided_about_the_same_code() -> None:
    asking = saw("It is slow. Does a.py::load read it twice? Perhaps.", entities=("a.py::load",))
    assert asked(asking) == [(QuestionKind.ASKED, "Does a.py::load read it twice?")]
    decided = ("read once", EpisodeType.DECISION, {"entities": ("a.py::load",)})
    assert asked(asking, decided) == []


def test_the_newest_comes_first() -> None:
    assert [content for _, content in asked(error("one", entities=("a",)), error("two", entities=("b",)))] == [
        "two",
        "one",
    ]


def test_the_next_step_is_what_is_under_way_or_else_the_first_that_waits() -> None:
    waiting, begun = TaskStep("write"), TaskStep("test", StepState.IN_PROGRESS)
    assert next_step(Task("T", "t", plan=(TaskStep("read", StepState.DONE), waiting, begun))) == "test"
    assert next_step(Task("T", "t", plan=(TaskStep("read", StepState.DONE), waiting))) == "write"
    assert next_step(Task("T", "t", plan=(TaskStep("read", StepState.SKIPPED),))) == ""
    assert next_step(Task("T", "t", status=TaskStatus.COMPLETED, plan=(waiting,))) == "", "nobody is to write any more"
