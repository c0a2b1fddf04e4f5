"""Snapshots: made of contents alone, read back whole or not at all, swept when nobody needs them."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from clew.model.words import Kind
from clew.store import sealing, snapshot
from clew.store.arrays import map_checked
from clew.store.packing import pack_text
from clew.store.postings import HIGHEST_FREQUENCY, KIND_CODES, Field, PackedWords, pack_words
from clew.store.snapshot import FIELD_BITS, Postings, Source
from clew.store.strings import SortedStrings, strings
from tests.store.readings import a_reading

words = st.text(st.characters(codec="utf-8", exclude_characters="\n", exclude_categories=["Cs"]), min_size=1)


def a_source(path: str, text: bytes) -> Source:
    reading = a_reading(path, text)
    return Source(path, reading.text_digest, "python", reading.words)


SOURCES = [a_source("a.py", b"def parse(parser): parser"), a_source("b.py", b"import parse")]


def found(postings: Postings, term: str) -> list[tuple[int, Field, int]]:
    """Document, field and frequency of each place of a term."""
    number = postings.terms.find(term)
    if number < 0:
        return []
    here = slice(int(postings.at[number]), int(postings.at[number + 1]))
    places = zip(postings.places[here].tolist(), postings.frequencies[here].tolist(), strict=True)
    return [(place >> FIELD_BITS, Field(place & ((1 << FIELD_BITS) - 1)), count) for place, count in places]


def test_words_that_share_a_term_are_counted_together() -> None:
    postings = Postings(snapshot.invert(SOURCES))

    assert found(postings, "pars") == [(0, Field.CODE, 1), (1, Field.CODE, 1)]
    assert found(postings, "parser") == [(0, Field.CODE, 2)]
    assert found(postings, "absent") == []


def test_words_that_share_a_term_count_no_more_together_than_a_byte_holds() -> None:
    chunks: list[dict[bytes, int]] = [
        {b"card": 200, b"Card": 3, b"cards": 100, b"zoo": 1},
        {b"a1": 1, b"card": 2, b"CARD": 3},
    ]
    words = pack_words(bytes(len(chunks)), [(counts,) for counts in chunks])
    postings = Postings(snapshot.invert([Source("a.py", bytes(32), "python", words)]))

    assert found(postings, "card") == [(0, Field.PATH, HIGHEST_FREQUENCY), (1, Field.PATH, 5)]
    assert found(postings, "zoo") == [(0, Field.PATH, 1)]
    assert postings.at.tolist()[-1] == len(postings.places) == len(postings.frequencies)


def test_chunks_know_their_file_and_kind() -> None:
    postings = Postings(snapshot.invert(SOURCES))

    assert list(postings.paths) == ["a.py", "b.py"]
    assert postings.file_of.tolist() == [0, 1]
    assert postings.first_of.tolist() == [0, 1, 2]
    assert postings.kinds.tolist() == [KIND_CODES[Kind.MODULE]] * 2
    assert postings.digest(1) == SOURCES[1].digest


def test_a_snapshot_comes_back_as_it_was_written(tmp_path: Path) -> None:
    arrays = snapshot.invert(SOURCES)
    loaded = snapshot.load(snapshot.write(tmp_path / "new", "name", arrays))

    assert loaded is not None
    assert found(loaded, "parser") == found(Postings(arrays), "parser")
    assert np.array_equal(loaded.lengths, arrays["lengths"])
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["name.snapshot"]


def test_an_empty_tree_has_a_snapshot_too(tmp_path: Path) -> None:
    loaded = snapshot.load(snapshot.write(tmp_path, "name", snapshot.invert([])))

    assert loaded is not None
    assert (loaded.chunks, len(loaded.terms), len(loaded.paths)) == (0, 0, 0)


def test_the_same_contents_make_the_same_bytes(tmp_path: Path) -> None:
    first = snapshot.write(tmp_path / "first", "name", snapshot.invert(SOURCES)).read_bytes()
    second = snapshot.write(tmp_path / "second", "name", snapshot.invert(SOURCES)).read_bytes()

    assert first == second


def test_a_signature_depends_on_every_path_text_and_language() -> None:
    files = [("a.py", b"1" * 32, "python"), ("b.py", b"2" * 32, "python")]
    others = [
        files[:1],
        [("a.py", b"1" * 32, "python"), ("b.py", b"3" * 32, "python")],
        [("a.py", b"1" * 32, "python"), ("c.py", b"2" * 32, "python")],
        [("a.py", b"1" * 32, "text"), ("b.py", b"2" * 32, "python")],
    ]

    signatures = {snapshot.signature(some) for some in (files, *others)}

    assert len(signatures) == 1 + len(others)
    assert snapshot.signature(list(files)) in signatures


def test_a_passage_is_a_document_of_its_chunk(tmp_path: Path) -> None:
    kinds = bytes([KIND_CODES[Kind.MODULE], *[KIND_CODES[Kind.FUNCTION]] * 3, KIND_CODES[Kind.CLASS]])
    documents = [({word: 1},) for word in (b"one", b"two", b"three", b"four", b"five")]
    words = pack_words(kinds, documents, [2, 3])
    sources = [Source(path, bytes(32), "python", words) for path in ("a.py", "b.py")]
    postings = snapshot.load(snapshot.write(tmp_path, "name", snapshot.invert(sources)))

    assert postings is not None
    assert (postings.chunks, postings.documents, postings.has_passages) == (6, 10, True)
    assert postings.kinds.tolist() == [KIND_CODES[kind] for kind in (Kind.MODULE, Kind.FUNCTION, Kind.CLASS)] * 2
    assert postings.file_of.tolist() == [0, 0, 0, 1, 1, 1]
    assert postings.first_of.tolist() == [0, 3, 6]
    assert postings.document_of.tolist() == [0, 1, 4, 5, 6, 9, 10]
    assert postings.chunk_of.tolist() == [0, 1, 1, 1, 2, 3, 4, 4, 4, 5]
    assert postings.is_whole.tolist() == [True, True, False, False, True] * 2
    assert found(postings, "four") == [(3, Field.PATH, 1), (8, Field.PATH, 1)]


def test_a_file_without_passages_is_packed_as_ever() -> None:
    """So that what an older version packed can be read."""
    packed = PackedWords(pack_words(b"\0\0", [({b"one": 1},), ({b"two": 1},)]))

    assert (packed.wholes.tolist(), packed.kinds.tolist()) == ([0, 1], [0, 0])


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_snapshot_is_not_loaded(tmp_path: Path, share: float) -> None:
    file = snapshot.write(tmp_path, "name", snapshot.invert(SOURCES))
    os.truncate(file, int(file.stat().st_size * share))

    assert snapshot.load(file) is None


@pytest.mark.parametrize("length", range(20))
def test_a_snapshot_that_ends_within_its_head_is_not_loaded(tmp_path: Path, length: int) -> None:
    file = snapshot.write(tmp_path, "name", snapshot.invert(SOURCES))
    os.truncate(file, length)

    assert snapshot.load(file) is None


@pytest.mark.parametrize("start", [0, 8, 20])
def test_a_snapshot_with_a_damaged_head_is_not_loaded(tmp_path: Path, start: int) -> None:
    file = snapshot.write(tmp_path, "name", snapshot.invert(SOURCES))
    content = bytearray(file.read_bytes())
    content[start : start + 8] = b"\xc1" * 8
    file.write_bytes(content)

    assert snapshot.load(file) is None


def test_a_snapshot_in_the_place_of_another_is_not_loaded(tmp_path: Path) -> None:
    file = snapshot.write(tmp_path, "name", snapshot.invert(SOURCES))

    assert snapshot.load(file.replace(tmp_path / "other.snapshot")) is None


def test_a_missing_snapshot_is_not_loaded(tmp_path: Path) -> None:
    assert snapshot.load(tmp_path / "name.snapshot") is None


def test_sweeping_removes_what_is_old_and_not_kept(tmp_path: Path) -> None:
    names = ("kept.snapshot", "old.snapshot", "old.over", "killed.123.part", "young.snapshot")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    for name in names[:-1]:
        os.utime(tmp_path / name, (1, 1))

    snapshot.sweep(tmp_path, {"kept"}, older_than=time.time() - 60)

    assert {file.name for file in tmp_path.iterdir()} == {"kept.snapshot", "young.snapshot"}


def test_sweeping_a_directory_that_is_not_there_does_nothing(tmp_path: Path) -> None:
    snapshot.sweep(tmp_path / "none", set(), older_than=time.time())

    assert not (tmp_path / "none").exists()


def test_a_count_beyond_a_byte_is_as_good_as_the_highest() -> None:
    packed = PackedWords(pack_words(b"\0", [({b"often": 1000, b"once": 1},)]))

    assert packed.frequencies.tolist() == [HIGHEST_FREQUENCY, 1]


@pytest.mark.parametrize("count", [65_535, 65_536])
def test_words_that_two_bytes_can_number_and_one_more(count: int) -> None:
    said = [b"%d" % number for number in range(count)]
    packed = PackedWords(pack_words(b"\0\0", [(dict.fromkeys(said, 1),), (dict.fromkeys(reversed(said), 1),)]))

    assert packed.vocabulary == said
    assert packed.words.tolist() == [*range(count), *reversed(range(count))]


def test_words_that_are_new_take_next_to_no_room_beside_their_text() -> None:
    said = [blake3(b"%d" % number).hexdigest(length=4).encode() for number in range(10_000)]

    assert len(pack_words(b"\0", [(dict.fromkeys(said, 1),)])) < 1.1 * len(pack_text(b"\n".join(said)))


@given(st.lists(st.dictionaries(words.map(str.encode), st.integers(1, HIGHEST_FREQUENCY)), max_size=5))
def test_packed_words_come_back_as_they_went_in(chunks: list[dict[bytes, int]]) -> None:
    packed = PackedWords(pack_words(bytes(len(chunks)), [(counts,) for counts in chunks]))

    at, unpacked = 0, []
    for entries in packed.entries.tolist():
        here = slice(at, at + entries)
        named = [packed.vocabulary[word] for word in packed.words[here].tolist()]
        unpacked.append(dict(zip(named, packed.frequencies[here].tolist(), strict=True)))
        at += entries

    assert unpacked == chunks


@given(st.lists(st.text("ab/", max_size=6), unique=True), st.text("ab/", min_size=1, max_size=3))
def test_words_are_found_by_how_they_end(some: list[str], end: str) -> None:
    listed = sorted(some)
    made = strings("text", "at", listed)

    assert SortedStrings(made["text"], made["at"]).with_suffix(end) == [
        i for i, word in enumerate(listed) if word.endswith(end)
    ]


@given(st.sets(words))
def test_every_word_is_found_and_no_other(some: set[str]) -> None:
    kept, left = sorted(some, key=str.encode), "\n"
    encoded = [word.encode() for word in kept]
    listed = SortedStrings(
        np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
    )

    assert [listed.find(word) for word in kept] == list(range(len(kept)))
    assert listed.find(left) == -1


def lose_a_page(file: Path) -> None:
    """What a crash of the machine may do: the length is right, and what was never written is zeros."""
    content = bytearray(file.read_bytes())
    half = len(content) // 2
    content[half : half + 64] = bytes(64)
    file.write_bytes(content)


def test_what_is_not_as_it_was_written_is_known_by_its_checksum(tmp_path: Path) -> None:
    file = snapshot.write(tmp_path, "name", snapshot.invert(SOURCES))
    assert sealing.is_whole(file)

    lose_a_page(file)

    assert not sealing.is_whole(file)
    assert not sealing.is_whole(tmp_path / "absent")
    assert map_checked(file) is None
