"""A context pack in few tokens: its items with their text, where they are and why they are here; no more.

The same pack in full has its request, scores, paths and evidence. The lean form is for small budgets.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, structs

from clew.model.code import SCOPE, split_id
from clew.model.errors import BudgetExceeded
from clew.pack.artifact import (
    ContextItem,
    ContextPack,
    LeanExcerpt,
    LeanItem,
    LeanPack,
    LeanSection,
    LeanWhy,
)
from clew.pack.fitting import Cut, FillStep, Measure, fit_steps
from clew.pack.order import interleave
from clew.pack.request import canonical
from clew.pack.shares import OPENING, shares
from clew.text.tokens import estimate


def lean(pack: ContextPack) -> LeanPack:
    """The same items in the same order."""
    found = (
        LeanSection(section.type, tuple(lean_item(item) for item in section.items))
        for section in pack.sections
        if section.items
    )
    return LeanPack(
        pack.pack_id,
        tuple(found),
        pack.stats.dropped.get("budget", 0),
        written=pack.written,
        warnings=pack.stats.warnings or UNSET,
    )


def lean_item(item: ContextItem) -> LeanItem:
    return LeanItem(
        item.chunk_uid,
        item.lines,
        LeanExcerpt(item.excerpt.text, item.excerpt.truncated),
        LeanWhy(item.why.rule, _other_end(item)),
        item.symbol_id,
    )


def _other_end(item: ContextItem) -> str:
    """The name of the neighbor through which the graph led here."""
    if not item.why.path:
        return ""
    step, own = item.why.path[-1], item.symbol_id or item.file_rel_path
    path, scope = split_id(step.source if step.target == own else step.target)
    return scope.rpartition(SCOPE)[2] or path.rpartition("/")[2]


class _Part(Struct, frozen=True):
    """An item of a pack with the beginning of its text."""

    section: str
    item: ContextItem
    text: str

    @property
    def size(self) -> int:
        return len(self.text.encode())


def shorten_pack(pack: ContextPack, limit: int) -> LeanPack:
    """As much of a stored pack as fits so many tokens, in the lean form; sections take turns by their shares."""
    entries: list[_Part] = []
    steps: list[FillStep[_Part]] = []
    queues: dict[str, Iterator[tuple[int, str] | None]] = {}
    for section in pack.sections:
        here = range(len(entries), len(entries) + len(section.items))
        entries += [_Part(section.type, item, item.excerpt.text) for item in section.items]
        queues[section.type] = _texts(entries, here)
    wanted = shares(pack.request)
    for number, text in interleave({name: queues.get(name, iter(())) for name in wanted}, wanted, _cost):
        steps.append(FillStep(number, structs.replace(entries[number], text=text)))
    measure = _LeanMeasure(pack, len(entries), limit)
    cut = fit_steps(entries, steps, measure)
    if cut is None or (entries and not cut.shown):
        raise BudgetExceeded.of("this pack", limit, _tokens(measure.pack_of([step.shown for step in steps[:1]])))
    return measure.pack_of(cut.shown)


class _LeanMeasure(Measure[_Part]):
    def __init__(self, pack: ContextPack, entries: int, limit: int) -> None:
        self._pack = pack
        self._all = entries + pack.stats.dropped.get("budget", 0)
        self.limit = limit

    def pack_of(self, parts: Sequence[_Part]) -> LeanPack:
        return structs.replace(lean(_with(self._pack, parts)), left_out=self._all - len(parts))

    def whole(self, cut: Cut[_Part]) -> int:
        return _tokens(self.pack_of(cut.shown))

    def item(self, shown: _Part) -> int:
        return estimate(canonical(lean_item(_cut(shown))).decode())


def _tokens(pack: LeanPack) -> int:
    return estimate(pack.canonical().decode()) + estimate(pack.summary())


def _cost(step: tuple[int, str]) -> int:
    return len(step[1].encode())


def _texts(entries: Sequence[_Part], here: range) -> Iterator[tuple[int, str] | None]:
    """Of each item, first the lines that it begins with, then all."""
    for number in here:
        whole = entries[number].text
        opening = _first_lines(whole)
        yield number, opening
        if opening != whole:
            yield number, whole


def _first_lines(text: str) -> str:
    """Its first lines, at least one."""
    lines = text.splitlines(keepends=True)
    taken = 1
    while taken < len(lines) and len("".join(lines[: taken + 1]).encode()) <= OPENING:
        taken += 1
    return "".join(lines[:taken])


def _with(pack: ContextPack, parts: Sequence[_Part]) -> ContextPack:
    sections = tuple(
        structs.replace(section, items=tuple(_cut(part) for part in parts if part.section == section.type))
        for section in pack.sections
    )
    return structs.replace(pack, sections=sections)


def _cut(part: _Part) -> ContextItem:
    excerpt = part.item.excerpt
    if part.text == excerpt.text:
        return part.item
    return structs.replace(part.item, excerpt=structs.replace(excerpt, text=part.text, truncated=True))
