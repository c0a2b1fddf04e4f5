"""Tests that stand in the file that they test, as Rust has them: no path tells them, but their module or attribute."""

import re
from collections.abc import Sequence

from clew.model.code import SCOPE, Span
from clew.retrieve import fusion
from clew.retrieve.file_role import FileRole, RoleShares
from clew.retrieve.retriever import ChunkPlace, chunks_of, file_at
from clew.retrieve.source_cache import Holder
from clew.store.corpus import Corpus
from clew.store.snapshot import Array

LOOKED_AT = 60  # of the best
FURTHER = 300  # where tests are asked for, and all that are told by their path come first
_CODE = (FileRole.CODE, FileRole.DECLARED)
_MODULES = frozenset({"test", "tests"})
_LANGUAGE, _ENDING = "rust", ".rs"
# What is read once is not read otherwise: rulers of slashes would take for ever.
_ATTRIBUTE = re.compile(rb"\s*+(?:(?://[^\n]*+|#\[[^\]]*+\])\s*+)*?#\[(?:\w+::)*+(?:test|rstest|test_case)\b")


def as_tests(
    corpus: Corpus, held: Holder, scores: list[Array], kept: Sequence[RoleShares], meant: Sequence[ChunkPlace]
) -> list[Array]:
    """Lower inline tests among the best to the share that test files keep; chunks that the question names stay as
    they are."""
    share = float(kept[0].shares[FileRole.TESTS] / kept[0].shares[FileRole.CODE]) if kept else 1.0
    if share == 1 or not any(_LANGUAGE in part.postings.languages for part in corpus.parts):
        return scores
    best = [place for place, _ in fusion.best(corpus, scores, LOOKED_AT if share < 1 else FURTHER)]
    code = [place for place in best if kept[place.part].standings[place.chunk] in _CODE]
    tests = [place for place in code if place not in meant and _is_test(corpus, held, place)]
    if not tests:
        return scores
    lowered = [part.copy() for part in scores]
    for place in tests:
        lowered[place.part][place.chunk] *= share
    return lowered


def _is_test(corpus: Corpus, held: Holder, place: ChunkPlace) -> bool:
    if not file_at(corpus, place)[1].endswith(_ENDING):
        return False
    chunks, first = chunks_of(corpus, held, place)
    chunk = chunks[place.chunk - first]
    return not _MODULES.isdisjoint(chunk.scope.split(SCOPE)[:-1]) or _is_marked(corpus, held, place, chunk.span)


def _is_marked(corpus: Corpus, held: Holder, place: ChunkPlace, span: Span) -> bool:
    number, path = file_at(corpus, place)
    text = held.opened(path, corpus.parts[place.part].postings.digest(number)).text(span.end)
    return _ATTRIBUTE.match(text, span.start, span.end) is not None
