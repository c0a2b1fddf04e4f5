"""Entries as items of a context pack, and the pack of as many of them as fit its budgets, as it is written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from msgspec import UNSET, Struct, structs

from clew.graph.spreading import Bounds
from clew.model.code import Edge, split_id
from clew.model.errors import BudgetExceeded
from clew.model.search import RetrieverFailure
from clew.model.words import pack_edge, pack_evidence
from clew.pack import artifact, elision
from clew.pack.artifact import LEAN, CapMet, ContextItem, ContextPack, ContextSection, Dropped
from clew.pack.elision import windows
from clew.pack.fitting import Cut, FillStep, Measure, fit_steps
from clew.pack.gather import MOST_SEEDS
from clew.pack.lean import lean, lean_item
from clew.pack.matching import Match
from clew.pack.quoting import Worth
from clew.pack.request import PackRequest, canonical
from clew.pack.sections import RULES, SECTIONS, SectionEntry, gaps
from clew.pack.shares import OPENING, PART, ExcerptSize, TurnOrder
from clew.retrieve import excerpt
from clew.retrieve.question import understand
from clew.text.tokens import estimate

_CAP, _BUDGET = "maxBytesPerItem", "budget"


class Draft(Struct, frozen=True):
    """All that a pack is made of."""

    pack_id: str
    request: PackRequest
    seeds: tuple[Match, ...]
    failed: tuple[RetrieverFailure, ...]
    order: TurnOrder
    dropped: Counter[Dropped]
    candidates: int
    capped: tuple[CapMet, ...]


class ShownEntry(Struct, frozen=True):
    """An entry with the text that a pack shows of it."""

    entry: SectionEntry
    text: str

    @property
    def section(self) -> str:
        return self.entry.section

    @property
    def size(self) -> int:
        return len(self.text.encode())


class TooSmall(BudgetExceeded):
    """`tokens` is the cost of a pack with its first item alone, rounded up, since stating its budgets adds a little."""

    def __init__(self, request: PackRequest, smallest: str, summary: int) -> None:
        budgets = request.budgets
        self.tokens, characters = _round_up(estimate(smallest) + summary), _round_up(len(smallest))
        self.is_full = request.form == "full"
        self.smaller = "; form=lean makes it smaller." if self.is_full else "."
        super().__init__(
            f"no pack fits {budgets.max_total_chars} characters and {budgets.max_total_tokens} tokens",
            f"With an item it takes budgets.max_total_tokens={self.tokens} "
            f"and budgets.max_total_chars={characters}{self.smaller}",
        )


def _round_up(size: int) -> int:
    return (size // 50 + 2) * 50


def fill_pack(draft: Draft) -> ContextPack:
    """As many steps of its order as fit the budgets: so a larger pack shows every item of a smaller one."""
    filling = _PackMeasure(draft)
    cut = fit_steps(draft.order.entries, filling.steps(), filling)
    if cut is None or (draft.order.turns and not cut.shown):
        raise TooSmall(draft.request, *filling.write(tuple(step.shown for step in islice(filling.steps(), 1))))
    return filling.pack(cut.shown)


class _PackMeasure(Measure[ShownEntry]):
    """Makes the items of a pack, and prices them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._request = draft.request
        self.limit = draft.request.budgets.max_total_tokens
        self._texts: dict[tuple[str, ExcerptSize], str] = {}
        self._items: dict[tuple[str, str], ContextItem] = {}
        self._prices: dict[tuple[str, str], int] = {}
        self._worth = Worth(understand(draft.request.query).terms)
        self._reasons = {one.quoted.uid: one.reasons() for one in draft.seeds} if draft.request.include_explain else {}

    def steps(self) -> Iterator[FillStep[ShownEntry]]:
        for turn in self._draft.order.turns:
            entry = self._draft.order.entries[turn.entry]
            shown = ShownEntry(entry, self._text(entry, turn.size))
            yield FillStep(turn.entry, shown, _Stages(self, entry, turn.size))

    def whole(self, cut: Cut[ShownEntry]) -> int:
        """As it is written, the summary of the lean form included; too many, if it has too many characters."""
        text, summary = self.write(cut.shown)
        return estimate(text) + summary if len(text) <= self._request.budgets.max_total_chars else self.limit + 1

    def stages(self, entry: SectionEntry, size: ExcerptSize) -> Iterator[ShownEntry]:
        """Shorter forms, for where the whole does not fit."""
        for text in self._windows(entry.standing.unit(), self._limit(size)):
            yield ShownEntry(entry, text)

    def _text(self, entry: SectionEntry, size: ExcerptSize) -> str:
        """Made once. Of a unit that is too long even in its shortest form, nothing."""
        key = entry.standing.uid, size
        if key not in self._texts:
            unit = entry.standing.unit()
            shortest = _shortest(unit, self._limit(ExcerptSize.WHOLE))
            self._texts[key] = self._longest(unit, self._limit(size)) or shortest
        return self._texts[key]

    def _limit(self, size: ExcerptSize) -> int:
        """In bytes."""
        most = self._request.budgets.max_bytes_per_item
        bytes_of = {ExcerptSize.LEAST: 0, ExcerptSize.PART: PART, ExcerptSize.OPENING: OPENING}
        return min(bytes_of.get(size, most), most)

    def _longest(self, unit: elision.Unit, limit: int) -> str:
        """The longest form that fits: whole, folded, or the lines most relevant to the query."""
        folded = elision.longest(unit, lambda text: len(text.encode()) <= limit) if limit else ""
        return max(folded, *self._windows(unit, limit), "", key=len)

    def _windows(self, unit: elision.Unit, limit: int) -> Iterator[str]:
        return takewhile(lambda text: len(text.encode()) <= limit, windows(unit, self._worth.of))

    def item(self, shown: ShownEntry) -> int:
        """Tokens of its item and of the item's reasons."""
        key = shown.entry.standing.uid, shown.text
        if key not in self._prices:
            item = self._item(shown)
            parts = [canonical(lean_item(item) if self._request.form == LEAN else item)]
            if self._request.form != LEAN and shown.entry.lead.is_seed and key[0] in self._reasons:
                parts.append(canonical(artifact.SeedReasons(key[0], self._reasons[key[0]])))
            self._prices[key] = sum(estimate(part.decode()) for part in parts)
        return self._prices[key]

    def write(self, chosen: tuple[ShownEntry, ...]) -> tuple[str, int]:
        """In the form that the budgets hold for; and the tokens of its summary, which count in a small budget."""
        pack = self.pack(chosen)
        if self._request.form != LEAN:
            return pack.canonical().decode(), 0
        small = lean(pack)
        return small.canonical().decode(), estimate(small.summary())

    def pack(self, chosen: tuple[ShownEntry, ...]) -> ContextPack:
        draft, request = self._draft, self._request
        grouped = tuple(
            ContextSection(name, tuple(self._item(one) for one in chosen if one.section == name)) for name in SECTIONS
        )
        entries = [one.entry for one in chosen]
        return ContextPack(
            format_version=artifact.FORMAT_VERSION,
            schema=artifact.SCHEMA,
            schema_version=artifact.SCHEMA_VERSION,
            index_signature=request.index_signature,
            pack_id=draft.pack_id,
            request=request,
            budgets=_resolve_budgets(request),
            seeds=tuple(_seed(rank, one) for rank, one in enumerate(draft.seeds, 1)),
            sections=grouped,
            stats=self._stats(entries, grouped),
            explain=self._explain(entries) if request.include_explain else UNSET,
        )

    def _item(self, shown: ShownEntry) -> ContextItem:
        """Made once, for all packs that are tried."""
        key = shown.entry.standing.uid, shown.text
        if key not in self._items:
            is_longest = shown.text == self._text(shown.entry, ExcerptSize.WHOLE)
            self._items[key] = _item(shown, self._request.budgets.max_bytes_per_item if is_longest else None)
        return self._items[key]

    def _stats(self, chosen: Sequence[SectionEntry], grouped: tuple[ContextSection, ...]) -> artifact.ContextPackStats:
        dropped = self._draft.dropped + Counter({"budget": len(self._draft.order.entries) - len(chosen)})
        reasons: tuple[Dropped, ...] = ("budget", "noEvidence", "duplicate", "unsupported")
        return artifact.ContextPackStats(
            items=len(chosen),
            sections=artifact.count_items(grouped),
            candidates=self._draft.candidates,
            dropped={reason: dropped[reason] for reason in reasons},
            max_hop=max((entry.lead.candidate.distance for entry in chosen if entry.lead.candidate), default=0),
        )

    def _explain(self, chosen: Sequence[SectionEntry]) -> artifact.ExplainEnvelope:
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
        return [artifact.EvidenceGap(uid, *_describe_edge(edge)) for edge in missing]


class _Stages(Struct, frozen=True, eq=False):
    """The shorter forms of an entry, made each time that they are read."""

    measure: _PackMeasure
    entry: SectionEntry
    size: ExcerptSize

    def __iter__(self) -> Iterator[ShownEntry]:
        return self.measure.stages(self.entry, self.size)


def evidence_id(edge: Edge) -> str:
    """The location of an edge, and its kind of evidence."""
    return f"{edge.path}:{edge.line}:{edge.evidence.value}"


def _describe_edge(edge: Edge) -> tuple[str, str, str, str]:
    return pack_edge(edge.kind), edge.source, edge.target, evidence_id(edge)


def _item(shown: ShownEntry, max_bytes: int | None) -> ContextItem:
    """`max_bytes` is the bound that cut its text; None, if the budget of the pack did."""
    entry, standing = shown.entry, shown.entry.standing
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
        excerpt=_excerpt(unit, shown.text, max_bytes),
        scores=entry.lead.scores,
        why=_why(entry),
    )


def _shortest(unit: elision.Unit, most: int) -> str:
    return next((text for text in elision.forms(unit) if len(text.encode()) <= most), "")


def _excerpt(unit: elision.Unit, text: str, max_bytes: int | None) -> artifact.Excerpt:
    if text == excerpt.whole(unit.source, unit.chunk):
        return artifact.Excerpt(text, truncated=False)
    budget = artifact.Truncation(len(text.encode()), _BUDGET)
    cut = budget if max_bytes is None else artifact.Truncation(max_bytes, _CAP)
    return artifact.Excerpt(text, truncated=True, truncation=cut)


def _why(entry: SectionEntry) -> artifact.Why:
    edges = [step.edge for step in entry.lead.candidate.steps] if entry.lead.candidate else []
    return artifact.Why(
        rule=entry.lead.rule,
        path=tuple(artifact.PathStep(*_describe_edge(one)) for one in edges),
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


def _resolve_budgets(request: PackRequest) -> artifact.BudgetsResolved:
    bounds = Bounds()
    return artifact.BudgetsResolved(
        **structs.asdict(request.budgets),
        max_hops=request.expansion.max_hops,
        max_seeds=MOST_SEEDS,
        max_nodes_per_hop=bounds.widest,
        max_edges_per_hop=bounds.edges,
        max_alike_per_hop=bounds.alike,
    )
