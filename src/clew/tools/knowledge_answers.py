"""Answers of the tools that read knowledge."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.linearize import describe_path
from clew.knowledge.merging import MergedNode
from clew.knowledge.views import KnowledgeStep, KnowledgeView, ViewNode
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord, KnowledgeSource
from clew.model.time import FOREVER, to_iso
from clew.tools.budget import Priority, Shape, grow_lists, grow_rows, only
from clew.tools.freshness import count_of

if TYPE_CHECKING:
    from clew.knowledge.recall import KnowledgeItem  # numpy is heavy

INSTRUCTION = (
    "Use seed_entity_ids (not the ids of matches) for entity_lookup, temporal_expand and causal_expand; give their "
    "handles to subgraph_merge."
)


class KnowledgeRow(Struct, frozen=True, omit_defaults=True):
    """A node: what it says, when it held, who recorded it and from which source; and why it is here."""

    id: str
    kind: str
    text: str
    score: float = 0.0
    evidence: float = 0.0
    description: str = ""
    occurred_at: str = ""
    valid_from: str = ""
    valid_to: str = ""
    superseded: bool = False
    direction: str = ""
    depth: int = 0
    views: dict[str, float] = {}
    path: str = ""
    why: str = ""
    code: str = ""
    agent_id: str = ""
    recorded_at: str = ""
    source: KnowledgeSource = KnowledgeSource()
    conflicts_with: tuple[str, ...] = ()


def row_of(record: KnowledgeRecord, **more: Any) -> KnowledgeRow:
    is_fact, body = record.kind is KnowledgeKind.FACT, record.body
    return KnowledgeRow(
        id=record.id,
        kind=str(record.kind),
        text=record.title,
        description=body.description if body.name else "",
        occurred_at=to_iso(record.valid_from) if record.kind is KnowledgeKind.EVENT else "",
        valid_from=to_iso(record.valid_from) if is_fact else "",
        valid_to=to_iso(record.valid_to) if is_fact and record.valid_to < FOREVER else "",
        code=body.code,
        agent_id=record.who.agent_id,
        recorded_at=to_iso(record.known_from),
        source=body.origin,
        **more,
    )


class SemanticMatches(Struct, frozen=True, omit_defaults=True):
    """Entities to start from, then the nodes that say what the query says."""

    seed_entity_ids: tuple[str, ...]
    seed_entity_count: int
    instruction: str
    matches: tuple[KnowledgeRow, ...]
    misses: tuple[KnowledgeRow, ...] = ()

    def summary(self) -> str:
        if not self.matches:
            near = f" {count_of(len(self.misses), 'near miss', 'near misses')}." if self.misses else ""
            return f"Nothing that is recorded says this.{near}"
        best = self.matches[0]
        found = f"{count_of(len(self.matches), 'match', 'matches')}, {self.seed_entity_count} seed entities"
        return f"{found}; best: {best.text[:80]} ({best.score:.2f})."


SHORT = ("id", "kind", "text", "score", "valid_to", "superseded")
MATCHES_SHAPE = Shape(
    {"instruction": Priority.HIGH, "seed_entity_ids": Priority.HIGH, "misses": Priority.LOW},
    grow_rows(SHORT, "matches"),
    pages=("matches",),
)


class ExpandedView(Struct, frozen=True, omit_defaults=True):
    """The best nodes of a view, and the handle by which subgraph_merge finds all of them."""

    handle: str
    view: str
    nodes: tuple[KnowledgeRow, ...]
    total: int
    seeds: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    stopped: bool = False
    skipped: str = ""

    def summary(self) -> str:
        strange = f" Not known: {', '.join(self.unknown[:5])}." if self.unknown else ""
        if self.skipped and not self.nodes:
            return f"The {self.view} view is empty: {self.skipped}.{strange}"
        cut = " It stopped at its limit." if self.stopped else ""
        return f"{count_of(self.total, 'node', 'nodes')} in the {self.view} view, as {self.handle}.{cut}{strange}"


EXPANDED_SHAPE = Shape({"seeds": Priority.LOW, "unknown": Priority.MEDIUM}, grow_rows((*SHORT, "direction"), "nodes"))


class CausalView(Struct, frozen=True, omit_defaults=True):
    """Causes upstream and effects downstream of what affects the entities, and events of these, each with its path."""

    handle: str
    affecting: tuple[KnowledgeRow, ...]
    upstream: tuple[KnowledgeRow, ...]
    downstream: tuple[KnowledgeRow, ...]
    events: tuple[KnowledgeRow, ...]
    total: int
    seeds: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    stopped: bool = False
    skipped: str = ""

    def summary(self) -> str:
        strange = f" Not known: {', '.join(self.unknown[:5])}." if self.unknown else ""
        if not self.total:
            return f"No causes are recorded for these entities: {self.skipped or 'none affects them'}.{strange}"
        return (
            f"{len(self.affecting)} affecting the entities, {len(self.upstream)} upstream, {len(self.downstream)} "
            f"downstream, as {self.handle}.{strange}"
        )


CAUSAL_SHAPE = Shape(
    {"seeds": Priority.LOW, "unknown": Priority.MEDIUM},
    grow_lists(
        "affecting", "upstream", "downstream", "events",
        forms={name: (only("id", "text", "score"),) for name in ("affecting", "upstream", "downstream", "events")},
        in_turns=("affecting", "upstream", "downstream", "events"),
    ),
)  # fmt: skip


class MergedView(Struct, frozen=True, omit_defaults=True):
    """Nodes of several views, ranked; `views` gives the weighted score of each view."""

    handle: str
    intent: str
    nodes: tuple[KnowledgeRow, ...]
    total: int
    weights: dict[str, float] = {}

    def summary(self) -> str:
        shared = sum(len(one.views) > 1 for one in self.nodes)
        return (
            f"{count_of(self.total, 'node', 'nodes')} for {self.intent}, {shared} in several views, as {self.handle}."
        )


MERGED_SHAPE = Shape({"weights": Priority.LOW}, grow_rows((*SHORT, "views"), "nodes"))


class LinearContext(Struct, frozen=True, omit_defaults=True):
    """Lines of text for a model: recorded words stay quoted within their line."""

    text: str
    intent: str
    shown: int
    total: int

    def summary(self) -> str:
        left = f", {self.total - self.shown} left out" if self.total > self.shown else ""
        return f"{count_of(self.shown, 'node', 'nodes')} in the order of {self.intent}{left}."


class KnowledgeStatistics(Struct, frozen=True, omit_defaults=True):
    """Readable records by kind; facts that hold now and that ended; conflicts; predicates by use."""

    nodes: dict[str, int]
    links: dict[str, int]
    facts_holding: int
    facts_ended: int
    conflicts: int
    merges: int
    single_valued: tuple[str, ...] = ()
    oldest: str = ""
    newest: str = ""

    def summary(self) -> str:
        total, links = sum(self.nodes.values()), sum(self.links.values())
        against = f" {count_of(self.conflicts, 'conflict', 'conflicts')}." if self.conflicts else ""
        return f"{count_of(total, 'node', 'nodes')}, {count_of(links, 'link', 'links')}.{against}"


class ClearedGraph(Struct, frozen=True, omit_defaults=True):
    """`export` is the file from which `clew knowledge restore` brings everything back."""

    removed: int
    export: str = ""
    confirm: str = ""

    def summary(self) -> str:
        rows = count_of(self.removed, "record", "records")
        if self.confirm:
            return f"This would remove {rows}. Repeat it with confirm={self.confirm!r}."
        return f"Removed {rows}; `clew knowledge restore {self.export}` brings them back."


class ForgottenKnowledge(Struct, frozen=True, omit_defaults=True):
    """The record and what hung on it. All stay readable as of earlier times until `clew forget` erases them."""

    id: str
    ended: tuple[str, ...]

    def summary(self) -> str:
        more = len(self.ended) - 1
        return f"{self.id} is forgotten{f', with {more} more that hung on it' if more else ''}."


class KnowledgeConflict(Struct, frozen=True):
    """Facts of a single-valued predicate that hold at the same time; the preferred one first, and why."""

    facts: tuple[str, ...]
    texts: tuple[str, ...]
    preferred_because: str


class ViewReport(Struct, frozen=True, omit_defaults=True):
    name: str
    nodes: int
    skipped: str = ""
    stopped: bool = False


class RecallAnswer(Struct, frozen=True, omit_defaults=True):
    """What is known of a question: an answer that quotes its sources, the items that it rests on, and near misses.

    `confidence` is how likely an item answers; `items` is cut where the evidence ends.
    """

    answer: str
    confidence: float
    intent: str
    items: tuple[KnowledgeRow, ...]
    nearest_misses: tuple[KnowledgeRow, ...] = ()
    conflicts: tuple[KnowledgeConflict, ...] = ()
    views: tuple[ViewReport, ...] = ()
    weights: dict[str, float] = {}
    seeds: tuple[str, ...] = ()
    planned_by: str = "rules"
    written_by: str = "extracts"
    reason: str = ""
    fallback: str = ""
    problems: tuple[str, ...] = ()

    def summary(self) -> str:
        if not self.items:
            near = f" {count_of(len(self.nearest_misses), 'near miss', 'near misses')}." if self.nearest_misses else ""
            return f"Nothing is known about this.{near}"
        against = f" {count_of(len(self.conflicts), 'conflict', 'conflicts')}." if self.conflicts else ""
        found = count_of(len(self.items), "item", "items")
        failed = f" {self.problems[0]}" if self.problems else ""
        return f"{found} for {self.intent}, confidence {self.confidence:.2f}.{against}{failed}"


RECALL_ANSWER_SHAPE = Shape(
    {
        "views": Priority.LOW, "weights": Priority.LOW, "seeds": Priority.LOW, "reason": Priority.LOW,
        "nearest_misses": Priority.MEDIUM, "conflicts": Priority.HIGH, "fallback": Priority.LOW,
        "problems": Priority.HIGH,
    },
    grow_rows(("id", "kind", "text", "evidence", "valid_from", "valid_to", "superseded"), "items"),
    pages=("items",),
)  # fmt: skip


def node_rows(
    catalog: KnowledgeCatalog, reader: KnowledgeReader, nodes: Sequence[ViewNode], view: KnowledgeView
) -> tuple[KnowledgeRow, ...]:
    rows = []
    for node in nodes:
        record = catalog.get(node.id, reader)
        if record is not None:
            path = describe_path(catalog, reader, node.path, record)
            rows.append(
                row_of(
                    record, score=node.score, depth=node.depth, path=path, direction=str(node.direction),
                    why=f"{view.name} view",
                )
            )  # fmt: skip
    return tuple(rows)


def merged_rows(
    catalog: KnowledgeCatalog, reader: KnowledgeReader, nodes: Sequence[MergedNode]
) -> tuple[KnowledgeRow, ...]:
    found = [(node, catalog.get(node.id, reader)) for node in nodes]
    return tuple(
        row_of(
            record, score=node.score, views=node.views, direction=str(node.direction),
            path=describe_path(catalog, reader, _best_path(node), record),
        )
        for node, record in found
        if record is not None
    )  # fmt: skip


def item_row(
    catalog: KnowledgeCatalog, reader: KnowledgeReader, item: "KnowledgeItem", conflicts: tuple[str, ...] = ()
) -> KnowledgeRow:
    return row_of(
        item.record, score=item.node.score, evidence=item.evidence, views=item.node.views, superseded=item.superseded,
        direction=str(item.node.direction), conflicts_with=conflicts,
        path=describe_path(catalog, reader, _best_path(item.node), item.record),
    )  # fmt: skip


def _best_path(node: MergedNode) -> tuple[KnowledgeStep, ...]:
    ordered = sorted(node.paths, key=lambda name: (-node.views.get(name, 0.0), name))
    return next((node.paths[name] for name in ordered if node.paths[name]), ())
