"""Acceptances: by directory, by exactly these values."""

import json
from pathlib import Path

import pytest

from clew.runtime import paths
from clew.runtime.keys import KEYS, Ignored
from clew.runtime.trust import Acceptances, digest

HOST, TOKEN = KEYS["engine.host"], KEYS["server.token"]


def test_a_digest_depends_on_names_and_values_and_not_on_their_order() -> None:
    one, other = Ignored(HOST, "a"), Ignored(TOKEN, "b")

    assert digest([one, other]) == digest([other, one])
    assert len({digest([one]), digest([other]), digest([Ignored(HOST, "b")]), digest([Ignored(TOKEN, "a")])}) == 4


def test_an_acceptance_holds_for_its_directory_and_its_values_alone(tmp_path: Path) -> None:
    known = Acceptances(tmp_path / "data")
    known.accept(tmp_path, [Ignored(HOST, "a")])

    assert known.is_accepted([tmp_path], [Ignored(HOST, "a")])
    assert not known.is_accepted([tmp_path], [Ignored(HOST, "b")])
    assert not known.is_accepted([tmp_path], [Ignored(HOST, "a"), Ignored(TOKEN, "b")])
    assert not known.is_accepted([tmp_path / "deeper"], [Ignored(HOST, "a")])


def test_the_files_of_others_are_not_readable(tmp_path: Path) -> None:
    known = Acceptances(tmp_path / "data")
    known.accept(tmp_path, [Ignored(HOST, "a")])

    assert known.file(tmp_path).parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", ["", "{}", "[", '{"directory": 3}', json.dumps({"directory": "/elsewhere"})])
def test_an_acceptance_that_cannot_be_read_does_not_count(tmp_path: Path, content: str) -> None:
    known = Acceptances(tmp_path / "data")
    known.accept(tmp_path, [Ignored(HOST, "a")])
    known.file(tmp_path).write_text(content, "utf-8")

    assert known.of(tmp_path) is None
    assert not known.is_accepted([tmp_path], [Ignored(HOST, "a")])


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "XDG_DATA_HOME"])
def test_a_relative_folder_of_the_user_does_not_count(variable: str) -> None:
    found = paths.user_configuration if variable == "XDG_CONFIG_HOME" else paths.user_data

    assert found({variable: "in/the/repository"}) == found({})
    assert found({variable: "/absolute"}) == Path("/absolute/clew")


def test_a_setting_without_a_mark_reaches_outside() -> None:
    """The default is what is safe: whoever adds a setting must mark it before a repository may set it."""
    marked = {name for name, key in KEYS.items() if key.inside is not None}

    assert not {name for name in marked if name.startswith(("engine.", "server.", "project.", "embedding.b"))}
    assert {"query.default_k", "watcher.ignore_patterns", "indexing.max_file_size_mb"} <= marked
