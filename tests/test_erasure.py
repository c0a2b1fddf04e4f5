"""What is forgotten is nowhere any more; what is left stays usable."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clew import erasure, ground_state
from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.index.rules import rules_of
from clew.model.agents import Identity
from clew.model.errors import InvalidInput, NotFound
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope, Subject
from clew.model.run import Mode
from clew.store.erasure import Erasure
from clew.surfaces.cli import cli
from clew.surfaces.library import Workspace
from tests.conftest import DAY_2, Repository
from tests.views import search, tables

WHO = Identity("planner", "s1")
CODE, TOLD = "zqxjkvbpwm", "wmzqpxvjbk"  # no other text has these, and they do not compress


def found(root: Path, word: str) -> list[str]:
    """Files of Clew's that hold a word."""
    return [file.name for file in (root / ".clew").rglob("*") if file.is_file() and word.encode() in file.read_bytes()]


@pytest.fixture
def known(repository: Repository, backend: str) -> Repository:
    repository.write("secret.py", f"def {CODE}(): ...\n")
    repository.write("b.py", "import secret\n\ndef other(): ...\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        engine = workspace.engine
        engine.index()
        about = (Subject(f"secret.py::{CODE}", b"then"),)
        engine.episodes.add("e1", WHO, EpisodeDraft(EpisodeType.DECISION, f"we keep {TOLD}"), about, DAY_2)
        engine.episodes.add("e2", WHO, EpisodeDraft(EpisodeType.DECISION, "this stays"), (), DAY_2)
        engine.learnings.learn(Learning("l1", "b.py", "hotspot", f"about {TOLD}", 0.8, ("e1",), subjects=about), DAY_2)
        engine.memory.notebook.keep(AgentNote("n1", NoteScope.SHARED, WHO, f"see {TOLD}", "tests"), DAY_2)
        workspace.context_pack_create(query=CODE, write=True)
    return repository


def test_forgotten_memory_is_in_no_file_and_in_no_row(known: Repository, backend: str) -> None:
    ground_state.back_up(known.root)
    assert backend == "postgres" or found(known.root, TOLD)

    receipt = erasure.forget(known.root, ["e1", "n1"])

    assert receipt.memory == {"episode": 1, "learning": 1, "note": 1}
    assert receipt.backups == 1
    assert found(known.root, TOLD) == []
    with Engine.open(known.root) as engine:
        assert TOLD not in str(tables(engine))
        assert [one.draft.content for one in engine.episodes.latest(9)] == ["[forgotten]", "this stays"]
        engine.episodes.add("e3", WHO, EpisodeDraft(EpisodeType.DECISION, "and this comes"), (), DAY_2)
        assert [one.number for one in engine.episodes.latest(1)] == [3]


def test_a_forgotten_file_is_gone_in_all_versions_and_the_rest_is_as_if_it_had_never_been(
    known: Repository, tmp_path: Path, backend: str
) -> None:
    known.write("secret.py", f"def {CODE}(user): ...\n")
    known.commit(at=DAY_2)
    with Engine.open(known.root) as engine:
        engine.index()
    known.delete("secret.py")
    known.commit(at=DAY_2)
    with Engine.open(known.root) as engine:
        engine.index()

    assert erasure.preview(known.root, paths=["secret.py"]).related_episodes == ("e1",)
    receipt = erasure.forget(known.root, ["e1"], ["secret.*"])

    assert (receipt.files, receipt.packs) == (("secret.py",), 1)
    assert found(known.root, CODE) == []
    with Engine.open(known.root) as engine:
        engine.index()
        assert engine.files.history("secret.py") == []
        assert search(engine, "other")
        after = graph_hash(engine.db, engine.where)
        engine.index(Mode.FULL)
        assert graph_hash(engine.db, engine.where) == after


def test_a_file_that_is_still_there_is_reported(known: Repository) -> None:
    receipt = erasure.forget(known.root, paths=["secret.py"])

    assert "secret.py: still in the tree" in receipt.remaining[-2]


def test_a_preview_changes_nothing_and_what_is_unknown_is_said(known: Repository) -> None:
    assert erasure.preview(known.root, ["e1"], ["b.py"]).files == ("b.py",)

    with Engine.open(known.root) as engine:
        assert [one.id for one in engine.episodes.latest(9)] == ["e1", "e2"]
        assert engine.files.history("b.py")
        assert engine.checkouts.state(engine.where).rules == rules_of(engine.config)
    with pytest.raises(NotFound, match="e9"):
        erasure.forget(known.root, ["e1", "e9"])
    with Engine.open(known.root) as engine:
        assert engine.episodes.latest(9)[0].draft.content == f"we keep {TOLD}", "all or nothing"


def test_worktrees_that_are_gone_leave_nothing_but_what_agents_wrote(
    known: Repository, tmp_path: Path, backend: str
) -> None:
    trees = [tmp_path / "linked", tmp_path / "kept"]
    for tree in trees:
        known.git("worktree", "add", "-q", str(tree), "-b", tree.name)
        with Engine.open(tree) as engine:
            engine.index()
            engine.episodes.add(f"of {tree.name}", WHO, EpisodeDraft(EpisodeType.ERROR, "seen"), (), DAY_2)
    shutil.rmtree(trees[0])

    done = erasure.collect(known.root)

    assert len(done.checkouts) == 1
    assert "linked" in done.checkouts[0]
    with Engine.open(known.root) as engine:
        assert len(Erasure(engine.db, engine.where.project).checkouts()) == 2
        assert engine.episodes.get("of linked")
        assert search(engine, "other")
    with Engine.open(trees[1]) as engine:
        assert search(engine, "other")
    assert erasure.collect(known.root).checkouts == ()


def test_the_commands_erase_and_collect(repository: Repository) -> None:
    with Engine.open(repository.root) as engine:
        engine.episodes.add("e1", WHO, EpisodeDraft(EpisodeType.DECISION, "a"), (), DAY_2)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["-C", str(repository.root), *arguments])

    assert isinstance(run("forget", "e1").exception, InvalidInput)
    assert run("forget", "e1", "--dry-run").stdout.startswith("Would erase 1 episode")
    assert '"memory":{"episode":1}' in run("forget", "e1", "--yes", "--json").stdout
    assert run("gc").stdout.startswith("0 working trees")
