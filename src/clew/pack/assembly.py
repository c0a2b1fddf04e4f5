"""Entries as items of a context pack, and the pack of as many of them as fit its budgets, as it is written."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from msgspec import UNSET, Struct, structs

from clew.graph.spreading import Bounds
from clew.model.code import split_id
from clew.model.errors import BudgetExceeded
from clew.model.words import pack_edge, pack_evidence
from clew.pack import artifact, elision
from clew.pack.artifact import (
    BudgetsResolved,
    CapMet,
    ContextItem,
    ContextPack,
    ContextPackStats,
    ContextSection,
    Dropped,
    Evidence,
    EvidenceGap,
    Excerpt,
    ExplainEnvelope,
    Lines,
    PathStep,
    Range,
    SeedEntry,
    SeedReasons,
    Timings,
    Truncation,
    Why,
)
from clew.pack.gather import Capped, Seed, Step
from clew.pack.request import Budgets, PackRequest
from clew.pack.sections import RULES, SECTIONS, Entry, gaps
from clew.pack.seeding import MOST_SEEDS, Beginning
from clew.text.tokens import estimate

_CAP = "maxBytesPerItem"


class Draft(Struct, frozen=True):
    """All that a pack is made of; `entries` in their order, of which the first may be in it."""

    pack_id: str
    request: PackRequest
    beginning: Beginning
    entries: tuple[Entry, ...]
    dropped: Counter[Dropped]
    candidates: int
    capped: tuple[Capped, ...]


def fitted(draft: Draft) -> ContextPack:
    """With as many entries, from the first on, as fit: so more budget never shows less."""
    making = _Making(draft)
    low, high = 0, len(draft.entries)
    whole = making.pack(high)
    if _fits(whole, draft.request.budgets):
        return whole
    if not _fits(making.pack(0), draft.request.budgets):
        budgets = draft.request.budgets
        raise BudgetExceeded(
            f"no pack fits {budgets.max_total_chars} characters and {budgets.max_total_tokens} tokens",
            "Raise budgets.max_total_chars or max_total_tokens, or leave out the explanation.",
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fits(making.pack(middle), draft.request.budgets) else (low, middle)
    return making.pack(low)


def noted(pack: ContextPack, timings: Timings) -> ContextPack:
    return structs.replace(pack, stats=structs.replace(pack.stats, timings=timings))


def _fits(pack: ContextPack, budgets: Budgets) -> bool:
    text = pack.canonical().decode()
    return len(text) <= budgets.max_total_chars and estimate(text) <= budgets.max_total_tokens


class _Making:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._request = draft.request
        self._item = lru_cache(maxsize=None)(self._make)

    def pack(self, count: int) -> ContextPack:
        draft, request = self._draft, self._request
        chosen = draft.entries[:count]
        grouped = _grouped(chosen, [self._item(i) for i in range(count)])
        return ContextPack(
            format_version=artifact.FORMAT_VERSION,
            schema=artifact.SCHEMA,
            schema_version=artifact.SCHEMA_VERSION,
            index_signature=request.index_signature,
            pack_id=draft.pack_id,
            request=request,
            budgets=_resolved(request),
            seeds=_seeds(draft),
            sections=grouped,
            stats=self._stats(chosen, grouped),
            explain=self._explained(chosen) if request.include_explain else UNSET,
        )

    def _make(self, number: int) -> ContextItem:
        return _item(self._draft.entries[number], self._request.budgets.max_bytes_per_item)

    def _stats(self, chosen: tuple[Entry, ...], grouped: tuple[ContextSection, ...]) -> ContextPackStats:
        dropped = self._draft.dropped + Counter({"budget": len(self._draft.entries) - len(chosen)})
        reasons: tuple[Dropped, ...] = ("budget", "noEvidence", "duplicate", "unsupported")
        return ContextPackStats(
            items=len(chosen),
            sections=artifact.counted(grouped),
            candidates=self._draft.candidates,
            dropped={reason: dropped[reason] for reason in reasons},
            max_hop=max((entry.lead.candidate.distance for entry in chosen if entry.lead.candidate), default=0),
        )

    def _explained(self, chosen: tuple[Entry, ...]) -> ExplainEnvelope:
        draft = self._draft
        shown = {entry.standing.uid for entry in chosen if entry.lead.is_seed}
        failed = (f"{one.retriever} could not answer: {one.reason}" for one in draft.beginning.failed)
        return ExplainEnvelope(
            rules={rule: RULES[rule] for rule in sorted({entry.lead.rule for entry in chosen})},
            evidence_gaps=tuple(gap for entry in chosen for gap in self._gaps(entry)),
            caps_met=tuple(CapMet(one.route, one.hop, one.bound, one.nodes) for one in draft.capped),
            seeds=tuple(SeedReasons(one.chunk, one.reasons) for one in draft.beginning.seeds if one.chunk in shown),
            warnings=tuple(failed),
        )

    def _gaps(self, entry: Entry) -> list[EvidenceGap]:
        steps = gaps(entry.lead.candidate, self._request) if entry.lead.candidate else []
        return [
            EvidenceGap(entry.standing.uid, pack_edge(one.kind), one.source, one.target, evidence_id(one))
            for one in steps
        ]


def evidence_id(step: Step) -> str:
    """Where an edge can be read, and what stands there."""
    return f"{step.path}:{step.line}:{step.evidence.value}"


def _item(entry: Entry, max_bytes: int) -> ContextItem:
    standing = entry.standing
    unit = standing.unit()
    start, end = standing.utf16(unit.source)
    span = standing.chunk.span
    return ContextItem(
        kind="symbol" if standing.symbol else "chunk",
        chunk_uid=standing.uid,
        symbol_id=standing.symbol or UNSET,
        file_rel_path=standing.path,
        range=Range(start, end),
        lines=Lines(span.first, span.last),
        language_id=standing.language,
        title=standing.title,
        excerpt=_excerpt(unit, max_bytes),
        scores=entry.lead.scores,
        why=_why(entry),
    )


def _excerpt(unit: elision.Unit, max_bytes: int) -> Excerpt:
    span = unit.chunk.span
    if span.end - span.start <= max_bytes:
        return Excerpt(elision.longest(unit, lambda _: True), truncated=False)
    text = elision.longest(unit, lambda text: len(text.encode()) <= max_bytes)
    return Excerpt(text, truncated=True, truncation=Truncation(max_bytes, _CAP))


def _why(entry: Entry) -> Why:
    steps = entry.lead.candidate.steps if entry.lead.candidate else ()
    return Why(
        rule=entry.lead.rule,
        path=tuple(PathStep(pack_edge(one.kind), one.source, one.target, evidence_id(one)) for one in steps),
        evidence=tuple(
            Evidence(pack_evidence(one.evidence), evidence_id(one), one.confidence, one.path, one.line, one.kind)
            for one in steps
        ),
    )


def _grouped(entries: tuple[Entry, ...], items: list[ContextItem]) -> tuple[ContextSection, ...]:
    by_section: Mapping[str, list[ContextItem]] = {name: [] for name in SECTIONS}
    for entry, item in zip(entries, items, strict=True):
        by_section[entry.lead.section].append(item)
    return tuple(ContextSection(name, tuple(some)) for name, some in by_section.items())


def _seeds(draft: Draft) -> tuple[SeedEntry, ...]:
    """All that were begun at, whether or not they are shown."""
    return tuple(_seed(rank, seed) for rank, seed in enumerate(draft.beginning.seeds, 1))


def _seed(rank: int, seed: Seed) -> SeedEntry:
    path, scope = split_id(seed.id)
    rule = "focus" if seed.focus else "seed"
    return SeedEntry(rank, rule, seed.chunk, path, seed.score, seed.id if scope else UNSET)


def _resolved(request: PackRequest) -> BudgetsResolved:
    bounds = Bounds()
    return BudgetsResolved(
        **structs.asdict(request.budgets),
        max_hops=request.expansion.max_hops,
        max_seeds=MOST_SEEDS,
        max_nodes_per_hop=bounds.widest,
        max_edges_per_hop=bounds.edges,
        max_alike_per_hop=bounds.alike,
    )
