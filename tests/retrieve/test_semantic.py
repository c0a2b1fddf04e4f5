"""Nearness in meaning: the same whatever is kept, and kept where that may be."""

from collections.abc import Sequence

import numpy as np
import pytest

from clew.engine import Engine
from clew.model.errors import DiskFull, EmbedderFailed
from clew.retrieve.meaning import LONGEST, SemanticIndex, VectorKey, text_of
from clew.retrieve.source_cache import Holder
from clew.text.embedders import Floats
from tests.conftest import Repository
from tests.embedders import Words

QUESTION = "charge the credit card"


@pytest.fixture(autouse=True)
def indexed(engine: Engine, repository: Repository) -> None:
    repository.write("pay.py", 'def charge(card):\n    """Charge a credit card."""\n\n\ndef refund(card): ...\n')
    repository.write("web/login.py", "class Session:\n    def login(self, user): ...\n")
    repository.write("notes.md", "# Notes\n\nNothing about money.\n")
    engine.index()


def places(engine: Engine) -> list[VectorKey]:
    contents = engine.files.contents()
    held = [(one, engine.files.find_text(one.path, one.text)) for one in contents]
    return [VectorKey(one.path, one.text, i) for one, file in held for i in range(len(file.chunks))]


def semantic(engine: Engine, words: Words | None = None, *, keeps: bool = True) -> SemanticIndex:
    return SemanticIndex(words or Words(), Holder(engine.files), engine.vectors, keeps=keeps)


def test_what_is_about_the_question_is_nearest(engine: Engine) -> None:
    wanted = places(engine)
    found = semantic(engine).similarities(QUESTION, wanted)

    best = wanted[int(np.argmax(found))]
    assert (best.path, len(found)) == ("pay.py", len(wanted))
    assert semantic(engine).similarities(QUESTION, []).shape == (0,)


def test_a_similarity_depends_neither_on_what_is_kept_nor_on_company(engine: Engine) -> None:
    wanted = places(engine)
    fresh = semantic(engine, keeps=False).similarities(QUESTION, wanted)
    assert engine.vectors.counts() == {}

    half = semantic(engine).similarities(QUESTION, wanted[::2])
    mixed = semantic(engine).similarities(QUESTION, wanted)
    stored = semantic(engine).similarities(QUESTION, wanted)
    alone = [semantic(engine).similarities(QUESTION, [one])[0] for one in wanted]

    assert np.array_equal(half, fresh[::2])
    assert fresh.tolist() == mixed.tolist() == stored.tolist() == alone


@pytest.mark.parametrize("strange", [np.full((1, 4), np.nan, np.float32), np.zeros((0, 4)), np.ones(4)])
def test_what_is_no_vector_is_neither_kept_nor_compared(engine: Engine, strange: Floats) -> None:
    class Strange(Words):
        def embed(self, texts: Sequence[str]) -> Floats:
            return strange

    with pytest.raises(EmbedderFailed, match="other than a vector"):
        semantic(engine, Strange()).similarities(QUESTION, places(engine)[:1])
    assert engine.vectors.counts() == {}


def test_only_what_is_missing_is_embedded_and_a_question_once(engine: Engine) -> None:
    words = Words()
    asking = semantic(engine, words)
    wanted = places(engine)

    asking.similarities(QUESTION, wanted[:2])
    assert len(words.texts) == 3
    asking.similarities(QUESTION, wanted)
    assert len(words.texts) == len(wanted) + 1
    asking.similarities("something else", wanted)
    asking.similarities(QUESTION, wanted)
    assert len(words.texts) == len(wanted) + 2
    assert engine.vectors.counts() == {"words-1 text-1": len(wanted)}


def test_who_may_only_read_gets_the_same_and_keeps_nothing(engine: Engine, repository: Repository) -> None:
    with Engine.open(repository.root, read_only=True) as reader:
        found = semantic(reader, keeps=reader.writable).similarities(QUESTION, places(reader))

        assert reader.vectors.counts() == {}
    assert np.array_equal(found, semantic(engine).similarities(QUESTION, places(engine)))


def test_what_cannot_be_stored_is_no_failure(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(model: str, vectors: object) -> None:
        raise DiskFull("the disk is full")

    monkeypatch.setattr(engine.vectors, "put", refuse)

    assert len(semantic(engine).similarities(QUESTION, places(engine))) == len(places(engine))


def test_models_do_not_meet(engine: Engine) -> None:
    wanted = places(engine)
    semantic(engine, Words("one")).similarities(QUESTION, wanted)
    semantic(engine, Words("two")).similarities(QUESTION, wanted)

    assert engine.vectors.counts() == {"one text-1": len(wanted), "two text-1": len(wanted)}


def test_a_text_is_name_place_and_how_the_code_begins(engine: Engine) -> None:
    words = Words()
    semantic(engine, words).similarities(QUESTION, [one for one in places(engine) if one.path == "pay.py"])

    assert 'charge\npay.py\ndef charge(card):\n    """Charge a credit card."""' in words.texts
    assert text_of("a.py", "f", "x" * 9999) == f"f\na.py\n{'x' * LONGEST}"


def test_places_that_say_the_same_have_one_vector(engine: Engine) -> None:
    words = Words()
    one = places(engine)[0]

    found = semantic(engine, words).similarities(QUESTION, [one, one])

    assert found[0] == found[1]
    assert len(words.texts) == 2
