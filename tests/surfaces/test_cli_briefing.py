"""`clew pack` on the command line: text for a prompt in a pipe, the envelope for programs, what is wrong for people."""

from pathlib import Path
from xml.etree import ElementTree

from clew.text.tokens import estimate

from .processes import clew
from .test_cli_terminal import on_a_terminal

TASK = ("validate", "a", "bearer", "token")


def test_in_a_pipe_it_is_markdown_for_a_prompt_inside_of_the_budget(indexed: Path) -> None:
    done = clew("pack", *TASK, "--max-tokens", "400", cwd=indexed)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Start at tokens.py::validate_token: ")
    assert "**tokens.py:6-8** `validate_token`" in done.out
    assert estimate(done.out) <= 400


def test_a_budget_that_is_not_named_is_the_project_s(indexed: Path) -> None:
    assert estimate(clew("pack", "token", cwd=indexed).out) <= 1500


def test_a_format_can_be_chosen(indexed: Path) -> None:
    root = ElementTree.fromstring(clew("pack", *TASK, "--format", "xml", cwd=indexed).out)

    assert next(snippet.get("path") for snippet in root.iter("snippet")) == "tokens.py"


def test_programs_get_the_envelope_as_it_was_measured(indexed: Path) -> None:
    done = clew("pack", *TASK, "--json", "--max-tokens", "700", cwd=indexed)

    assert done.json["data"]["entry_point"] == "tokens.py::validate_token"
    assert estimate(done.out.rstrip("\n")) <= done.json["_tokenEstimate"] <= 700


def test_it_explains_itself_if_asked(indexed: Path) -> None:
    told = clew("pack", *TASK, "--explain", cwd=indexed).out

    assert "WHY" in told
    assert "full_text" in told.partition("WHY")[2]


def test_what_is_wrong_is_said_with_what_to_do(indexed: Path, tmp_path: Path) -> None:
    unknown = clew("pack", *TASK, "--focus", "validate_tokn", cwd=indexed)
    small = clew("pack", *TASK, "--max-tokens", "2", cwd=indexed)
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    missing = clew("pack", *TASK, cwd=tmp_path)

    assert (unknown.code, small.code, missing.code) == (3, 2, 3)
    assert "Did you mean" in unknown.err
    assert "--max-tokens" in small.err
    assert "clew index" in missing.err


def test_on_a_terminal_it_shows_what_agents_know_and_who_is_in_the_way(project: Path) -> None:
    ann = {"CLEW_AGENT": "ann", "CLEW_SESSION": "1"}
    told = '{"title": "Tokens expire", "rationale": "stolen", "tradeoffs": [], "affected_files": ["tokens.py"]}'
    clew("index", cwd=project)
    clew("tool", "episode_add", "--type", "DECISION", "--content", "A token is valid for an hour.", "--metadata", told,
         cwd=project, env=ann)  # fmt: skip
    clew("tasks", "add", "T-1", "Validate tokens", "--step", "read", "--step", "write", cwd=project, env=ann)
    clew("claims", "claim", "tokens.py", "--intent", "expire sooner", cwd=project, env=ann)

    seen = on_a_terminal("pack", *TASK, "--task-id", "T-1", "--claim", cwd=project, env={"NO_COLOR": "1"})
    bare = clew("pack", *TASK, "--no-decisions", cwd=project).out

    assert "claim: CONFLICT, tokens.py::validate_token" in seen
    assert "tokens.py is held by ann/1 since " in seen and ": expire sooner" in seen
    assert "1. read  pending" in seen
    assert "Tokens expire" in seen and "why: current; about " in seen
    assert "In the way" in bare and "Tokens expire" not in bare
