"""Episodes with only what a test cares about spelled out."""

from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Subject

METADATA: dict[EpisodeType, dict[str, object]] = {
    EpisodeType.DECISION: {"title": "t", "rationale": "r", "tradeoffs": [], "affected_files": ["a.py"]},
    EpisodeType.EDIT: {"file": "a.py", "diff_summary": "d", "lines_before": 1, "lines_after": 2, "reason": "r"},
    EpisodeType.TEST_RESULT: {"passed": 1, "failed": 0, "test_files": ["t.py"]},
    EpisodeType.ERROR: {"error_type": "KeyError", "stack_summary": "s"},
}


def a_draft(content: str, type: EpisodeType = EpisodeType.OBSERVATION, **more: object) -> EpisodeDraft:
    told = {"metadata": METADATA.get(type, {}), **more}
    return EpisodeDraft(type, content, **told)  # type: ignore[arg-type]  # the fields of a draft


def an_episode(
    number: int, draft: EpisodeDraft, *, agent: str = "ann", session: str = "s1", previous: int = 0
) -> Episode:
    subjects = tuple(Subject(node) for node in draft.entities)
    return Episode(number, f"e{number}", Identity(agent, session), draft, draft.occurred_at, previous, subjects)
