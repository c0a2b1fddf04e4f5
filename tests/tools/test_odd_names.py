"""Files of odd names: every tool answers, and their ids come back as they were given."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from clew.engine import Engine
from tests.tools.asking import Ask, asking

NAMES = (
    "with space.py", "hash#1.py", "hash#L12.py", "q'uote\".py", "`tick`.py", "new\nline.py", "tab\there.py",
    "col:12.py", "[lang]/(home)/[...slug]/page.py", "*star?.py", "-dash.py", "%41.py", "<lambda1>.py", "a b#2.py",
    "emoji🎉.py",     unicodedata.normalize("NFC", "café.py"), unicodedata.normalize("NFD", "café.py"),
)  # fmt: skip
LEFT = ("a::b.py", "dir::x/in.py", "ends:")


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    root = tmp_path_factory.mktemp("odd")
    for number, name in enumerate((*NAMES, *LEFT)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        text = f"def f_{number}():\n    return g_{number}()\n\n\ndef g_{number}():\n    return 1\n"
        (root / name).write_text(text, "utf-8")
    (Path(os.fsdecode(os.fsencode(root) + b"/latin\xe9.py"))).write_text("x = 1\n", "utf-8")
    with Engine.open(root, environ={}) as engine:
        assert engine.index().skipped == {"bad_name": len(LEFT) + 1}
    with asking(root) as asked:
        yield asked


@pytest.mark.parametrize("number", range(len(NAMES)), ids=lambda n: ascii(NAMES[n]))
def test_ids_come_back_as_they_were_given(ask: Ask, number: int) -> None:
    name, whole = NAMES[number], f"{NAMES[number]}::f_{number}"

    assert ask("query_context", query=f"f_{number}")["data"]["hits"][0]["symbol"] == whole
    for said in (f"f_{number}", whole, f"{name}:1"):
        explained = ask("code_explain", element=said)["data"]
        assert (explained["id"], explained["file_path"]) == (whole, name)
        assert [one["id"] for one in explained["dependencies"]] == [f"{name}::g_{number}"]
        assert ask("semantic_slice", symbol=said)["data"]["id"] == whole
    assert ask("code_explain", element=name)["data"]["id"] == name
    assert ask("semantic_slice", file=name)["data"]["id"] == name
    assert ask("semantic_slice", symbol=f"g_{number}", file=name)["data"]["id"] == f"{name}::g_{number}"
    assert ask("query_graph_neighborhood", node_id=whole)["data"]["center_node"]["id"] == f"symbol::{whole}"
    assert ask("context_pack", task="change it", focus=whole)["data"]["entry_point"] == whole


@pytest.mark.parametrize("name", ["new\nline.py", "tab\there.py"])
def test_a_path_in_xml_is_read_as_it_is(ask: Ask, name: str) -> None:
    text = ask("context_pack", task="change it", focus=name, format="xml", max_tokens=2000)["data"]["text"]
    assert name in {one.get("path") for one in ElementTree.fromstring(text).iter("snippet")}


@pytest.mark.parametrize("name", [one for one in NAMES if one.isprintable()])
def test_claims_are_of_what_was_named(ask: Ask, name: str) -> None:
    assert ask("agent_claim", target_id=name, intent="look")["data"]["target"] == name


def test_names_that_no_id_could_have_are_left_out_and_told_of(ask: Ask) -> None:
    hint = ask("code_explain", element="f_17_that_is_nowhere")["hint"]

    assert "4 files or folders were not read" in hint
    assert hint.endswith(": a::b.py, dir::x/, ends: and 1 more.")
