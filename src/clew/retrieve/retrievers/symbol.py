"""By name: symbols that the question names, places that a stack trace in it points at, messages that it quotes."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from clew.graph.elements import side_of
from clew.languages.plugins import profile_of
from clew.model.code import SCOPE, Chunk
from clew.model.words import CLASSES
from clew.retrieve import lexical
from clew.retrieve.file_role import FileRole, is_setting, standing_of, standings
from clew.retrieve.question import WORD, Frame, Question, lexicon
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, blank, chunks_of, file_at
from clew.retrieve.source_cache import Holder
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import KIND_CODES, Field
from clew.store.snapshot import FIELD_BITS, Postings
from clew.text.terms import Lexicon

# Retrieves verbatim text of the question: a pasted message stands so in the code that writes it.

LEAST_RUN = 4  # words one after another; fewer stand together by chance
LEAST_SHARE = 0.6  # of a line's words: names and numbers that a message is filled with stand in no code
MOST_LINES = 4
MOST_WORDS = 40  # of a line
LONGEST_LINE = 500  # characters
MOST_TERMS = 10  # the rarest
MOST_PLACES = 4_000  # of a term; what stands more often tells nothing apart
MOST_READ = 24  # chunks
MOST_TIMES = 20  # that a chunk may have the core of a line

_FIELDS = (1 << FIELD_BITS) - 1
_REMARK = re.compile(r"^[ \t]*(?://|#|/?\*|--).*\n?", re.MULTILINE)
_ROUGH = re.compile(r"[^\W_]+")
_TELLING = re.compile(r"error|exception|warning|panic|fail|assert", re.I)


class Verbatim:
    def __init__(self, held: Holder) -> None:
        self._held = held
        self._lexicon = Lexicon()

    def find(self, ask: Ask) -> Iterator[tuple[ChunkPlace, str]]:
        """The chunks that have most of a line of the question as it stands there, and how much of it."""
        for line in _lines(ask.question.text, ask.question.strings):
            said = _words(line.lower())[:MOST_WORDS]
            if len(said) < LEAST_RUN:
                continue
            least = max(LEAST_RUN, math.ceil(LEAST_SHARE * len(said)))
            core = said[len(said) - least : least]  # stands in the middle of every run that is long enough
            likely = self._likely(ask.corpus, line, " ".join(core))
            texts = ((place, self._text(ask.corpus, place, core)) for place in likely)
            pattern = re.compile(r"[\W_]+".join(map(re.escape, core)))  # few texts have it, and to look for it is quick
            around = (
                (place, [_around(text, one) for one in islice(pattern.finditer(text), MOST_TIMES)])
                for place, text in texts
            )
            runs = {place: max(longest_run(said, one) for one in some) for place, some in around if some}
            most = max(runs.values(), default=0)
            if most >= least:
                yield from ((place, f"says {most} words of it in a row") for place, run in runs.items() if run == most)

    def _likely(self, corpus: Corpus, line: str, core: str) -> list[ChunkPlace]:
        """Those that have most of its rarest words, and all of these that are in its core."""
        found: list[tuple[int, ChunkPlace]] = []
        terms, needed = self._lexicon.question(line), set(self._lexicon.question(core))
        for number, part in enumerate(corpus.parts):
            postings = part.postings
            ranges = {term: lexical.range_of(part, term) for term in terms}
            known = {term: postings.places[one] for term, one in ranges.items() if one.stop - one.start}
            few = sorted((len(places), term) for term, places in known.items() if len(places) <= MOST_PLACES)
            rare = {term: _chunks(postings, known[term]) for _, term in few[:MOST_TERMS]}
            if len(rare) < min(2, len(ranges)):
                continue
            often = np.bincount(np.concatenate([*rare.values()]), minlength=postings.chunks)
            enough = (often >= max(2, LEAST_SHARE * len(rare))) & part.live
            for chunks in (some for term, some in rare.items() if term in needed):
                enough &= np.bincount(chunks, minlength=postings.chunks) > 0
            some = np.flatnonzero(enough & (standings(postings) != FileRole.PROSE))  # which quotes what others say
            found += [
                (-n, ChunkPlace(number, chunk)) for chunk, n in zip(some.tolist(), often[some].tolist(), strict=True)
            ]
        return [place for _, place in sorted(found)[:MOST_READ]]

    def _text(self, corpus: Corpus, place: ChunkPlace, core: Sequence[str]) -> str:
        """Code without comments; empty if it lacks a word of the core."""
        postings = corpus.parts[place.part].postings
        number, path = file_at(corpus, place)
        opened = self._held.opened(path, postings.digest(number))
        span = opened.held.chunks[place.chunk - int(postings.first_of[number])].span
        text = opened.text(span.end)[span.start : span.end].decode("utf-8", "replace").lower()
        return _REMARK.sub("", text) if all(word in text for word in core) else ""


def _around(text: str, core: re.Match[str]) -> str:
    """The text around the core that may be of the same line."""
    return text[max(core.start() - LONGEST_LINE, 0) : core.end() + LONGEST_LINE]


def _chunks(postings: Postings, places: Array) -> Array:
    """The chunks that have a term in their code, once each; documentation that quotes it is no message."""
    found: Array = postings.chunk_of[places[(places & _FIELDS) == Field.CODE] >> FIELD_BITS]
    return found[np.flatnonzero(np.diff(found, prepend=-1))]  # in order, as their documents are


def _lines(text: str, strings: Sequence[str]) -> list[str]:
    """Quoted strings, the first line, and lines that report an error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines[1:] if _TELLING.search(line)]
    return [line[:LONGEST_LINE] for line in dict.fromkeys([*strings, *lines[:1], *telling])][:MOST_LINES]


def _words(text: str) -> list[str]:
    return _ROUGH.findall(text)


def longest_run(said: Sequence[str], text: str) -> int:
    """The greatest number of consecutive words that the text shares with the question."""
    held = _words(text)
    starts: dict[tuple[str, str], list[int]] = {}
    for at, pair in enumerate(pairwise(held)):
        starts.setdefault(pair, []).append(at)
    most = 0
    for first, pair in enumerate(pairwise(said)):
        for at in starts.get(pair, ()):
            run = 2
            while first + run < len(said) and at + run < len(held) and said[first + run] == held[at + run]:
                run += 1
            most = max(most, run)
    return most


# How much it says that a chunk has the name, by how sure the question is of it; docs/fitted.md.
NAMED = 0.2
HELD = 0.5  # likewise, but it says what the name stands in, `Card.charge`, and that is in few files
ASKED_FOR = 0.9  # the question is the name, or about the name, and nothing else
AT_HOME = 0.95  # likewise, and its file has the name, too
BEGINS_SO = 0.5  # of what a name is worth, one that only begins so
SPELT_OTHERWISE = 0.5  # of the same, one that is only found by the same words: `routes` for `Route`
POINTED_AT = 0.9  # by a stack trace: its innermost frame; those further out less and less
FILE_NAMED = 0.6
QUOTED = 0.3
SAID = 0.8  # word by word
OUTER_FRAME = 0.85

# Traces that begin where the program did: Python's, also without their first line, pytest's, and Ruby's on a terminal.
_INNER_LAST = r"Traceback \(most recent call last\)|File \"[^\"\n]+\", line \d|\.py:\d+: in \w"
_UPWARDS = re.compile(r"\A(?:\.{0,2}/)+")  # how paths begin that are told from somewhere

MOST_SPELT = 50  # chunks whose names are looked at letter by letter, and files that a name is looked for in
MOST_HELD = 500  # chunks whose holders are looked at so
MOST_MEANT = 3  # things of a name that is said among other words: if more have it, any of them may be meant
MOST_TASKED = 3  # names that a task is about; a report with its code says many, and means few of them
MOST_DEFINING = 5  # names of a sentence that are looked for inside of chunks, and files that each is looked for in
MOST_FRAMES = 30
MOST_STRINGS = 5
MOST_BEGINNING = 200  # terms; a letter or two begin thousands
SHORTEST_BEGINNING = 3
_TYPES = frozenset(KIND_CODES[kind] for kind in CLASSES)
_PLACES = (FileRole.DATA, FileRole.PROSE)  # what a question that points at lines there means; the first, its files, too


class _Evidence(NamedTuple):
    """Evidence for a chunk; `is_meant`: the question names it, so it counts even if it is a test. A section's title
    is no name; `is_place`: the question points at it."""

    place: ChunkPlace
    score: float
    reason: str
    is_meant: bool = False
    is_place: bool = False


class SymbolRetriever:
    name = "symbol"
    reranks = False

    def __init__(self, sources: RetrieverSources) -> None:
        self._held = sources.held
        self._files = sources.files
        self._lexicon = Lexicon()
        self._verbatim = Verbatim(sources.held)

    def retrieve(self, ask: Ask) -> Retrieved:
        best: dict[ChunkPlace, _Evidence] = {}
        for find in (self._by_name, self._pointed_at, self._by_quotes, self._by_verbatim):
            for one in find(ask):
                if one.place not in best or one.score > best[one.place].score:
                    best[one.place] = one
        scores = blank(ask.corpus)
        for place, one in best.items():
            scores[place.part][place.chunk] = one.score
        titles = {place for place in best if standing_of(ask.corpus, place) is FileRole.PROSE}
        meant = tuple(place for place, one in best.items() if one.is_place or (one.is_meant and place not in titles))
        return Retrieved(scores, lambda place: best[place].reason if place in best else "", meant=meant)

    def _by_name(self, ask: Ask) -> Iterator[_Evidence]:
        whole, subjects = _is_name(ask.question), ask.question.subjects
        if (whole or subjects) and self._is_file(ask):
            whole, subjects = "", ()
        names = ((whole,),) if whole and not ask.question.names else subjects or ask.question.names
        for number, name in enumerate(names):
            places = self._of_side(ask, name, self._but_makers(ask, list(self._by_qualified_name(ask.corpus, name))))
            holders = self._holders(ask, name, places)
            for holder in holders:
                yield _Evidence(holder, ASKED_FOR if subjects else NAMED, f"named {name[-2]}", is_meant=True)
            if (whole or subjects) and not (holders and len(places) > MOST_MEANT):  # a few it may inherit
                yield from self._asked_for(ask.corpus, name[-1], places, alone=bool(whole))
            else:
                if not places and number < MOST_DEFINING:
                    places = self._small_definitions(ask.corpus, name[-1], MOST_DEFINING)
                is_held = len(names) <= MOST_TASKED and self._is_held(ask.corpus, name, places)
                worth = HELD if is_held else NAMED / math.sqrt(len(places) or 1)
                is_meant = len(places) <= MOST_MEANT
                yield from (_Evidence(place, worth, f"named {name[-1]}", is_meant) for place in places)

    def _asked_for(self, corpus: Corpus, name: str, places: list[ChunkPlace], *, alone: bool) -> Iterator[_Evidence]:
        """Symbols that have the name that the question is about; without any, mentions of it; if it is the whole
        question, also names that begin so."""
        spelt = self._same_case(corpus, name, _likely(corpus, name, places))
        for place in places:
            worth = ASKED_FOR if place in spelt or not spelt else ASKED_FOR * SPELT_OTHERWISE
            if place in spelt and file_at(corpus, place)[1].rpartition("/")[2].rpartition(".")[0] == name:
                worth = AT_HOME
            yield _Evidence(place, worth, f"named {name}", is_meant=True)
        if places:
            return
        defining = self._small_definitions(corpus, name, MOST_SPELT)
        yield from (_Evidence(place, ASKED_FOR, f"defines {name}", is_meant=True) for place in defining)
        saying = {} if defining else self._mentions(corpus, name)
        yield from (_Evidence(place, NAMED, f"says {name}", is_meant) for place, is_meant in saying.items())
        if alone and not (defining or saying):
            yield from (
                _Evidence(place, ASKED_FOR * BEGINS_SO, f"begins with {name}")
                for place in self._by_prefix(corpus, name)
            )

    def _same_case(self, corpus: Corpus, name: str, places: list[ChunkPlace]) -> set[ChunkPlace]:
        """The places with the same letter case; a lower-case question matches any case."""
        found = set[ChunkPlace]()
        for place in places:
            label = self._chunk(corpus, place).label
            if name in (label, label.lower()):
                found.add(place)
        return found

    def _small_definitions(self, corpus: Corpus, name: str, most: int) -> list[ChunkPlace]:
        """Where something of this name is defined that is too small to be a chunk: a constant, a field.

        Nowhere, if more files than `most` have the word.
        """
        terms = self._lexicon.terms(name)[-1:]  # of several parts, the whole
        files: dict[tuple[int, int], None] = {}
        for number, part in enumerate(corpus.parts) if terms else ():
            chunks = part.postings.chunk_of[documents_with(part, terms, Field.CODE)]
            files |= dict.fromkeys((number, int(file)) for file in part.postings.file_of[chunks[part.live[chunks]]])
        return [place for one in files for place in self._defined_in(corpus, *one, name)] if len(files) <= most else []

    def _mentions(self, corpus: Corpus, name: str) -> dict[ChunkPlace, bool]:
        """Chunks with all of a name of several words, and whether they are meant: settings are (of the environment,
        for example), and where neither they nor code have it, any mention is."""
        whole, parts = self._lexicon.terms(name)[1:][-1:], [part.postings for part in corpus.parts]
        found = [
            ChunkPlace(number, chunk)
            for number, part in enumerate(corpus.parts if whole else ())
            for chunk in part.postings.chunk_of[documents_with(part, whole, Field.CODE)].tolist()
            if part.live[chunk]
        ]
        settings = {one for one in found if is_setting(parts[one.part], one.chunk)}
        is_code = any(standings(parts[one.part])[one.chunk] == FileRole.CODE for one in found)
        return {one: one in settings or not (settings or is_code) for one in found}

    def _defined_in(self, corpus: Corpus, part: int, file: int, name: str) -> Iterator[ChunkPlace]:
        postings = corpus.parts[part].postings
        held = self._held.get(postings.paths[file], postings.digest(file))
        symbols = self._files.symbols_in(held.content.file, held.content.version)
        for line in {one.span.first for one in symbols if name in (one.name, one.name.lower())}:
            if (at := _pointed_out(held.chunks, Frame("", line, ""))) is not None:
                yield ChunkPlace(part, int(postings.first_of[file]) + at)

    def _is_file(self, ask: Ask, name: str = "") -> bool:
        """Whether the question names a file that there is, or one of this name: then its suffix is no name."""
        named = (frame for frame in ask.question.frames if frame.path.endswith(name))
        return any(True for frame in named for _ in _at(ask.corpus, self._held, frame))

    def _by_qualified_name(self, corpus: Corpus, name: tuple[str, ...]) -> Iterator[ChunkPlace]:
        """The chunks of this very name; for a qualified name, those within the named owner, if there are any."""
        terms = self._lexicon.terms(name[-1])
        outer = [term for part in name[:-1] for term in self._lexicon.terms(part)]
        inner: list[ChunkPlace] = []
        within: list[ChunkPlace] = []
        for number, part in enumerate(corpus.parts):
            exact = _exactly(part, terms)
            inside = _among(exact, documents_with(part, outer, Field.PATH)) if outer else np.zeros(len(exact), np.bool_)
            for document, is_inside in zip(exact.tolist(), inside.tolist(), strict=True):
                chunk = int(part.postings.chunk_of[document])
                if part.live[chunk] and part.postings.is_whole[document]:
                    (within if is_inside else inner).append(ChunkPlace(number, chunk))
        found = within or inner
        yield from self._held_by(corpus, name[-2], found) or found if len(name) > 1 else found

    def _but_makers(self, ask: Ask, places: list[ChunkPlace]) -> list[ChunkPlace]:
        """Without the constructors of a class that is among them and has their name, unless they are asked for."""
        if not 1 < len(places) <= MOST_SPELT or "constructor" in ask.question.text.lower():
            return places
        chunks = [self._chunk(ask.corpus, place) for place in places]
        if not any(chunk.kind in CLASSES for chunk in chunks):
            return places
        return [
            place
            for place, chunk in zip(places, chunks, strict=True)
            if chunk.kind in CLASSES or _holder(chunk) != chunk.label
        ]

    def _of_side(self, ask: Ask, name: tuple[str, ...], places: list[ChunkPlace]) -> list[ChunkPlace]:
        """Of methods of Ruby that have a name, those of objects or of the class itself, as `Card#charge` or `Card.make`
        say."""
        if not 1 < len(places) <= MOST_SPELT or not (name[:-1] and name[-2][:1].isupper()):
            return places
        said = re.search(rf"\b{re.escape(name[-2])}([#.]){re.escape(name[-1])}(?!\w)", ask.question.text)
        wanted = ("", said[1] if said else "")
        return [one for one in places if self._side(ask.corpus, one) in wanted] or places if said else places

    def _side(self, corpus: Corpus, place: ChunkPlace) -> str:
        number, path = file_at(corpus, place)
        content = self._held.get(path, corpus.parts[place.part].postings.digest(number)).content
        scope = self._chunk(corpus, place).scope if profile_of(content.language).marks_methods else ""
        symbols = self._files.symbols_in(content.file, content.version) if scope else ()
        return next((side_of(content.language, one) for one in symbols if one.scope == scope), "")

    def _chunk(self, corpus: Corpus, place: ChunkPlace) -> Chunk:
        chunks, first = chunks_of(corpus, self._held, place)
        return chunks[place.chunk - first]

    def _holders(self, ask: Ask, name: tuple[str, ...], places: list[ChunkPlace]) -> list[ChunkPlace]:
        """The owner of a qualified name without such a member: `Card.refund`, which is yet to be written."""
        if not name[:-1] or self._held_by(ask.corpus, name[-2], places) or self._is_file(ask, ".".join(name)):
            return []
        found = self._same_case(
            ask.corpus, name[-2], list(islice(self._by_qualified_name(ask.corpus, name[:-1]), MOST_SPELT))
        )
        return sorted(found) if len(found) <= MOST_MEANT else []

    def _held_by(self, corpus: Corpus, holder: str, places: list[ChunkPlace]) -> list[ChunkPlace]:
        """Direct members of the owner of exactly this name: `Session.send` is no member of `SessionMixin`."""
        if len(places) > MOST_HELD:
            return []
        return [place for place in places if _holder(self._chunk(corpus, place)) == holder]

    def _is_held(self, corpus: Corpus, name: tuple[str, ...], places: list[ChunkPlace]) -> bool:
        """Whether a name is given with its owner, and the owner has it; overloads are in one file."""
        if not name[:-1] or not places or len({file_at(corpus, place) for place in places}) > MOST_MEANT:
            return False
        return bool(self._held_by(corpus, name[-2], places))

    def _by_prefix(self, corpus: Corpus, start: str) -> Iterator[ChunkPlace]:
        wanted = start.strip("_").lower()
        if len(wanted) < SHORTEST_BEGINNING:
            return
        for number, part in enumerate(corpus.parts):
            for term in part.postings.terms.with_prefix(wanted, MOST_BEGINNING):
                for document in documents_with(part, (term,), Field.NAME).tolist():
                    chunk = int(part.postings.chunk_of[document])
                    if part.live[chunk]:
                        yield ChunkPlace(number, chunk)

    def _pointed_at(self, ask: Ask) -> Iterator[_Evidence]:
        frames = ask.question.frames
        if not frames:
            return
        inner_first = frames[::-1] if re.search(_INNER_LAST, ask.question.text) else frames
        worth = POINTED_AT
        for frame in inner_first[:MOST_FRAMES]:
            hits = list(_at(ask.corpus, self._held, frame))
            told = f"{frame.path}{f':{frame.line}' * bool(frame.line)}"
            files = {file_at(ask.corpus, place) for place in hits} if not (frame.line or _is_name(ask.question)) else ()
            named = FILE_NAMED / math.sqrt(len(files)) if len(files) > MOST_MEANT else FILE_NAMED
            for place in hits:
                is_place = standing_of(ask.corpus, place) in (_PLACES if frame.line else _PLACES[:1])
                yield _Evidence(place, worth if frame.line else named, told, is_place=is_place)
            if hits and frame.line:
                worth *= OUTER_FRAME

    def _by_quotes(self, ask: Ask) -> Iterator[_Evidence]:
        """Chunks with all words of a quoted message in their code."""
        for text in ask.question.strings[:MOST_STRINGS]:
            terms = list(self._lexicon.question(text))
            places = [
                ChunkPlace(number, int(part.postings.chunk_of[document]))
                for number, part in enumerate(ask.corpus.parts)
                for document in (documents_with(part, terms, Field.CODE).tolist() if len(terms) > 1 else ())
                if part.live[part.postings.chunk_of[document]]
            ]
            for place in places:
                yield _Evidence(place, QUOTED / math.sqrt(len(places)), f"has the words of “{text}”")

    def _by_verbatim(self, ask: Ask) -> Iterator[_Evidence]:
        """Chunks that contain the question's text word by word."""
        found = list(dict(self._verbatim.find(ask)).items())  # once each, though quotes are lines, too
        for place, told in found:
            yield _Evidence(place, SAID / math.sqrt(len(found)), told)


def _likely(corpus: Corpus, name: str, places: list[ChunkPlace]) -> list[ChunkPlace]:
    """The places to compare by letter case: if they are in many files, types, for a name with a capital."""
    if _files(corpus, places) > MOST_SPELT and name[:1].isupper():
        places = [one for one in places if int(corpus.parts[one.part].postings.kinds[one.chunk]) in _TYPES]
    return places if _files(corpus, places) <= MOST_SPELT else []


def _files(corpus: Corpus, places: list[ChunkPlace]) -> int:
    return len({(place.part, int(corpus.parts[place.part].postings.file_of[place.chunk])) for place in places})


def _is_name(question: Question) -> str:
    """The name, if the question is nothing but one."""
    text = question.text.strip().strip("`").removesuffix("()")
    return text.rpartition(".")[2].rpartition(":")[2] if text and all(map(_is_name_like, text)) else ""


def _is_name_like(character: str) -> bool:
    return character.isalnum() or character in "_.:$#"


def _holder(chunk: Chunk) -> str:
    """The name of a chunk's direct container; empty at the top of a file."""
    around = chunk.scope.split(SCOPE)[-2:-1]
    return around[0].partition("#")[0] if around else ""


def chunks_named(corpus: Corpus, name: str, most: int) -> list[ChunkPlace]:
    """The chunks with exactly these words as their name; none, if there are more than `most`."""
    terms = lexicon().terms(name)
    found = [
        ChunkPlace(number, int(part.postings.chunk_of[document]))
        for number, part in enumerate(corpus.parts)
        for document in _exactly(part, terms).tolist()
        if part.postings.is_whole[document] and part.live[part.postings.chunk_of[document]]
    ]
    return found if len(found) <= most else []


def _exactly(part: CorpusPart, terms: "list[str] | tuple[str, ...]") -> Array:
    """The documents with these terms as their name, and no other."""
    documents = documents_with(part, terms, Field.NAME)
    exact: Array = documents[part.postings.lengths[documents, Field.NAME] == len(terms)]
    return exact if terms else documents[:0]


def documents_with(part: CorpusPart, terms: "list[str] | tuple[str, ...]", field: Field) -> Array:
    """The documents that have all terms in a field: those of the rarest that stand among the places of the others."""
    by_term = (part.postings.places[lexical.range_of(part, term)] for term in terms)
    rarest, *others = sorted(by_term, key=len) or [np.zeros(0, np.uint32)]
    found: Array = rarest[(rarest & ((1 << FIELD_BITS) - 1)) == field]
    for places in others:
        found = found[_among(found, places)]
    return found >> FIELD_BITS


def _among(some: Array, sorted_ones: Array) -> Array:
    """A membership mask; `np.isin` would load modules that a cold start does not need."""
    if not len(sorted_ones):
        return np.zeros(len(some), np.bool_)
    at = np.minimum(np.searchsorted(sorted_ones, some), len(sorted_ones) - 1)
    found: Array = sorted_ones[at] == some
    return found


def _at(corpus: Corpus, held: Holder, frame: Frame) -> Iterator[ChunkPlace]:
    """The chunks that a frame points at, in files that end like the path; without a line, all of a file."""
    wanted = _UPWARDS.sub("", frame.path)
    for number, part in enumerate(corpus.parts):
        postings = part.postings
        for file in _files_ending(part, wanted):
            first, end = int(postings.first_of[file]), int(postings.first_of[file + 1])
            if not frame.line:
                yield from (ChunkPlace(number, chunk) for chunk in range(first, end))
                continue
            chunks = held.get(postings.paths[file], postings.digest(file)).chunks
            if (at := _pointed_out(chunks, frame)) is not None:
                yield ChunkPlace(number, first + at)


def _pointed_out(chunks: Sequence[Chunk], frame: Frame) -> int | None:
    """The innermost chunk at the line; or, if no chunk around it has the frame's name, the nearest that has.

    Traces come from any release, and lines move.
    """
    around = [i for i, chunk in enumerate(chunks) if chunk.span.first <= frame.line <= chunk.span.last]
    names = WORD.findall(frame.name.partition("[")[0])  # behind it: parameters of types, or `[as total]`
    called = [i for i, chunk in enumerate(chunks) if names and chunk.label == names[-1]]
    if called and not {*called} & {*around}:
        return min(called, key=lambda i: (*_away(chunks[i], names, frame.line), i))
    return min(around, key=lambda i: (chunks[i].span.last - chunks[i].span.first, -i), default=None)


def _away(chunk: Chunk, names: Sequence[str], line: int) -> tuple[int, int]:
    """How little of where a frame says that it is a chunk stands in, and how far from its line."""
    return -len({*names} & {*chunk.scope.split(SCOPE)}), abs(chunk.span.first - line)


def _files_ending(part: CorpusPart, wanted: str) -> list[int]:
    """Files by the end of their path. A trace may name them from another root: then by the common end, but never by a
    bare name, which a library may have as well."""
    paths = part.postings.paths
    found = [paths.find(wanted), *paths.with_suffix(f"/{wanted}")]
    while max(found) < 0 and "/" in wanted:
        _, _, wanted = wanted.partition("/")
        found = [paths.find(wanted), *(paths.with_suffix(f"/{wanted}") if "/" in wanted else ())]
    return [i for i in sorted(found) if i >= 0 and part.files[i]]
