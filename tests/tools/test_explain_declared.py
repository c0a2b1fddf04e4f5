"""code_explain, query_graph_neighborhood and get_slice of what one file declares and another defines."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

FILES = {
    "card.h": "/* Charges it. */\nint charge(struct card *card);\nint refund(struct card *card);\n",
    "card.c": '#include "card.h"\n\nint charge(struct card *card)\n{\n\treturn take(card->bank);\n}\n',
    "linux.c": "int refund(struct card *card)\n{\n\treturn 1;\n}\n",
    "macos.c": "int refund(struct card *card)\n{\n\treturn 2;\n}\n",
    "shop.c": '#include "card.h"\n\nvoid shop(struct card *card)\n{\n\tcharge(card);\n}\n',
    "gate.d.ts": "export function openGate(wide: boolean): void;\n",
    "gate.js": "export function openGate(wide) {\n  return hinge(wide);\n}\n",
    "other.py": "def charge(card):\n    return card\n",
}


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    for path, text in FILES.items():
        (tmp_path / path).write_text(text, "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
    with closing(Workspaces(tmp_path)) as workspaces:
        yield Caller(workspaces)


def said(caller: Caller, tool: str, **arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(caller, tool, arguments).body)
    return found


def test_a_name_that_is_declared_and_defined_once_means_its_definition(caller: Caller) -> None:
    found = said(caller, "code_explain", element="openGate")

    assert found["data"]["id"] == "gate.js::openGate"
    assert found["data"]["declared"] == ["gate.d.ts:1"]
    assert "Also declared in gate.d.ts:1." in found["summary"]


def test_a_definition_says_who_calls_it_and_where_it_is_declared(caller: Caller) -> None:
    found = said(caller, "code_explain", element="card.c::charge")

    assert [one["id"] for one in found["data"]["dependents"] if one["relation"] == "CALLS"] == ["shop.c::shop"]
    assert found["data"]["declared"] == ["card.h:1"]


def test_of_several_definitions_one_is_to_be_chosen_and_no_declaration(caller: Caller) -> None:
    named = said(caller, "code_explain", element="refund")["data"]["choices"]
    around = said(caller, "query_graph_neighborhood", node_id="refund")["data"]["choices"]

    assert [one["id"] for one in named] == ["linux.c::refund", "macos.c::refund"]
    assert [one["id"] for one in around] == ["linux.c::refund", "macos.c::refund"]


def test_what_another_language_has_by_the_name_is_another_thing(caller: Caller) -> None:
    choices = said(caller, "code_explain", element="charge")["data"]["choices"]

    assert [one["id"] for one in choices] == ["card.c::charge", "other.py::charge"]


def test_who_names_a_declaration_by_its_id_or_line_has_it(caller: Caller) -> None:
    assert said(caller, "code_explain", element="card.h::charge")["data"]["id"] == "card.h::charge"
    assert said(caller, "code_explain", element="card.h:2")["data"]["id"] == "card.h::charge"
