"""Companions of code: its tests, and the documents and settings that mention it or that it reads.

They are found by edges of the graph, by commits that change files together, and by names.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice

import numpy as np
from msgspec import Struct

from clew.graph.edges import edges_to
from clew.graph.walk_graph import Web
from clew.model.code import SCOPE
from clew.model.words import CLASSES, EdgeKind, Kind
from clew.pack.shelf import Shelf, Standing
from clew.retrieve.file_role import SHOWING
from clew.retrieve.question import lexicon
from clew.retrieve.retriever import ChunkPlace
from clew.retrieve.retrievers.symbol import documents_with
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import KIND_CODES, Field
from clew.text.paths import Among, is_test_path, lies_among

MOST_KEYS = 12  # names of settings that are looked for, of those that a unit reads
MOST_PLACES = 8  # of such a name; one that stands in more is no setting, but a word
MOST_TOLD = 3  # of them, by name
MOST_MENTIONS = 2  # documents that mention a unit
MOST_READ = 32_000  # bytes of a class in which names of settings are looked for
SHORTEST_STEM = 4  # letters; of shorter names of files, nothing is told

_CONSTANT = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_KEY = re.compile(r"[\"'`]([A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)+)[\"'`]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TESTING = frozenset("test tests spec specs it e2e unit case testcase".split())  # in names of test files
_PLAIN = frozenset("base common core helpers index init lib main mod types utils".split())  # names of many files
_UNITS = (Kind.CLASS, Kind.FUNCTION, Kind.METHOD)
_OUTSIDE = np.zeros(len(KIND_CODES), np.bool_)  # of functions, by kind
_OUTSIDE[
    [
        KIND_CODES[kind]
        for kind in (Kind.MODULE, Kind.BLOCK, Kind.STATEMENT, Kind.SECTION, Kind.PARAGRAPH, Kind.VARIABLE, Kind.FILE)
    ]
] = True
_MENTIONING = (EdgeKind.DOCUMENTS, EdgeKind.MENTIONS)


class Companion(Struct, frozen=True):
    """A unit beside shown code, with the reason; `line` is the one to show of it, 0 if it is shown as a whole."""

    quoted: Standing
    reason: str
    line: int = 0


def tests_beside(web: Web, shelf: Shelf, own: Standing, matching: Sequence[Standing]) -> Iterator[Companion]:
    """The test file that changes most often with a unit's file, and the one named like that.

    Each is represented by the test that is first in `matching`, else by the one named like the unit, else by its first.
    """
    file = own.path.rpartition("/")[2]
    together = [edge for edge in web.partners_of(own.path) if is_test_path(edge.target)]
    reasons: dict[str, str] = {}
    if together:
        best = min(together, key=lambda edge: (-edge.line, edge.target))
        reasons[best.target] = f"changes with {file} in {best.line} of {round(best.line / best.confidence)} commits"
    if named := test_file_of(web.corpus, own.path):
        reasons.setdefault(named, f"test file named like {file}")
    for path, reason in reasons.items():
        if quoted := _representative(shelf, path, own, matching):
            yield Companion(quoted, reason)


def test_file_of(corpus: Corpus, path: str) -> str:
    """The test file that has the words of a file's name, with the fewest others, then the nearest; empty if none has.

    A name that many files have is taken with that of its folder.
    """
    words = _words(path)
    if len(words) == 1 and (words[0] in _PLAIN or len(words[0]) < SHORTEST_STEM):
        words = [*_words(path.rpartition("/")[0]), *words]
    if len("".join(words)) < SHORTEST_STEM:
        return ""
    folders = set(path.split("/")[:-1])
    found = []
    for test in _test_files_with(corpus, words[-1]):
        own = [word for word in _words(test) if word not in _TESTING]
        if own[-len(words) :] == words or "".join(own) == "".join(words):
            found.append((len(own) - len(words), -len(folders & set(test.split("/"))), test))
    return min(found)[2] if found else ""


def _test_files_with(corpus: Corpus, word: str) -> Iterator[str]:
    terms = lexicon().terms(word)[:1]
    for part in corpus.parts:
        postings = part.postings
        with_terms = [postings.whereabouts.of(term)[0] for term in terms]
        some = reduce(np.intersect1d, with_terms) if with_terms else np.zeros(0, np.int64)
        for number in some.tolist():
            if part.files[number] and postings.whereabouts.among[number] == Among.TESTS:
                yield postings.paths[number]


def _words(path: str) -> list[str]:
    """Of a file's name without its suffix, in small letters."""
    name = path.rpartition("/")[2]
    return [word.lower() for word in _WORD.findall(name.partition(".")[0] or name)]


def _representative(shelf: Shelf, path: str, own: Standing, matching: Sequence[Standing]) -> Standing | None:
    known = [one for one in matching if one.path == path]
    if known:
        return next((one for one in known if "test" in one.label.rpartition(".")[2].lower()), known[0])
    file = shelf.chunk_of(path)
    if file is None:
        return None
    name = _bare(own.label)
    units = [one for one in shelf.in_file(file) if one.chunk.kind in _UNITS]
    alike = (one for one in units if name and name in _bare(one.label))
    tests = (one for one in units if one.chunk.kind in CLASSES or "test" in one.label.lower())
    return next(alike, None) or next(tests, None) or next(iter(units), file)


def documents_beside(web: Web, shelf: Shelf, units: Sequence[Standing]) -> Iterator[Companion]:
    """Documents of units and their classes; settings that mention them, and those that they read, with their documents.

    An outer class that several units share is looked up once.
    """
    met: set[str] = set()
    for own in units:
        outer = own.id.rpartition(SCOPE)[0]
        holder = shelf.chunk_of(outer) if SCOPE in outer else None
        new = [one for one in (own.id, outer if holder else "") if one and one not in met]
        met.update(new)
        for one in new:
            yield from _documents(web, shelf, one)
        for one in reversed(new if own.symbol else ()):
            yield from _mentions(web.corpus, shelf, own, _last(one))
        whole = holder or own
        if whole.uid not in met:
            met.add(whole.uid)
            found = dict.fromkeys(name for pattern in (_CONSTANT, _KEY) for name in pattern.findall(_text(whole)))
            keys = [key for key in found if key not in met][:MOST_KEYS]
            met.update(keys)
            yield from _settings(web.corpus, shelf, own, keys)


def _documents(web: Web, shelf: Shelf, id: str) -> Iterator[Companion]:
    edges = sorted(
        (edge for edge in edges_to(web.corpus, id, _MENTIONING) if lies_among(edge.path) is not Among.LOG),
        key=lambda edge: (edge.kind is not EdgeKind.DOCUMENTS, -edge.confidence, edge.source),
    )
    for edge in islice(edges, MOST_MENTIONS):
        if quoted := shelf.chunk_of(edge.source):
            said = "documents" if edge.kind is EdgeKind.DOCUMENTS else "mentions"
            yield Companion(quoted, f"{said} {_last(id)}")


def _text(unit: Standing) -> str:
    span = unit.chunk.span
    return unit.unit().source[span.start : min(span.end, span.start + MOST_READ)].decode("utf-8", "replace")


def _mentions(corpus: Corpus, shelf: Shelf, own: Standing, name: str) -> Iterator[Companion]:
    """Lines of settings that have the name of a unit: in data, or in quotes outside of functions."""
    in_quotes = re.compile(rf"[\"'`][^\"'`]*\b{re.escape(name)}\b[^\"'`]*[\"'`]")
    as_word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for quoted in _outside_with(corpus, shelf, own, name):
        if quoted.held.content.language not in SHOWING:
            is_code = quoted.chunk.kind is Kind.MODULE
            line = _line(quoted, in_quotes if is_code else as_word, but=name)
            if line:
                yield Companion(quoted, f"mentions {name}", line)


def _settings(corpus: Corpus, shelf: Shelf, own: Standing, keys: Sequence[str]) -> Iterator[Companion]:
    """Where settings that a unit reads are set, once for each place, and the sections that are headed by them."""
    lines: dict[str, list[tuple[int, str]]] = defaultdict(list)
    units: dict[str, Standing] = {}
    documents: list[Companion] = []
    reader = _last(own.id)
    for key in keys:
        for quoted in _outside_with(corpus, shelf, own, key):
            if quoted.held.content.language in SHOWING:
                if quoted.label.rpartition(".")[2].strip(" `*") == key:
                    documents.append(Companion(quoted, f"documents {key}, which {reader} reads"))
            elif line := _line_of_setting(quoted, key):
                units[quoted.uid] = quoted
                lines[quoted.uid].append((line, key))
    for uid, found in lines.items():
        names = [key for _, key in sorted(found)]
        told = ", ".join(names[:MOST_TOLD]) + (f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else "")
        yield Companion(units[uid], f"sets {told}, which {reader} reads", min(found)[0])
    yield from documents


def _line_of_setting(quoted: Standing, key: str) -> int:
    """The line that sets a key; of one with dots, also inside of the block that its first part names."""
    first, _, last = key.rpartition(".")
    is_inside = first and quoted.label.startswith(first.partition(".")[0])
    return _line(quoted, _setting(key)) or (_line(quoted, _setting(last)) if is_inside else 0)


def _setting(key: str) -> re.Pattern[str]:
    """A line that sets a key, in code or in a file of settings."""
    return re.compile(rf"^\W*(?:\w+ )*?[\"'`]?{re.escape(key)}[\"'`]?(?:\s*:\s*[\w.\[\] |]+)?\s*(?:=|:)(?!=)")


def _outside_with(corpus: Corpus, shelf: Shelf, own: Standing, name: str) -> list[Standing]:
    """Units outside of functions and of the unit's own file that have a name of several words; none, if many have."""
    terms = lexicon().terms(name)
    wanted = terms[-1:] if _is_joined(name) else terms  # of joined words, the last term is the whole
    places = [
        ChunkPlace(number, chunk)
        for number, part in enumerate(corpus.parts if len(terms) > 1 else ())
        for chunk in _outside(part, wanted)
    ]
    if len(places) > MOST_PLACES:
        return []
    return [one for one in shelf.all_at(places) if one.path != own.path]


def _is_joined(name: str) -> bool:
    return "." not in name and "-" not in name


def _outside(part: CorpusPart, terms: Sequence[str]) -> list[int]:
    """The chunks outside of functions that have terms in their text or their name."""
    postings = part.postings
    documents = np.concatenate([documents_with(part, [*terms], field) for field in (Field.CODE, Field.NAME)])
    chunks = postings.chunk_of[documents]
    among = postings.whereabouts.among[postings.file_of[chunks]]
    kept = part.live[chunks] & _OUTSIDE[postings.kinds[chunks]] & ((among == Among.CODE) | (among == Among.SHOWN))
    found: list[int] = np.unique(chunks[kept]).tolist()
    return found


def _line(quoted: Standing, pattern: re.Pattern[str], but: str = "") -> int:
    """The first line that has a pattern and says more than one name; 0 if none does."""
    for number, line in enumerate(_text(quoted).split("\n"), quoted.chunk.span.first):
        if pattern.search(line) and line.strip(" \t,'\"`-") != but:
            return number
    return 0


def _last(id: str) -> str:
    """The last name of an id, or that of its file."""
    return id.rpartition(SCOPE)[2].partition("#")[0] if SCOPE in id else id.rpartition("/")[2]


def _bare(label: str) -> str:
    return label.rpartition(".")[2].replace("_", "").lower()
