"""Signals are written down and weighed, by the commands that the model card names."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.evaluate.conftest import Past

from clew.text.embedders.own import FOLDER, NAME
from research.training import signals, weigh
from research.training.ranking import NONE, judged


@pytest.fixture
def written(grown: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    grown.commit("Round taxAmount once more", src__tax_py="def tax(amount):\n    return round(amount / 5, 2)\n")
    clone = tmp_path / "clones" / "owner+name" / "repo"
    grown.repository.git("clone", "-q", "--bare", str(grown.repository.root), str(clone))
    out = tmp_path / "signals"
    run(monkeypatch, signals.main, tmp_path / "clones", out, "owner/name")
    return out


def run(monkeypatch: pytest.MonkeyPatch, main: Callable[[], None], *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["it", *map(str, arguments)])
    main()


def test_every_case_is_ranked_without_vectors_and_with_them(written: Path) -> None:
    own = weigh.embedder_for("owner/name", FOLDER, None)
    rows = [*judged(written / "owner+name.pickle", {NAME: own}, [0.5])]

    assert {(one.repository, one.language) for one in rows} == {("owner/name", "python")}
    assert {one.task for one in rows} == {"commits", "docstrings"}
    assert all(len(one.ranks) == 2 and len(one.ranks[NONE].files) >= 1 for one in rows)


def test_figures_come_with_intervals_over_all_and_by_language(
    written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, weigh.main, written, FOLDER)
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "1 repositories: owner/name (python)"
    shipped = f"{NAME} {weigh.SHIPPED}"
    assert f"| | cases | none | {shipped} | {shipped} against none |" in lines
    for name in ("all", "by repository", "python"):
        row = next(line for line in lines if line.startswith(f"| {name} |"))
        assert row.count("[") == 3
