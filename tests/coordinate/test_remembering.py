"""What claims and tasks leave behind in memory, in one transaction with themselves; on both engines."""

from collections.abc import Iterator

import pytest

from clew.coordinate.claims import Wish
from clew.coordinate.tasks import Edit
from clew.engine import Engine
from clew.memory.recall import RecallQuery
from clew.memory.reflection import Reflector
from clew.model.fleet import StepState, TaskStatus, TaskStep
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Outcome
from clew.store.episodes import MOST_ENTITIES
from tests.conftest import Repository
from tests.store.claiming import ANN

DONE = Edit(status=TaskStatus.COMPLETED, note="cents are rounded")


@pytest.fixture
def engine(repository: Repository, backend: str) -> Iterator[Engine]:
    repository.write("src/pay.py", "def charge(): ...\n")
    with Engine.open(repository.root) as engine:
        engine.index()
        engine.fleet.board.update(ANN, "T1", Edit(title="Round to cents", status=TaskStatus.IN_PROGRESS))
        yield engine


def episodes(engine: Engine) -> list[Episode]:
    return engine.episodes.latest(100)


def test_the_outcome_of_a_release_is_an_episode_about_the_target(engine: Engine) -> None:
    claim = engine.fleet.desk.claim(ANN, Wish("src/pay.py::charge", "round", "T1")).claim
    assert claim is not None
    engine.fleet.desk.release(ANN, claim.id, "it rounds now")
    engine.fleet.desk.release(ANN, claim.id, "twice")

    (episode,) = episodes(engine)
    said = "src/pay.py::charge (round): it rounds now"
    assert (episode.draft.type, episode.draft.content, episode.who) == (EpisodeType.OBSERVATION, said, ANN)
    assert (episode.draft.task_id, episode.draft.entities) == ("T1", ("src/pay.py::charge",))
    assert episode.subjects[0].is_known


def test_the_outcome_of_a_release_is_found_by_what_it_was_about(engine: Engine) -> None:
    engine.fleet.desk.claim(ANN, Wish("src/pay.py", "no more fractions"))
    engine.fleet.desk.release(ANN, "src/pay.py", "done")

    for question in ("what happened with pay.py", "fractions"):
        (found,) = engine.memory.recall.find(RecallQuery(question))
        assert found.episode.draft.content == "src/pay.py (no more fractions): done"


def test_a_release_that_says_nothing_leaves_nothing(engine: Engine) -> None:
    engine.fleet.desk.claim(ANN, Wish("src/pay.py"))
    engine.fleet.desk.release(ANN, "src/pay.py")

    assert episodes(engine) == []


@pytest.mark.parametrize(
    "edit",
    [
        Edit(status=TaskStatus.COMPLETED, note="  "),
        Edit(status=TaskStatus.FAILED, description=" "),
        Edit(status=TaskStatus.COMPLETED, files=tuple(f"gen/{n}.py::run" for n in range(1200))),
    ],
)
def test_a_task_can_be_closed_whatever_it_says_and_is_about(engine: Engine, edit: Edit) -> None:
    engine.fleet.board.update(ANN, "T1", edit)

    (decision,) = episodes(engine)
    assert decision.draft.metadata["rationale"] == "Round to cents"
    assert len(decision.subjects) <= MOST_ENTITIES


def test_completion_reflects_and_is_a_decision_that_succeeded(engine: Engine) -> None:
    engine.fleet.desk.claim(ANN, Wish("src/pay.py", task="T1"))
    engine.memory.journal.add(EpisodeDraft(EpisodeType.OBSERVATION, "it was off by one", task_id="T1"), ANN, 1)
    engine.fleet.board.update(ANN, "T1", DONE)

    _, reflection, decision = episodes(engine)
    assert reflection.draft.type is EpisodeType.REFLECTION
    assert (decision.draft.type, decision.draft.outcome) == (EpisodeType.DECISION, Outcome.SUCCESS)
    assert decision.draft.metadata["affected_files"] == ["src/pay.py"]
    assert decision.draft.metadata["rationale"] == "cents are rounded"


def test_completion_remembers_which_steps_were_left_open(engine: Engine) -> None:
    plan = (TaskStep("write it", StepState.DONE), TaskStep("test it"))
    engine.fleet.board.update(ANN, "T1", Edit(plan=plan, status=TaskStatus.COMPLETED, note="cents are rounded"))

    said = "Round to cents: completed. Steps left open: test it. cents are rounded"
    assert episodes(engine)[-1].draft.content == said


def test_a_task_that_failed_is_a_decision_that_failed_and_a_cancelled_one_is_none(engine: Engine) -> None:
    engine.fleet.board.update(ANN, "T1", Edit(status=TaskStatus.FAILED))
    engine.fleet.board.update(ANN, "T2", Edit(title="Another"))
    engine.fleet.board.update(ANN, "T2", Edit(status=TaskStatus.CANCELLED))

    assert [one.draft.outcome for one in episodes(engine)] == [Outcome.FAILURE]


def test_where_reflection_fails_nothing_of_the_completion_is_done(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(Reflector, "reflect", fail)
    with pytest.raises(RuntimeError):
        engine.fleet.board.update(ANN, "T1", DONE)

    task = engine.fleet.lookout.tasks.get("T1")
    assert task is not None
    assert task.status is TaskStatus.IN_PROGRESS
    assert [one.claim.target for one in engine.fleet.desk.open()] == ["task:T1"]
    assert episodes(engine) == []
