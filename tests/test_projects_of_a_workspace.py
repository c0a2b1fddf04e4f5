"""Projects that `[projects]` names within one workspace: an index for each, one memory, on every backend."""

import subprocess
from pathlib import Path

import pytest

import clew
from clew.erasure import collect
from clew.model.errors import NotFound
from clew.runtime.paths import WHOLE
from tests.conftest import clew as run

FILES = {
    "backend/src/pay.py": "from shared.util import helper\n\n\ndef pay(card):\n    return helper(card)\n",
    "backend/src/old/pay_old.py": "def pay_long_ago():\n    return 1\n",
    "frontend/src/pay.ts": "export function payButton(card: string) {\n  return card;\n}\n",
    "shared/util.py": "def helper(card):\n    return card\n",
    "context.toml": '[projects.backend]\nwatch_paths = ["backend/src/"]\nignore_patterns = ["backend/src/old"]\n'
    '[context.projects.frontend]\nwatch_paths = ["frontend"]\n',
}


def workspace(root: Path) -> Path:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_each_project_is_asked_apart_and_all_of_them_together(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if backend == "postgres":
        monkeypatch.setenv("CLEW_STORAGE_URL", request.getfixturevalue("ready_url"))
        monkeypatch.setenv("CLEW_PROJECT_ID", "workspace")
    root = workspace(tmp_path)
    with clew.open(root) as ws:
        ws.index()

        def found(project: str) -> set[str]:
            return {hit.file_path for hit in ws.query_context(query="pay card", project=project).hits}

        assert found("backend") == {"backend/src/pay.py"}
        assert found("frontend") == {"frontend/src/pay.ts"}
        assert found("") == found(WHOLE) >= {"backend/src/pay.py", "frontend/src/pay.ts"}
        pay = ws.engine.part("backend").graph()
        assert any(name.endswith("shared.util.helper") and name.startswith("external") for name in pay.ids)

        (root / "frontend/src/refund.ts").write_text("export function refundCard() {}\n", "utf-8")
        assert "frontend/src/refund.ts" in found("frontend")


def test_projects_share_what_agents_write(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    with clew.open(root) as ws:
        ws.index()
        ws.agent_claim("frontend/src/pay.ts", intent="restyle it", project="backend")
        ws.episode_add("OBSERVATION", "the card is charged twice", project="frontend")
        ws.query_context(query="card", project="backend")
        (root / "backend/src/pay.py").write_text("def pay(card): ...\n", "utf-8")
        ws.query_context(query="card", project="backend")  # an index run that has not seen the claimed file

        assert [one.target for one in ws.engine.open_claims()] == ["frontend/src/pay.ts"]
        assert len(ws.episode_recall(query="charged twice", project="backend").episodes) == 1


def test_the_command_line_works_on_one_project_and_gc_removes_one_that_is_named_no_more(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    run("index", root=root)
    assert run("--project", "backend", "search", "pay", "--oneline", root=root).stdout.count(".ts") == 0
    assert run("search", "pay", "--oneline", root=root).stdout.count(".ts") == 1
    refused = run("--project", "nothing", "status", root=root)
    assert (refused.returncode, "Those that are named: backend, frontend" in refused.stderr) == (3, True)

    (root / "context.toml").unlink()
    assert collect(root).checkouts == ("main::backend",)
    with clew.open(root) as ws, pytest.raises(NotFound):
        ws.query_context(query="pay", project="backend")
