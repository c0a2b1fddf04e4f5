"""Configuration as it is written: what others are found by comes out of it, and nothing fails."""

import pytest

from clew.index.settings_files import settings_of


def test_a_tsconfig_tells_its_paths() -> None:
    text = """{
      // where things are
      "extends": ["./base.json", "@tsconfig/node"],
      "compilerOptions": { "baseUrl": "src", "paths": { "@/*": ["app/*", "lib/*"], "url": ["http://x/*y*/"], } },
    }"""

    assert settings_of("web/tsconfig.json", text) == {
        "extends": "./base.json\n@tsconfig/node",
        "baseUrl": "src",
        "paths @/*": "app/*\nlib/*",
        "paths url": "http://x/*y*/",
    }


def test_a_package_tells_its_name_and_entries() -> None:
    text = """{ "name": "@pay/bank", "main": "dist/index.js", "version": "1.0",
      "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }, "./sub/*": "./dist/sub/*.js" },
      "imports": { "#inner": "./src/inner.js" } }"""

    assert settings_of("package.json", text) == {
        "name": "@pay/bank",
        "main": "dist/index.js",
        "exports .": "./dist/index.d.ts\n./dist/index.js",
        "exports ./sub/*": "./dist/sub/*.js",
        "imports #inner": "./src/inner.js",
    }


def test_conditions_without_paths_are_of_the_package_itself() -> None:
    text = '{"exports": {"import": "./a.mjs", "require": "./a.cjs"}}'

    assert settings_of("package.json", text) == {"exports .": "./a.mjs\n./a.cjs"}


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"compilerOptions": 3, "extends": 4}', "[" * 100_000, "nul\0l"])
def test_what_makes_no_sense_says_nothing(text: str) -> None:
    assert settings_of("tsconfig.json", text) == {}


def test_other_files_say_nothing() -> None:
    assert settings_of("a/other.json", '{"name": "x"}') == {}
    assert settings_of("tsconfig.base.json", '{"compilerOptions": {"baseUrl": "."}}') == {"baseUrl": "."}


def test_a_package_of_swift_tells_where_its_targets_lie() -> None:
    text = """let package = Package(name: "Pay", products: [.library(name: "Pay", targets: ["Pay"])], targets: [
      .target(name: "Pay", dependencies: [.target(name: "Bank"), .product(name: "Log", package: "log")],
              path: "Source", exclude: ["Info (old).plist"]),  // .target(name: "Old", path: "Gone")
      .target(name: "Bank"),
      .testTarget(name: "PayTests", path: "Tests"),
    ])"""

    assert settings_of("Package.swift", text) == {"target Pay": "Source", "target PayTests": "Tests"}
