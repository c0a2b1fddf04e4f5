"""What a package manager wrote is kept as text: its thousands of names are no symbols of the project."""

from clew.engine import Engine
from tests.conftest import Repository
from tests.views import search

LOCKED = "lockfileVersion: '9.0'\n\npackages:\n\n" + "\n\n".join(
    f"  schema-parser-{i}@1.{i}.0:\n    resolution: {{integrity: sha512-{i:064}}}" for i in range(300)
)
CODE = "export function parse(text) {\n  return schema(text)\n}\n"


def test_it_has_no_symbols_and_comes_behind_code(repository: Repository, engine: Engine) -> None:
    repository.write("pnpm-lock.yaml", LOCKED)
    repository.write("src/parse.js", CODE)
    report = engine.index()

    assert (report.failed, report.problems) == ((), 0)
    assert engine.nodes.counts().keys() == {"function"}
    assert search(engine, "recognize schema parser 1.14.0")[0].path == "src/parse.js"
    assert search(engine, "schema parser 1.14.0 in the lockfile")[0].path == "pnpm-lock.yaml"
