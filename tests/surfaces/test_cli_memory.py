"""Memory on the command line."""

import json
from pathlib import Path

from tests.trusting import copied

from .processes import clew


def test_an_episode_is_added_listed_recalled_and_shown(project: Path) -> None:
    about = ("--entity", "vault.py::Vault")
    added = clew("memory", "add", "OBSERVATION", "Vault keeps tokens", *about, "--json", cwd=project)
    episode = added.json["data"]["episode_id"]

    listed = clew("memory", "list", cwd=project).out
    found = clew("memory", "recall", "where", "are", "tokens", "kept", cwd=project).out
    shown = json.loads(clew("memory", "show", episode, "--json", cwd=project).out)

    assert episode in listed and "Vault keeps tokens" in listed
    assert "vault.py::Vault: current" in found
    assert "    why: matches " in found
    assert shown["entities"] == [{"id": "vault.py::Vault", "state": "current"}]
    assert shown["agent_id"] == "command-line"


def test_what_is_wrong_is_said(project: Path) -> None:
    decision = clew("memory", "add", "DECISION", "use tokens", cwd=project)
    metadata = clew("memory", "add", "ERROR", "x", "--metadata", "{", cwd=project)
    unknown = clew("memory", "show", "nothing", cwd=project)

    assert (decision.code, metadata.code, unknown.code) == (2, 2, 3)
    assert "DECISION needs metadata: title (a text), rationale (a text)" in decision.err
    assert "clew memory list" in unknown.err


def test_nothing_remembered_is_no_error(project: Path) -> None:
    assert clew("memory", "list", "--json", cwd=project).json == {"episodes": []}
    assert clew("memory", "learnings", "--json", cwd=project).json == {"learnings": []}


def test_nothing_of_a_task_is_not_nothing_at_all(project: Path) -> None:
    clew("memory", "add", "OBSERVATION", "Vault keeps tokens", cwd=project)

    assert clew("memory", "list", "--task", "T-1", cwd=project).err == "Nothing of task T-1 is remembered.\n"
    assert clew("memory", "list", "--agent", "ann", "-q", cwd=project).err == ""
    assert clew("memory", "learnings", cwd=project).err.startswith("Nothing is learned yet")


def test_notes_and_preferences_are_kept_for_the_project_and_for_the_user(project: Path, tmp_path: Path) -> None:
    clew("memory", "notes", "run", "make", "check", "--name", "checks", cwd=project)
    preferred = clew("memory", "prefer", "answer in German", "--json", cwd=project)
    other = copied(project, tmp_path / "other")

    listed = clew("memory", "notes", cwd=project).out
    elsewhere = clew("memory", "prefer", cwd=other).out
    found = clew("memory", "recall", "which", "checks", "to", "run", cwd=project).out
    ended = clew("memory", "notes", "--end", "checks", cwd=project)

    assert preferred.json["data"]["notes"][0]["scope"] == "user"
    assert "shared   checks" in listed and "answer in German" in listed
    assert "answer in German" in elsewhere and "run make" not in elsewhere
    assert "run make check" in found
    assert ended.code == 0 and "run make" not in clew("memory", "notes", cwd=project).out


def test_a_decision_has_a_short_form(project: Path) -> None:
    short = ("--why", "others are forged", "--file", "vault.py", "--json")
    added = clew("memory", "add", "decision", "use signed tokens", *short, cwd=project)
    shown = json.loads(clew("memory", "show", added.json["data"]["episode_id"], "--json", cwd=project).out)

    assert shown["metadata"]["title"] == "use signed tokens"
    assert shown["metadata"]["rationale"] == "others are forged"
    assert shown["metadata"]["affected_files"] == ["vault.py"]
    assert clew("memory", "add", "observation", "x", "--why", "y", cwd=project).code == 2


def test_help_names_the_metadata_of_each_type(project: Path) -> None:
    told = " ".join(clew("memory", "add", "--help", cwd=project).out.split())

    assert "DECISION: title, rationale, tradeoffs, affected_files; EDIT: file," in told
