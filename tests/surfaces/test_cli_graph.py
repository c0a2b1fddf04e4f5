"""The graph on the command line: explained, printed for other programs, drawn."""

import hashlib
import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from clew.engine import Engine
from tests.trusting import copied
from tests.worlds import call, loose, show

from .processes import clew


@pytest.fixture(scope="module")
def called(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, where one caller stands; with another, one that may be, and a call that is not resolved."""
    root = copied(indexed, tmp_path_factory.mktemp("called") / "project")
    with Engine.open(root, environ={}) as engine:
        knows = "vault.py::Vault::knows"
        show(engine, "tokens.py", call("expire_token", knows, 13, 0.9), call("", knows, 1, 0.3))
        show(engine, "guide.md", loose("", "x.knows", 5))
    return root


def test_an_element_is_explained_for_people(called: Path) -> None:
    done = clew("explain", "Vault.knows", cwd=called)

    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "vault.py::Vault::knows  method  vault.py:10-11"
    assert "    calls  tokens.py::validate_token  tokens.py:8" in lines
    assert "    calls  tokens.py::expire_token  tokens.py:13  0.90" in lines
    assert "    calls  tokens.py  tokens.py:1  0.30" in lines
    assert "    guide.md:5  x.knows  in guide.md" in lines
    assert lines[-1].startswith("2 callers, 1 call by this name unresolved, 1 more may lead here")


def test_quiet_is_one_line_and_json_the_envelope(called: Path) -> None:
    quiet = clew("explain", "Vault", "--quiet", cwd=called)
    envelope = clew("explain", "which", "tokens", "are", "valid", "--json", cwd=called).json

    assert len(quiet.out.splitlines()) == 1
    assert envelope["data"]["id"]
    assert envelope["_tokenEstimate"] <= 1500


def test_what_is_not_found_is_an_error_with_a_hint(called: Path) -> None:
    done = clew("explain", "validate_tokn", cwd=called)

    assert done.code == 3
    assert "Did you mean tokens.py::validate_token" in done.err


def test_a_name_that_several_have_lists_them(project: Path) -> None:
    (project / "more.py").write_text("class Vault: ...\n", "utf-8")
    clew("index", cwd=project)
    done = clew("explain", "Vault", cwd=project)
    drawn = clew("graph", "Vault", "--svg", cwd=project)

    assert [line.split()[0] for line in done.out.splitlines()[:2]] == ["more.py::Vault", "vault.py::Vault"]
    assert drawn.code == 2
    assert "more.py::Vault, vault.py::Vault" in drawn.err


def test_the_hash_is_that_of_the_lines_and_the_status_shows_it(called: Path) -> None:
    printed = clew("graph", cwd=called).out
    sha = clew("graph", "--format", "hash", cwd=called).out.strip()

    assert hashlib.sha256(printed.encode()).hexdigest() == sha
    assert clew("graph", "--format", "hash", "--json", cwd=called).json == {"sha256": sha}
    assert f"graph: {sha}" in clew("status", cwd=called).out
    assert clew("status", "--json", cwd=called).json["data"]["graph_hash"] == sha


def test_candidates_are_printed_when_asked_for(called: Path) -> None:
    usual, more = (
        [json.loads(line) for line in clew("graph", *options, cwd=called).out.splitlines()]
        for options in ((), ("--candidates",))
    )

    assert {line["type"] for line in usual} == {"node", "edge"}
    assert {line["type"] for line in more} == {"node", "edge", "unresolved"}
    assert min(line["confidence"] for line in usual if line["type"] == "edge") >= 0.5
    assert len(more) == len(usual) + 2


@pytest.mark.parametrize(("form", "opening"), [("graphml", "<?xml"), ("dot", "digraph"), ("jsonl", '{"type":"node"')])
def test_a_format_can_go_into_a_file(called: Path, tmp_path: Path, form: str, opening: str) -> None:
    file = tmp_path / "graph"
    done = clew("graph", "--format", form, "-o", str(file), cwd=called)

    assert (done.code, done.out) == (0, "")
    assert file.read_text("utf-8").startswith(opening)
    assert file.read_text("utf-8") == clew("graph", "--format", form, cwd=called).out


def test_a_neighbourhood_is_drawn(called: Path) -> None:
    near, far = (clew("graph", "Vault.knows", "--svg", "--radius", n, cwd=called).out for n in ("1", "3"))

    assert ElementTree.fromstring(near).tag == "{http://www.w3.org/2000/svg}svg"
    assert near.count("<g>") < far.count("<g>")
    assert "Vault.knows" in near


@pytest.mark.parametrize("arguments", [("--svg",), ("Vault",)])
def test_a_drawing_is_of_something(called: Path, arguments: tuple[str, ...]) -> None:
    done = clew("graph", *arguments, cwd=called)

    assert done.code == 2
    assert "clew graph SYMBOL --svg" in done.err


def test_a_file_that_cannot_be_written_is_said(called: Path, tmp_path: Path) -> None:
    done = clew("graph", "-o", str(tmp_path / "no" / "graph"), cwd=called)

    assert done.code == 6
    assert "cannot be written" in done.err


def test_files_that_change_together_are_printed_when_asked_for(project: Path) -> None:
    def git(*arguments: str) -> None:
        someone = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        subprocess.run(["git", *someone, *arguments], cwd=project, check=True, capture_output=True)

    if not (project / ".git").exists():
        git("init", "-q")
    for i in range(3):
        for name in ("guide.md", "vault.py"):
            with (project / name).open("a", encoding="utf-8") as file:
                file.write(f"# {i}\n")
        git("add", "-A")
        git("commit", "-qm", "work")
    clew("index", cwd=project)
    usual, more = (clew("graph", *options, cwd=project).out for options in ((), ("--history",)))
    hashes = {clew("graph", "--format", "hash", *options, cwd=project).out for options in ((), ("--history",))}

    assert "CO_CHANGES" not in usual
    assert [json.loads(line)["evidence"]["support"] for line in more.splitlines() if "CO_CHANGES" in line] == [3, 3]
    assert hashes == {f"{hashlib.sha256(usual.encode()).hexdigest()}\n"}
    assert 'key="evidence_support">3<' in clew("graph", "--format", "graphml", "--history", cwd=project).out


def test_of_many_that_have_a_name_the_first_are_listed(tmp_path: Path) -> None:
    for number in range(15):
        (tmp_path / f"part{number:02}.py").write_text(f"def moor(): return {number}\n", "utf-8")
    clew("index", cwd=tmp_path)
    lines = clew("explain", "moor", cwd=tmp_path).out.splitlines()

    assert lines[11:] == [
        "part11.py::moor  function  Moor",
        "… 3 more; --json lists them",
        "'moor' may be any of 15. Ask again with the id of the one you mean.",
    ]
    told = clew("explain", "moor", "--json", cwd=tmp_path).json["data"]
    assert len(told["choices"]) + told["choices_left_out"] == 15
    assert len(told["choices"]) >= 10
