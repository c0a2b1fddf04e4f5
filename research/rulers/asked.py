"""Questions in everyday words, and the code they find: `python -m research.rulers.asked --repo PATH --questions FILE`.

A line of the file is a question, a tab, and where it is answered: `path::name,name;path::name`. Any of them will do; a
path without names counts for files alone. All files of the checkout compete: tests, documents, examples, settings.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import copies

import clew
from clew.engine import Engine
from clew.evaluate.baselines import BM25, TextCorpus
from clew.model.code import Chunk, Symbol
from clew.surfaces.library import Workspace

LOOKED_AT, AMONG = 10, 5
BUDGETS = (2000, 4000)  # tokens of packs


class Lines(NamedTuple):
    path: str
    first: int
    last: int

    def holds(self, other: "Lines") -> bool:
        return self.path == other.path and self.first <= other.first and other.last <= self.last


class Asked(NamedTuple):
    """A question, the files that answer it, and the units that do so; no units if it names none."""

    question: str
    files: frozenset[str]
    units: tuple[Lines, ...]


class Packed(NamedTuple):
    """Whether a pack shows code of an answer, and whether all of it."""

    code: bool
    whole: bool


class Ranks(NamedTuple):
    """Rank of the first correct hit (0: none), and the answers that packs show, by budget."""

    file: int
    unit: int
    file_by_bm25: int
    unit_by_bm25: int
    packed: tuple[Packed, ...]


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.asked", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A checkout; it is copied, never touched.")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--each", action="store_true", help="Tell the ranks of every question.")
    options = parser.parse_args()
    with copies.indexed(options.repo) as engine, clew.open(engine.place.root) as workspace:
        asked = read(engine, options.questions.read_text("utf-8"))
        ranks = measure(workspace, asked)
    for one, found in zip(asked, ranks, strict=True) if options.each else ():
        print(f"{found.file:3d} {found.unit:3d} {'pack' if found.packed[0].code else '    '}  {one.question}")
    print(table([(one, bool(of.units)) for one, of in zip(ranks, asked, strict=True)]))


def read(engine: Engine, text: str) -> list[Asked]:
    asked = []
    for line in filter(str.strip, text.splitlines()):
        question, _, answers = line.partition("\t")
        pairs = [answer.strip().partition("::") for answer in answers.split(";")]
        units = [one for path, _, names in pairs for one in _units(engine, path, names.split(",") if names else [])]
        asked.append(Asked(question, frozenset(path for path, _, _ in pairs), tuple(units)))
    return asked


def measure(workspace: Workspace, asked: Sequence[Asked]) -> list[Ranks]:
    texts = {content.path: workspace.engine.files.text(content.text) for content in workspace.engine.files.contents()}
    chunks = {
        Lines(path, chunk.span.first, chunk.span.last): texts[path][chunk.span.start : chunk.span.end]
        for path in texts
        for chunk in _chunks(workspace.engine, path)
    }
    numbered = {str(number): lines for number, lines in enumerate(chunks)}
    files, units = BM25(TextCorpus(texts)), BM25(TextCorpus(dict(zip(numbered, chunks.values(), strict=True))))
    return [_ranks(workspace, one, files, units, numbered) for one in asked]


def _ranks(workspace: Workspace, asked: Asked, files: BM25, units: BM25, numbered: dict[str, Lines]) -> Ranks:
    hits = [Lines(hit.path, hit.first_line, hit.last_line) for hit in workspace.search(asked.question, limit=LOOKED_AT)]
    return Ranks(
        _first(hit.path in asked.files for hit in hits),
        _first(_is_unit(asked, hit) for hit in hits),
        _first(path in asked.files for path in files(asked.question)[:LOOKED_AT]),
        _first(_is_unit(asked, numbered[one]) for one in units(asked.question)[:LOOKED_AT]),
        tuple(_packed(workspace, asked, budget) for budget in BUDGETS),
    )


def _packed(workspace: Workspace, asked: Asked, budget: int) -> Packed:
    pack = workspace.context_pack(task=asked.question, max_tokens=budget)
    shown = [(Lines(one.path, one.first_line, one.last_line), one.form) for one in pack.items]
    forms = {form for lines, form in shown if _is_unit(asked, lines) or any(lines.holds(unit) for unit in asked.units)}
    return Packed(bool(forms - {"line"}), "whole" in forms)


def _first(right: Iterator[bool]) -> int:
    return next((rank for rank, is_right in enumerate(right, 1) if is_right), 0)


def _is_unit(asked: Asked, lines: Lines) -> bool:
    """Whether they are of what answers; what only has it somewhere inside does not."""
    return any(unit.holds(lines) for unit in asked.units)


def _units(engine: Engine, path: str, names: Sequence[str]) -> Iterator[Lines]:
    """The chunks of things of these names; of what is too small to be one, the chunk that it stands in."""
    known = engine.files.known_at(path)
    if known is None:
        raise SystemExit(f"there is no {path}")
    symbols = engine.files.symbols_in(known.file, known.version)
    for name in names:
        named = [one for one in symbols if one.name == name]
        if not named:
            raise SystemExit(f"{path} has no {name}")
        yield from (_around(path, one, _chunks(engine, path)) for one in named)


def _around(path: str, symbol: Symbol, chunks: Sequence[Chunk]) -> Lines:
    holding = [one.span for one in chunks if one.span.first <= symbol.span.first and symbol.span.last <= one.span.last]
    span = min(holding, key=lambda one: one.last - one.first, default=symbol.span)
    return Lines(path, span.first, span.last)


def _chunks(engine: Engine, path: str) -> Sequence[Chunk]:
    known = engine.files.known_at(path)
    return engine.files.layout(known.file, known.version).chunks if known else ()


def table(ranks: Sequence[tuple[Ranks, bool]]) -> str:
    """Format ranks as a table, split by whether the question names units."""
    of_units = [one for one, has_units in ranks if has_units]
    everything = [one for one, _ in ranks]
    rows = (
        ("files, clew", [one.file for one in everything]),
        ("files, bm25", [one.file_by_bm25 for one in everything]),
        ("units, clew", [one.unit for one in of_units]),
        ("units, bm25", [one.unit_by_bm25 for one in of_units]),
    )
    lines = [f"{'':14s} {'n':>4s} {'MRR':>6s} {f'@{AMONG}':>6s} {f'@{LOOKED_AT}':>6s}"]
    lines += [
        f"{name:14s} {len(found):4d} {' '.join(f'{one:6.3f}' for one in _figures(found))}" for name, found in rows
    ]
    for number, budget in enumerate(BUDGETS):
        packs = [one.packed[number] for one in of_units] or [Packed(code=False, whole=False)]
        code, whole = statistics.mean(one.code for one in packs), statistics.mean(one.whole for one in packs)
        lines.append(f"packs of {budget:,} tokens that show code of such a unit: {code:.3f}, all of it: {whole:.3f}")
    return "\n".join(lines)


def _figures(ranks: Sequence[int]) -> list[float]:
    if not ranks:
        return [0.0, 0.0, 0.0]
    reciprocal = [1 / rank if rank else 0.0 for rank in ranks]
    return [statistics.mean(one) for one in (reciprocal, [0 < r <= AMONG for r in ranks], [r > 0 for r in ranks])]


if __name__ == "__main__":
    main()
