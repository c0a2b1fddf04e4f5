"""By where a file lies: words of the question that its name has, and those that its folders have.

A file whose whole name the question has is probably its subject, however common the words of the name are.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.retrieve.question import Word, lexicon
from clew.retrieve.retriever import Ask, Retrieved, RetrieverSources, by_chunk, file_at
from clew.store.arrays import Array
from clew.store.snapshot import Whereabouts

FILE_SHARE, FOLDER_SHARE = 0.8, 1.5  # of what it is worth that all of a name is named; docs/fitted.md
OF_A_NAME = 0.8  # of a folder, for a question of a single word: what has the name comes first, and then its file
# A file whose whole name is in the question: evidence by the share of the question that the name is; docs/fitted.md.
WHOLE_NAME, MOST_OF_A_NAME = 0.5, 0.3
FEW_FILES = 3  # that may share the rarest word of such a name; of more, any may be meant
# Words of file names that say nothing of the subject; a name that has others need not be named with them.
GENERIC = (
    "abstract", "base", "common", "core", "default", "helper", "impl", "index", "init", "lib", "main", "misc", "mod",
    "type", "util", "utility",
)  # fmt: skip


class PathRetriever:
    name = "path"
    reranks = False

    def __init__(self, sources: RetrieverSources) -> None:
        pass

    def retrieve(self, ask: Ask) -> Retrieved:
        parts = [part.postings.whereabouts for part in ask.corpus.parts]
        live = [part.files for part in ask.corpus.parts]
        terms = _terms(ask)
        having = [_Having(*one, *zip(*(part.of(one[0]) for part in parts), strict=True)) for one in terms]
        names = _in_names(having, parts, live)
        folders = _in_folders(having, live)
        share = OF_A_NAME if len(ask.question.text.split()) < 2 else 1.0
        whole = _whole_names(having, parts, live)
        both = [
            1 - (1 - FILE_SHARE * a) * (1 - share * np.minimum(FOLDER_SHARE * b, 1.0)) * (1 - c)
            for a, b, c in zip(names, folders, whole, strict=True)
        ]
        telling = [one for one in having if any(map(len, (*one.named, *one.below)))]  # of a long question, few
        scores = by_chunk(ask.corpus, both)
        return Retrieved(scores, lambda place: _explain(telling, place.part, file_at(ask.corpus, place)[0]))


class _Having(NamedTuple):
    """A word of the question; by part, the files that have it in their names, and those that have it in their
    folders."""

    term: str
    word: Word
    named: tuple[Array, ...]
    below: tuple[Array, ...]


def _terms(ask: Ask) -> Iterable[tuple[str, Word]]:
    return ask.question.terms.items() if ask.corpus.parts else ()


def _in_names(having: Sequence[_Having], parts: Sequence[Whereabouts], live: Sequence[Array]) -> list[Array]:
    """A name that is named in full says more than one of its words."""
    scores = [np.zeros(len(one)) for one in live]
    hits = [np.zeros(len(one)) for one in live]
    for found, worth in _weigh([(one.word, one.named) for one in having], live):
        for score, hit, files in zip(scores, hits, found, strict=True):
            score[files] += worth
            hit[files] += 1
    return [np.minimum(score * hit / part.lengths, 1.0) for score, hit, part in zip(scores, hits, parts, strict=True)]


def _in_folders(having: Sequence[_Having], live: Sequence[Array]) -> list[Array]:
    scores = [np.zeros(len(one)) for one in live]
    for found, worth in _weigh([(one.word, one.below) for one in having], live):
        for score, files in zip(scores, found, strict=True):
            score[files] += worth
    return scores


def _whole_names(having: Sequence[_Having], parts: Sequence[Whereabouts], live: Sequence[Array]) -> list[Array]:
    """By file, the evidence that all telling words of its name are in the question; of a name that many files have,
    little."""
    said = [(one, _count_live(one.named, live)) for one in having if not one.word.is_other]
    found = []
    for number, part in enumerate(parts):
        needed, only_generic = _required_words(part)
        hits, rarest = np.zeros(len(needed)), np.full(len(needed), np.inf)
        for one, count in said:
            files = _named_apart(one, part, number)
            hits[files] += only_generic[files] if one.term in _generic() else 1
            rarest[files] = np.minimum(rarest[files], max(count, 1))
        worth = np.minimum(WHOLE_NAME * np.sqrt(needed / max(len(said), 1)), MOST_OF_A_NAME)
        worth *= np.minimum(np.sqrt(FEW_FILES / rarest), 1.0)
        found.append(np.where(hits >= needed, worth, 0.0))
    return found


def _named_apart(having: _Having, part: Whereabouts, number: int) -> Array:
    """The files with the word in their names; of a part of a compound name, those that have the compound."""
    files = having.named[number]
    compound = lexicon().terms(having.word.text)
    if len(compound) > 1:
        whole = part.of(compound[-1])[0]
        files = files[[_has(whole, file) for file in files.tolist()]] if len(whole) else whole
    return files.astype(np.intp)


@lru_cache(maxsize=4)
def _required_words(part: Whereabouts) -> tuple[Array, Array]:
    """By file, how many telling words its name has, without the whole of several; and whether all are generic."""
    needed = np.where(part.lengths > 2, part.lengths - 1, part.lengths).astype(np.int16)
    telling = needed.copy()
    for term in _generic():
        telling[part.of(term)[0]] -= 1
    only_generic = telling <= 0
    return np.where(only_generic, needed, telling), only_generic


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(term for word in GENERIC for term in lexicon().terms(word))


def _weigh(
    having: Sequence[tuple[Word, tuple[Array, ...]]], live: Sequence[Array]
) -> Iterator[tuple[list[Array], float]]:
    """For each word the files that have it, and its share of all that the question says: rare words say more."""
    total = sum(int(one.sum()) for one in live)
    most = sum(word.weight for word, _ in having if not word.is_other) * math.log(1 + total)
    for word, by_part in having:
        found = [files.astype(np.intp) for files in by_part]
        count = _count_live(found, live)
        if count:
            yield found, word.weight * math.log(1 + total / count) / most


def _count_live(found: Sequence[Array], live: Sequence[Array]) -> int:
    """How many of these files are not replaced by a newer part."""
    return sum(int(np.count_nonzero(one.take(files.astype(np.intp)))) for one, files in zip(live, found, strict=True))


def _explain(having: Sequence[_Having], part: int, number: int) -> str:
    named = [one.word.text for one in having if _has(one.named[part], number) or _has(one.below[part], number)]
    return " ".join(dict.fromkeys(named))


def _has(files: Array, number: int) -> bool:
    """They are in order."""
    at = int(files.searchsorted(number)) if len(files) else 0
    return at < len(files) and int(files[at]) == number
