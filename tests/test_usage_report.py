"""The report counts what was asked, by tool, agent and day."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import json

from clew import usage_report
from clew.engine import now
from clew.store.usage import Use
from clew.surfaces.cli import cli
from clew.surfaces.library import Workspace
from clew.usage_report import DAY
from tests.conftest import Repository


@pytest.fixture
def asked(repository: Repository, backend: str) -> Repository:
    repository.write("a.py", "def login(user):\n    return user\n" * 40)
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        at = now()
        workspace.engine.usage.put(
            [
                Use("1", at - 2 * DAY, "query_context", "ann", 4000, 100, 3),
                Use("2", at - DAY, "query_context", "ben", 2000, 60, 1),
                Use("3", at - 90 * DAY, "query_context", "ann", 9000, 900, 9),
            ]
        )
    return repository


def test_a_report_counts_the_uses_of_its_days(asked: Repository) -> None:
    with Workspace.open(asked.root) as workspace:
        found = usage_report.report(workspace.engine, 30)

    assert (found.total.calls, found.total.tokens, found.total.mean_ms, found.total.p95_ms) == (2, 160, 3.0, 4.0)
    assert [(one.name, one.calls) for one in found.agents] == [("ann", 1), ("ben", 1)]
    assert [one.calls for one in found.days] == [1, 1]
    assert [(one.name, one.files) for one in found.languages] == [("python", 1)]
    assert found.tokens_saved == max(0, 4 * found.tokens_per_file - 160)


def test_a_call_is_counted_for_the_agent_that_made_it(asked: Repository) -> None:
    with Workspace.open(asked.root) as workspace:
        done = CliRunner().invoke(cli, ["-C", str(asked.root), "search", "login"], env={"CLEW_AGENT": "planner"})
        assert done.exit_code == 0, done.output
        found = usage_report.report(workspace.engine, 0.5)

    assert [(one.name, one.calls) for one in found.agents] == [("planner", 1)]


def test_the_command_prints_text_json_and_a_page_of_its_own(asked: Repository, tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["-C", str(asked.root), "report", *arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "2 calls, 160 tokens" in run()
    assert json.decode(run("--json", "--days", "365"))["total"]["calls"] == 3
    run("--html", str(page))
    written = page.read_text("utf-8")
    assert written.startswith("<!doctype html>")
    assert "http" not in written, "nothing is loaded from elsewhere"
    assert "<td>ann</td>" in written
