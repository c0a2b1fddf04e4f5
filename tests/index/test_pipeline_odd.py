"""Names that no key could hold: they are left out or shortened on every backend, and the run goes on."""

import random
import string

from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.index.disk.binary import HEAD_BYTES
from clew.index.disk.boundary import LONGEST_PATH
from clew.index.syntax.units import LONGEST_SCOPE
from tests.conftest import Repository
from tests.views import search, targets_of

NOISE = random.Random(7)


def noise(length: int) -> str:
    return "".join(NOISE.choices(string.ascii_letters, k=length))


def test_definitions_nested_too_deep_for_a_key_belong_to_what_holds_them(
    repository: Repository, engine: Engine
) -> None:
    depth = 28
    nested = "".join(f"{' ' * i}class {noise(100)}:\n" for i in range(depth))
    repository.write("deep.py", f"{nested}{' ' * depth}def innermost_zebra(): ...\n")
    repository.write("plain.py", "def other(): ...\n")

    report = engine.index()

    assert report.failed == ()
    assert [hit.path for hit in search(engine, "innermost zebra")][:1] == ["deep.py"]
    assert all(len(one.scope.encode()) <= LONGEST_SCOPE for one in engine.nodes.all())


def test_imports_of_endless_names_and_of_nul_are_kept_short(repository: Repository, engine: Engine) -> None:
    opening = "// far down, where a NUL no longer makes a file binary\n" * (HEAD_BYTES // 50)
    repository.write("a.ts", f'{opening}import x from "{noise(5000)}";\nimport y from "nul\0inside";\n')
    repository.write("a.md", f"{opening}\n# a nul\0 in a heading\n\ntext\n")

    report = engine.index()

    assert report.failed == ()
    targets = set(targets_of(engine, "a.ts"))
    assert len(targets) == 2
    assert max(map(len, targets)) < 400
    assert graph_hash(engine.db, engine.where)


def test_a_path_too_long_for_a_key_is_a_counted_skip(repository: Repository, engine: Engine) -> None:
    folder = "/".join(noise(200) for _ in range(LONGEST_PATH // 200 + 1))
    repository.write(f"{folder}/a.py", "x = 1\n")
    repository.write("b.py", "y = 2\n")

    report = engine.index()

    assert report.skipped == {"bad_name": 1}
    assert report.files == 1
