"""Scopes: files, folders and globs; languages; kinds."""

import pytest

from clew.engine import Engine
from clew.model.search import Query, Scope
from clew.model.words import Kind
from clew.retrieve.scope import matcher
from tests.conftest import Repository


@pytest.fixture
def engine_of_logins(repository: Repository, engine: Engine) -> Engine:
    repository.write("src/app.py", "class Login:\n    def login(self): pass\n")
    repository.write("src/web/app.ts", "export function login() {}\n")
    repository.write("docs/login.md", "# Login\n\nlogin\n")
    engine.index()
    return engine


def found(engine: Engine, scope: Scope) -> set[str]:
    return {hit.symbol for hit in engine.search(Query("login", 50, scope)).hits}


PY = {"src/app.py::Login", "src/app.py::Login::login"}
TS, MD = {"src/web/app.ts::login"}, {"docs/login.md::Login"}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), PY | TS | MD),
        (Scope(paths=("src",)), PY | TS),
        (Scope(paths=("./src/",)), PY | TS),
        (Scope(paths=("src/app.py", "docs/")), PY | MD),
        (Scope(paths=("*.ts",)), TS),
        (Scope(paths=("sr",)), set()),
        (Scope(exclude=("src/web",)), PY | MD),
        (Scope(paths=("src",), exclude=("*.py",)), TS),
        (Scope(languages=("Python",)), PY),
        (Scope(languages=("python", "markdown")), PY | MD),
        (Scope(languages=("cobol",)), set()),
        (Scope(kinds=(Kind.METHOD, Kind.SECTION)), {"src/app.py::Login::login"} | MD),
        (Scope(paths=("src",), languages=("typescript",), kinds=(Kind.FUNCTION,)), TS),
    ],
)
def test_a_scope_lets_through_what_it_names(engine_of_logins: Engine, scope: Scope, expected: set[str]) -> None:
    assert found(engine_of_logins, scope) == expected


@pytest.mark.parametrize("pattern", ["src/app.py", "src", "src/", "./src", "*.py", "src/*", ".", ""])
def test_a_path_is_matched_as_a_file_a_folder_or_a_glob(pattern: str) -> None:
    assert matcher([pattern])("src/app.py")


@pytest.mark.parametrize("pattern", ["app.py", "sr", "src/app", "*.pyi", "SRC"])
def test_part_of_a_name_is_no_match(pattern: str) -> None:
    assert not matcher([pattern])("src/app.py")


@pytest.mark.parametrize("pattern", ["*a" * 500 + "b", "[!b]*" * 200 + "b", "(a+)+$"])
def test_no_glob_takes_more_than_its_path_is_long(pattern: str) -> None:
    assert not matcher([pattern])("a" * 4000)


def test_many_patterns_are_looked_up_and_not_tried_one_by_one() -> None:
    among = matcher([*(f"src/module_{n}.py" for n in range(1000)), *(f"lib/*_{n}.py" for n in range(1000))])

    assert [path for n in range(2000) if among(path := f"src/module_{n}.py")] == [
        f"src/module_{n}.py" for n in range(1000)
    ]
    assert among("lib/deep/x_999.py") and not among("lib/x_1000.py")
