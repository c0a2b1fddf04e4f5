"""Claims and tasks on the command line: for people, for pipes, for programs."""

from pathlib import Path

from clew.engine import now
from clew.model.time import to_iso

from .processes import clew
from .test_cli_terminal import on_a_terminal

ANN = {"CLEW_AGENT": "ann", "CLEW_SESSION": "1"}
BEN = {"CLEW_AGENT": "ben", "CLEW_SESSION": "1"}


def test_a_claim_is_shown_refused_to_others_and_released(project: Path) -> None:
    made = clew("claims", "claim", "tokens.py", "--intent", "expire sooner", cwd=project, env=ANN)
    refused = clew("claims", "claim", "tokens.py::expire_token", cwd=project, env=BEN)
    shown = clew("claims", cwd=project)
    then = to_iso(now())
    freed = clew("claims", "release", "tokens.py", "--outcome", "done", cwd=project, env=ANN)

    assert (made.code, made.out) == (0, "tokens.py is claimed by you, fencing number 1.\n")
    assert refused.code == 4
    assert refused.out.startswith("CONFLICT: tokens.py is held by ann/1 since ")
    assert shown.out.splitlines()[0].split() == ["target", "holder", "since", "standing", "task", "intent", "claim"]
    assert shown.out.splitlines()[1].split()[:2] == ["tokens.py", "ann/1"]
    assert (freed.code, freed.out) == (0, "tokens.py is free.\n")
    assert clew("claims", cwd=project).out == "0 claims active, by 0 holders.\n"
    assert clew("claims", "--as-of", then, cwd=project).out.splitlines()[1] == shown.out.splitlines()[1]


def test_all_commands_of_a_terminal_are_one_holder_and_paths_are_seen_from_there(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("x = 1\n", "utf-8")
    made = clew("claims", "claim", "a.py", "--json", cwd=project / "src")
    again = clew("-C", "..", "claims", "claim", "src/a.py", "--json", cwd=project / "src")

    assert made.json["data"]["target"] == "src/a.py"
    assert again.json["data"]["claim_id"] == made.json["data"]["claim_id"]


def test_who_has_another_session_for_every_command_is_told_how_to_name_it(project: Path) -> None:
    """As programs do that start each command in a session of its own."""
    apart = ("setsid", "--wait")
    clew("claims", "claim", "tokens.py", cwd=project, under=apart)
    refused = clew("claims", "release", "tokens.py", "--json", cwd=project, under=apart)

    assert (refused.code, refused.json["errorCode"]) == (5, "CLEW_E_DENIED")
    assert "CLEW_SESSION" in refused.json["hint"]


def test_what_is_not_there_yet_is_seen_from_there_too_and_nothing_is_not_everything(project: Path) -> None:
    (project / "src").mkdir()
    new = clew("claims", "claim", "./new.py::Card", "--json", cwd=project / "src")
    nothing = clew("claims", "claim", "", "--json", cwd=project)
    task = clew("tasks", "add", "T-1", "One", "--file", "", "--json", cwd=project)

    assert new.json["data"]["target"] == "src/new.py::Card"
    assert (nothing.code, nothing.json["errorCode"]) == (2, "CLEW_E_INVALID_INPUT")
    assert "files" not in task.json["data"]["task"]


def test_a_task_goes_from_added_to_completed(project: Path) -> None:
    added = clew("tasks", "add", "T-1", "Expire sooner", "--step", "write", "--step", "test", "--feature", "tokens",
                 "--file", "tokens.py", cwd=project, env=ANN)  # fmt: skip
    taken = clew("tasks", "update", "T-1", "--status", "in_progress", "--step-state", "1=done", cwd=project, env=ANN)
    refused = clew("tasks", "update", "T-1", "--status", "in_progress", cwd=project, env=BEN)
    shown = clew("tasks", "--status", "in_progress", cwd=project)
    done = clew("tasks", "update", "T-1", "--status", "completed", cwd=project, env=ANN)

    assert (added.out, taken.out) == ("T-1 is made, pending.\n", "T-1 is in_progress.\n")
    assert refused.code == 4
    assert shown.out.splitlines()[1].split()[:6] == ["T-1", "in_progress", "Expire", "sooner", "ann/1", "[x]["]
    assert shown.out.splitlines()[-1] == "1 task: 1 in_progress."
    assert done.out == "T-1 is completed. Not done: step 2. 1 claim released.\n"
    feature = clew("tasks", "feature", "tokens", cwd=project)
    assert feature.out.splitlines()[-1].startswith("tokens: 1 of 1 tasks completed; tests lead to 0 of its 2 symbols")


def test_what_holds_work_up_is_listed(project: Path) -> None:
    clew("tasks", "add", "T-1", "One", "--after", "T-2", cwd=project)
    shown = clew("tasks", "issues", cwd=project)

    assert shown.out.splitlines()[1].split()[:3] == ["unknown_dependency", "T-2", "T-1"]


def test_json_is_the_envelope_and_errors_have_hints(project: Path) -> None:
    assert clew("tasks", "--json", cwd=project).json["data"]["total"] == 0
    unknown = clew("tasks", "update", "T-9", "--status", "completed", cwd=project)

    assert unknown.code == 3
    assert "hint:" in unknown.err
    assert clew("tasks", "update", "T-9", "--step-state", "one", cwd=project).code == 2


def test_a_terminal_gets_a_table_and_help_has_examples(project: Path) -> None:
    clew("claims", "claim", "tokens.py", "--intent", "a [bold] one", cwd=project, env=ANN)

    seen = on_a_terminal("claims", cwd=project, env={"COLUMNS": "200"})
    assert "┏" in seen
    assert "a [bold] one" in seen
    for command in (("claims",), ("claims", "claim"), ("tasks",), ("tasks", "update")):
        assert "Example" in clew(*command, "--help", cwd=project).out


def test_a_handoff_tells_what_another_knew_about_a_task(project: Path) -> None:
    clew("tasks", "add", "T-5", "Sign tokens", "--step", "choose a key", cwd=project, env=ANN)
    clew("tasks", "update", "T-5", "--status", "in_progress", cwd=project, env=ANN)
    clew("tool", "episode_add", "--type", "OBSERVATION", "--content", "Which key?", "--task-id", "T-5", cwd=project,
         env=ANN)  # fmt: skip

    told = clew("tasks", "handoff", "T-5", "ann", cwd=project)

    assert told.code == 0
    assert "next: choose a key" in told.out
    assert "holds task:T-5 since " in told.out
    assert "open (asked): Which key?" in told.out
    assert "ann on T-5: 1 claim, 0 decisions, 1 open question." in told.out
