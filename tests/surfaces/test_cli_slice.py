"""Exact lines on the command line."""

from pathlib import Path

import pytest

from .processes import clew
from .test_cli_terminal import COLOUR, on_a_terminal

KNOWS = ["    def knows(self, token: str) -> bool:", "        return token in self.kept"]


def test_a_slice_is_its_place_its_lines_and_its_calls(indexed: Path) -> None:
    done = clew("slice", "Vault.knows", "--context", "with-deps", cwd=indexed)

    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "vault.py:10-11  method knows"
    assert lines[1:3] == KNOWS
    assert lines[3:5] == ["called by: 1", "    tokens.py::validate_token  tokens.py:8"]
    assert "1 caller; no calls found" in lines[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("vault.py:11",),
        ("knows", "--file", "vault.py"),
        ("knows", "--file", "./vault.py"),
        ("vault.py::Vault::knows", "--max-tokens", "400"),
    ],
    ids=" ".join,
)
def test_a_thing_has_many_names(indexed: Path, arguments: tuple[str, ...]) -> None:
    assert clew("slice", *arguments, cwd=indexed).out.splitlines()[1:3] == KNOWS


@pytest.mark.parametrize("arguments", [("which", "tokens", "expire"), ("--query", "which tokens expire")], ids=" ".join)
def test_words_are_a_question(indexed: Path, arguments: tuple[str, ...]) -> None:
    done = clew("slice", *arguments, "--context", "signature", cwd=indexed)

    assert done.out.splitlines()[:2] == [
        "tokens.py:11-11  function expire_token",
        "def expire_token(token: str) -> str:",
    ]
    assert "also: " in done.out


def test_a_file_is_outlined_wherever_it_is_named_from(project: Path) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "vault.py").write_text("def other(): ...\n", "utf-8")
    clew("index", cwd=project)

    assert "class Vault:" in clew("slice", "--file", "vault.py", cwd=project).out
    assert "def other()" in clew("slice", "--file", "vault.py", cwd=project / "deep").out


def test_quiet_is_the_code_alone_and_json_the_envelope(indexed: Path) -> None:
    quiet = clew("slice", "Vault.knows", "--quiet", cwd=indexed)
    envelope = clew("slice", "Vault.knows", "--json", cwd=indexed).json

    assert quiet.out.splitlines() == KNOWS
    assert envelope["data"]["code"] == "\n".join(KNOWS)
    assert envelope["profile"] == "default"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Give a symbol, a file, or a query"),
        (("validate_tokn",), 3, "Did you mean tokens.py::validate_token"),
        (("Vault", "--max-tokens", "9"), 2, "--max-tokens"),
        (("Vault", "--context", "much"), 2, "with-deps"),
    ],
)
def test_what_is_wrong_is_said(indexed: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = clew("slice", *arguments, cwd=indexed)

    assert done.code == code
    assert said in done.err


def test_a_terminal_has_colours_and_the_code_has_none(indexed: Path) -> None:
    seen = on_a_terminal("slice", "Vault.knows", cwd=indexed)

    assert f"{COLOUR}32mvault.py:10-11" in seen
    assert KNOWS[0] in [line.rstrip("\r") for line in seen.split("\n")]


def test_a_question_may_stand_in_quotes(indexed: Path) -> None:
    apart = clew("slice", "which", "tokens", "are", "known", cwd=indexed)
    quoted = clew("slice", "which tokens are known", cwd=indexed)

    assert quoted.code == 0
    assert quoted.out == apart.out
