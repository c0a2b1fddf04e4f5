"""Index runs on request are on record: followed, cancelled and ended, also if their process is killed."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner, Result
from msgspec import json, structs

from clew import jobs
from clew.graph.view import graph_hash
from clew.jobs import JobRequest
from clew.model.errors import Conflict, InvalidInput, NotFound
from clew.model.jobs import JobOptions, JobStatus, JobType
from clew.model.run import Progress
from clew.store.leases import this_process
from clew.surfaces.cli import cli
from clew.surfaces.library import Workspace
from tests.conftest import Repository

FULL = JobRequest(JobType.REBUILD_FULL)
PATIENCE = 60.0


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.05)


@pytest.fixture
def workspace(repository: Repository, backend: str) -> Iterator[Workspace]:
    repository.write("src/a.py", "def login(): ...\n")
    repository.write("src/b.py", "from src.a import login\n\ndef enter(): login()\n")
    repository.write("docs/c.md", "# How to log in\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        yield workspace


def test_a_rebuild_runs_in_a_process_of_its_own_and_is_followed_to_its_end(workspace: Workspace) -> None:
    before = graph_hash(workspace.engine.db, workspace.engine.where)

    queued = workspace.rebuild_context(confirm=True)
    until(lambda: workspace.get_rebuild_status(queued.job_id).status == "completed")

    done = workspace.get_rebuild_status(queued.job_id, include_logs=True)
    assert (queued.status, queued.scope, queued.estimated_files) == ("queued", "full", 3)
    assert (done.result.read, done.estimated_files) == (3, 3)
    assert [line.partition(" ")[2] for line in done.logs][:2] == ["queued", "started"]
    assert graph_hash(workspace.engine.db, workspace.engine.where) == before


def test_only_some_paths_are_read_again_and_the_rest_stays_current(
    workspace: Workspace, repository: Repository
) -> None:
    repository.write("docs/new.md", "# New\n")
    done = workspace.rebuild_context(confirm=True, paths=["src"], async_=False)
    fresh = workspace.refresh_context(paths=["docs/c.md"], force=True, async_=False)

    assert (done.status, done.scope, done.result.read) == ("completed", "partial", 3)
    assert (fresh.status, fresh.files_queued) == ("completed", 1)
    assert workspace.refresh_context(paths=["src"], async_=False).message.endswith("0 read.")
    assert "docs/new.md" in workspace.engine.files.current()
    repository.write("src/late.py", "x = 1\n")
    assert workspace.engine.refresh(patient=True).refreshed == 1, "what comes later is seen"


def test_a_dry_run_counts_and_changes_nothing(workspace: Workspace) -> None:
    runs = workspace.engine.transactions.count()
    told = workspace.rebuild_context(confirm=True, options={"validateOnly": True})

    assert (told.estimated_files, told.details.by_language) == (3, {"python": 2, "markdown": 1})
    assert workspace.engine.transactions.count() == runs
    assert jobs.latest(workspace.engine, 9) == []
    with pytest.raises(InvalidInput, match="confirm"):
        workspace.rebuild_context(confirm=False)
    with pytest.raises(InvalidInput, match="leads out"):
        workspace.rebuild_context(confirm=True, paths=["../other"])
    with pytest.raises(NotFound):
        workspace.refresh_context(paths=["nowhere"])


def test_one_rebuild_at_a_time_and_a_cancelled_one_makes_room(workspace: Workspace) -> None:
    first = jobs.start(workspace.engine, FULL)
    with pytest.raises(Conflict, match=first.id):
        workspace.rebuild_context(confirm=True)

    assert workspace.cancel_rebuild(first.id).status == "cancelled"
    assert workspace.rebuild_context(confirm=True, async_=False).status == "completed"


def test_a_run_that_is_cancelled_ends_and_keeps_what_it_did(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PROGRESS_SECONDS", 0.0)
    job = jobs.start(workspace.engine, FULL)

    def cancel(progress: Progress) -> None:
        jobs.cancel(workspace.engine, job.id)

    assert jobs.work(workspace.engine, job.id, cancel).status is JobStatus.CANCELLED
    assert workspace.search("login"), "what is there is asked as ever"
    workspace.index()
    assert workspace.rebuild_context(confirm=True, async_=False).status == "completed"


def test_a_job_whose_process_was_killed_has_failed(workspace: Workspace) -> None:
    killed = subprocess.Popen([sys.executable, "-c", "pass"])
    killed.wait()
    job = jobs.start(workspace.engine, FULL)
    process = this_process("x", killed.pid)
    workspace.engine.jobs.change(structs.replace(job, status=JobStatus.IN_PROGRESS, process=process))

    assert workspace.get_rebuild_status(job.id).error == "its process ended"
    assert workspace.rebuild_context(confirm=True, async_=False).status == "completed"


def test_a_webhook_hears_of_the_end(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *told: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        monkeypatch.setenv("CLEW_JOBS_WEBHOOK_URL", f"http://127.0.0.1:{server.server_port}/")
        with Workspace.open(workspace.root) as hooked:
            done = hooked.rebuild_context(confirm=True, async_=False)
        until(lambda: heard)

    assert (json.decode(heard[0])["jobId"], json.decode(heard[0])["status"]) == (done.job_id, "completed")


def test_the_commands_rebuild_and_list(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    repository.write("b/c.py", "y = 1\n")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["-C", str(repository.root), *arguments])

    assert run("index").exit_code == 0
    assert run("rebuild", "--dry-run").stdout.startswith("would read 2 files")
    assert jobs.JobRequest(JobType.REFRESH).options == JobOptions()
    done = json.decode(run("rebuild", "--paths", "b", "--no-vacuum", "--keep-errors", "--force", "--json").stdout)
    assert (done["status"], done["result"]["read"], done["options"]["vacuum"]) == ("completed", 1, False)
    assert "rebuild_partial" in run("jobs").stdout
    assert "started" in run("jobs", "show", done["id"], "--logs").stdout
    assert "completed" in run("jobs", "cancel", done["id"]).stdout, "what has ended stays so"
    assert run("jobs", "errors").exit_code == 0
