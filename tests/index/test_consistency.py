"""Incremental equals full: whatever happens to a tree, its index is what a fresh one would be."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.engine import Engine
from tests.conftest import DAY, DAY_1, LONG_AGO_NS, Repository, seeds
from tests.views import FileView, current_view, ranked, search

QUESTIONS = ("parse the query", "card charge", "user login token", "import module_3", "title of section")
WORDS = ("card", "charge", "login", "parse", "query", "token", "user")
STEPS = 12
STATEMENTS = 150  # of a function that is too long to be one passage


def a_source(chance: random.Random) -> str:
    """A module that imports another, and defines a few things by the same few words."""
    one, other, third = chance.sample(WORDS, 3)
    target = chance.randrange(6)
    long = "".join(f"    {chance.choice(WORDS)}({chance.choice(WORDS)}, step_{i})\n" for i in range(STATEMENTS))
    return (
        f"import module_{target}\nfrom pkg import module_{chance.randrange(6)} as m, {one}\n\n\n"
        f"def {one}_{other}(x: m.{third.title()}):\n    return m.{one}_{other}\n\n\n"
        f"def long_{other}():\n{long}\n\n"
        f"class {one.title()}:\n    def {other}(self):\n        m.{third}()\n"
    )


class Tinkerer:
    """Somebody who works on a tree at random, but the same way for the same seed."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self._repository = repository
        self._chance = random.Random(seed)
        self._day = DAY_1
        self._branches = ["main"]
        for i in range(5):
            repository.write(f"module_{i}.py", a_source(self._chance))
        repository.write("pkg/__init__.py", "")
        self.commit()

    def step(self) -> None:
        acts: list[Callable[[], None]] = [
            self.edit, self.edit, self.add, self.rename, self.delete, self.commit, self.branch, self.switch, self.revert
        ]  # fmt: skip
        self._chance.choice(acts)()

    def edit(self) -> None:
        if files := self._files():
            file = self._chance.choice(files)
            self._repository.write(file, a_source(self._chance))

    def add(self) -> None:
        folder = self._chance.choice(["", "pkg/"])
        self._repository.write(f"{folder}module_{self._chance.randrange(6)}.py", a_source(self._chance))
        one, other = self._chance.sample(WORDS, 2)
        said = f"`{one}_{other}()`, `{one.title()}.{other}` and `module_3.long_{other}`"
        self._repository.write("notes.md", f"# Title {self._chance.random()}\n\nsection of {said}\n")

    def rename(self) -> None:
        if files := self._files():
            file = self._chance.choice(files)
            (self._repository.root / file).rename(self._repository.root / f"module_{self._chance.randrange(6)}.py")

    def delete(self) -> None:
        if files := self._files():
            self._repository.delete(self._chance.choice(files))

    def commit(self) -> None:
        self._day += DAY
        self._repository.commit(at=self._day)

    def branch(self) -> None:
        self.commit()
        self._branches.append(f"branch-{len(self._branches)}")
        self._repository.git("checkout", "-q", "-b", self._branches[-1])

    def switch(self) -> None:
        self.commit()
        self._repository.git("checkout", "-q", self._chance.choice(self._branches))

    def revert(self) -> None:
        self._repository.git("checkout", "-q", "--", ".")

    def _files(self) -> list[str]:
        root = self._repository.root
        return sorted(file.relative_to(root).as_posix() for file in root.rglob("*.py"))


def a_fresh_index(root: Path, place: Path) -> tuple[list[FileView], list[tuple[str, float, str]]]:
    with Engine.open(root, environ={"CLEW_STORAGE_DB_PATH": str(place / "clew.db")}) as engine:
        engine.index()
        return current_view(engine), ranked(engine, *QUESTIONS)


@seeds(4)
def test_an_index_that_followed_every_step_equals_a_fresh_one(
    repository: Repository, engine: Engine, tmp_path: Path, seed: int
) -> None:
    somebody = Tinkerer(repository, seed)
    for step in range(STEPS):
        somebody.step()
        engine.index()
        if step % 4 == 3:
            view, hits = a_fresh_index(repository.root, tmp_path / f"fresh-{step}")
            assert current_view(engine) == view
            assert ranked(engine, *QUESTIONS) == hits
    assert engine.db.check() == []


def test_an_index_that_slept_through_every_step_equals_a_fresh_one(
    repository: Repository, engine: Engine, tmp_path: Path
) -> None:
    somebody = Tinkerer(repository, seed=99)
    engine.index()
    for _ in range(2 * STEPS):
        somebody.step()

    engine.index()

    assert (current_view(engine), ranked(engine, *QUESTIONS)) == a_fresh_index(repository.root, tmp_path / "fresh")


PHP = {
    "Base.php": "<?php\nclass Node { function walk() {} }\nclass Doc { public Node $child; }\n"
    "class Other { function child() {} }\nclass Base { public Doc $doc; }\n",
    "A1.php": "<?php\nclass A1 extends Base { function go() { $this->doc->child(); } }\n",
    "A2.php": "<?php\nclass A2 extends Base { function go() { $this->doc->child(); } }\n",
}
CYCLE = {
    "a.py": "try:\n    from b import x\nexcept ImportError:\n    from c import x\n",
    "b.py": "from a import x\n\n\ndef f():\n    return x\n",
    "c.py": "x = 1\n",
}
CHAIN = {f"m{i}.py": f"from m{i + 1} import x\n\n\ndef f():\n    return x\n" for i in range(100, 170)} | {
    "m170.py": "x = 1\n"
}
FIELDS = {
    "job.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Job:\n    run: object\n    name: str = ''\n\n"
    "    def go(self):\n        self.run()\n        self.name.upper()\n",
    "main.py": "from job import Job\n\n\ndef work(): ...\n\n\nJob(work)\n",
}
GO = {
    "store.go": "package shop\n\ntype Store interface {\n\tGet(id int) string\n\tPut(one string)\n}\n",
    "disk.go": 'package shop\n\ntype disk struct{}\n\nfunc (d disk) Get(id int) string { return "" }\n',
    "put.go": "package shop\n\nfunc (d disk) Put(one string) {}\n",
}
SCRIPTS = {"a.js": "function helper() {}\n", "b.js": "function main() { helper(1); }\n"}


@pytest.mark.parametrize(
    ("files", "path", "after"),
    [
        (PHP, "A2.php", PHP["A2.php"] + "// a comment\n"),
        (CYCLE, "b.py", CYCLE["b.py"] + "# a comment\n"),
        (CHAIN, "m121.py", CHAIN["m121.py"] + "# a comment\n"),
        (FIELDS, "job.py", FIELDS["job.py"] + "# a comment\n"),
        (FIELDS, "main.py", FIELDS["main.py"].replace("Job(work)", "Job(run=print)")),
        (GO, "store.go", GO["store.go"].replace("Get(id int)", "Get(id string)")),
        (GO, "put.go", GO["put.go"].replace("one string", "several ...string")),
        ({**GO, "put.go": "package shop\n"}, "put.go", GO["put.go"]),
        (SCRIPTS, "a.js", 'import "./style.css";\n' + SCRIPTS["a.js"]),
        ({**SCRIPTS, "a.js": 'import "./style.css";\n' + SCRIPTS["a.js"]}, "a.js", SCRIPTS["a.js"]),
    ],
    ids=[
        "a guess",
        "a cycle of imports",
        "a long chain of imports",
        "a field",
        "what a field holds",
        "an interface of Go",
        "a method of Go",
        "the last method of an interface of Go",
        "a script becomes a module",
        "and a script again",
    ],
)
def test_what_one_file_says_does_not_depend_on_what_was_linked_before(
    repository: Repository, engine: Engine, tmp_path: Path, files: dict[str, str], path: str, after: str
) -> None:
    for name, text in files.items():
        repository.write(name, text)
    engine.index()
    repository.write(path, after)
    engine.index()

    assert current_view(engine) == a_fresh_index(repository.root, tmp_path / "fresh")[0]


def test_files_that_change_places_are_seen_though_size_and_time_are_the_same(
    repository: Repository, engine: Engine, tmp_path: Path
) -> None:
    a = repository.write("a.py", "def aaa():\n    return 1\n", mtime_ns=LONG_AGO_NS)
    b = repository.write("b.py", "def bbb():\n    return 2\n", mtime_ns=LONG_AGO_NS)
    engine.index()
    a.rename(tmp_path / "kept")
    b.rename(a)
    (tmp_path / "kept").rename(b)

    found = search(engine, "bbb")

    assert [(hit.path, hit.symbol) for hit in found[:1]] == [("a.py", "a.py::bbb")]
    engine.index()
    assert current_view(engine) == a_fresh_index(repository.root, tmp_path / "fresh")[0]
