"""The role of a chunk's file, and the share of its score that it keeps: code comes before tests, docs and data.

A question that asks for tests, documents or settings keeps their scores; a question that is a name keeps those of the
named chunks.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct

from clew.languages import BUILT_IN, LANGUAGES
from clew.languages.plugins import profile_of
from clew.languages.unparsed import WRITTEN
from clew.model.code import SCOPE, Span
from clew.model.words import Kind
from clew.retrieve import fusion
from clew.retrieve.question import ASKED, Question
from clew.retrieve.retriever import ChunkPlace, chunks_of, file_at
from clew.retrieve.source_cache import Holder
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.store.postings import KIND_CODES, Field
from clew.store.snapshot import Postings
from clew.text.paths import Among


class FileRole(IntEnum):
    CODE = 0
    TESTS = 1
    SHOWN = 2  # examples, benchmarks, the code of documentation
    PROSE = 3
    DATA = 4
    LOG = 5  # of changes: it has the words of every question, and answers none
    LOCKED = 6  # what package managers write: names of everything, in no sentence
    FOREIGN = 7  # what programs or others wrote: it is read, and seldom changed
    MEANT = 8  # of one of these, but the question says its name
    DECLARED = 9  # code that does nothing: types, constants, imports; told apart where a question asks how things work


# Of its score, what a chunk keeps; docs/fitted.md.
SHARES = {
    FileRole.CODE: 1.0,
    FileRole.TESTS: 0.5,
    FileRole.SHOWN: 0.5,
    FileRole.PROSE: 0.5,
    FileRole.DATA: 0.5,
    FileRole.LOG: 0.3,
    FileRole.LOCKED: 0.2,
    FileRole.FOREIGN: 0.5,
    FileRole.MEANT: 0.95,  # behind code of the same name, before what only has its words
    FileRole.DECLARED: 0.9,
}

# Words that ask for the one or the other.
_ASKING = {
    FileRole.TESTS: frozenset("test tests testing tested spec specs unittest fixture fixtures".split()),
    FileRole.SHOWN: frozenset("example examples sample samples demo benchmark benchmarks tutorial".split()),
    FileRole.PROSE: frozenset(
        "doc docs documentation documented document documents readme guide tutorial manual section".split()
    ),
    FileRole.DATA: frozenset(
        "config configuration setting settings yaml toml json sql schema table migration migrations workflow ci docker "
        "dockerfile makefile database proto graphql html template templates".split()
    ),
    FileRole.LOCKED: frozenset("lockfile lockfiles".split()),
    FileRole.FOREIGN: frozenset("generated vendor vendored bundled".split()),
    FileRole.LOG: frozenset("changelog changes release released releases history news changed upgrade".split()),
}
ASKS = 0.5  # how much a word must count to ask for them: in a report of a page, one of hundreds does not
# Who asks for an explanation may well find it in prose; in settings, only if it says such a word.
EXPLAINED = 0.85
LEAST_DONE = 2  # words of code; a function with fewer has no body, or `pass`
# Who asks for the tests of something has it behind them.
TESTED = 0.7
_FOR_TESTS = re.compile(
    r"\s*(?:(?:find|list|show|run|which|what|where are|are there|is there)\s+)?(?:me\s+)?(?:all\s+|any\s+|the\s+)?"
    r"(?:(?:existing|functional|integration|regression|unit)\s+)?tests\s+(?:for|of|that|which|cover|covering|exercise|exercising)\b",
    re.IGNORECASE,
)
# A sentence has the words that ask for a log of changes for other reasons, mostly: "how are changes noticed?"
_FOR_LOG = re.compile(
    r"\s*(?:what(?:'s|\s+is|\s+has|\s+was)?\s+(?:changed|new)|(?:in\s+|since\s+)?which\s+(?:release|version)"
    r"|when\s+(?:was|were|did))\b"
    r"|.*\bchangelog\b",
    re.IGNORECASE,
)
_DECLARING = (Kind.INTERFACE, Kind.BLOCK, Kind.MODULE)
_DOING = (Kind.FUNCTION, Kind.METHOD)
_PROSE = (Kind.SECTION, Kind.PARAGRAPH)
_DATA = (Kind.BLOCK, Kind.STATEMENT)
# Languages whose blocks are data. Those of any other are code that stands in no function: constants, tables, a script.
DATA_LANGUAGES = frozenset(
    "css dockerfile gettext graphql html json jupyter makefile markdown protobuf restructuredtext sql text toml xml "
    "yaml".split()
)
SHOWING = frozenset({"jupyter", "markdown", "restructuredtext"})  # prose that has blocks of code
_NAMED = (FileRole.TESTS, FileRole.SHOWN, FileRole.PROSE, FileRole.DATA, FileRole.FOREIGN)


class RoleShares(Struct, frozen=True, eq=False):
    """How much of its score each chunk of a part keeps, by its standing; looked up where it is asked for."""

    shares: Array
    standings: Array

    def __getitem__(self, chunks: Any) -> Array:
        kept: Array = self.shares.take(self.standings[chunks])
        return kept


def shares(corpus: Corpus, question: Question, meant: Sequence[ChunkPlace] = ()) -> list[RoleShares]:
    """By part, the share of its score that each chunk keeps; `meant` are chunks that the question names."""
    terms = [term for term, word in question.terms.items() if word.weight >= ASKS]
    kept = _share_by_role(question, {question.terms[term].text.lower() for term in terms})
    of_parts = [_with_libraries(part.postings, terms) for part in corpus.parts]
    if question.asks_how:
        of_parts = [_declared_apart(part.postings, one) for part, one in zip(corpus.parts, of_parts, strict=True)]
    for number in {place.part for place in meant}:
        of_parts[number] = _mark_named(of_parts[number], [place.chunk for place in meant if place.part == number])
    return [RoleShares(kept, of_part) for of_part in of_parts]


def asked_for(question: Question) -> frozenset[FileRole]:
    """The roles that a question asks for by a word, besides code: they keep their whole score."""
    said = {word.text.lower() for word in question.terms.values() if word.weight >= ASKS}
    kept = _share_by_role(question, said)
    return frozenset(one for one in SHARES if SHARES[one] < 1 <= kept[one])


def _share_by_role(question: Question, said: set[str]) -> Array:
    """By standing. A sentence that asks how something works has words that ask for other things by the way."""
    # Who tells what happened wants the code: prose gains by words of asking alone.
    usual = {**SHARES, FileRole.PROSE: EXPLAINED} if ASKED.match(question.text) else SHARES
    if _FOR_TESTS.match(question.text):
        usual = {**usual, FileRole.CODE: TESTED, FileRole.DECLARED: TESTED}
    asked = {one: 1.0 for one, words in _ASKING.items() if words & said}
    if question.asks_how:
        asked |= {one: EXPLAINED for one in (FileRole.PROSE, FileRole.DATA) if one in asked}
        if not _FOR_LOG.match(question.text):
            asked.pop(FileRole.LOG, None)
    return np.array([asked.get(one, usual[one]) for one in FileRole])


def _declared_apart(postings: Postings, standings: Array) -> Array:
    return np.where(_is_declared(postings) & (standings == FileRole.CODE), _DECLARED, standings)


@lru_cache(maxsize=4)
def _is_declared(postings: Postings) -> Array:
    """By chunk: whether it is of a kind that does nothing, or a function with next to no code."""
    table = np.zeros((2, 2, len(KIND_CODES)), np.bool_)  # by language, by whether there is next to no code, by kind
    table[:, :, [KIND_CODES[kind] for kind in _DECLARING]] = True
    table[1, :, KIND_CODES[Kind.CLASS]] = True
    table[:, 1, [KIND_CODES[kind] for kind in _DOING]] = True
    is_empty = (postings.lengths[postings.is_whole, Field.CODE] < LEAST_DONE).astype(np.uint8)
    apart = frozenset(one for one in postings.languages if profile_of(one).functions_apart)
    found: Array = table[_by_language(postings, apart), is_empty, postings.kinds]
    return found


def _with_libraries(postings: Postings, terms: Sequence[str]) -> Array:
    """With libraries as one's own code that the question names, by words which are mostly in paths of such."""
    found, copied = standings(postings), postings.whereabouts.among == Among.COPIED
    if not copied.any():
        return found
    with_term = [np.concatenate(postings.whereabouts.of(term)) for term in terms]
    asked = [files for files in with_term if 2 * np.count_nonzero(copied[files]) > len(files)]
    if not asked:
        return found
    named = np.zeros(len(copied), np.bool_)
    named[np.concatenate(asked)] = True
    return np.where(named[postings.file_of] & (found == FileRole.FOREIGN), np.uint8(FileRole.CODE), found)


def _mark_named(standings: Array, meant: list[int]) -> Array:
    """With the named chunks as a role of their own. Code keeps everything anyway."""
    lifted = standings.copy()
    lifted[meant] = np.where(np.isin(lifted[meant], _NAMED), FileRole.MEANT, lifted[meant])
    return lifted


@lru_cache(maxsize=4)
def standings(postings: Postings) -> Array:
    """The file role of each chunk."""
    by_kind = np.full((3, len(KIND_CODES)), FileRole.CODE, np.uint8)
    by_kind[:2, [KIND_CODES[kind] for kind in _PROSE]] = FileRole.PROSE
    by_kind[1, [KIND_CODES[kind] for kind in _DATA]] = FileRole.DATA
    written = _by_language(postings, DATA_LANGUAGES) + 2 * _by_language(postings, WRITTEN)
    found: Array = _TABLE[postings.whereabouts.among[postings.file_of], by_kind[written, postings.kinds]]
    return found


def standing_of(corpus: Corpus, place: ChunkPlace) -> FileRole:
    return FileRole(int(standings(corpus.parts[place.part].postings)[place.chunk]))


def is_setting(postings: Postings, chunk: int) -> bool:
    """Whether it is data of the project itself, and no block of code that prose shows."""
    file = int(postings.file_of[chunk])
    language = postings.languages[postings.language_of[file]]
    is_own = postings.whereabouts.among[file] == Among.CODE and language not in SHOWING
    return is_own and bool(standings(postings)[chunk] == FileRole.DATA)


def _by_language(postings: Postings, languages: frozenset[str]) -> Array:
    """By chunk: 1 if it is written in one of these, else 0."""
    is_one = np.array([language in languages for language in postings.languages], np.uint8)
    of_file = is_one[postings.language_of] if len(is_one) else is_one
    found: Array = of_file[postings.file_of]
    return found


_CODE_AMONG = {Among.SHOWN: FileRole.SHOWN, Among.COPIED: FileRole.FOREIGN, Among.MADE: FileRole.FOREIGN}
_WHATEVER_KIND = {Among.TESTS: FileRole.TESTS, Among.LOCKED: FileRole.LOCKED}


def _role(among: Among, kind: FileRole) -> FileRole:
    if whole := _WHATEVER_KIND.get(among):
        return whole
    if among is Among.LOG and kind is not FileRole.CODE:
        return FileRole.LOG
    return _CODE_AMONG.get(among, kind) if kind is FileRole.CODE else kind


_DECLARED = np.uint8(FileRole.DECLARED)
_TABLE = np.array([[_role(among, kind) for kind in FileRole] for among in Among], np.uint8)


# Tests that lie in the file that they test: no path tells them, but their module or a mark.

LOOKED_AT = 60  # of the best
FURTHER = 300  # where tests are asked for, and all that are told by their path come first
KEPT = 1 << 14  # chunks that are known to be tests, or not
_known_tests: dict[tuple[str, bytes, int], bool] = {}  # by path, digest of the text, and number in the file
_CODE = (FileRole.CODE, FileRole.DECLARED)
_MODULES = frozenset({"test", "tests"})
_MARKS = {one.name: re.compile(one.inline_tests) for one in LANGUAGES if one.inline_tests}
_BY_ENDING = {ending: name for name in _MARKS for ending in BUILT_IN.by_name[name].extensions}


def as_tests(
    corpus: Corpus, held: Holder, scores: list[Array], kept: Sequence[RoleShares], meant: Sequence[ChunkPlace]
) -> list[Array]:
    """Lower inline tests among the best to the share that test files keep; chunks that the question names stay as
    they are."""
    share = float(kept[0].shares[FileRole.TESTS] / kept[0].shares[FileRole.CODE]) if kept else 1.0
    if share == 1 or all(_MARKS.keys().isdisjoint(part.postings.languages) for part in corpus.parts):
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
    number, path = file_at(corpus, place)
    if _mark_of(path) is None:
        return False
    postings = corpus.parts[place.part].postings
    key = path, postings.digest(number), place.chunk - int(postings.first_of[number])
    is_test = _known_tests.get(key)
    if is_test is None:
        if len(_known_tests) >= KEPT:
            _known_tests.clear()
        is_test = _known_tests[key] = _looks_like_test(corpus, held, place)
    return is_test


def _looks_like_test(corpus: Corpus, held: Holder, place: ChunkPlace) -> bool:
    chunks, first = chunks_of(corpus, held, place)
    chunk = chunks[place.chunk - first]
    return not _MODULES.isdisjoint(chunk.scope.split(SCOPE)[:-1]) or _is_marked(corpus, held, place, chunk.span)


def _mark_of(path: str) -> re.Pattern[bytes] | None:
    name = _BY_ENDING.get(f".{path.rpartition('.')[2]}")
    return _MARKS[name] if name else None


def _is_marked(corpus: Corpus, held: Holder, place: ChunkPlace, span: Span) -> bool:
    number, path = file_at(corpus, place)
    text = held.opened(path, corpus.parts[place.part].postings.digest(number)).text(span.end)
    mark = _mark_of(path)
    return mark is not None and mark.match(text, span.start, span.end) is not None
