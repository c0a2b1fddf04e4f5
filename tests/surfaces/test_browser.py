"""A real browser: pages of other sites cannot reach the server, whichever name they use."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.needs(chromium=CHROMIUM is not None)

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=4000",
    "--host-resolver-rules=MAP evil.test 127.0.0.1",
)  # fmt: skip

ATTACK = """<html><body><pre id="out">waiting</pre><script>
fetch("http://127.0.0.1:PORT/tools/query_context", {method: "POST", body: '{"query": "login"}'})
  .then(r => r.text()).then(t => out.textContent = "GOT " + t, e => out.textContent = "REFUSED");
</script></body></html>"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    (root / "pyproject.toml").touch()
    (root / "app.py").write_text("def login():\n    '''Let a user in.'''\n", "utf-8")
    subprocess.run([sys.executable, "-m", "clew", "-C", str(root), "index", "-q"], check=True)
    return root


@contextmanager
def serving(project: Path) -> Iterator[int]:
    """The port of a real server; when it ends, all that it was asked is on record."""
    command = [sys.executable, "-m", "clew", "-C", str(project), "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        yield int(server.stderr.readline().rpartition(":")[2])
        server.terminate()


def dom(url: str, profile: Path) -> str:
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def questions(project: Path) -> int:
    command = [
        sys.executable,
        "-m",
        "clew",
        "-C",
        str(project),
        "tool",
        "get_context_stats",
        "--profile",
        "balanced",
        "--json",
    ]
    envelope = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return int(envelope["data"]["performance"]["queries"])


def test_the_server_answers_a_browser_on_this_machine(project: Path, tmp_path: Path) -> None:
    with serving(project) as port:
        assert "query_context" in dom(f"http://127.0.0.1:{port}/tools", tmp_path)


def test_a_name_that_was_rebound_to_this_machine_is_refused(project: Path, tmp_path: Path) -> None:
    with serving(project) as port:
        page = dom(f"http://evil.test:{port}/tools", tmp_path)

    assert "CLEW_E_DENIED" in page
    assert "query_context" not in page


def test_a_page_of_another_site_gets_nothing_and_runs_nothing(project: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with serving(project) as port, visiting(site) as other:
        (site / "index.html").write_text(ATTACK.replace("PORT", str(port)), "utf-8")
        page = dom(f"http://evil.test:{other}/", tmp_path / "profile")

    assert "REFUSED" in page
    assert questions(project) == 0


@contextmanager
def visiting(site: Path) -> Iterator[int]:
    """Another web site on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site))) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield other.server_port
        other.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """The test's output is no place for a web log."""
