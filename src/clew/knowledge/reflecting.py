"""Looking back on knowledge: ratings are applied, duplicates merged, contradictions found. Deterministic.

Each change is a row with the reflection's id as its reason, by which it can be undone.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.writing import KnowledgeBatch
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord

WEAKER = 0.5  # of the confidence, after a rating as not helpful


class MergedPair(Struct, frozen=True):
    """Two entities that are one, and why; `forget` of the merge's id undoes it."""

    id: str
    kept: str
    absorbed: str
    evidence: str


class KnowledgeReflection(Struct, frozen=True, omit_defaults=True):
    """Changes made by a reflection; `forget` with `id` undoes all of them."""

    id: str
    strengthened: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    merged: tuple[MergedPair, ...] = ()
    contradictions: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.strengthened or self.weakened or self.merged or self.contradictions)


def reflect_on(
    batch: KnowledgeBatch,
    catalog: KnowledgeCatalog,
    reader: KnowledgeReader,
    reflection: str,
    conflicts: Iterable[tuple[KnowledgeRecord, KnowledgeRecord]],
) -> KnowledgeReflection:
    reason = f"reflection {reflection}"
    better, worse = _apply_ratings(batch, catalog, reader, reason)
    merged = [
        MergedPair(batch.merge(absorbed.id, kept.id, evidence, reason).id, kept.id, absorbed.id, evidence)
        for kept, absorbed, evidence in find_duplicates(catalog, reader)
    ]
    pairs = tuple((one.id, other.id) for one, other in conflicts)
    return KnowledgeReflection(reflection, tuple(better), tuple(worse), tuple(merged), pairs)


def _apply_ratings(
    batch: KnowledgeBatch, catalog: KnowledgeCatalog, reader: KnowledgeReader, reason: str
) -> tuple[list[str], list[str]]:
    """Rated records and the links that lead to them become surer or less sure; each rating counts once."""
    better: dict[str, None] = {}
    worse: dict[str, None] = {}
    ratings = [one for one in catalog.current.values() if one.kind is KnowledgeKind.FEEDBACK and reader.may_read(one)]
    for rating in sorted(ratings, key=lambda one: (one.number, one.id)):
        rated = catalog.get(rating.body.target, reader)
        helpful = rating.body.confidence > 0
        if rated is not None:
            links = [link for link, _ in catalog.links(rated.id, reader)]
            for record in (rated, *links):
                now = catalog.current[record.id]
                sure = now.body.confidence
                batch.strengthen(now, 1 - (1 - sure) / 2 if helpful else WEAKER * sure, reason)
                (better if helpful else worse).setdefault(record.id)
        batch.finish(rating, reason)
    return list(better), list(worse)


def find_duplicates(
    catalog: KnowledgeCatalog, reader: KnowledgeReader
) -> list[tuple[KnowledgeRecord, KnowledgeRecord, str]]:
    """Entities of one scope that mean the same thing, the older one first, with the evidence."""
    groups: dict[tuple[object, ...], list[KnowledgeRecord]] = defaultdict(list)
    for record in catalog.nodes(reader):
        if record.kind is KnowledgeKind.ENTITY:
            for name in (record.body.name, *record.body.aliases):
                groups[record.scope, record.owner, names.singular(names.fold(name))].append(record)
    absorbed: set[str] = set()
    found = []
    for key in sorted(groups, key=str):
        group = sorted({one.id: one for one in groups[key]}.values(), key=lambda one: (one.known_from, one.id))
        kept = group[0]
        for other in group[1:]:
            if other.id in absorbed or kept.id in absorbed or not _may_be_one(kept, other):
                continue
            absorbed.add(other.id)
            found.append((kept, other, f"both are called {key[-1]!r}"))
    return found


def _may_be_one(one: KnowledgeRecord, other: KnowledgeRecord) -> bool:
    types = names.fold(one.body.type), names.fold(other.body.type)
    codes = one.body.code, other.body.code
    return (not all(types) or types[0] == types[1]) and (not all(codes) or codes[0] == codes[1])
