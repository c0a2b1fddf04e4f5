"""Incremental equals full, where nobody ever indexes: questions alone keep the index fresh."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.engine import Engine, new_id
from clew.graph.view import graph_hash
from clew.model.search import Query
from tests.conftest import Repository, seeds
from tests.index.test_consistency import QUESTIONS, STEPS, Tinkerer, a_source
from tests.views import current_view, ranked

SMALL = {"CLEW_INDEXING_MAX_FILE_SIZE_MB": "0.02"}
PLENTY = {"CLEW_QUERY_REFRESH_BUDGET_MS": "60000"}  # a busy machine is no reason to see less


@pytest.fixture(autouse=True)
def plenty_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**PLENTY, **SMALL}.items():
        monkeypatch.setenv(name, value)


class Fusser(Tinkerer):
    """Somebody who also changes what belongs to the project."""

    def step(self) -> None:
        acts: list[Callable[[], None]] = [
            self.ignore, self.unignore, self.track, self.untrack, self.fill, self.empty, self.nest, self.hide, self.link
        ]  # fmt: skip
        self._chance.choice(acts)() if self._chance.random() < 0.6 else super().step()

    def ignore(self) -> None:
        folder = self._chance.choice(["", "pkg/"])
        self._repository.write(f"{folder}.gitignore", f"module_{self._chance.randrange(6)}.*\n")

    def unignore(self) -> None:
        for folder in ("", "pkg/"):
            (self._repository.root / f"{folder}.gitignore").unlink(missing_ok=True)

    def track(self) -> None:
        if files := self._files():
            self._repository.git("add", "-f", self._chance.choice(files))

    def untrack(self) -> None:
        self._repository.git("rm", "-q", "-r", "--cached", "--ignore-unmatch", "pkg")

    def fill(self) -> None:
        data = self._chance.choice([b"\0" * 99, b"# filler\n" * 5000])
        self._repository.write(f"module_{self._chance.randrange(6)}.py", data)

    def empty(self) -> None:
        self._repository.write(f"module_{self._chance.randrange(6)}.py", b"")

    def nest(self) -> None:
        mark = self._repository.root / "pkg" / ".git"
        if mark.exists():
            mark.rmdir()
        elif mark.parent.exists():
            mark.mkdir()

    def hide(self) -> None:
        self._repository.write(".config/module_9.py", a_source(self._chance))

    def link(self) -> None:
        path = self._repository.root / f"module_{self._chance.randrange(6)}.py"
        path.unlink(missing_ok=True)
        path.symlink_to("pkg/__init__.py")

    def _files(self) -> list[str]:
        return [path for path in super()._files() if not path.startswith((".", "pkg/")) or self._is_ours()]

    def _is_ours(self) -> bool:
        return not (self._repository.root / "pkg" / ".git").exists()


def assert_equals_a_fresh_index(root: Path, tmp_path: Path) -> None:
    with Engine.open(root) as engine:
        found = current_view(engine), ranked(engine, *QUESTIONS), graph_hash(engine.db, engine.where)
    place = {"CLEW_STORAGE_DB_PATH": str(tmp_path / new_id() / "clew.db")}
    with Engine.open(root, environ={**SMALL, **place}) as engine:
        engine.index()
        assert found == (current_view(engine), ranked(engine, *QUESTIONS), graph_hash(engine.db, engine.where))


@seeds(3)
@pytest.mark.parametrize("somebody", [Tinkerer, Fusser])
def test_an_index_that_only_questions_kept_fresh_equals_a_fresh_one(
    repository: Repository, backend: str, tmp_path: Path, somebody: type[Tinkerer], seed: int
) -> None:
    person = somebody(repository, seed)
    with Engine.open(repository.root) as engine:
        engine.index()
    for step in range(2 * STEPS):
        person.step()
        with Engine.open(repository.root) as engine:
            fresh = engine.search(Query("token", 5)).freshness
            assert (fresh.pending, fresh.unchecked) == (0, 0)
        if step % 6 == 5:
            assert_equals_a_fresh_index(repository.root, tmp_path)
