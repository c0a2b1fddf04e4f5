"""What packages offer is found where Python finds packages, and nowhere else."""

import os
from importlib import metadata
from pathlib import Path

import pytest

from clew.runtime.plugins import LANGUAGES, Offer, find_offers
from tests.packages import install


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def names() -> list[tuple[str, str, str]]:
    return [(one.package, one.version, one.name) for one in find_offers(LANGUAGES)]


def test_an_entry_point_comes_with_its_package(site: Path) -> None:
    install(site, "clew-lua", {"lua": "clew_lua:LUA [extra]", "# not": "this"}, {})

    assert find_offers(LANGUAGES) == (Offer("lua", "clew_lua:LUA", "clew-lua", "1.0", str(site)),)


def test_what_is_installed_or_removed_meanwhile_is_seen(site: Path) -> None:
    assert names() == []
    install(site, "clew-lua", {"lua": "a:B"}, {})
    assert names() == [("clew-lua", "1.0", "lua")]
    (site / "clew_lua-1.0.dist-info").rename(site / "gone")
    assert names() == []


def test_packages_come_by_name_and_the_first_of_a_name_is_the_one_that_python_takes(
    site: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    monkeypatch.syspath_prepend(str(other))
    install(site, "clew_lua", {"lua": "a:B"}, {}, version="1.0")
    install(site, "aaa", {"z": "a:B"}, {})
    install(other, "Clew-Lua", {"lua": "a:B"}, {}, version="2.0")

    assert names() == [("Clew-Lua", "2.0", "lua"), ("aaa", "1.0", "z")]


def test_the_folder_we_stand_in_offers_nothing(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "clew-lua", {"lua": "a:B"}, {})
    monkeypatch.chdir(site)
    assert names() == []


def test_where_we_stand_may_be_gone(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    install(site, "clew-lua", {"lua": "a:B"}, {})
    here, gone = Path.cwd(), tmp_path_factory.mktemp("gone")
    os.chdir(gone)
    try:
        gone.rmdir()
        assert names() == [("clew-lua", "1.0", "lua")]
    finally:
        os.chdir(here)


def test_the_same_is_found_as_the_standard_library_finds() -> None:
    found = {(one.name, one.value) for one in find_offers("console_scripts")}

    assert found == {(one.name, f"{one.module}:{one.attr}") for one in metadata.entry_points(group="console_scripts")}
