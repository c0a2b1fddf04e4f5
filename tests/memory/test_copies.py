"""The archive in a file: the same as one that is made of the episodes, and never believed blindly."""

from pathlib import Path

import pytest

from clew.engine import Engine
from clew.memory import copies
from clew.memory.copies import Archives, pack, unpack
from clew.memory.recall import Recall, RecallQuery
from clew.model.agents import Identity
from tests.conftest import DAY_1

from .telling import a_draft


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "FEWEST", 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "copies"


def tell(engine: Engine, *contents: str) -> None:
    for content in contents:
        engine.memory.journal.add(a_draft(content, entities=("a.py",), occurred_at=DAY_1), Identity("ann", "s"), DAY_1)


def found(engine: Engine, folder: Path | None) -> list[tuple[str, float]]:
    recall = Recall(engine.episodes, Archives(engine.episodes, folder, "1"), lambda: None)
    hits = recall.find(RecallQuery("red green", entities=("a.py",)))
    return [(hit.episode.draft.content, hit.score) for hit in hits]


def test_a_copy_ranks_as_what_it_was_made_of(engine: Engine, folder: Path) -> None:
    tell(engine, "red", "green", "blue red")
    fresh = found(engine, folder)

    assert len(list(folder.iterdir())) == 1
    assert found(engine, folder) == fresh == found(engine, None)


def test_what_came_since_is_laid_over_and_then_part_of_the_next_copy(engine: Engine, folder: Path) -> None:
    tell(engine, "red", "green", "blue red")
    found(engine, folder)
    (first,) = folder.iterdir()
    tell(engine, "green red")
    assert found(engine, folder) == found(engine, None)
    assert list(folder.iterdir()) == [first]

    tell(engine, "red", "green")
    assert found(engine, folder) == found(engine, None)
    (second,) = folder.iterdir()
    assert second != first
    assert found(engine, folder) == found(engine, None)


def test_a_copy_of_other_episodes_or_a_torn_one_is_not_believed(engine: Engine, folder: Path) -> None:
    tell(engine, "red", "green", "blue red")
    found(engine, folder)
    (copy,) = folder.iterdir()
    copy.rename(copy.with_name(copy.name.replace("-3-", "-3-f")))
    assert found(engine, folder) == found(engine, None)

    for one in folder.iterdir():
        one.write_bytes(one.read_bytes()[:100])
    assert found(engine, folder) == found(engine, None)


def test_packing_keeps_everything(engine: Engine) -> None:
    tell(engine, "red", "green red")
    archive = Archives(engine.episodes, None, "").current()

    again = unpack(pack(archive).__getitem__)

    assert again.entities == archive.entities
    assert list(again.agents) == list(archive.agents)
    assert [list(part) for part in again.postings_of("red")] == [list(part) for part in archive.postings_of("red")]
