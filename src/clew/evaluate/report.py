"""The request and the report of an evaluation."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

CASES = 100  # of each task, if nobody says how many
TUNING_CASES = 200  # likewise, to fit and to report


class EvaluationTask(StrEnum):
    COMMITS = "commits"
    DOCSTRINGS = "docstrings"


class QuerySource(StrEnum):
    """How much of a commit's message is the query."""

    MESSAGE = "message"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class Request:
    """`base` is a revision, or empty to have one chosen; `keep` is where the checkout stays, if it is to stay."""

    repository: Path
    tasks: tuple[EvaluationTask, ...] = tuple(EvaluationTask)
    base: str = ""
    cases: int = CASES
    asked: QuerySource = QuerySource.MESSAGE
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class EvaluationStep:
    """How far an evaluation is."""

    doing: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Case:
    """A query, and the files and functions that are right. In order of time, so that they can be split by it."""

    id: str
    query: str
    time: int  # seconds since the epoch; 0 where there is none
    files: tuple[str, ...]
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over cases, and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RankerScores:
    cases: int
    recall_1: Figure
    recall_5: Figure
    recall_10: Figure
    mrr: Figure


@dataclass(frozen=True, slots=True)
class QueryCost:
    """Latency and CPU time of one query."""

    mean_ms: float
    p95_ms: float
    cpu_ms: float  # mean, over all threads and programs that were started


@dataclass(frozen=True, slots=True)
class RankerResult:
    """How one ranker did; where no case has a function for its answer, there are no figures of functions."""

    ranker: str
    files: RankerScores
    functions: RankerScores | None
    cost: QueryCost | None


@dataclass(frozen=True, slots=True)
class RankerLead:
    """By how much Clew is better than another ranker, case by case."""

    over: str
    files: RankerScores
    functions: RankerScores | None


@dataclass(frozen=True, slots=True)
class Ranks:
    """At which rank each right answer came, in the order of the case; 0 if not among those that count."""

    files: tuple[int, ...]
    functions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case, and its ranks by ranker."""

    case: Case
    ranks: Mapping[str, Ranks]


@dataclass(frozen=True, slots=True)
class TaskReport:
    task: EvaluationTask
    wanted: int
    files: int  # that are ranked
    functions: int
    left_out: Mapping[str, int]
    standings: tuple[RankerResult, ...]
    leads: tuple[RankerLead, ...]
    cases: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    base: str
    tasks: tuple[TaskReport, ...]
    notes: tuple[str, ...]
    index_seconds: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some cases that follow each other: how many, and when the first and the last were committed, in seconds."""

    cases: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Weight:
    """Weight of a retriever. `fixed_by` names the setting that excluded it from fitting, if any."""

    retriever: str
    before: float
    after: float
    fixed_by: str


@dataclass(frozen=True, slots=True)
class Tuning:
    """Weights fitted to the earlier cases, and how they do on the later ones, which decide nothing.

    `held_out` is the gain of the objective on each third of the earlier cases, by weights fitted to the other two;
    `folds` has it by third.
    Without weights that moved there is nothing `after`.
    """

    base: str
    fitted: Stretch
    reported: Stretch
    weights: tuple[Weight, ...]
    objective_before: float
    objective_after: float
    held_out: Figure
    folds: tuple[float, ...]
    before: RankerResult
    after: RankerResult | None
    gain: RankerLead | None
    stored: str  # where; empty if no weight moved
    removed: bool  # whether weights that were tuned before are gone
    notes: tuple[str, ...]

    @property
    def is_changed(self) -> bool:
        return self.after is not None
