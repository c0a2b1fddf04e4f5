"""Which files belong to the project, as the boundary commands tell it."""

from contextlib import suppress
from pathlib import Path

import pytest

from clew.model.errors import ConfigError
from tests.trusting import accept

from .processes import clew


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A project with something of everything."""
    (tmp_path / "src").mkdir()
    (tmp_path / "context.toml").write_text("", "utf-8")
    (tmp_path / ".gitignore").write_text("*.log\n", "utf-8")
    (tmp_path / "src" / "a.py").write_text("def a(): ...\n", "utf-8")
    (tmp_path / "src" / "b.ts").write_text("export const b = 1\n", "utf-8")
    (tmp_path / "guide.md").write_text("# Guide\n", "utf-8")
    (tmp_path / "run.log").write_text("ran\n", "utf-8")
    (tmp_path / "keys.secret").write_text("hush\n", "utf-8")
    (tmp_path / "zeros.txt").write_bytes(b"\0" * 4096)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.js").write_text("1\n", "utf-8")
    return tmp_path


def test_indexable_files_are_listed(mixed: Path) -> None:
    listed = clew("list-indexable", cwd=mixed).out.splitlines()

    assert {"src/a.py", "src/b.ts", "guide.md"} <= set(listed)
    assert not {"run.log", "keys.secret", "zeros.txt", "node_modules/"} & set(listed)
    assert listed == sorted(listed)


def test_what_is_left_out_is_listed_with_its_reason(mixed: Path) -> None:
    items = clew("list-indexable", "--skipped", "--json", cwd=mixed).json["items"]
    reasons = {item["path"]: item["reason"] for item in items}

    assert reasons == {
        "keys.secret": "private",
        "node_modules/": "ignored",
        "run.log": "gitignore",
        "zeros.txt": "binary",
    }


def test_what_is_left_out_can_be_listed_by_reason(mixed: Path) -> None:
    listed = clew("list-indexable", "--skipped", "--reason", "binary", cwd=mixed).out

    assert listed.startswith("zeros.txt  binary")
    assert len(listed.splitlines()) == 1
    assert clew("list-indexable", "--reason", "gitignore", cwd=mixed).out.startswith("run.log  gitignore")


def test_a_long_list_can_be_cut_and_says_so(mixed: Path) -> None:
    done = clew("list-indexable", "--limit", "1", cwd=mixed)

    assert len(done.out.splitlines()) == 1
    assert "more" in done.err
    assert clew("list-indexable", "--limit", "1", "--quiet", cwd=mixed).err == ""


@pytest.mark.parametrize(
    ("file", "code", "said"),
    [
        ("src/a.py", 0, "would be indexed"),
        ("run.log", 3, "is left out: gitignore"),
        ("keys.secret", 3, "is left out: private"),
        ("zeros.txt", 3, "is left out: binary"),
        ("node_modules/x.js", 3, "is left out: ignored"),
        ("missing.py", 3, "missing.py"),
        ("/etc/passwd", 5, "outside"),
        ("../elsewhere.py", 5, "outside"),
    ],
)
def test_one_file_is_explained(mixed: Path, file: str, code: int, said: str) -> None:
    done = clew("check-file", file, cwd=mixed)

    assert done.code == code
    assert said in done.out + done.err


def test_a_file_is_named_from_where_one_stands(mixed: Path) -> None:
    assert clew("check-file", "a.py", cwd=mixed / "src").out.endswith("src/a.py would be indexed\n")
    assert clew("check-file", "src/a.py", cwd=mixed / "src").code == 0


def test_an_explanation_is_json_too(mixed: Path) -> None:
    decision = clew("check-file", "run.log", "--json", cwd=mixed).json

    assert (decision["indexed"], decision["reason"]) == (False, "gitignore")
    assert [check for check, passed, _ in decision["checks"] if not passed] == ["gitignore"]


def test_a_valid_configuration_shows_what_it_means(mixed: Path) -> None:
    done = clew("validate-config", cwd=mixed)
    report = clew("validate-config", "--json", cwd=mixed).json

    assert "✓ Configuration valid" in done.out
    assert (report["valid"], report["root"]) == (True, str(mixed))
    assert report["skipped"]["gitignore"] == 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[query\n", "line 1"),
        ("[query]\ndefault_k = 0\n", "query.default_k"),
        ("[query]\ndefault_kk = 3\n", "query.default_k"),
        ('[engine]\nhost = "${NOT_SET_ANYWHERE}"\n', "NOT_SET_ANYWHERE"),
    ],
)
def test_a_wrong_configuration_is_said(mixed: Path, text: str, named: str) -> None:
    (mixed / "context.toml").write_text(text, "utf-8")
    with suppress(ConfigError):
        accept(mixed)
    done = clew("validate-config", "--json", cwd=mixed)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_CONFIG")
    assert named in done.json["summary"]
    assert done.json["hint"]


@pytest.mark.parametrize("command", [("index",), ("search", "x"), ("config",), ("serve", "--port", "0"), ("mcp",)])
def test_a_wrong_configuration_stops_every_command(mixed: Path, command: tuple[str, ...]) -> None:
    (mixed / "context.toml").write_text("[query\n", "utf-8")
    done = clew(*command, "--json", cwd=mixed)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_CONFIG")


def test_statistics_count_by_folder_language_and_reason(mixed: Path) -> None:
    stats = clew("project-stats", "--json", cwd=mixed).json
    text = clew("project-stats", cwd=mixed).out

    assert stats["folders"]["src/"] == 2
    assert stats["languages"]["python"] == stats["languages"]["typescript"] == 1
    assert stats["skipped"]["private"] == 1
    assert "folders:" in text and "languages:" in text and "left out:" in text


def test_languages_are_those_that_an_index_run_sees(mixed: Path) -> None:
    (mixed / "deploy").write_text("#!/usr/bin/env bash\necho deploy\n", "utf-8")
    (mixed / "shape.h").write_text("namespace shapes { class Box {}; }\n", "utf-8")
    stats = clew("project-stats", "--json", cwd=mixed).json
    clew("index", cwd=mixed)
    chunks = clew("tool", "get_context_stats", "--profile", "debug", "--json", cwd=mixed).json["data"]["languages"]

    assert (stats["languages"]["bash"], stats["languages"]["cpp"]) == (1, 1)
    assert stats["languages"].keys() == chunks.keys()


def test_all_of_them_count_what_an_index_run_counts(mixed: Path) -> None:
    run = clew("index", "--json", cwd=mixed).json
    listed = clew("list-indexable", "--json", cwd=mixed).json
    checked = clew("validate-config", "--json", cwd=mixed).json
    counted = clew("project-stats", "--json", cwd=mixed).json

    assert listed["total"] == checked["indexable"] == counted["files"] == run["files"]
    assert checked["skipped"] == counted["skipped"] == run["skipped"]
    assert sum(counted["folders"].values()) == run["files"]


def test_validate_config_counts_files_by_path_and_reports_security(mixed: Path) -> None:
    clew("index", "-q", cwd=mixed)
    report = clew("validate-config", "--json", "--changes", cwd=mixed).json
    said = clew("validate-config", cwd=mixed).out

    assert sum(report["paths"].values()) == report["indexable"]
    assert all(one["safe"] for one in report["security"])
    assert "watcher.watch_paths" in report["changes"][0]["changed"]
    assert "%)" in said
    assert "nothing is sent anywhere" in said


def test_the_projects_of_a_workspace_are_counted(mixed: Path) -> None:
    (mixed / "context.toml").write_text('[projects.code]\nwatch_paths = ["src"]\n', "utf-8")
    report = clew("validate-config", "--json", cwd=mixed).json
    assert list(report["projects"]) == ["code"]
    assert 0 < report["projects"]["code"] < report["indexable"]
