"""Vectors from the command line, by real processes and an embedder that a package brings."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.conftest import Repository, clew
from tests.embedders import ENTRIES, FILES
from tests.packages import install

PATIENCE = 60.0
HERE = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    paths = [str(site), str(HERE), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


@pytest.fixture
def configured(repository: Repository) -> Repository:
    repository.configure('[embedding]\nmodel = "words"\n')
    for i in range(20):
        repository.write(f"m{i}.py", f"def f{i}(): ...\n")
    return repository


def vectors(root: Path) -> dict[str, object] | None:
    data: dict[str, object] = json.loads(clew("status", "--json", root=root).stdout)["data"]
    found = data.get("vectors")
    assert found is None or isinstance(found, dict)
    return found


def filled(root: Path) -> dict[str, object]:
    deadline = time.monotonic() + PATIENCE
    while not (found := vectors(root)) or found["chunks"] != found["chunks_total"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def test_an_index_run_has_vectors_made_behind_it(configured: Repository, backend: str) -> None:
    done = clew("index", "--quiet", root=configured.root)

    assert (done.returncode, done.stderr) == (0, "")
    found = filled(configured.root)
    assert (found["model"], found["chunks_total"]) == ("words-1 text-1", found["chunks"])
    shown = clew("status", root=configured.root).stdout
    assert f"vectors: {found['chunks']} of {found['chunks']} by words-1 text-1" in shown


def test_they_are_made_on_demand_and_forgotten_by_name(configured: Repository) -> None:
    clew("index", root=configured.root)
    filled(configured.root)
    forgotten = clew("embed", "--forget", "words-1 text-1", "--json", root=configured.root)
    assert json.loads(forgotten.stdout) == {"vectors": {}}

    made = clew("embed", root=configured.root)

    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith(" vectors by words-1 text-1\n")
    unknown = clew("embed", "--forget", "nobody", root=configured.root)
    assert (unknown.returncode, "Models with vectors: words-1 text-1" in unknown.stderr) == (2, True)


def test_without_a_model_there_is_nothing_to_make(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    repository.configure('[embedding]\nmodel = "none"\n')
    clew("index", root=repository.root)

    refused = clew("embed", root=repository.root)

    assert (refused.returncode, vectors(repository.root)) == (2, None)
    assert "model under [embedding]" in refused.stderr


def test_a_model_that_cannot_be_had_is_a_warning_of_the_run_and_of_the_status(configured: Repository) -> None:
    configured.configure('[embedding]\nmodel = "openai"\n')

    indexed = clew("index", root=configured.root)

    assert indexed.returncode == 0
    assert "no vectors are made: embedding.model = openai, but nothing says where texts may be sent" in indexed.stderr
    assert "CLEW_E_CONFIG: embedding.model = openai" in clew("status", root=configured.root).stderr
    assert clew("search", "f1", root=configured.root).returncode == 0


def test_nothing_is_filled_where_nothing_shall_be_kept(configured: Repository) -> None:
    configured.configure('[embedding]\nmodel = "words"\ncache_enabled = false\n')

    clew("index", root=configured.root)
    time.sleep(1)

    assert (vectors(configured.root) or {})["chunks"] == 0
    assert clew("embed", root=configured.root).returncode == 2


def test_the_vectors_of_our_own_model_come_with_the_index(repository: Repository) -> None:
    repository.write("a.py", "def charge(card):\n    return card\n")
    clew("index", root=repository.root)

    assert "similar in meaning" in clew("search", "charge a card", "--json", root=repository.root).stdout
    done = clew("embed", root=repository.root)
    assert (done.returncode, done.stdout) == (0, "")
    assert "come with the index" in done.stderr
    assert vectors(repository.root) is None
