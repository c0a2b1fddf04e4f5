"""A context pack in few tokens: its items with their text, where they are and why they are here; no more.

The same pack in full has its request, scores, paths and evidence. The lean form is for small budgets.
"""

from collections.abc import Iterator, Sequence
from functools import partial

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
from clew.pack.fitting import FillStep, Measure, fitted
from clew.pack.order import interleaved
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


def shortened(pack: ContextPack, limit: int) -> LeanPack:
    """As much of a stored pack as fits so many tokens, in the lean form; sections take turns by their shares."""
    entries: list[_Part] = []
    steps: list[FillStep[_Part]] = []
    queues: dict[str, Iterator[tuple[int, str] | None]] = {}
    for section in pack.sections:
        here = range(len(entries), len(entries) + len(section.items))
        entries += [_Part(section.type, item, item.excerpt.text) for item in section.items]
        queues[section.type] = _texts(entries, here)
    wanted = shares(pack.request)
    for number, text in interleaved({name: queues.get(name, iter(())) for name in wanted}, wanted, _cost):
        steps.append(FillStep(number, partial(structs.replace, entries[number], text=text)))
    dropped = pack.stats.dropped.get("budget", 0)

    def made(parts: Sequence[_Part]) -> LeanPack:
        whole = lean(_with(pack, parts))
        return structs.replace(whole, left_out=dropped + len(entries) - len(parts))

    measure = Measure[_Part](
        limit,
        lambda cut: _tokens(made(cut.shown)),
        lambda part: estimate(canonical(lean_item(_cut(part))).decode()),
    )
    cut = fitted(entries, steps, measure)
    if cut is None or (entries and not cut.shown):
        raise BudgetExceeded.of("this pack", limit, _tokens(made([step.make() for step in steps[:1]])))
    return made(cut.shown)


def _tokens(pack: LeanPack) -> int:
    return estimate(pack.canonical().decode()) + estimate(pack.summary())


def _cost(step: tuple[int, str]) -> int:
    return len(step[1].encode())


def _texts(entries: Sequence[_Part], here: range) -> Iterator[tuple[int, str] | None]:
    """Of each item, first the lines that it begins with, then all."""
    for number in here:
        whole = entries[number].text
        opening = _opening(whole)
        yield number, opening
        if opening != whole:
            yield number, whole


def _opening(text: str) -> str:
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
