"""Slices: the lines of a symbol or a file, its outline, and optionally its callers and callees."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from clew.graph.elements import Element, Elements, Page
from clew.graph.parts import LogicalSymbol
from clew.graph.possible_callers import add_possible_callers
from clew.graph.surroundings import Relation, surroundings
from clew.model.code import EXTERNAL, SCOPE, Chunk, Span, Symbol, split_id
from clew.model.words import NAMELESS, EdgeKind, Kind
from clew.pack.elision import Unit, forms
from clew.pack.quoting import without_decorators
from clew.retrieve import excerpt
from clew.retrieve.excerpt import mark
from clew.retrieve.source_cache import changed_to
from clew.store.files import Files, Sheet
from clew.store.graph import Nodes
from clew.store.links import LIKELY
from clew.text.paths import is_test_path

if TYPE_CHECKING:
    from clew.store.corpus import Corpus


MOST = 10  # of each that are named (A §6.4); totals count them all


class SymbolRef(Struct, frozen=True, omit_defaults=True):
    """A caller with the line of its call, or a callee with the line of its definition; an external one has only a name.

    `unsure`: the call is as likely to have another target.
    """

    id: str
    name: str
    file: str = ""
    line: int = 0
    unsure: bool = False


class Calls(Struct, frozen=True):
    """As `CodeSlice` tells them."""

    incoming_callers: tuple[SymbolRef, ...]
    callers_total: int
    unsure_callers: int
    unresolved: int
    candidates: int
    outgoing_calls: tuple[SymbolRef, ...]
    calls_total: int
    unsure_calls: int
    unresolved_calls: int


def calls(corpus: "Corpus", elements: Elements, thing: LogicalSymbol) -> Calls:
    """Of a thing and all that it holds; calls inside of it are its own affair."""
    from clew.graph.edges import Current, edges_around  # numpy is heavy, and most slices do not need it

    name = "" if thing.element.kind in NAMELESS else thing.element.name.rpartition(".")[2]
    found = edges_around(corpus, elements.inside(*thing.roots), name)
    around = surroundings(thing.roots, add_possible_callers(Current(corpus), elements, thing.ids, found))
    callers = sorted(filter(_is_call, around.dependents), key=_from_best)
    called = sorted((one for one in around.dependencies if _is_call(one) and one.confidence >= LIKELY), key=_to_best)
    return Calls(
        incoming_callers=tuple(
            SymbolRef(one.id, _name(one.id), one.path, one.line, one.id in around.unsure) for one in callers[:MOST]
        ),
        callers_total=len(callers),
        unsure_callers=len(around.unsure),
        unresolved=len(around.unresolved),
        candidates=sum(map(_is_call, around.candidates)),
        outgoing_calls=tuple(_to_reference(elements, one) for one in called[:MOST]),
        calls_total=len(called),
        unsure_calls=sum(map(_is_unsure, called)),
        unresolved_calls=len(around.unresolved_calls),
    )


def _is_call(relation: Relation) -> bool:
    return relation.relation == EdgeKind.CALLS


def _from_best(relation: Relation) -> tuple[bool, float, str]:
    """Tests come last: they call everything."""
    return is_test_path(relation.path), -relation.confidence, relation.id


def _to_best(relation: Relation) -> tuple[bool, float, str]:
    """Sort key: external targets come last, since their code cannot be shown."""
    return relation.id.startswith(EXTERNAL), -relation.confidence, relation.id


def _is_unsure(relation: Relation) -> bool:
    return relation.confidence <= LIKELY


def _to_reference(elements: Elements, called: Relation) -> SymbolRef:
    found = elements.describe(called.id)
    return SymbolRef(called.id, _name(called.id), found.path, found.first_line, _is_unsure(called))


def _name(id: str) -> str:
    if id.startswith(EXTERNAL):
        return id.removeprefix(EXTERNAL)
    path, scope = split_id(id)
    return scope.rpartition(SCOPE)[2].partition("#")[0] or path.rpartition("/")[2]


_LOCAL = (Kind.FUNCTION, Kind.METHOD)  # what stands in them is nobody else's affair


def outlines(source: bytes, symbols: Mapping[str, Symbol], scope: str = "", *, deep: bool = True) -> Iterator[str]:
    """Ever longer: what stands directly in a scope; if `deep`, then what stands in that, then its variables too.

    Of each first the line with its name, from the top down, then all of its lines.

    Of what has nothing to declare there are none. No scope is the whole file.
    """
    inner = {one.scope.removeprefix(f"{scope}{SCOPE}"): one for one in symbols.values() if _lies_inside(one, scope)}
    outer = {name for name in inner if SCOPE not in name}
    declared = {name for name, one in inner.items() if one.kind is not Kind.VARIABLE and not _is_local(name, inner)}
    own = symbols.get(scope)
    if not inner or (own and own.kind in _LOCAL):
        return
    lines = source.decode("utf-8", "replace").split("\n")
    shown = set(_opening_lines(source, own)) if own else set[int]()
    told = ""
    stages = [(outer & declared, _name_line), (outer & declared, _opening_lines)]
    stages += [(declared, _name_line), (declared, _opening_lines), (outer | declared, _opening_lines)] if deep else []
    for wanted, opening in stages:
        for some in _ever_more(sorted((inner[name] for name in wanted), key=lambda one: one.span)):
            shown |= {line for one in some for line in opening(source, one)}
            text = _join_lines(lines, own, shown)
            if len(text) > len(told):
                yield text
                told = text


def _ever_more(symbols: Sequence[Symbol]) -> Iterator[Sequence[Symbol]]:
    """One after the other, of many ever more at once."""
    start = 0
    while start < max(len(symbols), 1):
        end = start + max(start // 4, 1)
        yield symbols[start:end]
        start = end


def _lies_inside(symbol: Symbol, scope: str) -> bool:
    return symbol.scope.startswith(f"{scope}{SCOPE}") if scope else True


def _is_local(name: str, inner: Mapping[str, Symbol]) -> bool:
    """Whether it stands in a function."""
    while name := name.rpartition(SCOPE)[0]:
        if name in inner and inner[name].kind in _LOCAL:
            return True
    return False


def _opening_lines(source: bytes, symbol: Symbol) -> range:
    """The lines up to where its body begins."""
    first, start = symbol.span.first, symbol.span.start
    opening = source[start : max(symbol.body, start)].rstrip()
    return range(first, first + opening.count(b"\n") + 1)


def _name_line(source: bytes, symbol: Symbol) -> range:
    """The line with its name."""
    opening = _opening_lines(source, symbol)
    text = source[symbol.span.start : max(symbol.body, symbol.span.start)].decode("utf-8", "replace").rstrip()
    before = text.removesuffix(without_decorators(text, symbol.name)).count("\n")
    return opening[before : before + 1]


def _join_lines(lines: list[str], within: Symbol | None, shown: set[int]) -> str:
    """The lines that are shown; what is left out between them is counted, unless it is shorter than its mark."""
    first, last = (within.span.first, within.span.last) if within else (1, len(lines))
    parts: list[str] = []
    gap: list[str] = []
    for number, line in enumerate(lines[first - 1 : last], first):
        if number in shown:
            parts += [*_shorten_gap(gap), line]
            gap = []
        else:
            gap.append(line)
    while gap and not gap[-1].strip():
        gap.pop()
    return "\n".join([*parts, *_shorten_gap(gap)])


def _shorten_gap(gap: list[str]) -> list[str]:
    counted = mark("", len(gap))
    return [counted] if len("".join(gap).strip()) > len(counted) else gap


Context = Literal["signature", "body", "with-deps", "full"]
MOST_BESIDE = 400  # bytes of a line that are shown with what they stand beside: minified files are one line
_WITH_CALLS = ("with-deps", "full")


class CodeSlice(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`code` is lines of the file as they stand, with marks for those left out if `elided`; of a file, its outline.

    Totals are told with calls only: `unsure_callers` of the callers are as likely to call something else, `unresolved`
    are calls by this name that nobody knows the target of, `candidates` less sure ones that may lead here,
    `unresolved_calls` those made here, `unsure_calls` of the calls as likely to lead elsewhere. `valid_from` is UTC
    microseconds.
    """

    id: str
    file: str
    start_line: int
    end_line: int
    symbol_name: str
    kind: str
    code: str
    language: str = ""
    signature: str = ""
    summary_line: str = ""
    ppr_score: float | None = None
    incoming_callers: tuple[SymbolRef, ...] = ()
    callers_total: int | None = None
    unsure_callers: int = 0
    unresolved: int = 0
    candidates: int = 0
    outgoing_calls: tuple[SymbolRef, ...] = ()
    calls_total: int | None = None
    unsure_calls: int = 0
    unresolved_calls: int = 0
    valid_from: int | None = None
    relevant_decisions: tuple[str, ...] = ()
    relevant_learnings: tuple[str, ...] = ()
    elided: bool = False
    stale: bool = False
    redacted: bool = False


def lines_in(slice: CodeSlice) -> list[str]:
    """The files that a slice tells lines of."""
    return [slice.file, *(one.file for one in (*slice.incoming_callers, *slice.outgoing_calls) if one.file)]


class Sources(Struct, frozen=True, eq=False):
    """Where slices come from; the corpus is asked for only where calls are told."""

    root: Path
    files: Files
    nodes: Nodes
    corpus: "Callable[[], Corpus]"


class SliceRequest(Struct, frozen=True):
    """A symbol or file to slice; `passage` is the text of a search hit, to be shown first. Calls are those of `thing`,
    if it is set.
    """

    id: str
    ppr_score: float | None = None
    passage: str = ""
    thing: LogicalSymbol | None = None


class Sliced(Struct, frozen=True, eq=False):
    """A slice at its fullest, and its code in ever longer forms, the last of which it has."""

    slice: CodeSlice
    forms: Callable[[], Iterator[str]]

    def shown_as(self, text: str) -> CodeSlice:
        """With one of the forms of its code."""
        return structs.replace(self.slice, code=text, elided=self.slice.elided or text != self.slice.code)


class _Opened(Struct, frozen=True, eq=False):
    """A file with slices, read once. `now` is its current content, if that differs from the indexed one."""

    sheet: Sheet
    page: Page
    since: dict[str, int]
    now: bytes | None


class _Quote(Struct, frozen=True, eq=False):
    """Code and where it stands."""

    code: str
    first: int
    last: int
    forms: Callable[[], Iterator[str]]
    elided: bool = False
    redacted: bool = False


def slices(sources: Sources, wanted: Sequence[SliceRequest], context: Context = "body") -> list[Sliced]:
    """In the order of the requests; elements that are not in the current view are omitted."""
    paths = dict.fromkeys(split_id(one.id)[0] for one in wanted)
    opened = {path: file for path in paths if (file := _open(sources, path))}
    elements = Elements(sources.files, pages=[file.page for file in opened.values()])
    corpus = sources.corpus() if context in _WITH_CALLS and opened else None
    found = []
    for one in wanted:
        thing = elements.get(one.id)
        if thing and thing.path in opened:
            told = calls(corpus, elements, one.thing or LogicalSymbol(thing, (one.id,))) if corpus else None
            found.append(_slice(opened[thing.path], thing, one, context, told))
    return found


def _open(sources: Sources, path: str) -> _Opened | None:
    sheet = sources.files.sheet(path)
    if sheet is None:
        return None
    page = Page(sheet.version, {symbol.scope: symbol for symbol in sheet.layout.symbols})
    now = changed_to(sources.root, path, sheet.known)
    return _Opened(sheet, page, sources.nodes.since(sheet.version.file), now)


def _slice(file: _Opened, thing: Element, wanted: SliceRequest, context: Context, told: Calls | None) -> Sliced:
    scope = split_id(thing.id)[1]
    quote = _quote_symbol(file, scope, wanted.passage, context) if scope else _quote_outline(file, context)
    made = CodeSlice(
        id=thing.id,
        file=thing.path,
        start_line=quote.first,
        end_line=quote.last,
        symbol_name=thing.name,
        kind=thing.kind,
        code=quote.code,
        language=thing.language,
        signature=thing.signature,
        summary_line=thing.summary,
        ppr_score=wanted.ppr_score,
        valid_from=file.since.get(scope, file.sheet.version.valid_from),
        elided=quote.elided,
        stale=file.now is not None,
        redacted=quote.redacted,
    )
    return Sliced(structs.replace(made, **structs.asdict(told)) if told else made, quote.forms)


def _quote_symbol(file: _Opened, scope: str, passage: str, context: Context) -> _Quote:
    """The lines of a symbol, or of its declaration."""
    unit = _unit(file.sheet, file.page.symbols[scope], passage)
    span = unit.chunk.span
    if context == "signature":
        shown = excerpt.head_of(unit.source, unit.chunk)
        span = span._replace(end=span.start + len(shown), last=span.first + shown.count(b"\n"))
        unit = structs.replace(unit, chunks=[unit.chunk._replace(scope="", span=span, body=0, passages=())])
    redacted = excerpt.is_redacted(unit.chunk, file.sheet.redactions)
    whole = excerpt.whole(unit.source, unit.chunk)
    quote = _Quote(whole, span.first, span.last, lambda: _forms(unit, file.page.symbols), redacted=redacted)
    if file.now is None:
        return quote
    first = _line_of(unit.source[span.start : span.end], file.now, to_its_end=context != "signature")
    if not first:
        return structs.replace(quote, code="", forms=lambda: iter(()), elided=True)
    return structs.replace(quote, first=first, last=first + span.last - span.first)


def _unit(sheet: Sheet, symbol: Symbol, passage: str) -> Unit:
    """A symbol in whole lines, with the chunks inside of it."""
    source, span = sheet.text, symbol.span
    start, end = _lines(source, span)
    lines = span._replace(start=start, end=end)
    own = [chunk for chunk in sheet.layout.chunks if chunk.scope == symbol.scope]
    inner = [chunk for chunk in sheet.layout.chunks if _is_inside(chunk.span, span)]
    passages = own[0].passages if own else ()
    chunk = Chunk(symbol.scope, symbol.name, symbol.kind, lines, 0, symbol.digest, passages, symbol.body)
    return Unit(source, [chunk, *inner], 0, _number(source, passages, passage))


def _lines(source: bytes, span: Span) -> tuple[int, int]:
    """Where the lines of a symbol start and end; where they are mostly something else's, where it does itself."""
    start = source.rfind(b"\n", 0, span.start) + 1
    end = source.find(b"\n", max(span.end - 1, span.start))
    end = len(source) if end < 0 else end
    end -= source.endswith(b"\r", start, end)
    return (
        start if span.start - start <= MOST_BESIDE else span.start,
        end if end - span.end <= MOST_BESIDE else span.end,
    )


def _forms(unit: Unit, symbols: dict[str, Symbol]) -> Iterator[str]:
    """Also by the declarations inside, which say more of a class than its first lines."""
    whole = excerpt.whole(unit.source, unit.chunk)
    declared = (text for text in outlines(unit.source, symbols, unit.chunk.scope) if len(text) < len(whole))
    return merge(declared, forms(unit), key=len)


def _number(source: bytes, passages: Sequence[Span], shown: str) -> int:
    """Which of the passages a text shows, from 1 on; 0 is none."""
    text = shown.encode()
    return next((i for i, one in enumerate(passages, 1) if text and source[one.start : one.end] in text), 0)


def _is_inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and inner != outer


def _line_of(text: bytes, now: bytes, *, to_its_end: bool) -> int:
    """The line that a text begins in, in a file that has changed; 0 if it no longer stands there, line by line."""
    at = (b"\n" + now).find(b"\n" + text)
    end = at + len(text)
    if at < 0 or (to_its_end and now[end : end + 1] not in (b"", b"\n", b"\r")):
        return 0
    return now.count(b"\n", 0, at) + 1


def _quote_outline(file: _Opened, context: Context) -> _Quote:
    """A file by its declarations; one that declares nothing as a unit of its own."""
    sheet, last = file.sheet, max(file.sheet.version.lines, 1)
    if file.now is not None:
        return _Quote("", 1, last, lambda: iter(()), elided=True)
    if file.page.symbols:
        shown = list(outlines(sheet.text, file.page.symbols, deep=context != "signature"))
    else:
        span = Span(0, len(sheet.text.rstrip()), 1, last)
        chunk = Chunk("", sheet.version.path, Kind.FILE, span, 0, b"")
        shown = list(forms(Unit(sheet.text, [chunk, *sheet.layout.chunks], 0))) or [""]
        shown = shown[:1] if context == "signature" else shown
    elided = shown[-1] != sheet.text.rstrip().decode("utf-8", "replace")
    return _Quote(shown[-1], 1, last, lambda: iter(shown), elided, bool(sheet.redactions))
