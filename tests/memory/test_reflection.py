"""Looking back on episodes: patterns, reflections, learnings."""

from clew.engine import Engine
from clew.memory.reflection import ReflectionSpan, patterns
from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType, Outcome
from clew.store.episodes import MOST_ENTITIES
from tests.conftest import DAY_1

from .telling import a_draft, an_episode

WHO = Identity("ann", "s1")


def kinds(*drafts: EpisodeDraft) -> list[str]:
    return [one.kind for one in patterns([an_episode(n, draft) for n, draft in enumerate(drafts, 1)])]


def an_edit(content: str = "x") -> EpisodeDraft:
    return a_draft(content, EpisodeType.EDIT)


def a_run(failed: int) -> EpisodeDraft:
    return a_draft("ran", EpisodeType.TEST_RESULT, metadata={"passed": 1, "failed": failed, "test_files": ["t.py"]})


def test_a_file_that_is_edited_three_times_is_a_hotspot() -> None:
    assert kinds(an_edit(), an_edit()) == []
    assert kinds(an_edit(), an_edit(), an_edit()) == ["hotspot"]


def test_a_decision_that_is_followed_by_failure_of_the_same_code_is_told() -> None:
    decision = a_draft("use pickle", EpisodeType.DECISION, entities=("a.py",))
    near = a_draft("crash", EpisodeType.ERROR, entities=("a.py",))
    far = a_draft("crash", EpisodeType.ERROR, entities=("z.py",))

    (sure,) = patterns([an_episode(1, decision), an_episode(2, near)])
    (unsure,) = patterns([an_episode(1, decision), an_episode(2, far)])
    assert (sure.kind, sure.evidence) == ("decision_failed", ("e1", "e2"))
    assert sure.confidence >= 0.7 > unsure.confidence
    assert patterns([an_episode(1, near), an_episode(2, decision)]) == []
    assert kinds(a_draft("use it", EpisodeType.DECISION, outcome=Outcome.FAILURE)) == ["decision_failed"]


def test_reading_the_same_again_and_again_is_told() -> None:
    told = ["login checks the token first", "login checks token first of all", "the login checks tokens first"]

    assert kinds(*map(a_draft, told)) == ["rereading"]
    assert kinds(*map(a_draft, [*told[:2], "something else"])) == []


def test_an_error_that_comes_up_again_is_told_with_what_helped() -> None:
    cured = {"error_type": "Timeout", "stack_summary": "s", "recovery_action": "retry"}
    drafts = [a_draft("slow", EpisodeType.ERROR, metadata=cured) for _ in range(2)]

    (found,) = patterns([an_episode(n, draft) for n, draft in enumerate(drafts, 1)])
    assert (found.claim, found.kind) == ("cured by retry", "repeated_error")


def tell(engine: Engine, *drafts: EpisodeDraft) -> None:
    for draft in drafts:
        engine.memory.journal.add(draft, WHO, DAY_1)


def test_a_reflection_has_its_sources_and_links_what_was_learned_to_code(engine: Engine) -> None:
    tell(engine, *(an_edit(f"edit {n}") for n in range(3)))

    made = engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1)

    kept = engine.episodes.get(made.id)
    assert kept is not None
    assert (kept.draft.type, len(kept.draft.metadata["source_episode_ids"])) == (EpisodeType.REFLECTION, 3)  # type: ignore[arg-type]  # a list
    (learning,) = engine.learnings.current(9)
    assert [one.id for one in learning.subjects] == ["a.py"]
    assert learning.confidence >= 0.7


def test_what_is_learned_of_a_thousand_files_is_no_bar_to_learning_more(engine: Engine) -> None:
    told = "the parser reads every file again"
    tell(engine, *(a_draft(told, entities=tuple(f"gen/{n}_{k}.py" for k in range(400))) for n in range(3)))
    made = engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1)
    assert len(made.learnings[0].subjects) == 1200

    tell(engine, *(an_edit(f"edit {n}") for n in range(3)))
    engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1)
    assert [len(one.subjects) for one in engine.learnings.current(9)] == [1, MOST_ENTITIES]


def test_the_same_episodes_are_reflected_on_once_and_more_of_them_strengthen(engine: Engine) -> None:
    tell(engine, *(an_edit(f"edit {n}") for n in range(3)))
    first = engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1)

    assert engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1 + 1).id == first.id
    assert [one.strength for one in engine.learnings.current(9)] == [1]

    tell(engine, an_edit("one more"))
    engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1 + 2)

    assert [one.strength for one in engine.learnings.current(9)] == [2]


def test_tests_that_pass_again_supersede_what_was_learned(engine: Engine) -> None:
    tell(engine, a_run(1), a_run(2))
    engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1)
    assert [one.claim for one in engine.learnings.current(9)] == ["fails"]

    tell(engine, a_run(0), a_run(0))
    engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1 + 1)
    assert [one.claim for one in engine.learnings.current(9)] == ["passes"]


def test_what_is_sensitive_is_not_reflected_on(engine: Engine) -> None:
    tell(engine, *(a_draft(f"edit {n}", EpisodeType.EDIT, sensitive=True) for n in range(3)))

    assert engine.memory.reflector.reflect(ReflectionSpan(), WHO, DAY_1).id == ""
