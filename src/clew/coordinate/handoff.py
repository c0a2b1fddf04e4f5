"""The state of work for a handoff: open questions, and the next step. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.memory.contracts import files_of
from clew.model.fleet import StepState, Task
from clew.model.memory import Episode, EpisodeType, Outcome

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_UNSETTLED = (Outcome.FAILURE, Outcome.PARTIAL)


class QuestionKind(StrEnum):
    ERROR = "error"  # nothing helped against it
    TESTS = "failing_tests"  # their last run failed
    FAILED = "failed"  # and nothing about the same code has succeeded since
    ASKED = "asked"  # a question that was written down, and no decision about the same code came after it


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """Something that an episode left open."""

    kind: QuestionKind
    content: str
    episode: Episode


def open_questions(episodes: Sequence[Episode]) -> list[UnansweredQuestion]:
    """Open questions in episodes, newest first; episodes come in recorded order."""
    found = [
        UnansweredQuestion(kind, content, one)
        for at, one in enumerate(episodes)
        for kind, content in _left_open(one, episodes[at + 1 :])
    ]
    return found[::-1]


def next_step(task: Task) -> str:
    """The step in progress, or else the next pending one; None if all is done, or the task is closed."""
    if task.is_closed:
        return ""
    for state in (StepState.IN_PROGRESS, StepState.PENDING):
        for step in task.plan:
            if step.state is state:
                return step.text
    return ""


def _left_open(one: Episode, later: Sequence[Episode]) -> list[tuple[QuestionKind, str]]:
    draft = one.draft
    if draft.type is EpisodeType.TEST_RESULT:
        again = any(other.draft.type is draft.type and _same_files(one, other) for other in later)
        return [(QuestionKind.TESTS, draft.content)] if draft.metadata.get("failed") and not again else []
    if draft.type is EpisodeType.ERROR:
        settled = draft.metadata.get("recovery_action") or _has_success(one, later)
        return [] if settled else [(QuestionKind.ERROR, draft.content)]
    if draft.outcome in _UNSETTLED:
        return [] if _has_success(one, later) else [(QuestionKind.FAILED, draft.content)]
    decided = any(other.draft.type is EpisodeType.DECISION and _same_code(one, other) for other in later)
    told = [] if decided or draft.type is EpisodeType.REFLECTION else _SENTENCES.split(draft.content)
    return [(QuestionKind.ASKED, sentence.strip()) for sentence in told if sentence.rstrip().endswith("?")]


def _has_success(one: Episode, later: Sequence[Episode]) -> bool:
    return any(_is_success(other) and _same_code(one, other) for other in later)


def _is_success(one: Episode) -> bool:
    passed = one.draft.type is EpisodeType.TEST_RESULT and not one.draft.metadata.get("failed")
    return one.draft.outcome is Outcome.SUCCESS or passed


def _same_files(one: Episode, other: Episode) -> bool:
    return bool(set(files_of(one.draft)) & set(files_of(other.draft)))


def _same_code(one: Episode, other: Episode) -> bool:
    """By their entities; if one has none, by their session."""
    if not one.draft.entities or not other.draft.entities:
        return one.who == other.who
    return bool(set(one.draft.entities) & set(other.draft.entities))
