"""Tasks of an orchestrator: their budgets, their context, and going on without."""

from pathlib import Path

import pytest

import clew
from clew.model.errors import IndexMissing
from clew.pack.tasks import PackTask, TaskContext, calculate_budget, prompt
from clew.runtime.settings import BudgetSettings
from clew.surfaces.library import Workspace
from clew.text.tokens import estimate

BASE = BudgetSettings()


def of(**told: object) -> PackTask:
    return PackTask("7", "Reject expired tokens", **told)  # type: ignore[arg-type]  # named by each test


@pytest.mark.parametrize(
    ("complexity", "type", "expected"),
    [
        (5, "IMPLEMENTATION", 1500),
        (8, "IMPLEMENTATION", 2250),
        (10, "ARCHITECTURE", 2925),
        (3, "IMPLEMENTATION", 1050),
        (1, "BUGFIX", 840),
        (4, "bugfix", 1200),
    ],
)
def test_a_budget_is_by_complexity_and_type(complexity: int, type: str, expected: int) -> None:
    assert calculate_budget(of(complexity=complexity, type=type), BASE).max_tokens == expected


def test_a_budget_that_fills_most_of_a_prompt_is_large() -> None:
    assert not calculate_budget(of(), BASE).is_large
    assert calculate_budget(of(complexity=9), BASE).is_large


def test_the_question_is_made_of_all_that_is_told() -> None:
    task = of(description="They still pass.", keywords=("bearer", "login"))

    assert task.query == "Reject expired tokens\nThey still pass.\nbearer login"


def test_a_task_gets_its_context_inside_of_its_budget(workspace: Workspace) -> None:
    context = workspace.get_task_context(of(complexity=1, type="BUGFIX"))

    assert context.task_id == "7"
    assert 0 < estimate(context.text) == context.total_tokens <= 840
    assert context.snippets[0].path == "tokens.py"
    assert {one.chunk_id for one in context.snippets} >= {one for some in context.providers.values() for one in some}
    assert "full_text" in context.providers


def test_a_task_s_hints_say_where_to_look(workspace: Workspace) -> None:
    context = workspace.get_task_context(of(paths=("guide.md",)))

    assert {one.path for one in context.snippets} == {"guide.md"}


def test_the_prompt_holds_the_context_and_how_to_use_it(workspace: Workspace) -> None:
    task = of(description="They still pass.")
    text = prompt(task, workspace.get_task_context(task))

    assert text.startswith("You are executing task #7: Reject expired tokens\nDescription: They still pass.\n")
    assert text.index("<project_context>") < text.index("Guidelines:")


def test_without_context_the_prompt_is_the_plain_one() -> None:
    assert "project_context" not in prompt(of(), TaskContext.empty("7"))


def test_a_caller_goes_on_without_context_where_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = 1\n", "utf-8")
    with clew.open(tmp_path) as empty:
        assert empty.get_task_context(of()) == TaskContext.empty("7")
    (tmp_path / "context.toml").write_text("fallback_enabled = false\n", "utf-8")
    with clew.open(tmp_path) as strict, pytest.raises(IndexMissing):
        strict.get_task_context(of())


def test_a_project_that_is_switched_off_gives_none(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_text("enabled = false\nfallback_enabled = false\n", "utf-8")
    with clew.open(tmp_path) as off:
        assert off.get_task_context(of()) == TaskContext.empty("7")
