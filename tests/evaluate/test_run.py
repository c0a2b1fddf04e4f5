from pathlib import Path

import pytest

from clew import engine, projects
from clew.evaluate.rankers import FunctionExclusion
from clew.evaluate.report import Evaluation, EvaluationStep, EvaluationTask, QuerySource, Request
from clew.model.errors import NotFound
from clew.model.search import Query

from .conftest import Past


def evaluated(past: Past, *tasks: EvaluationTask, base: str = "", keep: Path | None = None) -> Evaluation:
    request = Request(past.repository.root, tasks or tuple(EvaluationTask), base, 100, QuerySource.MESSAGE, keep)
    return projects.evaluate(request, lambda step: None)


def first_commit(past: Past) -> str:
    return past.repository.git("rev-list", "--max-parents=0", "HEAD")


def test_every_ranker_is_measured_on_the_same_cases(grown: Past) -> None:
    (report,) = evaluated(grown, EvaluationTask.COMMITS, base=first_commit(grown)).tasks

    assert [one.ranker for one in report.standings] == ["clew", "clew (all files)", "ripgrep", "bm25"]
    assert {one.files.cases for one in report.standings} == {3}
    assert {one.functions.cases for one in report.standings if one.functions} == {3}
    assert [one.over for one in report.leads] == ["ripgrep", "bm25"]
    assert [len(one.ranks) for one in report.cases] == [4, 4, 4]
    assert (report.files, report.functions) == (3, 5)


def test_clew_finds_what_these_commits_changed(grown: Past) -> None:
    (report,) = evaluated(grown, EvaluationTask.COMMITS, base=first_commit(grown)).tasks
    clew = report.standings[0]

    assert clew.files.recall_5.mean == 1
    assert clew.functions is not None
    assert clew.functions.mrr.mean > 0.5
    assert clew.cost is not None
    assert clew.cost.mean_ms > 0


def test_docstrings_are_asked_of_a_tree_that_no_longer_has_them(grown: Past, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    result = evaluated(grown, EvaluationTask.DOCSTRINGS, base=first_commit(grown), keep=kept)
    (report,) = result.tasks

    assert {one.case.id for one in report.cases} == {
        "src/card.py::Card::charge",
        "src/card.py::Card::refund",
        "src/invoice.py::render",
        "src/store.py::load",
    }
    assert report.left_out == {FunctionExclusion.UNDOCUMENTED.value: 1}
    with engine.Engine.open(kept) as opened:
        found = opened.search(Query("whoever paid before", 10))
    assert set(found.unknown) == {"whoever", "paid", "before"}


def test_all_tasks_are_measured_in_one_run_the_second_on_the_same_base(grown: Past) -> None:
    steps: list[EvaluationStep] = []
    request = Request(grown.repository.root, base=first_commit(grown))
    result = projects.evaluate(request, steps.append)

    assert [one.task for one in result.tasks] == [EvaluationTask.COMMITS, EvaluationTask.DOCSTRINGS]
    assert result.base == first_commit(grown)
    assert list(dict.fromkeys(step.doing for step in steps)) == [
        "choosing", "indexing", "reading", "asking commits", "asking docstrings",
    ]  # fmt: skip


def test_docstrings_alone_need_no_more_than_one_commit(past: Past) -> None:
    result = evaluated(past, EvaluationTask.DOCSTRINGS)

    assert result.base == first_commit(past)
    assert len(result.tasks[0].cases) == 4


def test_where_nothing_is_documented_the_task_is_left_out_or_refused(past: Past) -> None:
    for path in ("card", "invoice", "store"):
        past.repository.write(f"src/{path}.py", "def plain():\n    return 1\n")
    base = past.commit("Simplify everything")
    past.commit("Return two instead of one", src__card_py="def plain():\n    return 2\n")

    assert [one.task for one in evaluated(past, base=base).tasks] == [EvaluationTask.COMMITS]
    with pytest.raises(NotFound, match="no function"):
        evaluated(past, EvaluationTask.DOCSTRINGS)


def test_the_same_history_gives_the_same_figures(grown: Past) -> None:
    one, other = (evaluated(grown, base=first_commit(grown)) for _ in range(2))

    for first, second in zip(one.tasks, other.tasks, strict=True):
        assert first.cases == second.cases
        assert first.leads == second.leads
        assert [(s.files, s.functions) for s in first.standings] == [(s.files, s.functions) for s in second.standings]


def test_the_index_of_a_kept_checkout_is_used_again(grown: Past, tmp_path: Path) -> None:
    for _ in range(2):
        evaluated(grown, EvaluationTask.COMMITS, base=first_commit(grown), keep=tmp_path / "kept")

    with engine.Engine.open(tmp_path / "kept") as opened:
        assert opened.transactions.count() == 2
        assert len(opened.files.history("src/card.py")) == 1


def test_no_setting_leads_the_checkout_into_the_project_s_own_store(
    grown: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_STORAGE_DB_PATH", str(tmp_path / "ours.db"))
    evaluated(grown, EvaluationTask.COMMITS, base=first_commit(grown))

    assert not (tmp_path / "ours.db").exists()
    assert not (grown.repository.root / ".clew").exists()
