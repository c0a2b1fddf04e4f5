"""Summaries by a model: finds missing ones, estimates their cost, and writes them batch by batch."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from clew.engine import Engine
from clew.graph.elements import Elements, summary_key
from clew.model.code import symbol_id
from clew.model.words import CLASSES, Kind
from clew.text.paths import Among, lies_among
from clew.text.summarizer import Summarizer, SummaryPiece
from clew.tools.communities import community_key
from clew.tools.selection import is_code

_SUMMARIZED = (*CLASSES, Kind.FUNCTION, Kind.METHOD)
LEAST_LINES = 3  # a shorter function says what it does itself


def pieces(engine: Engine) -> Iterator[SummaryPiece]:
    """Symbols and files of the project's own code, then its communities; the most used first."""
    elements, graph = Elements(engine.files), engine.graph()
    rank = dict(zip(graph.ids, graph.pagerank.tolist(), strict=True))
    found = list[SummaryPiece]()
    for one in engine.files.contents():
        page = elements.page(one.path) if is_code(one.language) else None
        if page is None or not page.symbols or lies_among(one.path) is not Among.CODE:
            continue
        text = elements.text(page)
        names = ", ".join(symbol.signature or symbol.name for symbol in page.symbols.values())
        found.append(SummaryPiece(summary_key(one.path, one.text), f"file {one.path}", names))
        for scope, symbol in page.symbols.items():
            if symbol.kind in _SUMMARIZED and symbol.span.last - symbol.span.first + 1 >= LEAST_LINES:
                source = text[symbol.span.start : symbol.span.end].decode("utf-8", "replace")
                node_id = symbol_id(one.path, scope)
                found.append(SummaryPiece(summary_key(node_id, symbol.digest), f"{symbol.kind} {node_id}", source))
    yield from sorted(found, key=lambda one: (-rank.get(one.key.partition("\n")[0], 0.0), one.key))
    for community in engine.communities().all:
        members = "\n".join((*community.central, *community.files))
        yield SummaryPiece(community_key(community), f"part {community.label}", members)


def find_missing(engine: Engine, limit: int) -> tuple[list[SummaryPiece], frozenset[str]]:
    """Pieces without a summary, at most so many (0: all), and the keys of all pieces."""
    known = engine.summary_cache.all()
    every = list(pieces(engine))
    lacking = [one for one in every if one.key not in known]
    return lacking[: limit or None], frozenset(one.key for one in every)


def summarize(
    engine: Engine,
    summarizer: Summarizer,
    lacking: list[SummaryPiece],
    wanted: frozenset[str],
    report: Callable[[int], None],
) -> int:
    """Write what is lacking; each batch is kept at once, so that an interrupted run goes on where it was. Returns how
    many were written."""
    return keep_summaries(engine, summarizer.summaries(lacking), wanted, report)


def keep_summaries(
    engine: Engine, batches: Iterable[Mapping[str, str]], wanted: frozenset[str], report: Callable[[int], None]
) -> int:
    """Keep batches of summaries by key as they come; returns how many there were."""
    engine.be_writable()
    written = 0
    for batch in batches:
        clean = engine.new_scrubbing()
        engine.summary_cache.add({key: clean.text(text) for key, text in batch.items()}, wanted)
        written += len(batch)
        report(written)
    return written
