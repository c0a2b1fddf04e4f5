"""Vectors at rest: found by embedder and text, as they were put, on both engines."""

from pathlib import Path

import pytest

from clew.model.errors import StoreReadOnly
from clew.store.database import Database, Where
from clew.store.sqlite import SQLite
from clew.store.vectors import AT_ONCE, DIGEST_BYTES, Embedded, Vectors, digest_of

MODEL, OTHER = "minilm-1", "openai:small@host"


@pytest.fixture
def vectors(db: Database, where: Where) -> Vectors:
    return Vectors(db, where)


def some(count: int) -> dict[bytes, bytes]:
    return {digest_of(MODEL, f"text {i}"): bytes([i % 256, 0, 255]) for i in range(count)}


def test_what_was_put_comes_back_and_the_rest_is_missing(vectors: Vectors) -> None:
    kept = some(3)
    vectors.put(MODEL, kept)
    unknown = digest_of(MODEL, "never seen")

    assert vectors.get([*kept, unknown]) == kept
    assert vectors.find_missing([unknown, *kept, unknown]) == [unknown]
    assert (vectors.get([]), vectors.find_missing([])) == ({}, [])


@pytest.mark.parametrize("count", [1, 2, AT_ONCE, AT_ONCE + 1])
def test_many_are_asked_for_some_at_a_time(vectors: Vectors, count: int) -> None:
    vectors.put(MODEL, some(count))

    assert vectors.get(list(some(count))) == some(count)
    assert vectors.find_missing(list(some(count))) == []


def test_a_text_has_a_digest_for_each_embedder() -> None:
    found = {digest_of(MODEL, "text"), digest_of(OTHER, "text"), digest_of(MODEL, "text "), digest_of(MODEL, "\ud800")}

    assert len(found) == 4
    assert {len(one) for one in found} == {DIGEST_BYTES}


def test_models_lie_side_by_side_and_one_is_forgotten_alone(vectors: Vectors) -> None:
    mine, theirs = digest_of(MODEL, "text"), digest_of(OTHER, "text")
    vectors.put(MODEL, {mine: b"mine"})
    vectors.put(OTHER, {theirs: b"theirs"})
    for model in (MODEL, OTHER):
        vectors.mark(model, [Embedded(1, 1, mine)])
    assert vectors.counts() == {MODEL: 1, OTHER: 1}

    vectors.forget(MODEL)

    assert vectors.counts() == {OTHER: 1}
    assert vectors.get([mine, theirs]) == {theirs: b"theirs"}
    assert (vectors.embedded_files(MODEL), vectors.embedded_files(OTHER)) == ({}, {1: Embedded(1, 1, mine)})


def test_the_first_vector_of_a_text_stays(vectors: Vectors) -> None:
    """Two who embed the same text at once would else change each other's answers."""
    vectors.put(MODEL, {bytes(16): b"first"})
    vectors.put(MODEL, {bytes(16): b"second"})

    assert vectors.get([bytes(16)]) == {bytes(16): b"first"}


def test_a_file_is_marked_by_version_with_the_digests_of_its_chunks(vectors: Vectors) -> None:
    digests = [digest_of(MODEL, text) for text in ("a", "b")]
    vectors.mark(MODEL, [Embedded(7, 1, b""), Embedded(8, 1, b"".join(digests))])
    vectors.mark(MODEL, [Embedded(7, 2, digests[0])])

    found = vectors.embedded_files(MODEL)
    assert found == {7: Embedded(7, 2, digests[0]), 8: Embedded(8, 1, b"".join(digests))}
    assert list(found[8].each()) == digests


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_who_may_only_read_is_told_so(db: Database, where: Where, address: str) -> None:
    with SQLite(Path(address), read_only=True) as reader, pytest.raises(StoreReadOnly):
        Vectors(reader, where).put(MODEL, some(1))
