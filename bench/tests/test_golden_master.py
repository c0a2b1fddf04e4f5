"""Records of what Clew makes of a repository, and what is shown where two of them differ."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.golden_master.compare import compare
from bench.golden_master.record import record
from bench.golden_master.repositories import Repository, repositories, without_commit
from bench.golden_master.rows import rows_of, write


@pytest.fixture(scope="module")
def checkouts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("checkouts")
    (home / "shop").mkdir()
    (home / "shop" / "pay.py").write_text("def charge(card):\n    return card\n\n\ndef pay(card):\n    charge(card)\n")
    commit = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "Charge every card only once"]
    for arguments in (["init", "-q"], ["add", "."], commit):
        subprocess.run(["git", *arguments], cwd=home / "shop", check=True)
    return home


def shop(checkouts: Path) -> Repository:
    head = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(head, cwd=checkouts / "shop", capture_output=True, text=True, check=True)
    return Repository("python", "example/shop", done.stdout.strip(), 6, True)


def kept(folder: Path, digests: dict[str, str]) -> Path:
    (folder / "manifest.json").write_text(json.dumps({"digests": {"shop": digests}}))
    return folder


def test_two_records_of_the_same_commit_are_equal(checkouts: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    before = record(checkouts, first, None, shop(checkouts))
    after = record(checkouts, again, first, shop(checkouts))

    assert before == after
    assert {"answers", "graph", "outlines"} == set(before)
    assert compare(kept(first, before), kept(again, after), 10) == (["1 of 1 equal"], False)


def test_a_difference_shows_the_rows_that_only_one_record_has(tmp_path: Path) -> None:
    row = '{"type": "edge", "kind": "CALLS", "source": "a", "target": "%s"}'
    for folder, target in (("before", "b"), ("after", "c")):
        write(tmp_path / folder / "shop" / "graph.jsonl.gz", [row % "same", row % target])
        kept(tmp_path / folder, {"graph": target})
    lines, differs = compare(tmp_path / "before", tmp_path / "after", 10)

    assert differs
    assert lines[0].startswith("shop graph: +1 edge CALLS, -1 edge CALLS; all in ")
    assert lines[1:] == [f"  - {row % 'b'}", f"  + {row % 'c'}", "0 of 1 equal"]


def test_an_inserted_hit_does_not_make_those_behind_it_differ(tmp_path: Path) -> None:
    asked = {"tool": "query_context", "query": "pay"}
    hits = [{"path": "a"}, {"path": "b"}]
    for folder, found in (("before", hits), ("after", [{"path": "new"}, *hits]), ("turned", hits[::-1])):
        write(tmp_path / folder / "shop" / "answers.jsonl.gz", rows_of(asked, {"hits": found}))
        kept(tmp_path / folder, {"answers": folder})

    assert [line[2:3] for line in compare(tmp_path / "before", tmp_path / "after", 10)[0][1:-1]] == ["+"]
    assert [line[2:3] for line in compare(tmp_path / "before", tmp_path / "turned", 10)[0][1:-1]] == ["~"]


def test_sentences_and_times_are_not_compared() -> None:
    asked = {"tool": "query_context"}
    first, again = ({"hits": [{"path": "a", "reason": said}], "createdAt": said} for said in ("so", "otherwise"))

    assert [*rows_of(asked, first)] == [*rows_of(asked, again)]


def test_the_list_holds_thirty_repositories_and_a_small_one_of_each_language(tmp_path: Path) -> None:
    every, quick = repositories(quick=False), repositories(quick=True)

    assert len({one.name for one in every}) >= 30
    assert len({one.language for one in quick}) == len(quick) == 16
    assert len(without_commit(tmp_path, quick)) == len(quick)
