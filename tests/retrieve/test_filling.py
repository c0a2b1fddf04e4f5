"""Vectors in advance: all of them, step by step, and nothing twice."""

from collections.abc import Sequence

import pytest

from clew.engine import Engine, now
from clew.model.errors import Busy
from clew.model.run import Progress
from clew.retrieve.meaning import EMBEDDING, Filled, Filler, SemanticIndex
from clew.retrieve.source_cache import Holder
from clew.store.leases import Lease
from clew.text.embedders import Floats
from tests.conftest import Repository
from tests.embedders import Words

FILES = 6


@pytest.fixture(autouse=True)
def indexed(engine: Engine, repository: Repository) -> None:
    for i in range(FILES):
        repository.write(f"module{i}.py", f"def first{i}(): ...\n\n\ndef second{i}(): ...\n")
    engine.index()


def filler(engine: Engine) -> Filler:
    return Filler(engine.db, engine.where, 4, now)


def fill(engine: Engine, words: Words) -> tuple[bool, list[Progress]]:
    told: list[Progress] = []
    semantic = SemanticIndex(words, Holder(engine.files), engine.vectors, keeps=True)
    return filler(engine).fill(semantic, "host:1:me", told.append), told


def state(engine: Engine, name: str = "words-1") -> Filled:
    return filler(engine).state(f"{name} text-1")


def test_every_chunk_gets_its_vector_and_progress_is_told(engine: Engine) -> None:
    total = engine.files.totals().chunks
    assert state(engine) == Filled(0, total)

    done, told = fill(engine, Words())

    assert done
    assert state(engine) == Filled(total, total)
    assert told[-1] == Progress(total, total, "")
    assert [one.done for one in told] == sorted({one.done for one in told})


def test_what_was_done_is_not_done_again(engine: Engine) -> None:
    fill(engine, Words())
    again = Words()

    assert fill(engine, again) == (True, [])
    assert again.texts == []


def test_one_that_was_interrupted_is_gone_on_with(engine: Engine) -> None:
    first, second = Words(fails_after=8), Words()
    with pytest.raises(KeyboardInterrupt):
        fill(engine, first)
    between = state(engine)
    assert 0 < between.chunks < between.total

    assert fill(engine, second)[0]

    assert state(engine).chunks == between.total
    assert not {*first.texts} & {*second.texts}


def test_after_an_edit_only_what_changed_is_embedded(engine: Engine, repository: Repository) -> None:
    fill(engine, Words())
    repository.write("module0.py", "def first0(): ...\n\n\ndef other(): ...\n")
    engine.index()
    assert state(engine).chunks < state(engine).total
    words = Words()

    fill(engine, words)

    assert "other" in [text.splitlines()[0] for text in words.texts]
    assert "first0" not in [text.splitlines()[0] for text in words.texts]
    assert state(engine).chunks == state(engine).total


def test_another_model_embeds_anew_and_the_old_vectors_stay(engine: Engine) -> None:
    fill(engine, Words("old"))
    fill(engine, Words("new"))
    total = engine.files.totals().chunks

    assert engine.vectors.counts() == {"new text-1": total, "old text-1": total}
    engine.vectors.forget("old text-1")
    assert (state(engine, "old").chunks, state(engine, "new").chunks) == (0, total)


def test_one_at_a_time_fills(engine: Engine) -> None:
    lease = engine.leases.acquire(EMBEDDING, "host:1:other", now())
    assert lease is not None
    words = Words()
    assert fill(engine, words) == (False, [])
    assert words.texts == []

    engine.leases.release(lease, now())
    assert fill(engine, words)[0]


def test_who_lost_the_turn_stops(engine: Engine) -> None:
    class Robbed(Words):
        def embed(self, texts: Sequence[str]) -> Floats:
            engine.leases.release(Lease(EMBEDDING, "host:1:me", 1), now())
            engine.leases.acquire(EMBEDDING, "host:2:thief", now())
            return super().embed(texts)

    with pytest.raises(Busy):
        fill(engine, Robbed())
