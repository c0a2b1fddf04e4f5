"""Corpora by hand: parts, files and chunks, and what retrievers say of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from clew.languages import language_of
from clew.model.words import Kind
from clew.retrieve.fusion import Weighed
from clew.retrieve.retriever import Retrieved
from clew.store.corpus import Corpus, CorpusPart, _corpus
from clew.store.postings import KIND_CODES, Field, pack_words
from clew.store.snapshot import Postings, Source, invert

Files = Mapping[str, Sequence[Kind]]  # of each path, the kinds of its chunks

_NO_WORDS: list[dict[bytes, int]] = [{} for _ in Field]


def corpus(*parts: Files) -> Corpus:
    """Parts of files, whose chunks hold no words."""
    return _corpus("", tuple(_part(files) for files in parts))


def weighed(name: str, weight: float, *scores: Sequence[float]) -> Weighed:
    """What a retriever found, part by part."""
    found = tuple(np.array(part, np.float64) for part in scores)
    return Weighed(name, weight, Retrieved(found, lambda place: f"{name} saw {place.chunk}"))


def _part(files: Files) -> CorpusPart:
    sources = [
        Source(
            path,
            bytes(32),
            language_of(path),
            pack_words(bytes(KIND_CODES[kind] for kind in kinds), [_NO_WORDS] * len(kinds)),
        )
        for path, kinds in sorted(files.items())
    ]
    postings = Postings(invert(sources))
    return CorpusPart(postings, np.ones(postings.chunks, np.bool_), np.ones(len(postings.paths), np.bool_))
