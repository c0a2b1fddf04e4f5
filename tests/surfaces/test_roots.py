"""A call names a directory that the server was not started for: it is neither read, nor written, nor described."""

import json
from pathlib import Path

import pytest

from tests.conftest import Repository

from .processes import clew, mcp_on_pipes


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A directory of the user's that is no project of this server."""
    folder = tmp_path / "private" / ".ssh"
    folder.mkdir(parents=True)
    (folder / "id_ed25519.txt").write_text("the private key\n", "utf-8")
    return folder


@pytest.fixture
def served(repository: Repository) -> Repository:
    repository.write("pay.py", "def charge(card):\n    return card\n")
    repository.commit()
    clew("index", cwd=repository.root)
    return repository


def test_a_call_cannot_name_a_directory_that_nobody_allowed(served: Repository, private: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(private)
    named = [str(private), str(tmp_path / "link"), str(tmp_path / "nothing"), "../private/.ssh", "/etc", "/"]
    with mcp_on_pipes(served.root, tmp_path / "log", "--toolsets", "all") as pipes:
        pipes.greet()
        reads = [pipes.call("query_context", query="private key", project=one) for one in named]
        writes = [pipes.call("graph_rebuild", project=one) for one in named]
        moved = pipes.call("graph_set_workspace", workspace_root=str(private))
        own = pipes.call("query_context", query="charge", project=str(served.root))

    assert {one["errorCode"] for one in (*reads, *writes)} == {"CLEW_E_NOT_FOUND"}
    assert {one["hint"] for one in reads} == {reads[0]["hint"]}, "what is on the disk is not told"
    assert moved["errorCode"] == "CLEW_E_DENIED"
    assert own["ok"] and not (private / ".clew").exists()
    assert "the private key" not in json.dumps([*reads, *writes, moved])


def test_the_home_of_another_user_is_not_named_in_an_answer(served: Repository, tmp_path: Path) -> None:
    with mcp_on_pipes(served.root, tmp_path / "log") as pipes:
        pipes.greet()
        there, nobody = (pipes.call("query_context", query="x", project=one) for one in ("~daemon", "~no-such-user"))

    assert there["summary"].replace("daemon", "?") == nobody["summary"].replace("no-such-user", "?")
    assert (there["errorCode"], there["hint"]) == (nobody["errorCode"], nobody["hint"])


@pytest.mark.parametrize("how", ["option", "configuration"])
def test_a_root_that_the_user_allows_is_opened(served: Repository, tmp_path: Path, how: str) -> None:
    other = Repository(tmp_path / "others" / "one")
    other.write("context.toml", "")
    other.write("ship.py", "def moor(boat):\n    return boat\n")
    clew("index", cwd=other.root)
    options = ["--allow-root", str(tmp_path / "others")] if how == "option" else []
    if how == "configuration":
        configuration = Path.home() / ".config" / "clew" / "config.toml"
        configuration.parent.mkdir(parents=True)
        configuration.write_text(f"[server]\nallowed_roots = [{json.dumps(str(tmp_path / 'others'))}]\n", "utf-8")
    with mcp_on_pipes(served.root, tmp_path / "log", *options) as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="moor", project=str(other.root))["data"]["hits"]


def test_a_repository_cannot_allow_roots(served: Repository, private: Path, tmp_path: Path) -> None:
    served.write("context.toml", '[server]\nallowed_roots = ["/"]\n')
    with mcp_on_pipes(served.root, tmp_path / "log") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="key", project=str(private))["errorCode"] == "CLEW_E_NOT_FOUND"


def test_a_worktree_that_git_linked_is_served_with_its_project(served: Repository, tmp_path: Path) -> None:
    served.git("worktree", "add", "-q", str(tmp_path / "tree"))
    with mcp_on_pipes(served.root, tmp_path / "log") as pipes:
        pipes.greet()
        built = pipes.call("graph_rebuild", project=str(tmp_path / "tree"))
        assert built["ok"], built
        assert pipes.call("query_context", query="charge", project=str(tmp_path / "tree"))["ok"]


def test_a_question_makes_no_folder_in_a_project_that_was_never_indexed(served: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("x = 1\n", "utf-8")
    (other / "context.toml").write_text("", "utf-8")
    with mcp_on_pipes(served.root, tmp_path / "log", "--allow-root", str(other)) as pipes:
        pipes.greet()
        asked = [
            pipes.call("query_context", query="x", project=str(other)),
            pipes.call("episode_recall", query="x", project=str(other)),
            pipes.call("context_pack", task="x", project=str(other)),
        ]

    assert {one["errorCode"] for one in asked} == {"CLEW_E_INDEX_MISSING"}
    assert not (other / ".clew").exists()
