"""What paths tell of files."""

import pytest

from clew.text.paths import Among, is_test_file, is_test_path, lies_among, module_of


@pytest.mark.parametrize(
    "path",
    [
        "tests/pay.py", "test/helpers/x.rb", "src/app/__tests__/pay.ts", "pay_test.go", "test_pay.py", "conftest.py",
        "e2e/pay.ts", "web/app-e2e/x.ts", "src/__fixtures__/x.js", "lib/__mocks__/fs.js", "ui/__snapshots__/a.snap",
        "src/pay.test.tsx", "src/pay.spec.ts", "PayTest.java", "PayTests.cs", "PaySpec.scala", "PayIT.java",
        "MyApp.Tests/Pay.cs", "AppTests/Pay.swift", "spec/models/pay_spec.rb", "e2e-tests/pay.js", "TestPay.java",
        "testing/python/pay.py",
        "t/slabs.t",
        "t/lib/Shop.pm",
        "ci/pay.bats",
    ],
)  # fmt: skip
def test_tests_are_known_by_habit(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/pay.py",
        "contest.py",
        "latest/pay.py",
        "src/testing.py",
        "django/testing/client.py",
        "src/t/slabs.c",
        "attestation/sign.go",
        "Testament.java",
        "spectrum.c",
    ],
)
def test_what_only_sounds_so_is_no_test(path: str) -> None:
    assert not is_test_path(path)


def test_a_file_among_tests_is_no_test_file_by_itself() -> None:
    assert is_test_path("tests/worlds.py")
    assert not is_test_file("tests/worlds.py")
    assert is_test_file("src/test_pay.py")


@pytest.mark.parametrize(
    "path",
    ["examples/a.py", "docs/conf.py", "benchmarks/x.go", "Samples/A.cs", "website/a.js", "bench/a.rs", "docs_src/a.py",
     "_examples/a.go", "pay-examples/a.rs"],
)  # fmt: skip
def test_what_is_shown_or_measured(path: str) -> None:
    assert lies_among(path) is Among.SHOWN


@pytest.mark.parametrize("path", ["src/pay.py", "docs.py", "example.py", "src/demonstrate/a.py", "workbench/a.py"])
def test_what_only_has_such_a_name_is_not(path: str) -> None:
    assert lies_among(path) is Among.CODE


@pytest.mark.parametrize(
    "path",
    [
        "CHANGES.rst", "CHANGELOG.md", "docs/changelog.md", "HISTORY.md", "docs/releases/4.2.txt", "NEWS",
        "newsfragments/1.feature", "doc/whats_new/v1.rst", "UPGRADING.md", "release-notes.md",
    ],
)  # fmt: skip
def test_logs_of_changes(path: str) -> None:
    assert lies_among(path) is Among.LOG


@pytest.mark.parametrize("path", ["src/changes_of_state.py", "historian.md", "newsletter.md", "src/changed.py"])
def test_what_is_no_log(path: str) -> None:
    assert lies_among(path) is Among.CODE


@pytest.mark.parametrize(
    "path", ["vendor/a.go", "pip/_vendor/x.py", "src/third_party/a.cc", "web/3rdparty/a.js", "deps/lua/src/lua.c"]
)
def test_what_others_wrote(path: str) -> None:
    assert lies_among(path) is Among.COPIED


@pytest.mark.parametrize("path", ["src/vendors/oracle.kt", "src/external/bank.py", "src/deps/find.rs", "vendor.py"])
def test_what_is_about_others_is_not(path: str) -> None:
    assert lies_among(path) is Among.CODE


def test_what_a_program_wrote_is_told_apart_but_among_tests_and_examples() -> None:
    assert lies_among("src/pay_pb2.py", True) is Among.MADE
    assert lies_among("tests/pay_pb2.py", True) is Among.TESTS
    assert lies_among("examples/pay_pb2.py", True) is Among.SHOWN


@pytest.mark.parametrize(
    "path",
    [
        "yarn.lock", "web/package-lock.json", "pnpm-lock.yaml", "Cargo.lock", "go.sum", "Package.resolved", "uv.lock",
        "gradle.lockfile", "src/packages.lock.json", "tests/Gemfile.lock", ".terraform.lock.hcl", "npm-shrinkwrap.json",
    ],
)  # fmt: skip
def test_what_package_managers_write(path: str) -> None:
    assert lies_among(path) is Among.LOCKED


@pytest.mark.parametrize(
    "path", ["src/lock.py", "deploy/leader-lock.yaml", "go.mod", "package.json", "src/lockfile.ts"]
)
def test_what_is_only_called_like_it(path: str) -> None:
    assert lies_among(path) is Among.CODE


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("a/b.py", "a/b"),
        ("a/b/__init__.py", "a/b"),
        ("a/b/mod.rs", "a/b"),
        ("a/b.d.ts", "a/b"),
        ("b.py", "b"),
        ("index.ts", "index"),
        ("a/.env", "a/.env"),
    ],
)
def test_a_file_is_a_module_by_its_path(path: str, module: str) -> None:
    assert module_of(path) == module
