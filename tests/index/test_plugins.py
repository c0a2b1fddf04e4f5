"""Languages that packages bring: read like any other, and if they fail, by themselves."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.index import pool
from clew.index.file_reader import FileToRead
from clew.index.rules import rules_of
from clew.index.worker_protocol import Batch, Setup
from clew.languages import plugins
from clew.model.code import Layout, Reading
from clew.runtime.settings import Config
from clew.store.packing import unpack
from tests.conftest import PATIENCE
from tests.forking import zygote
from tests.packages import install

GOOD = {
    "clew_script/__init__.py": """
        from clew.languages.profile import Language
        from clew.model.words import Kind

        SCRIPT = Language("appsscript", (".GS",), "tree_sitter_javascript", queries=("clew_script:script",))
        NOTES = [Language("todo", (), filenames=("TODO",), splitter="clew_script.todo", rest=Kind.SECTION)]
    """,
    "clew_script/script.scm": """
        (function_declaration name: (identifier) @name body: (statement_block) @body) @function
        (call_expression function: (identifier) @call)
    """,
    "clew_script/todo.py": """
        from clew.index.syntax.ranges import LineIndex
        from clew.index.syntax.parse import Outline
        from clew.index.splitters import definition
        from clew.model.words import Kind

        def outline(language, source):
            if b"raise" in source:
                raise ValueError("as it was told to")
            if b"exhaust" in source:
                raise MemoryError
            whole, head = (0, len(source)), (0, source.find(b"\\n"))
            return Outline([definition(Kind.SECTION, source[:head[1]].decode(), whole, head, LineIndex(source))])
    """,
}
ENTRIES = {"script": "clew_script:SCRIPT", "notes": "clew_script:NOTES"}
FILES = {"pay.gs": "function pay(card) { check(card) }\nfunction check(card) {}\n", "a.py": "def f(): ...\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    return root


def clew(site: Path, root: Path, *arguments: str) -> Any:
    """A command in a process of its own, where the packages are installed."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
    command = ["-C", str(root), *arguments, "--json"]
    done = zygote().run(command, root.parent, {**os.environ, "PYTHONPATH": path}, "", PATIENCE)
    done.check_returncode()
    return json.loads(done.stdout)


def readings(setup: Setup, *paths: str, workers: int = 0) -> list[Reading]:
    batches = [Batch([FileToRead(path, b"") for path in paths])]
    answers = pool.read_in_workers(setup, batches, workers) if workers else pool.read_in_process(setup, batches)
    return [reading for answer in answers for reading in answer.readings]


def scopes(reading: Reading) -> list[str]:
    return [symbol.scope for symbol in unpack(reading.layout, Layout).symbols]


def test_an_index_run_reads_what_a_package_brings(site: Path, root: Path) -> None:
    (root / "TODO").write_text("Later\n\nAll of it.\n", "utf-8")
    before = clew(site, root, "index")
    install(site, "clew-script", ENTRIES, GOOD)
    after = clew(site, root, "index")

    assert (before["read"], after["read"], after["warnings"]) == (3, 3, [])
    assert clew(site, root, "index")["read"] == 0
    told = clew(site, root, "explain", "pay.gs::check")["data"]
    assert [one["id"] for one in told["dependents"]] == ["pay.gs::pay"]
    assert clew(site, root, "search", "later", "-l", "todo")["data"]["hits"][0]["label"] == "Later"
    assert clew(site, root, "project-stats")["languages"] == {"appsscript": 1, "python": 1, "todo": 1}


def test_a_language_that_else_has_no_parser_is_not_said_to_be_kept_as_text(site: Path, root: Path) -> None:
    (root / "pay.gs").rename(root / "pay.nim")
    files = {path: text.replace("appsscript", "nim").replace(".GS", ".nim") for path, text in GOOD.items()}
    before = clew(site, root, "index") and clew(site, root, "explain", "pay.nim")["data"]
    install(site, "clew-script", ENTRIES, files)
    after = clew(site, root, "index") and clew(site, root, "explain", "pay.nim")["data"]

    assert (before.get("plain"), after.get("plain")) == (True, None)


def test_a_reading_process_has_the_languages_of_the_one_that_started_it(site: Path, root: Path) -> None:
    install(site, "clew-script", ENTRIES, GOOD)
    setup = Setup.of(root, Config())

    here, apart = readings(setup, *FILES), readings(setup, *FILES, workers=1)
    assert [(one.language, scopes(one)) for one in here] == [("appsscript", ["pay", "check"]), ("python", ["f"])]
    assert [(one.language, one.layout, one.facts) for one in apart] == [
        (one.language, one.layout, one.facts) for one in here
    ]


def test_rules_and_texts_tell_versions_of_a_plugin_apart(site: Path, root: Path) -> None:
    bare, plain = rules_of(Config()), readings(Setup.of(root, Config()), *FILES)
    install(site, "clew-script", ENTRIES, GOOD)
    first, read = rules_of(Config()), readings(Setup.of(root, Config()), *FILES)
    (site / "clew_script-1.0.dist-info").rename(site / "gone")
    install(site, "clew-script", ENTRIES, GOOD, version="1.1")

    assert len({bare, first, rules_of(Config())}) == 3
    assert plain[0].text_digest != read[0].text_digest
    assert plain[1].text_digest == read[1].text_digest


def test_a_new_version_is_left_to_processes_that_have_not_loaded_the_old_one(site: Path, root: Path) -> None:
    install(site, "clew-script", ENTRIES, GOOD)
    plugins.load_languages(plugins.offered_languages())
    assert not plugins.is_outdated(plugins.offered_languages())
    (site / "clew_script-1.0.dist-info").rename(site / "gone")
    install(site, "clew-script", ENTRIES, GOOD, version="1.1")

    assert plugins.is_outdated(plugins.offered_languages())


def test_a_broken_package_is_told_and_takes_nothing_down(site: Path, root: Path) -> None:
    install(site, "clew-script", ENTRIES, GOOD)
    install(site, "clew-broken", {"nim": "clew_broken:NIM"}, {"clew_broken.py": "import nowhere_to_be_found\n"})
    report = clew(site, root, "index")

    (warning,) = report["warnings"]
    assert warning.startswith("CLEW_E_PLUGIN: clew-broken 1.0, clew.languages nim: ModuleNotFoundError: ")
    assert "clew rebuild" in warning
    assert clew(site, root, "status")["data"]["warnings"] == [warning]
    assert clew(site, root, "explain", "pay.gs::check")["data"]["type"] == "function"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("NIM = 3", "clew_bad:NIM is no Language"),
        ("NIM = []", "clew_bad:NIM is no Language"),
        ("NIM = Language('nim', ('.nim',))", "nim has neither a grammar with queries nor a splitter"),
        ("NIM = Language(3, ('.nim',), splitter='x')", "must have a name"),
        ("NIM = Language('python', ('.nim',), splitter='x')", "there is a language python already"),
        ("NIM = Language('text', ('.nim',), splitter='x')", "there is a language text already"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("", "AttributeError: "),
        ("NIM = Language('nim', ('.nim',), splitter='no_such')", "cannot read nim: ModuleNotFoundError: "),
        ("NIM = Language('nim', ('.nim',), splitter='json')", "cannot read nim: AttributeError: "),
        ("NIM = Language('nim', ('.nim',), 'no_such', queries=('c',))", "cannot read nim: ModuleNotFoundError: "),
        ("NIM = Language('nim', ('.nim',), 'tree_sitter_c', queries=('ruby',))", "cannot read nim: QueryError: "),
        ("NIM = Language('nim', ('.nim',), 'tree_sitter_c', queries=('clew_bad:no',))", "cannot read nim: "),
    ],
)
def test_what_is_wrong_with_a_plugin_is_said(site: Path, root: Path, said: str, reason: str) -> None:
    text = f"from clew.languages.profile import Language\n{said}\n"
    install(site, "clew-bad", {"nim": "clew_bad:NIM"}, {"clew_bad.py": text})
    (root / "x.nim").write_text("hello\n", "utf-8")

    (warning,) = plugins.warnings(plugins.offered_languages())
    assert reason in warning
    (reading,) = readings(Setup.of(root, Config()), "x.nim")
    assert (reading.chunks, reading.defined) == (1, ())


def test_files_of_a_language_that_is_known_stay_with_it(site: Path) -> None:
    text = """
        from clew.languages.profile import Language
        A = Language("snake", (".py", ".snake"), filenames=("Makefile",), splitter="json")
        B = Language("viper", (".snake",), splitter="json")
    """
    install(site, "clew-snake", {"a": "clew_snake:A", "b": "clew_snake:B"}, {"clew_snake.py": text})
    loaded = plugins.load_languages(plugins.offered_languages())

    assert [loaded.known.language_of(one) for one in ("a.py", "a.snake", "Makefile")] == ["python", "snake", "makefile"]
    assert [(one.message.rpartition(": ")[2], one.hint) for one in loaded.problems] == [
        ("another language has .py, makefile", "Such files are read as before."),
        ("another language has .snake", "Such files are read as before."),
    ]


def test_a_file_that_a_plugin_fails_on_is_kept_as_paragraphs(site: Path, root: Path) -> None:
    install(site, "clew-script", ENTRIES, GOOD)
    (root / "TODO").write_text("raise\n\nit\n", "utf-8")

    (reading,) = readings(Setup.of(root, Config()), "TODO")
    assert reading.problems == ("kept as paragraphs: clew-script 1.0 failed: ValueError: as it was told to",)
    assert reading.chunks == 1


def test_a_file_that_the_memory_did_not_suffice_for_has_failed(site: Path, root: Path) -> None:
    """Kept as paragraphs, it would stay so: nothing about it changes."""
    install(site, "clew-script", ENTRIES, GOOD)
    (root / "TODO").write_text("exhaust\n\nit\n", "utf-8")

    (answer,) = pool.read_in_process(Setup.of(root, Config()), [Batch([FileToRead("TODO", b"")])])
    assert [(one.path, one.reason) for one in answer.unread] == [("TODO", "failed")]
    assert answer.readings == []
