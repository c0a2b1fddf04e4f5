"""A search over all vectors counts once all are there, and then finds what comparing each would."""

import os
from pathlib import Path

import pytest

from clew.engine import Engine, now
from clew.retrieve import nearest
from clew.retrieve.meaning import Filler, SemanticIndex, VectorKey
from clew.retrieve.nearest import Everything, NearestChunk
from clew.retrieve.source_cache import Holder
from clew.store.corpus import Corpus
from tests.conftest import Repository
from tests.embedders import Words

QUESTION = "charge the card number three"


class World:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.semantic = SemanticIndex(Words(), Holder(engine.files), engine.vectors, keeps=True)
        self.everything = self.opened()

    def opened(self) -> Everything:
        engine = self.engine
        return Everything(engine.place.snapshots, engine.where, engine.files, engine.vectors, self.semantic.model)

    def fill(self) -> None:
        Filler(self.engine.db, self.engine.where, 8, now).fill(self.semantic, "host:1:me", lambda _: None)

    def search(self, limit: int = 5, everything: Everything | None = None) -> list[float] | None:
        """The similarities that are found."""
        found = self.near(limit, everything)
        return None if found is None else [near.similarity for near in found]

    def near(self, limit: int = 5, everything: Everything | None = None) -> list[NearestChunk] | None:
        chosen = everything or self.everything
        return chosen.search(self.engine.corpus(), self.semantic.asked(QUESTION), limit)

    def expected(self, limit: int = 5) -> list[float]:
        found: list[float] = self.semantic.similarities(QUESTION, places(self.engine.corpus())).tolist()
        return sorted(found, reverse=True)[:limit]

    def files(self) -> list[Path]:
        return sorted(self.engine.place.snapshots.rglob("*.vectors"))


def places(corpus: Corpus) -> list[VectorKey]:
    found = []
    for part in corpus.parts:
        postings = part.postings
        for chunk in range(postings.chunks):
            file = int(postings.file_of[chunk])
            if part.live[chunk]:
                ordinal = chunk - int(postings.first_of[file])
                found.append(VectorKey(postings.paths[file], postings.digest(file), ordinal))
    return found


@pytest.fixture(params=[5000, 0], ids=["in memory", "in a file"])
def world(
    engine: Engine, repository: Repository, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> World:
    for i, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight"]):
        repository.write(f"m{i}.py", f"def charge_{word}(card): ...\n\n\ndef refund_{word}(card): ...\n")
    engine.index()
    monkeypatch.setattr(nearest, "WHILE_ASKED", request.param)
    return World(engine)


only_in_a_file = pytest.mark.parametrize("world", [0], indirect=True)


def test_it_does_not_count_before_all_are_there(world: World) -> None:
    assert world.search() is None
    world.semantic.similarities(QUESTION, places(world.engine.corpus())[:-1])
    assert world.search() is None
    assert not world.everything.prepare(world.engine.corpus())


def test_it_finds_what_comparing_each_finds(world: World) -> None:
    world.fill()
    assert world.everything.prepare(world.engine.corpus())

    assert world.search() == world.expected()
    assert world.search(limit=1000) == world.expected(limit=1000)
    assert world.search(everything=world.opened()) == world.expected()


def test_only_where_it_is_allowed(world: World) -> None:
    world.fill()
    corpus = world.engine.corpus()
    assert world.everything.prepare(corpus)
    (best,) = world.near(limit=1) or []
    masks = [part.live.copy() for part in corpus.parts]
    masks[best.part][best.chunk] = False

    found = world.everything.search(corpus, world.semantic.asked(QUESTION), 3, masks)

    assert [near.similarity for near in found or []] == world.expected(limit=4)[1:]


def test_after_an_edit_it_counts_again_once_the_new_chunk_has_its_vector(world: World, repository: Repository) -> None:
    world.fill()
    world.everything.prepare(world.engine.corpus())
    repository.write("m0.py", "def charge_the_card_number_three(): ...\n")
    repository.write("empty.py", "")
    world.engine.index()
    assert world.search() is None

    world.fill()
    assert world.everything.prepare(world.engine.corpus())

    assert world.search() == world.expected()


def test_what_comes_back_after_it_was_gone_has_its_vector_again(world: World, repository: Repository) -> None:
    before = (repository.root / "m0.py").read_text()
    repository.write("m0.py", "x = 1\n")
    world.engine.index()
    world.fill()
    world.everything.prepare(world.engine.corpus())
    repository.write("m0.py", before)
    world.engine.index()

    world.fill()
    assert world.everything.prepare(world.engine.corpus())

    assert world.search(limit=1000) == world.expected(limit=1000)


def test_many_are_found_by_cells(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "EXACT_UP_TO", 4)
    world.fill()
    assert world.everything.prepare(world.engine.corpus())

    assert world.search() == world.expected()  # so few cells are all looked into


@only_in_a_file
def test_the_file_lies_beside_the_snapshot_and_older_ones_go(world: World, repository: Repository) -> None:
    world.fill()
    assert world.everything.prepare(world.engine.corpus())
    (first,) = world.files()
    os.utime(first, (1, 1))
    for i in range(90):
        repository.write(f"more{i}.py", f"def more{i}(): ...\n")
    world.engine.index()
    world.fill()
    assert world.everything.prepare(world.engine.corpus())

    assert first not in world.files()
    assert world.search() == world.expected()


@only_in_a_file
def test_a_damaged_file_is_none(world: World) -> None:
    world.fill()
    assert world.everything.prepare(world.engine.corpus())
    (file,) = world.files()
    file.write_bytes(file.read_bytes()[:-8])

    assert world.search(everything=world.opened()) is None
    assert world.opened().prepare(world.engine.corpus())
    assert world.search(everything=world.opened()) == world.expected()
