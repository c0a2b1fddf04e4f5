"""An index of each test's own files."""

from collections.abc import Callable, Iterator

import pytest

from clew.engine import Engine
from tests.conftest import Repository

Made = Callable[..., Engine]


@pytest.fixture
def made(repository: Repository) -> Iterator[Made]:
    """Writes files, by path, and indexes them."""
    opened: list[Engine] = []

    def make(files: dict[str, str]) -> Engine:
        for path, text in files.items():
            repository.write(path, text)
        if "context.toml" in files:
            repository.configure(files["context.toml"])
        if not opened:
            opened.append(Engine.open(repository.root))
        opened[0].index()
        return opened[0]

    yield make
    for engine in opened:
        engine.close()
