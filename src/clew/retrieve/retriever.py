"""The interface of retrievers: a score for each chunk, and a reason. Built-ins and plug-ins implement it alike."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from msgspec import Struct

from clew.model.code import Chunk
from clew.retrieve.question import Question
from clew.retrieve.source_cache import Holder as Holder
from clew.runtime.settings import Config
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.store.files import Files
from clew.store.histories import Histories

if TYPE_CHECKING:
    from clew.retrieve.meaning import Meaning


class ChunkPlace(NamedTuple):
    """A chunk: its part of the corpus, and its number there."""

    part: int
    chunk: int


class Ask(Struct, frozen=True, eq=False):
    """A question to a retriever. `candidates` are the best so far, for retrievers that rerank; else there are none.

    Rerankers also get the share of its score that each chunk keeps, by part. `alone`: no other retriever takes part,
    so that there are no candidates.
    """

    question: Question
    corpus: Corpus
    allowed: tuple[Array, ...]  # by part: which chunks may answer
    candidates: tuple[ChunkPlace, ...] = ()
    shares: tuple[Any, ...] = ()
    alone: bool = False


class ChunkScores(Protocol):
    """The scores of a part's chunks, from 0 to 1: an array, or an object that computes those of some chunks as one."""

    def __len__(self) -> int: ...

    def __getitem__(self, chunks: Any, /) -> Any: ...


class Retrieved(Struct, frozen=True, eq=False):
    """By part, the score of each chunk; and the reason for one with a score."""

    scores: tuple[ChunkScores, ...]
    explain: Callable[[ChunkPlace], str]
    passage: Callable[[ChunkPlace], int] | None = None  # which of its passages answers best; 0 is the whole
    unknown: tuple[str, ...] = ()  # words of the question that stand nowhere
    meant: tuple[ChunkPlace, ...] = ()  # what has a name that the question says, which few have


class Retriever(Protocol):
    """`reranks`: it is asked after the others, about their best alone."""

    name: str
    reranks: bool

    def retrieve(self, ask: Ask) -> Retrieved: ...


class RetrieverSources(Struct, frozen=True, eq=False):
    """The data of a project that a retriever may read."""

    root: Path
    config: Config
    files: Files
    held: Holder
    histories: Histories
    meaning: "Callable[[], Meaning | None]" = lambda: None  # nearness in meaning, if a model is configured


def chunks_of(corpus: Corpus, held: Holder, place: ChunkPlace) -> tuple[tuple[Chunk, ...], int]:
    """All chunks of a chunk's file, and the number of the first of them."""
    postings = corpus.parts[place.part].postings
    number, path = file_at(corpus, place)
    return held.get(path, postings.digest(number)).chunks, int(postings.first_of[number])


Factory = Callable[[RetrieverSources], Retriever]


def blank(corpus: Corpus) -> tuple[Array, ...]:
    """Scores to be filled in."""
    return tuple(np.zeros(part.postings.chunks) for part in corpus.parts)


def no_findings(corpus: Corpus) -> Retrieved:
    return Retrieved(blank(corpus), lambda _: "")


class ByFile(Struct, frozen=True, eq=False):
    """Scores of files that apply to all of their chunks, looked up on demand."""

    scores: Array
    file_of: Array

    def __len__(self) -> int:
        return len(self.file_of)

    def __getitem__(self, chunks: Any) -> Any:
        return self.scores.take(self.file_of[chunks])


def by_chunk(corpus: Corpus, by_file: Sequence[Array]) -> tuple[ByFile, ...]:
    return tuple(ByFile(scores, part.postings.file_of) for part, scores in zip(corpus.parts, by_file, strict=True))


def file_at(corpus: Corpus, place: ChunkPlace) -> tuple[int, str]:
    """The number and the path of a chunk's file."""
    postings = corpus.parts[place.part].postings
    number = int(postings.file_of[place.chunk])
    return number, postings.paths[number]
