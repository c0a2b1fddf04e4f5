"""Asked for a member that a class or file does not have, an answer says so, and names its own that are near."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

FILES = {
    "pay/base.py": "class Base:\n    def close(self): ...\n\n    def refund_all(self): ...\n",
    "pay/client.py": "import requests\nfrom pay.base import Base\n\n\n"
    "class Client(Base):\n    def charge(self): ...\n\n    def refund(self): ...\n\n\n"
    "class Web(requests.Session):\n    def visit(self): ...\n",
    "pay/shop.py": "def sell(): ...\n",
    "pay/story.rb": "class Story\n  has_many :comments\n\n  def title; end\nend\n",
    "pay/rate.php": "<?php\nclass Rate {\n  static $of_all = 3;\n  function cost() { return self::$of_all; }\n}\n",
    "guide.md": "# Refunds\n\n## refnd\n\nWhat is called almost so.\n\n## nope\n\nNothing.\n",
    "settings.toml": "[refnd]\nrefnds = 1\n",
}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    root = tmp_path_factory.mktemp("lacking")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    workspaces = Workspaces(root)
    yield Caller(workspaces)
    workspaces.close()


def refused(caller: Caller, tool: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, tool, arguments).body)
    assert envelope["errorCode"] == "CLEW_E_NOT_FOUND"
    return envelope


@pytest.mark.parametrize(
    "name", ["Client#refnd", "Client.refnd", "pay/client.py::Client::refnd", "client.py:Client.refnd"]
)
def test_a_class_lacks_a_member_and_its_nearest_are_named(caller: Caller, name: str) -> None:
    for envelope in (refused(caller, "code_explain", element=name), refused(caller, "semantic_slice", symbol=name)):
        assert envelope["summary"] == "no member 'refnd' is found in pay/client.py::Client"
        assert envelope["hint"] == "Did you mean pay/client.py::Client::refund, pay/base.py::Base::refund_all?"


def test_where_none_is_near_what_there_is_is_told(caller: Caller) -> None:
    envelope = refused(caller, "code_explain", element="Client.zzz")

    assert envelope["summary"] == "no member 'zzz' is found in pay/client.py::Client"
    assert envelope["hint"] == "There is charge, refund, close, refund_all."


def test_what_is_inherited_from_outside_is_not_known(caller: Caller) -> None:
    envelope = refused(caller, "code_explain", element="Web.zzz")

    assert envelope["hint"] == "There is visit. What it has of requests.Session, outside of the project, is not known."


def test_a_file_lacks_a_symbol_and_what_has_its_name_elsewhere_is_named(caller: Caller) -> None:
    sliced = refused(caller, "semantic_slice", symbol="charge", file="pay/shop.py")
    explained = refused(caller, "code_explain", element="pay/client.py::Clint")

    assert sliced["summary"] == "nothing called 'charge' is found in pay/shop.py"
    assert sliced["hint"] == "Did you mean pay/client.py::Client::charge?"
    assert explained["hint"].startswith("Did you mean pay/client.py::Client?")


def test_a_member_of_a_class_that_is_not_there_leads_to_what_the_file_has(caller: Caller) -> None:
    envelope = refused(caller, "code_explain", element="pay/client.py::Clint::charge")

    assert "pay/client.py::Client::charge" in envelope["hint"]


def test_a_name_that_stands_inside_is_told_with_its_line(caller: Caller) -> None:
    envelope = refused(caller, "code_explain", element="Story.comments")

    assert envelope["hint"].startswith("Its name stands at pay/story.rb:2, where it may be made.")


def test_a_function_has_no_members_to_tell_of(caller: Caller) -> None:
    envelope = refused(caller, "code_explain", element="sell::Clint")

    assert envelope["summary"] == "nothing here is called 'sell::Clint'"


@pytest.mark.parametrize("name", ["pay", "pay/", "./pay", "`pay/`"])
def test_a_folder_is_told_to_be_one(caller: Caller, name: str) -> None:
    asked = (
        ("code_explain", {"element": name}),
        ("semantic_slice", {"symbol": name}),
        ("semantic_slice", {"file": name}),
    )
    for envelope in (refused(caller, tool, **arguments) for tool, arguments in asked):
        assert envelope["summary"] == "pay/ is a folder of 5 files, and no file or symbol"
        assert envelope["hint"].startswith(
            "Name a file in it, as pay/base.py, pay/client.py, pay/rate.php; query_context"
        )


def test_of_a_name_that_is_no_symbol_s_it_is_said_where_it_stands(caller: Caller) -> None:
    for envelope in (
        refused(caller, "code_explain", element="has_many"),
        refused(caller, "semantic_slice", symbol="has_many"),
    ):
        assert envelope["summary"] == "no symbol or file is called 'has_many'"
        assert envelope["hint"] == "The name occurs in 1 line: pay/story.rb:2. Ask about one of them as file:line."


def test_a_name_that_is_written_with_a_dollar_stands_there(caller: Caller) -> None:
    assert (
        "occurs in 2 lines: pay/rate.php:3, pay/rate.php:4."
        in refused(caller, "code_explain", element="of_all")["hint"]
    )
