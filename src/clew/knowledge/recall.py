"""The whole way from a question to what is known of it: plan, seeds, views, merge, cut.

Evidence is the probability that a node answers (`evidence.py`). Without evidence the answer is that nothing is known,
with the nearest misses apart.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.evidence import ENOUGH, NEAR_BEST, NEAR_MISS, QuestionEvidence, split_words, thing_named
from clew.knowledge.intent import Intent, QuestionPlan, ViewName
from clew.knowledge.merging import MergedNode, merge_views
from clew.knowledge.search import KnowledgeSearch, Near, SearchHits, find_named
from clew.knowledge.views import (
    KnowledgeView,
    ViewNode,
    ViewRequest,
    expand_causes,
    expand_entities,
    expand_events,
    is_shown,
)
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord
from clew.model.time import FIRST, FOREVER
from clew.text.terms import Lexicon

MOST_MISSES = 3
MOST_OTHER_NAMES = 5  # of the things that a question names

Count = Callable[[Sequence[str]], tuple[Mapping[str, int], int]]  # in how many texts terms are, and of how many


class RecallSettings(NamedTuple):
    """Bounds of a recall, from `[magma]`."""

    top_k: int = 10
    floor: float = 0.5
    least_nodes: int = 3
    most_nodes: int = 50
    boost: float = 1.5


class KnowledgeQuestion(NamedTuple):
    """A question, by whom, as of when; `since` and `until` bound events."""

    text: str
    plan: QuestionPlan
    reader: KnowledgeReader
    at: int
    since: int = FIRST
    until: int = FOREVER
    past: bool = False


class KnowledgeItem(Struct, frozen=True):
    """A node of the answer: `evidence` is how much of the question it answers, from 0 to 1."""

    record: KnowledgeRecord
    evidence: float
    node: MergedNode
    superseded: bool = False


class RecallFindings(Struct, frozen=True):
    """Items in the order of their rank, near misses, what the views did, and how sure it is that an item answers."""

    items: tuple[KnowledgeItem, ...]
    misses: tuple[KnowledgeItem, ...]
    views: tuple[KnowledgeView, ...]
    seeds: tuple[str, ...]
    named: tuple[str, ...]
    confidence: float
    fallback: str = ""


class KnowledgeRecall:
    def __init__(self, search: KnowledgeSearch) -> None:
        self._search = search
        self._lexicon = Lexicon()

    def find(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        settings: RecallSettings,
        near: Near | None = None,
        asked: QuestionEvidence | None = None,
        without: frozenset[ViewName] = frozenset(),
    ) -> RecallFindings:
        """`asked` rates texts, `without` names views that are left out, to measure the others."""
        plan = question.plan
        asked = asked or self.read_question(catalog, question)
        hits = self._search.find(catalog, question.reader, question.text, max(settings.top_k, 1), near)
        past = question.past or plan.asks_past
        request = ViewRequest(
            catalog, question.reader, hits.similarity, question.at, settings.most_nodes, past, question.since,
            question.until,
        )  # fmt: skip
        seeds = find_seeds(catalog, question.reader, hits, settings.floor)
        matched = [
            ViewNode(one.id, one.score, 0)
            for one in hits.matches
            if (record := catalog.get(one.id, question.reader)) and is_shown(request, record)
        ]
        causal = [
            one.id for one in matched if one.score >= settings.floor and _is_cause(catalog, question.reader, one.id)
        ]
        semantic = KnowledgeView(ViewName.SEMANTIC, tuple(matched), tuple(one.id for one in hits.matches))
        grown = [
            expand_entities(request, seeds, plan.depths.entity),
            expand_events(request, seeds, plan.depths.temporal),
            expand_causes(request, seeds, plan.depths.causal, causal),
        ]
        kept = [one for one in grown if one.name not in without]
        fallback = ""
        if all(len(one.nodes) < settings.least_nodes for one in kept) and not any(one.nodes for one in kept[2:]):
            fallback = f"every view has fewer than {settings.least_nodes} nodes: search results only"
            views = [semantic]
        else:
            views = [semantic, *kept]
        merged = merge_views(views, plan.weights, settings.boost)
        items = self._with_evidence(catalog, question, asked, merged, near, past=past)
        answer, misses = _cut(items, plan)
        return RecallFindings(
            tuple(answer), tuple(misses[:MOST_MISSES]), (semantic, *kept), tuple(seeds), hits.named,
            answer[0].evidence if answer else 0.0, fallback,
        )  # fmt: skip

    def read_question(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        count: Count | None = None,
        also: Mapping[str, Sequence[str]] | None = None,
    ) -> QuestionEvidence:
        """The question for rating texts. `count` counts terms in texts that are no knowledge, such as episodes; `also`
        are further names of what the question names."""
        terms = [term for word in split_words(question.text) for term in self._lexicon.terms(word)]
        held, texts = self._search.frequencies(catalog, question.reader, terms)
        elsewhere, others = count(terms) if count else ({}, 0)
        named = find_named(catalog, question.reader, question.text)
        things = {
            one: thing_named(self._lexicon, (name, *catalog.names_beside(name, question.reader)))
            for one, name in named.items()
        } | {f"name {name}": thing_named(self._lexicon, (name, *others)) for name, others in (also or {}).items()}
        return QuestionEvidence(
            question.text,
            self._lexicon,
            lambda term: held.get(term, 0) + elsewhere.get(term, 0),
            texts + others,
            {one: thing for one, thing in things.items() if thing.spelt},
        )

    def other_names(self, catalog: KnowledgeCatalog, question: KnowledgeQuestion) -> tuple[str, ...]:
        """Names of the things in a question that it does not use itself."""
        found: dict[str, None] = {}
        for name in find_named(catalog, question.reader, question.text).values():
            for other in catalog.names_beside(name, question.reader):
                if names.fold(other) not in names.fold(question.text):
                    found.setdefault(other)
        return tuple(found)[:MOST_OTHER_NAMES]

    def _with_evidence(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        asked: QuestionEvidence,
        merged: Sequence[MergedNode],
        near: Near | None,
        *,
        past: bool,
    ) -> list[KnowledgeItem]:
        """Each node with the probability that it answers the question."""
        known = [(node, record) for node in merged if (record := catalog.get(node.id, question.reader))]
        known = [
            (node, one) for node, one in known if one.kind is not KnowledgeKind.FACT or one.valid_from < one.valid_to
        ]
        texts = [f"{one.text} {one.body.origin.quote}".strip() for _, one in known]
        cosines: Sequence[float | None] = [None] * len(texts)
        if near is not None and texts:
            cosines = [float(one) for one in near(question.text, texts)]
        items = []
        for (node, record), text, cosine in zip(known, texts, cosines, strict=True):
            linked = {other for _, other in catalog.links(record.id, question.reader)} | {record.id}
            about = frozenset(one for one in asked.things if one in linked)
            evidence = asked.of(text, cosine, about)
            ended = record.kind is KnowledgeKind.FACT and record.valid_to <= question.at
            if not ended or past:
                items.append(KnowledgeItem(record, evidence, node, ended))
        by_id = {one.record.id: one for one in items}
        return [self._by_path(one, by_id, question.plan) for one in items]

    def _by_path(self, item: KnowledgeItem, items: dict[str, KnowledgeItem], plan: QuestionPlan) -> KnowledgeItem:
        """Causes and effects of what the question says are evidence for why; events that they refer to as well."""
        path = item.node.paths.get(ViewName.CAUSAL)
        if plan.intent is not Intent.WHY or not path:
            return item
        begun = max((items[one.source].evidence for one in path if one.source in items), default=0.0)
        decay = 0.95 ** sum(one.kind == KnowledgeKind.CAUSES for one in path)
        reached = begun * decay * min(one.weight for one in path)
        return KnowledgeItem(item.record, round(max(item.evidence, reached), 6), item.node, item.superseded)


def find_seeds(catalog: KnowledgeCatalog, reader: KnowledgeReader, hits: SearchHits, floor: float) -> list[str]:
    """Entities to start from: named ones, matched ones, and those that matched nodes are linked to."""
    kinds = (
        KnowledgeKind.REPRESENTS, KnowledgeKind.INVOLVES, KnowledgeKind.AFFECTS,
    )  # fmt: skip
    seeds = dict.fromkeys(hits.named)
    for match in hits.matches:
        if match.score < floor:
            continue
        record = catalog.get(match.id, reader)
        if record is not None and record.kind is KnowledgeKind.ENTITY:
            seeds.setdefault(record.id)
            continue
        for link, other in catalog.links(match.id, reader, kinds):
            if catalog.resolve_id(link.body.source) == match.id:
                seeds.setdefault(other)
    return list(seeds)


def _cut(items: Sequence[KnowledgeItem], plan: QuestionPlan) -> tuple[list[KnowledgeItem], list[KnowledgeItem]]:
    """Nodes with evidence, and the nearest of the others."""
    best = max((one.evidence for one in items), default=0.0)
    least = max(ENOUGH, NEAR_BEST * best)
    ranked = sorted(items, key=lambda one: (-round(one.evidence, 3), -one.node.score, one.record.id))
    answer = [one for one in ranked if one.evidence >= least]
    if plan.intent is not Intent.EXPLORE:
        answer = [one for one in answer if not _is_bare(one.record)]  # a name alone says nothing
    chosen = {one.record.id for one in answer}
    misses = [one for one in ranked if one.record.id not in chosen and one.evidence >= NEAR_MISS]
    return answer, misses


def _is_bare(record: KnowledgeRecord) -> bool:
    return record.kind is KnowledgeKind.ENTITY and not record.body.description and not record.body.code


def _is_cause(catalog: KnowledgeCatalog, reader: KnowledgeReader, node: str) -> bool:
    record = catalog.get(node, reader)
    return record is not None and record.kind is KnowledgeKind.CAUSE
