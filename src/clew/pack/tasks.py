"""Tasks of an orchestrator (C §5): the question and the budget that one makes, its context, and the prompt of both."""

from collections.abc import Mapping
from typing import Annotated, Self

from msgspec import Meta, Struct

from clew.model.search import Scope
from clew.model.words import Kind
from clew.runtime.settings import BudgetSettings

DIVERSITY = 0.5  # C §5.3
COMPLEX, SIMPLE = 8, 3  # from, and up to, which complexity a task gets more and less
MORE_IF_COMPLEX, LESS_IF_SIMPLE = 1.5, 0.7
BY_TYPE = {"ARCHITECTURE": 1.3, "BUGFIX": 0.8}


class PackTask(Struct, frozen=True):
    """`complexity` is from 1 to 10; paths, languages and kinds say where to look, if that is known."""

    id: str
    title: str
    description: str = ""
    type: str = "IMPLEMENTATION"
    complexity: Annotated[int, Meta(ge=1, le=10)] = 5
    keywords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()

    @property
    def query(self) -> str:
        return "\n".join(filter(None, [self.title, self.description, " ".join(self.keywords)]))

    @property
    def scope(self) -> Scope:
        return Scope(self.paths, self.languages, self.kinds)


class TokenBudget(Struct, frozen=True):
    """`reserve_for_prompt` is beside the context's tokens; `is_large`: it may take more of a prompt than is usual."""

    max_tokens: int
    reserve_for_prompt: int
    is_large: bool
    diversity_weight: float = DIVERSITY


class Snippet(Struct, frozen=True):
    chunk_id: str
    symbol: str
    path: str
    first_line: int
    last_line: int
    label: str
    kind: str
    score: float
    reason: str
    text: str


class TaskContext(Struct, frozen=True):
    """Context of a task: `text` is the block for a prompt, `providers` counts chunks by retriever."""

    task_id: str
    snippets: tuple[Snippet, ...]
    total_tokens: int
    providers: Mapping[str, tuple[str, ...]]
    text: str

    @classmethod
    def empty(cls, task_id: str) -> Self:
        """Context of a task that continues without Clew."""
        return cls(task_id, (), 0, {}, "")


def calculate_budget(task: PackTask, config: BudgetSettings) -> TokenBudget:
    """More for complex or architectural tasks, less for simple ones and bugs."""
    by_complexity = 1.0
    if task.complexity >= COMPLEX:
        by_complexity = MORE_IF_COMPLEX
    elif task.complexity <= SIMPLE:
        by_complexity = LESS_IF_SIMPLE
    factor = by_complexity * BY_TYPE.get(task.type.upper(), 1.0)
    most = max(round(config.default_max_tokens * factor), 1)
    is_large = 100 * most > config.warn_threshold_percent * (most + config.reserve_for_prompt)
    return TokenBudget(most, config.reserve_for_prompt, is_large)


def prompt(task: PackTask, context: TaskContext) -> str:
    """C §7.2's; without context, that without."""
    head = f"You are executing task #{task.id}: {task.title}\n"
    head += f"Description: {task.description}\n" if task.description else ""
    head += f"Type: {task.type}\nComplexity: {task.complexity}\n\n"
    if not context.snippets:
        return f"{head}Please implement this task.\n"
    return f"{head}{context.text}\n{_GUIDELINES}"


_GUIDELINES = """Guidelines:
- Prefer what <project_context> says over general knowledge.
- Name the files and functions of the context that you rely on.
- If the context is not enough, ask query_context for more.
- Keep to the patterns that the context shows.

Please implement this task using the provided context.
"""
