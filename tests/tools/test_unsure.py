"""Callers that are as likely to call something else are told apart from those that are sure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.surfaces.library import Workspace

FILES = {
    "doors.py": "class Door:\n    def unlock(self):\n        return 1\n\n\nclass Gate:\n    def unlock(self):\n"
    "        return 2\n\n\ndef pick(wide):\n    thing = Gate() if wide else Door()\n    return thing.unlock()\n\n\n"
    "def enter():\n    return Door().unlock()\n",
    "uses.py": "from doors import Gate\n\n\ndef both(wide):\n    return Gate.unlock\n",
    "Ink.java": "class Ink {\n  void blot(String a) {}\n  void blot(Integer a) {}\n"
    "  void spill(Object any) { blot(Well.of(any)); }\n}\n",
}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("doors")
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


def test_the_first_line_says_how_many_callers_are_unsure(doors: Workspace) -> None:
    door = doors.code_explain(element="Door.unlock")
    gate = doors.code_explain(element="Gate.unlock")
    shown = doors.semantic_slice(symbol="Door.unlock", context="with-deps")

    assert (door.callers, door.unsure_callers) == (2, 1)
    assert "2 callers, 1 of them unsure" in door.summary()
    assert "1 caller, unsure" in gate.summary()
    assert "2 callers, 1 of them unsure" in shown.summary()
    assert [(one.name, one.unsure) for one in shown.incoming_callers] == [("enter", False), ("pick", True)]


def test_what_is_called_is_told_as_unsure_too(doors: Workspace) -> None:
    shown = doors.semantic_slice(symbol="pick", context="with-deps")

    told = {one.id: one.unsure for one in shown.outgoing_calls}
    assert told == {
        "doors.py::Door": False, "doors.py::Gate": False,
        "doors.py::Door::unlock": True, "doors.py::Gate::unlock": True,
    }  # fmt: skip
    assert (shown.calls_total, shown.unsure_calls) == (4, 2)
    assert "4 calls, 2 of them unsure" in shown.summary()


def test_what_a_call_shares_out_among_parts_of_one_thing_is_sure_of_it(doors: Workspace) -> None:
    whole = doors.code_explain(element="Ink.blot")

    assert {one.confidence for one in whole.dependents} == {0.5}
    assert (whole.callers, whole.unsure_callers) == (1, 0)


def test_a_pack_tells_the_sure_ones_first_and_the_others_as_what_they_are(doors: Workspace) -> None:
    pack = doors.context_pack(task="who depends on Gate.unlock", intent="impact", max_tokens=1000)
    told = {item.symbol: item.reason for item in pack.items}

    assert pack.notes.endswith("Dependents known: 2, 1 of them unsure, here 2.")
    assert told["doors.py::pick"] == "perhaps calls Gate.unlock in line 13"
    assert list(told).index("uses.py::both") < list(told).index("doors.py::pick")
