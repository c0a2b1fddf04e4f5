"""Incremental equals full on real code: sources of this project and the worlds of every language, torn at by hand.

`CLEW_TEST_REPO=path CLEW_TEST_STEPS=200 pytest tests/index/test_real_edits.py` does the same to any checkout.
"""

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.graph.view import graph_hash, lines
from tests.conftest import DAY, DAY_1, Repository
from tests.index.test_resolve_languages import DATA, cases_of
from tests.views import current_view, ranked

SOURCES = Path(__file__).resolve().parents[2] / "src" / "clew"
ROOMS = (("model", "index/resolve"), ("text", "graph"))  # by seed: together all
REPOSITORY = os.environ.get("CLEW_TEST_REPO")
STEPS = int(os.environ.get("CLEW_TEST_STEPS", "8"))
QUESTIONS = ("where a call leads to", "edges of a symbol", "charge the card", "what a name means")

NAME = re.compile(r"\b[A-Za-z_]\w{2,}\b")


def furnish(repository: Repository, seed: int | None = None) -> None:
    """Real code: of this project, and small trees in each language side by side; each seed has another half of both."""
    halves = range(len(ROOMS)) if seed is None else (seed % len(ROOMS),)
    if REPOSITORY:
        shutil.copytree(REPOSITORY, repository.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", ".clew"))
        return
    for room in (room for half in halves for room in ROOMS[half]):
        for file in (SOURCES / room).rglob("*.py"):
            repository.write(f"clew/{file.relative_to(SOURCES).as_posix()}", file.read_bytes())
    for language in sorted(DATA.glob("*.txt")):
        for number, (_, files, _) in enumerate(cases_of(language.read_text("utf-8"))):
            for path, source in files.items() if number % len(ROOMS) in halves else ():
                repository.write(f"{language.stem}/case_{number}/{path}", source)


class Editor:
    """Edits as people and machines make them, careless of syntax; the same way for the same seed."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self._repository = repository
        self._chance = random.Random(seed)
        self._day = DAY_1
        self._branches = ["main"]

    def step(self) -> None:
        acts: list[Callable[[], None]] = [
            self.cut, self.cut, self.repeat, self.reword, self.reword, self.take, self.rename, self.delete,
            self.branch, self.switch, self.revert,
        ]  # fmt: skip
        self._chance.choice(acts)()

    def cut(self) -> None:
        """Some lines are gone."""
        file, text = self._some_file()
        start, end = self._some_lines(text)
        self._write(file, [*text[:start], *text[end:]])

    def repeat(self) -> None:
        """Some lines stand elsewhere too."""
        file, text = self._some_file()
        start, end = self._some_lines(text)
        place = self._chance.randrange(len(text) + 1)
        self._write(file, [*text[:place], *text[start:end], *text[place:]])

    def reword(self) -> None:
        """A name is another one, of this file or of another."""
        file, text = self._some_file()
        _, other = self._some_file()
        old, new = NAME.findall("".join(text)), NAME.findall("".join(other))
        if old and new:
            word, name = self._chance.choice(old), self._chance.choice(new)
            self._write(file, [re.sub(rf"\b{word}\b", name, line) for line in text])

    def take(self) -> None:
        """A file is what another one was."""
        (file, _), (_, text) = self._some_file(), self._some_file()
        self._write(file, text)

    def rename(self) -> None:
        file, _ = self._some_file()
        file.rename(file.with_stem(f"{file.stem}_{self._chance.randrange(3)}"))

    def delete(self) -> None:
        self._some_file()[0].unlink()

    def branch(self) -> None:
        self._commit()
        self._branches.append(f"branch-{len(self._branches)}")
        self._repository.git("checkout", "-q", "-b", self._branches[-1])

    def switch(self) -> None:
        self._commit()
        self._repository.git("checkout", "-q", self._chance.choice(self._branches))

    def revert(self) -> None:
        self._repository.git("checkout", "-q", "--", ".")

    def _commit(self) -> None:
        self._day += DAY
        self._repository.commit(at=self._day)

    def _some_file(self) -> tuple[Path, list[str]]:
        listed = self._repository.git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        files = [file for path in sorted(set(listed)) if (file := self._repository.root / path).is_file()]
        file = self._chance.choice(files)
        return file, file.read_text("utf-8", "replace").splitlines(keepends=True)

    def _some_lines(self, text: list[str]) -> tuple[int, int]:
        start = self._chance.randrange(len(text) + 1)
        return start, min(start + self._chance.randrange(1, 12), len(text))

    def _write(self, file: Path, text: list[str]) -> None:
        self._repository.write(file.relative_to(self._repository.root).as_posix(), "".join(text))


def compare(engine: Engine, root: Path, place: Path) -> None:
    with Engine.open(root, environ={"CLEW_STORAGE_DB_PATH": str(place / "clew.db")}) as fresh:
        fresh.index()
        found, wanted = (list(lines(one.db, one.where, candidates=True)) for one in (engine, fresh))
        assert found == wanted
        assert graph_hash(engine.db, engine.where) == graph_hash(fresh.db, fresh.where)
        assert ranked(engine, *QUESTIONS) == ranked(fresh, *QUESTIONS)
        assert current_view(engine) == current_view(fresh)


@pytest.mark.parametrize("seed", range(2))
def test_after_any_edits_the_graph_is_what_a_fresh_index_has(repository: Repository, tmp_path: Path, seed: int) -> None:
    furnish(repository, seed)
    repository.commit()
    editor = Editor(repository, seed)
    with Engine.open(repository.root) as engine:
        engine.index()
        for step in range(STEPS):
            editor.step()
            engine.index()
            if step % 4 == 3:
                compare(engine, repository.root, tmp_path / f"fresh-{step}")
