"""The command line: what every command shares, and what each of them prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from clew import __version__
from clew.surfaces.cli import COMMANDS, cli

from .processes import CLEW, PATIENCE, clew

ANSI = "\x1b["

# How each command is called so that it answers at once; what a server says is in the tests of the servers.
CALLS = {
    "pack": ("validate", "token"),
    "index": (),
    "rebuild": (),
    "search": ("validate", "token"),
    "status": (),
    "explain": ("validate_token",),
    "callers": ("validate_token",),
    "refs": ("validate_token",),
    "claims": (),
    "tasks": (),
    "services": (),
    "tool": ("query_context", "--query", "token"),
    "config": (),
    "validate-config": (),
    "list-indexable": (),
    "check-file": ("tokens.py",),
    "project-stats": (),
    "completion": ("bash",),
}


def test_the_version_is_the_package_s(tmp_path: Path) -> None:
    assert clew("--version", cwd=tmp_path).out == f"clew, version {__version__}\n"


def test_help_lists_every_command_and_every_exit_code(tmp_path: Path) -> None:
    done = clew("--help", cwd=tmp_path)

    assert done.code == 0
    listed = [line.split()[0] for line in done.out.partition("Commands:\n")[2].splitlines() if line.startswith("  ")]
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    for code in (
        "0 success",
        "1 internal error",
        "2 invalid input",
        "3 not found",
        "4 conflict",
        "5 denied",
        "130 interrupted",
    ):
        assert code in " ".join(done.out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json_and_quiet_and_helps(name: str) -> None:
    context = cli.make_context("clew", [], resilient_parsing=True)
    command = cli.get_command(context, name)
    assert command is not None
    for one in _commands(command, context):
        assert one is not None
        options = {option for param in one.params for option in param.opts}
        assert {"--json", "--quiet", "-q"} <= options
        assert one.help


@pytest.mark.parametrize("name", COMMANDS)
def test_the_default_of_every_option_is_a_value_that_it_takes(name: str) -> None:
    context = cli.make_context("clew", [], resilient_parsing=True)
    command = cli.get_command(context, name)
    assert command is not None
    for one in filter(None, _commands(command, context)):
        own = click.Context(one, parent=context)
        for param in one.params:
            if not param.required and not isinstance(param, click.Argument):
                param.process_value(own, param.get_default(own))


def _commands(command: click.Command, context: click.Context) -> list[click.Command | None]:
    """The command, or those of a group that people see; one that answers without any is a command too."""
    if not isinstance(command, click.Group):
        return [command]
    inner = [command.get_command(context, name) for name in command.list_commands(context)]
    shown = [one for one in inner if one is None or not one.hidden]
    return [*shown, command] if command.invoke_without_command else shown


@pytest.mark.parametrize("name", [name for name in CALLS if name != "completion"])
def test_json_is_json_and_nothing_else_on_every_command(project: Path, name: str) -> None:
    done = clew(name, *CALLS[name], "--json", cwd=project)

    assert done.code == 0
    assert json.loads(done.out)
    assert done.err == ""


@pytest.mark.parametrize("name", CALLS)
def test_quiet_prints_no_more_and_no_colour_goes_into_a_pipe(project: Path, name: str) -> None:
    loud, quiet = clew(name, *CALLS[name], cwd=project), clew(name, *CALLS[name], "--quiet", cwd=project)

    assert (loud.code, quiet.code) == (0, 0)
    assert len(quiet.out) <= len(loud.out)
    assert quiet.err == ""
    assert ANSI not in loud.out + loud.err + quiet.out
    if name in ("index", "rebuild"):
        assert quiet.out == ""


def test_an_index_run_ends_with_one_honest_line(project: Path) -> None:
    (project / "new.py").write_text("def brand_new(): ...\n", "utf-8")
    (project / "key.secret").write_text("x", "utf-8")
    done = clew("index", "--timings", cwd=project)

    line, *stages = done.out.splitlines()
    assert "4 files" in line
    assert "1 read, 3 unchanged, 0 deleted, 1 skipped (1 private), 0 failed" in line
    assert line.endswith(" s")
    assert [stage[:13].strip() for stage in stages][:4] == ["scan", "read", "whole program", "link files"]
    assert all(stage.endswith(" CPU s") for stage in stages)


def test_an_index_run_can_name_its_project(project: Path, tmp_path: Path) -> None:
    assert clew("index", str(project), "--json", cwd=tmp_path).json["files"] == 3
    assert clew("-C", str(project), "index", "--json", cwd=tmp_path).json["files"] == 3


def test_a_search_shows_place_name_and_one_reason(indexed: Path) -> None:
    first, reason, *rest = clew("search", "validate", "token", "-k", "1", cwd=indexed).out.splitlines()

    assert first == "tokens.py:6-8  validate_token"
    assert reason.startswith("    why: matches token, validate")
    assert not any("why:" in line for line in rest)


def test_an_explained_search_shows_scores_and_all_reasons(indexed: Path) -> None:
    done = clew("search", "validate", "token", "--explain", cwd=indexed)

    assert done.out.startswith("tokens.py:6-8  validate_token  function  0.")
    assert "why: full_text" in done.out


def test_a_search_shows_one_line_for_each_hit(indexed: Path) -> None:
    *lines, last = clew("search", "validate", "token", "--oneline", cwd=indexed).out.splitlines()

    assert lines[0] == "tokens.py:6: validate_token"
    assert all(line.partition(":")[2][0].isdigit() for line in lines)
    assert "match" in last


def test_a_search_takes_filters(indexed: Path) -> None:
    options = ("-k", "1", "-p", "*.py", "-x", "tokens.py", "-l", "python", "--kind", "class", "--min-score", "0.01")
    data = clew("search", "token", *options, "--max-tokens", "900", "--json", cwd=indexed).json["data"]

    assert [hit["file_path"] for hit in data["hits"]] == ["vault.py"]


def test_bytes_that_are_no_text_are_a_question_like_any_other(indexed: Path) -> None:
    done = subprocess.run([*CLEW, "search", b"\xff token", "--json"], cwd=indexed, capture_output=True)

    assert done.returncode == 0
    assert json.loads(done.stdout)["data"]["hits"]
    assert done.stderr == b""


def test_a_question_may_begin_with_a_bracket(indexed: Path) -> None:
    assert clew("tool", "query_context", "--query", "[token]", "--json", cwd=indexed).json["data"]["hits"]
    assert clew("tool", "query_context", "--query", "{token", "--json", cwd=indexed).json["data"]["hits"]


def test_a_tool_s_options_are_read_by_their_types(indexed: Path) -> None:
    scope = json.dumps({"paths": ["vault.py"]})
    options = ("--query", "token", "--k", "1", "--scope", scope, "--profile", "balanced", "--max-tokens", "800")
    said = clew("tool", "query_context", *options, "--json", cwd=indexed).json

    assert [hit["file_path"] for hit in said["data"]["hits"]] == ["vault.py"]
    assert said["profile"] == "balanced"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--scope", "{paths"), "not JSON"),
        (("--args", "[1]"), "not JSON"),
        (("--args", "{"), "not JSON"),
        (("--k", "many"), "$.k"),
    ],
)
def test_a_bad_option_of_a_tool_is_wrong_input(indexed: Path, options: tuple[str, str], message: str) -> None:
    done = clew("tool", "query_context", "--query", "token", *options, "--json", cwd=indexed)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_INVALID_INPUT")
    assert message in done.json["summary"]


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("search",), ("index", "--nonsense"), ("completion", "tcsh"), ("serve", "--port", "x")]
)
def test_a_command_that_is_not_understood_is_wrong_input(indexed: Path, arguments: tuple[str, ...]) -> None:
    done = clew(*arguments, cwd=indexed)

    assert done.code == 2
    assert "Usage: clew" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("search", "x", "--limit", "0"), "--limit"),
        (("search", "x", "--min-score", "2"), "--min-score"),
        (("pack", "x", "--max-tokens", "0"), "--max-tokens"),
        (("tasks", "--offset", "-1"), "--offset"),
    ],
)
def test_a_number_that_is_out_of_range_is_told_by_its_option(
    indexed: Path, arguments: tuple[str, ...], option: str
) -> None:
    done = clew(*arguments, cwd=indexed)

    assert done.code == 2
    assert f"'{option}'" in done.err.replace("'-k' / ", "")
    assert "is not in the range" in done.err


@pytest.mark.parametrize(
    "arguments", [("serch", "x"), ("search",), ("search", "x", "--limit", "ten"), ("graph", "--fast")]
)
def test_a_command_that_is_not_understood_is_told_as_json_to_who_reads_it(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = clew(*arguments, "--json", cwd=tmp_path)

    assert (done.code, done.json["errorCode"], done.json["ok"]) == (2, "CLEW_E_INVALID_INPUT", False)
    assert "--help` shows the usage" in done.json["hint"]


def test_help_of_a_tool_says_what_each_argument_takes(tmp_path: Path) -> None:
    told = " ".join(clew("tool", "task_update", "--help", cwd=tmp_path).out.split())

    assert "--task-id TEXT string, required: A task's id" in told
    assert "--status TEXT blocked or cancelled or completed" in told
    assert "--steps TEXT object: New states" in told
    assert "--title TEXT Title; creates the task" in told, "that it is a text goes without saying"
    chosen = " ".join(clew("tool", "test_select", "--help", cwd=tmp_path).out.split())
    assert "fast: the most probable. [default: balanced]" in chosen
    assert "--limit TEXT integer: Maximum number of tests, classes or files. [default: 1000]" in chosen


def test_hints_name_commands_that_work_as_they_are_typed(project: Path) -> None:
    clew("index", cwd=project)
    (project / "tokens.py").write_text("def other(): ...\n", "utf-8")
    gone = clew("explain", "validate_token", cwd=project)
    typed = re.search(r"`clew explain` with (--as-of \S+) shows", gone.err)

    assert typed is not None
    assert clew("explain", "validate_token", *typed[1].split(), cwd=project).code == 0
    assert "`clew tasks` lists the tasks; with a title, `clew tasks add` makes it." in clew(
        "tasks", "update", "T-9", "--status", "completed", cwd=project
    ).err  # fmt: skip
    assert "Did you mean 'tool agent_status'?" in clew("agent-status", cwd=project).err
    assert clew("list-indexable", "--skipped", "--reason", "dockerignore", cwd=project).err == "none\n"


def test_errors_go_to_stderr_for_people_and_to_stdout_as_json(tmp_path: Path) -> None:
    people = clew("search", "token", cwd=tmp_path)
    programs = clew("search", "token", "--json", cwd=tmp_path)

    assert (people.code, programs.code) == (3, 3)
    assert people.out == ""
    assert people.err.startswith("error: ")
    assert "\nhint: Run `clew index`" in people.err
    assert (programs.json["errorCode"], programs.err) == ("CLEW_E_INDEX_MISSING", "")


@pytest.mark.parametrize("module", ["clew.surfaces.cli", "click", "clew.surfaces.cli.searching"])
def test_ctrl_c_is_answered_while_the_program_is_still_loading(indexed: Path, module: str) -> None:
    program = (
        "import os, runpy, signal, sys\n"
        "class Hand:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        name == {module!r} and os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Hand())\n"
        "sys.argv = ['clew', 'search', 'token']\n"
        "runpy.run_module('clew', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=indexed, capture_output=True, text=True)

    assert done.returncode == 130
    said = done.stderr.strip()
    assert said.startswith("interrupted")
    assert "\n" not in said
    assert done.stdout == ""


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for n in range(3000):
        (tmp_path / f"a_file_with_a_rather_long_name_{n}.txt").touch()
    listing = subprocess.Popen([*CLEW, "list-indexable"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = subprocess.run(["head", "-1"], stdin=listing.stdout, capture_output=True, check=True)
    assert listing.stdout
    listing.stdout.close()
    _, err = listing.communicate(timeout=PATIENCE)

    assert first.stdout == b"a_file_with_a_rather_long_name_0.txt\n"
    assert err == b""


@pytest.mark.parametrize(
    ("shell", "mark"), [("bash", "complete -o"), ("zsh", "#compdef clew"), ("fish", "complete --")]
)
def test_completion_scripts_are_printed(tmp_path: Path, shell: str, mark: str) -> None:
    done = clew("completion", shell, cwd=tmp_path)

    assert done.code == 0
    assert mark in done.out
    assert "_CLEW_COMPLETE" in done.out


@pytest.mark.needs(bash=shutil.which("bash") is not None)
def test_bash_takes_the_completion_script(tmp_path: Path) -> None:
    script = clew("completion", "bash", cwd=tmp_path).out

    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_completion_knows_the_commands(tmp_path: Path) -> None:
    wanted = {"_CLEW_COMPLETE": "bash_complete", "COMP_WORDS": "clew list", "COMP_CWORD": "1"}

    assert clew(cwd=tmp_path, env=wanted).out == "plain,list-indexable\n"


def test_settings_show_where_each_value_comes_from(project: Path) -> None:
    (project / "context.toml").write_text("[query]\ndefault_k = 7\n", "utf-8")
    env = {"CLEW_BUDGET_DEFAULT_MAX_TOKENS": "900", "CLEW_SERVER_TOKEN": "hush"}
    entries = {entry["key"]: entry for entry in clew("config", "--json", cwd=project, env=env).json}

    assert (entries["query.default_k"]["value"], entries["query.default_k"]["origin"]) == (7, "context.toml")
    assert entries["budget.default_max_tokens"]["value"] == 900
    assert "CLEW_BUDGET_DEFAULT_MAX_TOKENS" in entries["budget.default_max_tokens"]["origin"]
    assert entries["engine.port"]["origin"] == "default"
    assert "hush" not in json.dumps(entries)


def test_settings_can_be_asked_for_by_name(project: Path) -> None:
    one = clew("config", "engine.port", cwd=project)
    section = clew("config", "engine", "--json", cwd=project)
    none = clew("config", "engine.prt", cwd=project)

    assert one.out.split() == ["engine.port", "9090", "(default)"]
    assert [entry["key"] for entry in section.json] == [
        *("engine.host", "engine.port", "engine.timeout_ms", "engine.retry_attempts")
    ]
    assert none.code == 2


def test_logs_go_to_stderr_line_by_line_as_asked(project: Path) -> None:
    (project / ".clew" / "clew.db").write_bytes(b"no database" * 500)
    done = clew("--log-format", "json", "mcp", cwd=project)

    (line,) = map(json.loads, done.err.splitlines())
    assert line["level"] == "warning"
    assert line.keys() >= {"level", "logger", "message"}
    assert done.out == ""


def test_logs_have_a_level(project: Path) -> None:
    (project / ".clew" / "clew.db").write_bytes(b"no database" * 500)

    assert clew("mcp", cwd=project, env={"CLEW_LOG_LEVEL": "error"}).err == ""


def test_no_color_is_heard_even_where_colour_is_forced(tmp_path: Path) -> None:
    env = {**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"}

    assert ANSI not in clew("search", "x", cwd=tmp_path, env=env).err


def test_a_misspelt_variable_is_told_once_and_beside_the_answer(indexed: Path) -> None:
    env = {"CLEW_QEURY_DEFAULT_K": "3"}
    said = "warning: CLEW_QEURY_DEFAULT_K is not a setting; did you mean CLEW_QUERY_DEFAULT_K?\n"
    search = clew("search", "validate", "token", cwd=indexed, env=env)
    served = clew("mcp", cwd=indexed, env=env)

    assert (search.err, said in search.out) == (said, False)
    assert (served.err.count(said), served.out) == (1, "")
    assert clew("config", cwd=indexed, env=env).err == said, "which it has among its own warnings"
    assert clew("search", "validate", "token", "-q", cwd=indexed, env=env).err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize("arguments", [("search", "token"), ("search", "token", "--json"), ("status",)])
def test_a_full_disk_is_one_line_and_no_success(indexed: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*CLEW, *arguments], cwd=indexed, stdout=full, stderr=subprocess.PIPE, text=True)

    assert done.returncode == 1
    assert "No space left on device" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("used")
    (root / "card.py").write_text("def charge(amount):\n    return amount\n", "utf-8")
    (root / "shop.py").write_text("from card import charge\n\n\ndef buy():\n    return charge(1)\n", "utf-8")
    (root / "notes.txt").write_text("charge is called when a customer buys\n", "utf-8")
    clew("index", cwd=root)
    return root


def test_callers_are_listed_one_line_each(used: Path) -> None:
    assert clew("callers", "charge", cwd=used).out == "shop.py:5: shop.py::buy\n"


def test_references_are_those_that_are_resolved_and_lines_with_the_name(used: Path) -> None:
    lines = clew("refs", "charge", cwd=used).out.splitlines()

    assert "shop.py:5: calls shop.py::buy" in lines
    assert "card.py:1: def charge(amount):" in lines
    assert "notes.txt:1: charge is called when a customer buys" in lines


def test_an_exact_search_in_a_line_each_shows_the_lines(used: Path) -> None:
    *lines, last = clew("search", "--exact", "--oneline", "charge(1)", cwd=used).out.splitlines()

    assert lines == ["shop.py:5: return charge(1)"]
    assert last == "1 occurrence of 'charge(1)' in 1 file."
