"""A context pack as a value, spelled in JSON as its document has it (seed D §1.2, §3.2), and its canonical bytes.

Fields that are not a function of index, memory and request (creation time, duration, project, location, and notes on
capped options) are not part of the canonical form.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field, structs

from clew.model.search import Reason
from clew.pack.request import Budgets, PackRequest, canonical

FORMAT_VERSION = 1
SCHEMA = "ContextPack"
SCHEMA_VERSION = "1.0.0"

LEAN = "lean"

Dropped = Literal["budget", "noEvidence", "duplicate", "unsupported"]


class Range(Struct, frozen=True):
    """UTF-16 code units of the file, half-open."""

    start: int
    end: int


class Lines(Struct, frozen=True):
    """From 1 on, both included."""

    start: int
    end: int


class Truncation(Struct, frozen=True, rename="camel"):
    max_bytes: int
    reason: str


class Excerpt(Struct, frozen=True):
    text: str
    truncated: bool
    truncation: Truncation | UnsetType = UNSET


class Scores(Struct, frozen=True, rename="camel"):
    """`distance` is absent if the graph did not lead to the item. `ppr` is present if items are ordered by it."""

    seed_score: float
    evidence_score: float
    hybrid_score: float
    graph_distance: int | UnsetType = UNSET
    ppr: float | UnsetType = UNSET


class PathStep(Struct, frozen=True, rename="camel"):
    """An edge as it was read, whichever way the path goes along it."""

    edge_type: str
    source: str = field(name="from")
    target: str = field(name="to")
    evidence_id: str = ""


class Evidence(Struct, frozen=True, rename="camel"):
    """`kind` is empty where nothing that was read says so; `relation` is the edge's own kind. Line 0 is no line."""

    kind: str
    evidence_id: str
    confidence: float
    file_rel_path: str
    line: int
    relation: str


class Why(Struct, frozen=True):
    rule: str
    path: tuple[PathStep, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class ContextItem(Struct, frozen=True, rename="camel"):
    kind: Literal["chunk", "symbol"]
    chunk_uid: str
    file_rel_path: str
    range: Range
    lines: Lines
    language_id: str
    title: str
    excerpt: Excerpt
    scores: Scores
    why: Why
    symbol_id: str | UnsetType = UNSET


class ContextSection(Struct, frozen=True):
    type: str
    items: tuple[ContextItem, ...]


class SeedEntry(Struct, frozen=True, rename="camel"):
    """A seed with its rank, from 1 on; `rule` is `focus` for the subject of the request."""

    rank: int
    rule: str
    chunk_uid: str
    file_rel_path: str
    seed_score: float
    symbol_id: str | UnsetType = UNSET


class BudgetsResolved(Budgets, frozen=True, forbid_unknown_fields=False, rename="camel"):
    """Every bound that held: the request's, and those of the expansion, by hop."""

    max_hops: int
    max_seeds: int
    max_nodes_per_hop: int
    max_edges_per_hop: int
    max_alike_per_hop: int


class EvidenceGap(Struct, frozen=True, rename="camel"):
    """A step on the way to an item that has no evidence of the kinds that count."""

    chunk_uid: str
    edge_type: str
    source: str = field(name="from")
    target: str = field(name="to")
    evidence_id: str = ""


class CapMet(Struct, frozen=True):
    """A bound of the expansion that left nodes out."""

    route: str
    hop: int
    bound: str
    nodes: int


class SeedReasons(Struct, frozen=True, rename="camel"):
    chunk_uid: str
    reasons: tuple[Reason, ...]


class ExplainEnvelope(Struct, frozen=True, rename="camel"):
    """The rules that selected the items, in words; missing evidence; limits that were reached; reasons of the seeds."""

    rules: Mapping[str, str]
    evidence_gaps: tuple[EvidenceGap, ...]
    caps_met: tuple[CapMet, ...]
    seeds: tuple[SeedReasons, ...]
    warnings: tuple[str, ...]


class Timings(Struct, frozen=True, rename="camel"):
    """Milliseconds: of the retrieval, of the graph, of all that is asked for, and in all."""

    seeds_ms: float
    graph_ms: float
    render_ms: float
    total_ms: float


class ContextPackStats(Struct, frozen=True, rename="camel"):
    """`candidates` counts all that the graph and the retrieval brought; `dropped` why some are not here."""

    items: int
    sections: Mapping[str, int]
    candidates: int
    dropped: Mapping[Dropped, int]
    max_hop: int
    timings: Timings | UnsetType = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET


class ContextPack(Struct, frozen=True, rename="camel"):
    format_version: int
    schema: str
    schema_version: str
    index_signature: str
    pack_id: str
    request: PackRequest
    budgets: BudgetsResolved
    seeds: tuple[SeedEntry, ...]
    sections: tuple[ContextSection, ...]
    stats: ContextPackStats
    explain: ExplainEnvelope | UnsetType = UNSET
    created_at: str | UnsetType = UNSET
    written: bool | UnsetType = UNSET

    def summary(self) -> str:
        counts = ", ".join(_count(n, name) for name, n in self.stats.sections.items() if n)
        left = self.stats.dropped.get("budget", 0)
        more = f" {left}{' more' if counts else ''} did not fit its budgets." if left else ""
        kept = " It was written." if self.written is True else ""
        said = f"Pack {self.pack_id[:12]}: {counts or ('empty' if left else 'nothing found')}.{more}{kept}"
        return " ".join([said, *(self.stats.warnings or ())])

    def items(self) -> list[ContextItem]:
        return [item for section in self.sections for item in section.items]

    def bare(self) -> "ContextPack":
        """Without the fields that are not a function of index, memory and request."""
        request = structs.replace(self.request, repo_id=UNSET, index_root=UNSET)
        stats = structs.replace(self.stats, timings=UNSET, warnings=UNSET)
        return structs.replace(self, request=request, stats=stats, created_at=UNSET, written=UNSET)

    def canonical(self) -> bytes:
        return canonical(self.bare())


class LeanExcerpt(Struct, frozen=True, omit_defaults=True):
    text: str
    truncated: bool = False


class LeanWhy(Struct, frozen=True, omit_defaults=True):
    """The rule, and for an item that is no seed the name of the node that it leads to or comes from."""

    rule: str
    of: str = ""


class LeanItem(Struct, frozen=True, rename="camel"):
    chunk_uid: str
    lines: Lines
    excerpt: LeanExcerpt
    why: LeanWhy
    symbol_id: str | UnsetType = UNSET


class LeanSection(Struct, frozen=True):
    type: str
    items: tuple[LeanItem, ...]


class LeanPack(Struct, frozen=True, rename="camel"):
    """Sections without items are omitted. `left_out` counts the items that did not fit the budget."""

    pack_id: str
    sections: tuple[LeanSection, ...]
    left_out: int = 0
    form: str = LEAN
    written: bool | UnsetType = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET

    def summary(self) -> str:
        counts = ", ".join(_count(len(section.items), section.type) for section in self.sections)
        more = f" {self.left_out}{' more' if counts else ''} did not fit." if self.left_out else ""
        kept = " It was written." if self.written is True else ""
        return f"Pack {self.pack_id[:12]}: {counts or 'nothing found'}.{more}{kept}"

    def items(self) -> list[LeanItem]:
        return [item for section in self.sections for item in section.items]

    def canonical(self) -> bytes:
        return canonical(structs.replace(self, written=UNSET, warnings=UNSET))


def _count(number: int, section: str) -> str:
    return f"{number} {section.removesuffix('s') if number == 1 else section}"


def count_items(sections: Sequence[ContextSection]) -> dict[str, int]:
    return {section.type: len(section.items) for section in sections}
