"""The same repository on both engines: the same answers, byte for byte. And many trees of one project on a server."""

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.graph.view import graph_hash, lines
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.cluster import HAS_POSTGRESQL
from tests.conftest import DAY_2, PROJECT, Repository
from tests.trusting import copied
from tests.views import current_view, search

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

QUESTIONS = ("where are tokens validated", "card charge", "Größe", "expired", "how do I start")
VARYING = frozenset(
    {"freshness", "latest_tx_id", "latest_tx_timestamp", "db_size_mb", "last_indexed", "recent_activity", "at"}
    | {"valid_from"}
)


@pytest.fixture
def tree(repository: Repository) -> Repository:
    repository.write(
        "src/token.py", 'def validate(token):\n    """Reject expired tokens."""\n    return decode(token)\n'
    )
    repository.write(
        "src/card.py", "import token\n\n\nclass Card:\n    def charge(self, größe): ...\n    def Charge(self): ...\n"
    )
    repository.write("src/_B.py", "B = 1\na = 2\nä = 3\n_ = 4\n")
    repository.write("web/app.ts", "import { x } from './x';\nexport class App { start() { return x(); } }\n")
    repository.write("web/x.ts", "export const x = () => 1;\n")
    repository.write("README.md", "# Start\n\nHow to start.\n\n## Größe\n\nExpired tokens.\n")
    repository.write("notes.txt", "a note on cards\n\nand on tokens\n")
    repository.commit()
    return repository


@pytest.fixture
def pair(tree: Repository, database_url: str) -> Iterator[tuple[Engine, Engine]]:
    """The tree on SQLite, and the same tree on PostgreSQL."""
    server = {"CLEW_STORAGE_URL": database_url, "CLEW_PROJECT_ID": PROJECT}
    with (
        Engine.open(tree.root, environ={"CLEW_PROJECT_ID": PROJECT}) as one,
        Engine.open(tree.root, environ=server) as two,
    ):
        one.index()
        two.index()
        yield one, two


def told(engine: Engine) -> list[object]:
    """All that the engine answers, without the times and ids that no two runs share."""
    hits = [(question, hit) for question in QUESTIONS for hit in search(engine, question)]
    return [*lines(engine.db, engine.where), *current_view(engine), *hits, engine.files.languages()]


def test_both_engines_answer_alike(pair: tuple[Engine, Engine]) -> None:
    one, two = pair

    assert told(one) == told(two)
    assert graph_hash(one.db, one.where) == graph_hash(two.db, two.where)


def test_both_engines_stay_alike_after_edits(tree: Repository, pair: tuple[Engine, Engine]) -> None:
    tree.write("src/token.py", "def validate(token):\n    raise Expired\n\n\nclass Expired(Exception): ...\n")
    tree.delete("web/x.ts")
    tree.write("web/y.ts", "export const y = 1;\n")
    tree.commit(at=DAY_2)
    for engine in pair:
        engine.index()

    assert told(pair[0]) == told(pair[1])
    for path in ("src/token.py", "web/x.ts"):
        first, second = ([(v.version, v.digest, v.valid_from, v.valid_to) for v in e.files.history(path)] for e in pair)
        assert first == second


ASKED: dict[str, dict[str, object]] = {
    "query_context": {"query": "expired tokens", "max_tokens": 4000},
    "graph_health": {"with_hash": True, "profile": "debug"},
    "get_context_stats": {"profile": "debug"},
    "code_explain": {"element": "src/card.py", "profile": "debug"},
    "query_graph_neighborhood": {"node_id": "App.start", "profile": "debug"},
}


@pytest.mark.parametrize("tool", ASKED)
def test_tools_answer_alike_on_both(
    tree: Repository, pair: tuple[Engine, Engine], database_url: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    answers = []
    for url in ("", database_url):
        monkeypatch.setenv("CLEW_STORAGE_URL", url)
        answers.append(asked(tree.root, tool, ASKED[tool]))

    assert _steady(answers[0]) == _steady(answers[1])
    assert answers[0]["ok"]


def asked(root: Path, tool: str, arguments: dict[str, object]) -> dict[str, object]:
    workspaces = Workspaces(root)
    try:
        answered: dict[str, object] = json.loads(answer(Caller(workspaces), tool, arguments).body)
        return answered
    finally:
        workspaces.close()


def _steady(value: object) -> object:
    if isinstance(value, dict):
        return {key: _steady(one) for key, one in value.items() if key not in VARYING | {"_tokenEstimate", "summary"}}
    return [_steady(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def server(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CLEW_STORAGE_URL", database_url)
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    return database_url


def a_copy(tree: Repository, place: Path) -> Repository:
    return Repository(copied(tree.root, place))


def test_two_checkouts_share_the_project_and_not_the_index(tree: Repository, tmp_path: Path, server: str) -> None:
    other = a_copy(tree, tmp_path / "elsewhere")
    other.write("src/token.py", "def only_elsewhere(): ...\n")
    with Engine.open(tree.root) as here, Engine.open(other.root) as there:
        here.index()
        there.index()

        assert (here.where.project, here.project_id) == (there.where.project, there.project_id)
        assert here.where.checkout != there.where.checkout
        assert search(here, "only_elsewhere") == ()
        assert [hit.path for hit in search(there, "only_elsewhere")] == ["src/token.py"]
        assert search(here, "validate")[0].path == "src/token.py"
        here.index()
        assert search(there, "only_elsewhere"), "the other's run leaves it alone"


def test_what_agents_leave_in_one_checkout_is_seen_in_the_other(tree: Repository, tmp_path: Path, server: str) -> None:
    other = a_copy(tree, tmp_path / "elsewhere")
    with Engine.open(tree.root) as here, Engine.open(other.root) as there:
        here.index()
        asked(tree.root, "query_context", {"query": "tokens"})

        assert [use.op for use in there.usage.latest(9)] == ["query_context"]


def test_a_tree_at_the_same_path_of_a_host_of_the_same_name_is_another(tree: Repository, server: str) -> None:
    with Engine.open(tree.root) as first:
        first.index()
        name = first.place.checkout
    shutil.rmtree(tree.root / ".clew")  # as it is on that other host

    with Engine.open(tree.root) as second:
        assert name.startswith(f"{socket.gethostname()}:{tree.root.as_posix()}#")
        assert second.place.checkout != name
        assert second.files.totals().files == 0


def test_a_checkout_that_is_given_a_name_keeps_its_index_wherever_it_lies(
    tree: Repository, tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_PROJECT_CHECKOUT", "ci")
    with Engine.open(tree.root) as first:
        first.index()
    moved = a_copy(tree, tmp_path / "new-container")
    shutil.rmtree(moved.root / ".clew")

    with Engine.open(moved.root) as second:
        assert second.index().read == 0, "sizes and times are those of the copy"
        assert search(second, "validate")


def test_runs_in_several_checkouts_at_once_do_not_disturb_each_other(
    tree: Repository, tmp_path: Path, server: str
) -> None:
    copies = [tree, *(a_copy(tree, tmp_path / f"copy-{i}") for i in range(3))]
    failures: list[BaseException] = []
    with ExitStack() as stack:
        engines = [stack.enter_context(Engine.open(copy.root)) for copy in copies]

        def run(engine: Engine) -> None:
            try:
                engine.index()
            except BaseException as error:  # noqa: BLE001 - a thread's error would else be lost
                failures.append(error)

        threads = [threading.Thread(target=run, args=(engine,)) for engine in engines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert failures == []
        assert len({graph_hash(engine.db, engine.where) for engine in engines}) == 1
        assert len({engine.where.checkout for engine in engines}) == 4
