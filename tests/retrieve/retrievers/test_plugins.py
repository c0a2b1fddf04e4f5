"""Retrievers that packages bring: they count like any other, and if they fail, they fail alone."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.model.errors import TimedOut, Unavailable
from clew.model.search import Query, Results
from clew.runtime.deadline import Deadline, limit
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import Repository
from tests.packages import install

HEAD = """
    import numpy as np
    from clew.retrieve.retriever import Retrieved, no_findings

"""
LAST = (
    HEAD
    + """
    class Ours:
        '''Everything speaks for what comes last.'''

        name = "ours"
        reranks = False

        def __init__(self, sources):
            self.root = sources.root

        def retrieve(self, ask):
            found = no_findings(ask.corpus)
            found.scores[-1][-1] = 0.9
            return Retrieved(found.scores, lambda place: "comes last")
"""
)
RAISES = (
    HEAD
    + """
    class Ours:
        name, reranks = "ours", False

        def __init__(self, sources):
            pass

        def retrieve(self, ask):
            raise RuntimeError("out of luck")
"""
)
ONCE = """
    import numpy as np
    from clew.retrieve.retriever import no_findings

    ASKED = []

    class Ours:
        name, reranks = "ours", False

        def __init__(self, sources):
            pass

        def retrieve(self, ask):
            ASKED.append(ask)
            if len(ASKED) == 1:
                raise RuntimeError("not yet")
            return no_findings(ask.corpus)
"""
ENDLESS = """
    import time
    from clew.runtime.deadline import check

    ENDED = []

    class Ours:
        name, reranks = "ours", False

        def __init__(self, sources):
            pass

        def retrieve(self, ask):
            try:
                while True:
                    check()
                    time.sleep(0.01)
            finally:
                ENDED.append(True)
"""
DEAF = """
    from threading import Event

    RELEASED, ENDED = Event(), []

    class Ours:
        name, reranks = "ours", False

        def __init__(self, sources):
            pass

        def retrieve(self, ask):
            RELEASED.wait()
            ENDED.append(True)
"""
MUTE = LAST.replace('lambda place: "comes last"', "lambda place: 1 / 0")


def returning(scores: str) -> str:
    return LAST.replace("Retrieved(found.scores,", f"Retrieved({scores},")


Bring = Callable[[str], Engine]


@pytest.fixture
def bring(site: Path, repository: Repository) -> Iterator[Bring]:
    """An engine of a project that asks for a package's retriever, whose code is given."""
    repository.write("a.py", "def validate_token(token):\n    return token\n")
    repository.write("z.py", "def unrelated():\n    pass\n")
    repository.configure('[providers]\nplugins = ["ours=0.5"]\n[embedding]\nmodel = "none"\n')
    opened: list[Engine] = []

    def bring(code: str) -> Engine:
        install(site, "clew-ours", {"ours": "clew_ours:Ours"}, {"clew_ours.py": code}, group="clew.retrievers")
        opened.append(Engine.open(repository.root))
        opened[0].index()
        return opened[0]

    yield bring
    for engine in opened:
        engine.close()


def found(engine: Engine) -> Results:
    return engine.search(Query("validate token", 5))


def test_what_a_package_finds_counts_by_its_weight(bring: Bring) -> None:
    hits = {hit.path: hit for hit in found(bring(LAST)).hits}

    assert [(one.retriever, one.detail) for one in hits["z.py"].reasons[:1]] == [("ours", "comes last")]
    assert hits["z.py"].reasons[0].share == 0.45
    assert hits["a.py"].score > 0.45


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (RAISES, "RuntimeError: out of luck"),
        ("import nowhere_at_all", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("Ours = 3", "TypeError"),
        ("def Ours(sources):\n    raise OSError('no disk')", "OSError: no disk"),
        (returning("tuple(one[:-1] for one in found.scores)"), "a score for each chunk"),
        (returning("tuple(one + 7 for one in found.scores)"), "from 0 to 1"),
        (returning("tuple(one * np.nan for one in found.scores)"), "from 0 to 1"),
        (returning("None"), "TypeError"),
        (LAST.replace("return Retrieved", "return 3, Retrieved"), "AttributeError"),
    ],
    ids=[
        "raises", "cannot be imported", "exits", "is no factory", "cannot be made", "leaves some out", "too much",
        "no numbers", "nothing", "something else",
    ],
)  # fmt: skip
def test_one_that_fails_is_told_and_the_rest_answer(bring: Bring, code: str, why: str) -> None:
    results = found(bring(code))

    assert results.hits[0].symbol == "a.py::validate_token"
    ((name, reason),) = [(one.retriever, one.reason) for one in results.failed]
    assert name == "ours"
    assert why in reason


def test_one_that_is_not_installed_is_told_too(repository: Repository) -> None:
    repository.write("a.py", "def validate_token(token):\n    return token\n")
    repository.configure('[providers]\nplugins = ["nobodys"]\n')
    with Engine.open(repository.root) as engine:
        engine.index()
        results = found(engine)

    assert results.hits
    assert [(one.retriever, one.reason) for one in results.failed] == [
        ("nobodys", "no retriever is called 'nobodys'")
    ]  # fmt: skip


def test_one_that_cannot_explain_itself_still_counts(bring: Bring) -> None:
    hits = {hit.path: hit for hit in found(bring(MUTE)).hits}

    assert [(one.retriever, one.detail) for one in hits["z.py"].reasons[:1]] == [("ours", "")]


def test_one_that_failed_is_asked_again(bring: Bring) -> None:
    engine = bring(ONCE)

    assert [len(found(engine).failed) for _ in range(3)] == [1, 0, 0]
    assert len(sys.modules["clew_ours"].ASKED) == 2  # the third answer was kept


def test_one_without_an_end_sees_the_deadline_of_the_request(bring: Bring) -> None:
    engine = bring(ENDLESS)
    with limit(Deadline(0.3)), pytest.raises(TimedOut):
        found(engine)

    until = time.monotonic() + 30
    while not sys.modules["clew_ours"].ENDED:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_one_that_hears_nothing_is_not_waited_for(bring: Bring) -> None:
    engine = bring(DEAF)
    try:
        with limit(Deadline(0.3)), pytest.raises(TimedOut):
            found(engine)
        assert not sys.modules["clew_ours"].ENDED
    finally:
        sys.modules["clew_ours"].RELEASED.set()


def test_if_all_fail_that_is_an_error(bring: Bring, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FULL_TEXT", "SYMBOL", "PATH", "GIT_HISTORY"):
        monkeypatch.setenv(f"CLEW_PROVIDERS_{name}_ENABLED", "false")

    with pytest.raises(Unavailable, match="out of luck"):
        found(bring(RAISES))


def test_tools_tell_who_failed_and_statistics_list_all(bring: Bring) -> None:
    root = bring(RAISES).place.root
    workspaces = Workspaces(root)
    caller = Caller(workspaces)
    said = {
        name: json.loads(answer(caller, name, {"query": "token", "profile": "debug"}).body)
        for name in ("query_context", "hybrid_search", "graph_query")
    }
    stats = json.loads(answer(caller, "get_context_stats", {"profile": "debug"}).body)["data"]["providers"]
    workspaces.close()

    for envelope in said.values():
        assert envelope["data"]["failed"] == [{"retriever": "ours", "reason": "RuntimeError: out of luck"}]
        assert "ours could not answer: RuntimeError: out of luck." in envelope["summary"]
    assert [(one["id"], one["enabled"], one["weight"]) for one in stats][-1] == ("ours", True, 0.5)


def test_the_command_line_warns(bring: Bring, site: Path) -> None:
    done = clew(site, bring(RAISES).place.root, "search", "validate token")

    assert done.returncode == 0
    assert "why: matches token, validate\n" in done.stdout
    assert done.stderr == "warning: ours could not answer: RuntimeError: out of luck\n"


def clew(site: Path, root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, where the package is installed."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-P", "-m", "clew", "-C", str(root), *arguments]
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
