"""What a run must not do: run the repository's code, believe a git that failed, forget a rule, miss a line."""

import os
from pathlib import Path

import pytest
from msgspec import structs

from clew.engine import Engine
from clew.model.run import Mode
from clew.store import heads
from tests.conftest import Repository, clew
from tests.views import search, targets_of

LONG = "x\n" * 900_000  # more than is read in the run's own process
LEAVES_A_TRACE = "import pathlib\npathlib.Path('was_run').touch()\n"


def test_code_of_the_repository_is_never_run(repository: Repository) -> None:
    for module in ("struct", "msgspec", "json", "blake3"):
        repository.write(f"{module}.py", LEAVES_A_TRACE)
    repository.write("long.txt", LONG)
    repository.write("other.txt", LONG)

    done = clew("index", root=repository.root)

    assert done.returncode == 0, done.stderr
    assert "0 failed" in done.stdout
    assert not (repository.root / "was_run").exists()


def test_a_run_beside_an_answer_does_not_run_it_either(repository: Repository, engine: Engine) -> None:
    repository.write("struct.py", LEAVES_A_TRACE)
    before = Path.cwd()
    os.chdir(repository.root)
    try:
        engine.runs.start()
        (child,) = engine.runs.children
        assert child.process.wait(60) == 0
    finally:
        os.chdir(before)

    assert not (repository.root / "was_run").exists()
    assert engine.files.totals().files == 1


def test_every_line_of_a_long_module_can_be_found(repository: Repository, engine: Engine) -> None:
    filler = "".join(f"VALUE_{i} = {i}\n" for i in range(400))
    guarded = "try:\n    import zebracorn\nexcept ImportError:\n    def zebra():\n        return None\n"
    repository.write("long.py", f"# licence\n{guarded}{filler}")

    engine.index()

    assert [hit.path for hit in search(engine, "zebracorn")] == ["long.py"]


def test_a_git_that_fails_deletes_nothing(
    repository: Repository, engine: Engine, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("build/kept.py", "def kept(): ...\n")
    repository.git("add", "-f", "build/kept.py")
    engine.index()
    broken = tmp_path_factory.mktemp("bin")
    (broken / "git").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (broken / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}:{os.environ['PATH']}")

    report = engine.index()

    assert (report.deleted, len(report.warnings)) == (0, 1)
    assert engine.files.known_at("build/kept.py")


def test_new_rules_count_as_followed_only_once_every_file_follows_them(repository: Repository) -> None:
    rules = "[security]\nsecret_patterns = ['zebra[0-9]']\n"
    for i in range(5):
        repository.write(f"f{i}.py", f"hush = 'zebra{i}'\n")
    with Engine.open(repository.root) as engine:
        engine.index()
    repository.write("context.toml", f"{rules}[bootstrap]\nmax_initial_files = 2\n")
    with Engine.open(repository.root) as engine:
        engine.index()
    repository.write("context.toml", rules)
    with Engine.open(repository.root) as engine:
        engine.index()

        found = {hit.path for i in range(5) for hit in search(engine, f"zebra{i}")}
    assert found <= {"context.toml"}  # which holds the pattern itself


def test_a_rebuild_links_everything_again(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "import b\n")
    repository.write("b.py", "")
    engine.index()
    file = engine.files.known_at("a.py")
    assert file is not None
    with engine.db.transaction():
        engine.links.end(file.file, 99)

    engine.index(Mode.FULL)

    assert targets_of(engine, "a.py") == ["b.py"]


def test_a_snapshot_that_was_made_otherwise_is_made_again(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def login(): ...\n")
    engine.index()
    folder = heads.folder(engine.place.snapshots, engine.where)
    made = heads.read(folder)
    heads.write(folder, structs.replace(made, name="00000000-old"))

    engine.index()

    assert heads.read(folder) == made
    assert [hit.path for hit in search(engine, "login")] == ["a.py"]
