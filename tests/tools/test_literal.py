"""Exact text search, and every read of a setting."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

FILES = {
    "config.yaml": "server:\n  request_timeout: 30\n",
    "app/settings.py": "import os\n\nrequest_timeout = int(os.environ.get('APP_TIMEOUT', '30'))\n",
    "app/web.py": (
        "from app import settings\n\n\n"
        "def load(config):\n    return config['request_timeout'] + settings.request_timeout\n\n\n"
        "def third(options):\n    return options.request_timeout\n"
    ),
    "data/rates.csv": "code,rate\nEUR,1.0\nrequest_timeout_ms,5\n",
}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    root = tmp_path_factory.mktemp("settings")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    workspaces = Workspaces(root)
    yield Caller(workspaces)
    workspaces.close()


def said(caller: Caller, tool: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, tool, arguments).body)
    return envelope


def places(envelope: dict[str, Any]) -> list[str]:
    return [f"{one['file_path']}:{one['first_line']}" for one in envelope["data"]["hits"]]


@pytest.mark.parametrize("arguments", [{"query": "request_timeout", "exact": True}, {"query": '"request_timeout"'}])
def test_a_text_is_found_to_the_letter_in_code_and_data(caller: Caller, arguments: dict[str, Any]) -> None:
    found = said(caller, "query_context", **arguments)

    assert found["data"]["total"] == 6, "a line may have it twice"
    assert found["summary"].startswith("6 occurrences of 'request_timeout' in 4 files.")
    assert places(found) == [
        "app/settings.py:3", "app/web.py:5", "app/web.py:9", "config.yaml:2", "data/rates.csv:3"
    ]  # fmt: skip


def test_punctuation_is_a_part_of_it(caller: Caller) -> None:
    found = said(caller, "query_context", query="config['request", exact=True)

    assert places(found) == ["app/web.py:5"]
    assert found["data"]["hits"][0]["snippet"] == "    return config['request_timeout'] + settings.request_timeout"


def test_a_text_that_is_nowhere_says_in_how_many_files(caller: Caller) -> None:
    found = said(caller, "query_context", query="no_such_text", exact=True)

    assert found["summary"] == "No occurrence of 'no_such_text' in 4 files."


def test_where_a_setting_is_read_shows_every_read(caller: Caller) -> None:
    found = said(caller, "query_context", query="where is the setting request_timeout read?", profile="compact")

    assert found["data"]["total"] == 5, "a longer name is another one"
    assert {"app/web.py:5", "app/web.py:9"} <= {*places(found)}


def test_a_setting_with_one_resolved_read_shows_the_others(caller: Caller) -> None:
    data = said(caller, "code_explain", element="app/settings.py::request_timeout", profile="debug")["data"]

    assert data["dependents_total"] >= 1
    assert {"app/web.py:5", "app/web.py:9"} <= {*data["named"]["places"]}


def test_a_scope_holds_for_a_text_as_well(caller: Caller) -> None:
    found = said(caller, "query_context", query="request_timeout", exact=True, scope={"paths": ["data"]})

    assert places(found) == ["data/rates.csv:3"]


def test_results_go_on_where_an_answer_ended(caller: Caller) -> None:
    first = said(caller, "query_context", query="request_timeout", exact=True, k=2)
    rest = said(caller, "query_context", query="request_timeout", exact=True, k=2, offset=2)

    assert [*places(first), *places(rest)] == ["app/settings.py:3", "app/web.py:5", "app/web.py:9", "config.yaml:2"]
    assert first["data"]["total"] == rest["data"]["total"] == 6


def test_ranked_results_go_on_as_well(caller: Caller) -> None:
    whole = places(said(caller, "query_context", query="timeout of a request", k=4))

    assert len(whole) >= 3
    assert places(said(caller, "query_context", query="timeout of a request", k=1, offset=1)) == whole[1:2]
    assert places(said(caller, "query_context", query="timeout of a request", offset=1))[:1] == whole[1:2]


def test_callers_go_on_as_well(caller: Caller) -> None:
    whole = said(caller, "code_explain", element="app/settings.py", profile="debug")["data"]
    rest = said(caller, "code_explain", element="app/settings.py", profile="debug", offset=1)["data"]

    assert rest["dependents"] == whole["dependents"][1:]
    assert rest["dependents_total"] == whole["dependents_total"]
