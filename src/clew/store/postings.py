"""The words of one file's documents, packed by the worker that read it; made terms and inverted by a snapshot.

A document is what is ranked: a chunk as a whole, or a passage of it; passages follow their whole.

Packed: a header (vocabulary bytes, documents, entries, whether generated file), the vocabulary joined by
newlines, then arrays: the kind of each document and how many entries it has; per entry word (in two bytes, if the
vocabulary is as small as most), field, frequency; and, up to the end, the numbers of the documents that are passages.
So that they take little room, text and arrays are squeezed apart, a word that was not met before is 0 and others are
counted from 1, and all lowest bytes of words stand before the next.
Words are kept as written, so that splitting and stemming, which is most of the work, is done once per word of the
project and not per place.
"""

import struct
import sys
from array import array
from collections.abc import Mapping, Sequence
from enum import IntEnum

from blake3 import blake3

from clew.model.words import Kind
from clew.runtime.settings import OWN_NAME as MODEL
from clew.store.packing import pack_text, unpack_text
from clew.text.terms import VERSION as TERMS

HIGHEST_FREQUENCY = 255

# A snapshot's name begins with how it was made: another format, other terms or
# another model in the package make another snapshot necessary.
MADE = blake3(f"snapshot-11 {TERMS} {MODEL}".encode()).hexdigest()[:8]
_HEADER = struct.Struct("<III?")
_FEW = (1 << 16) - 1  # words that two bytes can number


class Field(IntEnum):
    PATH = 0
    NAME = 1
    SIGNATURE = 2
    DOC = 3
    CODE = 4


KIND_CODES = {kind: code for code, kind in enumerate(Kind)}  # append kinds at the end: codes are stored
FieldCounts = Sequence[Mapping[bytes, int]]  # by field

_FIELD_BYTES = [bytes([field]) for field in Field]


class _Numbers(dict[bytes, int]):
    """Numbers of words, from 1 on, in the order of first use; 0 for an unknown word."""

    def __missing__(self, word: bytes) -> int:
        self[word] = len(self) + 1
        return 0


def snapshot_name(signature: str) -> str:
    return f"{MADE}-{signature}"


def is_made_alike(name: str) -> bool:
    """Whether a snapshot of this name was made as one would be made today."""
    return name.startswith(f"{MADE}-")


def pack_words(
    kinds: bytes, documents: Sequence[FieldCounts], passages: Sequence[int] = (), *, made: bool = False
) -> bytes:
    """One byte of kind, and the word counts by field, for each document; and which of them are passages.

    `made`: whether the file says that a program wrote it.
    """
    vocabulary = _Numbers()
    number = vocabulary.__getitem__
    entries, words, frequencies = array("I"), list[int](), list[int]()
    fields = bytearray()
    for counts in documents:
        before = len(words)
        for field, by_word in enumerate(counts):
            if not by_word:
                continue
            words.extend(map(number, by_word))
            fields += _FIELD_BYTES[field] * len(by_word)
            frequencies += by_word.values()
        entries.append(len(words) - before)
    text = b"\n".join(vocabulary)
    header = _HEADER.pack(len(text), len(documents), len(words), made)
    code = _code(len(vocabulary))
    numbers, width = _little(array(code, words)), array(code).itemsize
    parts: tuple[bytes | bytearray, ...] = (
        kinds, _little(entries), *(numbers[place::width] for place in range(width)), fields,
        _cap(frequencies), _little(array("I", passages)),
    )  # fmt: skip
    return pack_text(header + text) + pack_text(b"".join(parts))


def _code(vocabulary: int) -> str:
    """The type of the numbers of words, as `array` and numpy call it."""
    return "H" if vocabulary <= _FEW else "I"


def _cap(counts: list[int]) -> bytes:
    try:
        return bytes(counts)
    except ValueError:  # a count that does not fit a byte is as good as the highest that does
        return bytes([min(n, HIGHEST_FREQUENCY) for n in counts])


def _little(values: "array[int]") -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


class PackedWords:
    """The packed form, opened. `wholes` are the numbers of the documents that are chunks, `kinds` theirs."""

    __slots__ = ("entries", "fields", "frequencies", "kinds", "made", "vocabulary", "wholes", "words")

    def __init__(self, data: bytes) -> None:
        import numpy as np  # only where snapshots are made or laid over

        raw = unpack_text(data)
        text, documents, entries, self.made = _HEADER.unpack_from(raw)
        at = _HEADER.size
        self.vocabulary = raw[at : at + text].split(b"\n") if text else []
        at += text
        kinds = np.frombuffer(raw, np.uint8, documents, at)
        at += documents
        self.entries = np.frombuffer(raw, "<u4", documents, at)
        at += 4 * documents
        number = np.dtype(f"<{_code(len(self.vocabulary))}")
        places = np.frombuffer(raw, np.uint8, number.itemsize * entries, at).reshape(number.itemsize, entries)
        self.words = places.T.copy().view(number).ravel()
        self.words[self.words == 0] = np.arange(1, len(self.vocabulary) + 1)
        self.words -= 1
        at += number.itemsize * entries
        self.fields = np.frombuffer(raw, np.uint8, entries, at)
        at += entries
        self.frequencies = np.frombuffer(raw, np.uint8, entries, at)
        at += entries
        passages = np.frombuffer(raw, "<u4", offset=at) if at < len(raw) else ()
        self.wholes = np.delete(np.arange(documents, dtype=np.uint32), passages)
        self.kinds = kinds[self.wholes]
