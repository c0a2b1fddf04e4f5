"""Entries as items of a context pack, and the pack of as many of them as fit its budgets, as it is written."""

from collections import Counter

from msgspec import UNSET, Struct, structs

from clew.graph.spreading import Bounds
from clew.model.code import Edge, split_id
from clew.model.errors import BudgetExceeded
from clew.model.search import RetrieverFailure
from clew.model.words import pack_edge, pack_evidence
from clew.pack import artifact, elision
from clew.pack.artifact import CapMet, ContextItem, ContextPack, ContextSection, Dropped
from clew.pack.fitting import Measure, at_once, fitted
from clew.pack.gather import MOST_SEEDS
from clew.pack.matching import Match
from clew.pack.request import Budgets, PackRequest
from clew.pack.sections import RULES, SECTIONS, SectionEntry, gaps
from clew.text.tokens import estimate

_CAP = "maxBytesPerItem"
SMALLER = "; include_explain=false makes it smaller."


class Draft(Struct, frozen=True):
    """All that a pack is made of; `entries` in their order, each one step of it."""

    pack_id: str
    request: PackRequest
    seeds: tuple[Match, ...]
    failed: tuple[RetrieverFailure, ...]
    entries: tuple[SectionEntry, ...]
    dropped: Counter[Dropped]
    candidates: int
    capped: tuple[CapMet, ...]


class TooSmall(BudgetExceeded):
    """`tokens` are what a pack with its first item takes, in round figures: with its budgets it grows a little."""

    def __init__(self, request: PackRequest, smallest: str) -> None:
        budgets = request.budgets
        self.tokens, characters = (_rounded(size) for size in (estimate(smallest), len(smallest)))
        self.smaller = SMALLER if request.include_explain else "."
        super().__init__(
            f"no pack fits {budgets.max_total_chars} characters and {budgets.max_total_tokens} tokens",
            f"With an item it takes budgets.max_total_tokens={self.tokens} "
            f"and max_total_chars={characters}{self.smaller}",
        )


def _rounded(size: int) -> int:
    return (size // 100 + 2) * 100


def assembled(draft: Draft) -> ContextPack:
    """With as many entries, from the first on, as fit: so more budget never shows less."""
    making, budgets = _Making(draft), draft.request.budgets
    measure = Measure[SectionEntry](0, lambda cut: _over(making.pack(cut.shown), budgets))
    cut = fitted(draft.entries, at_once(draft.entries), measure)
    if cut is None:
        raise TooSmall(draft.request, making.pack(draft.entries[:1]).canonical().decode())
    return making.pack(cut.shown)


def _over(pack: ContextPack, budgets: Budgets) -> int:
    """By how much it is too long; not above nothing if it fits."""
    text = pack.canonical().decode()
    return max(len(text) - budgets.max_total_chars, 0) or estimate(text) - budgets.max_total_tokens


class _Making:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._request = draft.request
        self._items: dict[str, ContextItem] = {}
        self._reasons = {one.quoted.uid: one.reasons() for one in draft.seeds} if draft.request.include_explain else {}

    def pack(self, chosen: tuple[SectionEntry, ...]) -> ContextPack:
        draft, request = self._draft, self._request
        grouped = tuple(
            ContextSection(name, tuple(self._item(one) for one in chosen if one.section == name)) for name in SECTIONS
        )
        return ContextPack(
            format_version=artifact.FORMAT_VERSION,
            schema=artifact.SCHEMA,
            schema_version=artifact.SCHEMA_VERSION,
            index_signature=request.index_signature,
            pack_id=draft.pack_id,
            request=request,
            budgets=_resolved(request),
            seeds=tuple(_seed(rank, one) for rank, one in enumerate(draft.seeds, 1)),
            sections=grouped,
            stats=self._stats(chosen, grouped),
            explain=self._explained(chosen) if request.include_explain else UNSET,
        )

    def _item(self, entry: SectionEntry) -> ContextItem:
        """Made once, for all packs that are tried."""
        uid = entry.standing.uid
        if uid not in self._items:
            self._items[uid] = _item(entry, self._request.budgets.max_bytes_per_item)
        return self._items[uid]

    def _stats(
        self, chosen: tuple[SectionEntry, ...], grouped: tuple[ContextSection, ...]
    ) -> artifact.ContextPackStats:
        dropped = self._draft.dropped + Counter({"budget": len(self._draft.entries) - len(chosen)})
        reasons: tuple[Dropped, ...] = ("budget", "noEvidence", "duplicate", "unsupported")
        return artifact.ContextPackStats(
            items=len(chosen),
            sections=artifact.counted(grouped),
            candidates=self._draft.candidates,
            dropped={reason: dropped[reason] for reason in reasons},
            max_hop=max((entry.lead.candidate.distance for entry in chosen if entry.lead.candidate), default=0),
        )

    def _explained(self, chosen: tuple[SectionEntry, ...]) -> artifact.ExplainEnvelope:
        draft = self._draft
        shown = {entry.standing.uid for entry in chosen if entry.lead.is_seed}
        failed = (f"{one.retriever} could not answer: {one.reason}" for one in draft.failed)
        return artifact.ExplainEnvelope(
            rules={rule: RULES[rule] for rule in sorted({entry.lead.rule for entry in chosen})},
            evidence_gaps=tuple(gap for entry in chosen for gap in self._gaps(entry)),
            caps_met=draft.capped,
            seeds=tuple(artifact.SeedReasons(uid, told) for uid, told in self._reasons.items() if uid in shown),
            warnings=tuple(failed),
        )

    def _gaps(self, entry: SectionEntry) -> list[artifact.EvidenceGap]:
        candidate, uid = entry.lead.candidate, entry.standing.uid
        missing = gaps(candidate, self._request) if candidate else ()
        return [artifact.EvidenceGap(uid, *_told(edge)) for edge in missing]


def evidence_id(edge: Edge) -> str:
    """Where an edge can be read, and what stands there."""
    return f"{edge.path}:{edge.line}:{edge.evidence.value}"


def _told(edge: Edge) -> tuple[str, str, str, str]:
    return pack_edge(edge.kind), edge.source, edge.target, evidence_id(edge)


def _item(entry: SectionEntry, max_bytes: int) -> ContextItem:
    standing = entry.standing
    unit = standing.unit()
    start, end = standing.utf16(unit.source)
    span = standing.chunk.span
    return ContextItem(
        kind="symbol" if standing.symbol else "chunk",
        chunk_uid=standing.uid,
        symbol_id=standing.symbol or UNSET,
        file_rel_path=standing.path,
        range=artifact.Range(start, end),
        lines=artifact.Lines(span.first, span.last),
        language_id=standing.language,
        title=standing.title,
        excerpt=_excerpt(unit, max_bytes),
        scores=entry.lead.scores,
        why=_why(entry),
    )


def _excerpt(unit: elision.Unit, max_bytes: int) -> artifact.Excerpt:
    span = unit.chunk.span
    if span.end - span.start <= max_bytes:
        return artifact.Excerpt(elision.longest(unit, lambda _: True), truncated=False)
    text = elision.longest(unit, lambda text: len(text.encode()) <= max_bytes)
    return artifact.Excerpt(text, truncated=True, truncation=artifact.Truncation(max_bytes, _CAP))


def _why(entry: SectionEntry) -> artifact.Why:
    edges = [step.edge for step in entry.lead.candidate.steps] if entry.lead.candidate else []
    return artifact.Why(
        rule=entry.lead.rule,
        path=tuple(artifact.PathStep(*_told(one)) for one in edges),
        evidence=tuple(
            artifact.Evidence(
                pack_evidence(one.evidence), evidence_id(one), one.confidence, one.path, one.line, one.kind
            )
            for one in edges
        ),
    )


def _seed(rank: int, seed: Match) -> artifact.SeedEntry:
    """Whether or not it is shown."""
    path, scope = split_id(seed.id)
    rule = "focus" if seed.named else "seed"
    return artifact.SeedEntry(rank, rule, seed.quoted.uid, path, seed.score, seed.id if scope else UNSET)


def _resolved(request: PackRequest) -> artifact.BudgetsResolved:
    bounds = Bounds()
    return artifact.BudgetsResolved(
        **structs.asdict(request.budgets),
        max_hops=request.expansion.max_hops,
        max_seeds=MOST_SEEDS,
        max_nodes_per_hop=bounds.widest,
        max_edges_per_hop=bounds.edges,
        max_alike_per_hop=bounds.alike,
    )
