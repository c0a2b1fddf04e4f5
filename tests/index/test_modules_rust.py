"""Modules of Rust are files below the root of a crate, and crates are named by Cargo's files."""

import pytest

from clew.index.import_edges import import_edges
from clew.index.modules import SourceTree, files_of
from clew.index.settings_files import settings_of
from clew.model.code import Import

CARGO = """
[package]
name = "shop-core"

[lib]
path = "src/core.rs"

[[bin]]
name = "till"
path = "till/start.rs"

[dependencies]
serde = "1"
io = { package = "shop-io", path = "../io" }

[dev-dependencies]
odd-name = { path = "../odd" }
"""

WORLD = SourceTree.of(
    {
        "Cargo.toml", "core/Cargo.toml", "core/src/core.rs", "core/src/pay.rs", "core/src/pay/card.rs",
        "core/src/gate/mod.rs", "core/src/gate/http.rs", "core/till/start.rs", "core/till/keys.rs",
        "core/src/bin/one.rs", "core/src/bin/two/main.rs", "core/src/bin/two/part.rs", "core/tests/all.rs",
        "core/tests/common/mod.rs", "io/Cargo.toml", "io/src/lib.rs", "io/src/main.rs", "io/src/file.rs",
        "odd/Cargo.toml", "odd/src/lib.rs", "loose/x.rs", "loose/y.rs",
    },
    settings={
        "Cargo.toml": {},
        "core/Cargo.toml": settings_of("core/Cargo.toml", CARGO),
        "io/Cargo.toml": {"package": "shop-io"},
        "odd/Cargo.toml": {"package": "odd-name", "lib": "odd"},
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("core/src/core.rs", "self::pay", "core/src/pay.rs"),
        ("core/src/core.rs", "self::gate", "core/src/gate/mod.rs"),
        ("core/src/pay.rs", "self::card", "core/src/pay/card.rs"),
        ("core/src/pay.rs", "self", "core/src/pay.rs"),
        ("core/src/pay/card.rs", "super", "core/src/pay.rs"),
        ("core/src/pay/card.rs", "super::super::gate::http", "core/src/gate/http.rs"),
        ("core/src/gate/http.rs", "super", "core/src/gate/mod.rs"),
        ("core/src/gate/mod.rs", "super::pay", "core/src/pay.rs"),
        ("core/src/gate/mod.rs", "self::http", "core/src/gate/http.rs"),
        ("core/src/pay/card.rs", "crate", "core/src/core.rs"),
        ("core/src/pay/card.rs", "crate::gate::http", "core/src/gate/http.rs"),
        ("core/src/pay/card.rs", "crate::gate::Kind", "core/src/gate/mod.rs"),
        ("core/src/pay.rs", "card", "core/src/pay/card.rs"),
        ("core/src/pay.rs", "Kind", "core/src/pay.rs"),
        ("core/src/pay/card.rs", "gate::http", "core/src/gate/http.rs"),
        ("core/src/core.rs", "till/../pay.rs", "core/src/pay.rs"),
        ("core/till/keys.rs", "crate", "core/till/start.rs"),
        ("core/till/start.rs", "crate::keys", "core/till/keys.rs"),
        ("core/till/start.rs", "shop_core::pay", "core/src/pay.rs"),
        ("core/src/bin/one.rs", "crate", "core/src/bin/one.rs"),
        ("core/src/bin/two/part.rs", "crate", "core/src/bin/two/main.rs"),
        ("core/src/bin/two/main.rs", "self::part", "core/src/bin/two/part.rs"),
        ("core/tests/all.rs", "self::common", "core/tests/common/mod.rs"),
        ("core/tests/all.rs", "shop_core::pay::card", "core/src/pay/card.rs"),
        ("core/src/core.rs", "io::file", "io/src/file.rs"),
        ("core/src/core.rs", "shop_io", "io/src/lib.rs"),
        ("io/src/file.rs", "crate", "io/src/lib.rs"),
        ("io/src/main.rs", "crate::file", "io/src/file.rs"),
        ("core/src/core.rs", "odd", "odd/src/lib.rs"),
        ("core/src/core.rs", "odd_name", "odd/src/lib.rs"),
        ("loose/x.rs", "self", "loose/x.rs"),
    ],
)
def test_a_path_leads_to_the_file_of_its_module(path: str, module: str, expected: str) -> None:
    assert files_of(WORLD, "rust", path, module) == [expected]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (Import("crate", ("pay", "gate", "Kind"), 1), ["core/src/core.rs", "core/src/gate/mod.rs", "core/src/pay.rs"]),
        (Import("crate::gate", ("http",), 1), ["core/src/gate/http.rs"]),
        (Import("std", ("fmt", "io"), 1), ["external::std"]),
        (Import("self", (), 1, (), True), []),
    ],
)
def test_a_name_that_is_taken_may_be_a_module(one: Import, expected: list[str]) -> None:
    edges = import_edges("core/src/pay/card.rs", "rust", (one,), WORLD)

    assert sorted(edge.target for edge in edges) == expected


@pytest.mark.parametrize("module", ["std::collections", "serde", "missing.rs", "cards"])
def test_what_is_not_in_the_tree_is_outside(module: str) -> None:
    assert files_of(WORLD, "rust", "core/src/pay.rs", module) == []


def test_a_package_says_its_name_its_roots_and_what_it_calls_others() -> None:
    assert settings_of("a/Cargo.toml", CARGO) == {
        "package": "shop-core",
        "lib path": "src/core.rs",
        "bins": "till/start.rs",
        "crate io": "shop-io",
    }


@pytest.mark.parametrize(("is_alone", "expected"), [(True, "tests/lib.rs"), (False, "tests/one.rs")])
def test_files_beside_the_only_root_of_tests_are_its_modules(is_alone: bool, expected: str) -> None:
    text = f'[package]\nautotests = {"false" if is_alone else "true"}\n[[test]]\npath = "tests/lib.rs"\n'
    paths = {"Cargo.toml", "src/lib.rs", "tests/lib.rs", "tests/one.rs"}
    world = SourceTree.of(paths, settings={"Cargo.toml": settings_of("Cargo.toml", text)})

    assert files_of(world, "rust", "tests/one.rs", "crate") == [expected]


@pytest.mark.parametrize("text", ["[package", "package = 3", "[[bin]]\npath = 3", "bin = 3\nlib = []", ""])
def test_settings_that_are_wrong_say_nothing(text: str) -> None:
    assert settings_of("Cargo.toml", text) == {}
