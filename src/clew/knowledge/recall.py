"""The whole way from a question to what is known of it: plan, seeds, views, merge, cut.

Evidence is what a node says of the question beyond the entities that the question names: of all that is known about a
thing, only that which was asked about is an answer. Without such evidence the answer is that nothing is known, with
the nearest misses apart.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.extraction import find_names
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
ENOUGH_SAID = 0.45  # of what a question asks of a thing: a node that says less is a near miss
NEAR_BEST = 0.6  # of the best evidence: nodes with less are cut
STEEPNESS, MIDDLE = 7.0, 0.5  # of the confidence by evidence

# Words of questions that ask for everything about a thing, or name a kind of answer, and so need not be said in it.
ASKING = frozenset(
    "tell know known knew happen happened happening anything everything something overview summary summarize explain "
    "describe detail details information info relate related about reason cause caused rationale why because person "
    "people team date time day year month currently current now today latest recent please remember recall "
    "long often kind type sort name called new still ever happens story history previously formerly before "
    "original originally used past earlier"
    .split()
)  # fmt: skip

# Relations that questions and facts word differently; each set is of one meaning, as stems of terms.
_ALIKE = (
    "own owner maintain maintainer responsible",
    "lead led head run manage manager",
    "live reside based locate home",
    "work job employ employer",
    "use depend rely",
    "fail failure outage down crash broke break error incident",
    "fix repair resolve solve",
    "buy purchase bought",
    "like love favourite favorite prefer enjoy",
    "begin began start started",
    "make made create created build built wrote write author",
    "choose chose chosen decide decided decision pick picked adopt",
    "change changed replace replaced switch switched migrate migrated move moved",
    "release ship shipped deploy deployed launch",
    "marry married spouse wife husband",
    "study studied school university college",
    "old age birthday born",
    "deadline due",
    "cost price",
)  # fmt: skip


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
        self._alike = _alike_terms(self._lexicon)
        self._asking = frozenset(term for word in ASKING for term in self._lexicon.terms(word))

    def find(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        settings: RecallSettings,
        near: Near | None = None,
        without: frozenset[ViewName] = frozenset(),
    ) -> RecallFindings:
        """`without` names views that are left out, to measure the others."""
        plan = question.plan
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
        items = self._with_evidence(catalog, question, hits, merged, past=past)
        answer, misses = _cut(items, plan)
        return RecallFindings(
            tuple(answer), tuple(misses[:MOST_MISSES]), (semantic, *kept), tuple(seeds), hits.named,
            confidence_of(answer[0].evidence) if answer else 0.0, fallback,
        )  # fmt: skip

    def _with_evidence(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        hits: SearchHits,
        merged: Sequence[MergedNode],
        *,
        past: bool,
    ) -> list[KnowledgeItem]:
        """Each node with how much of the question it answers."""
        named = {one: self._names_of(catalog, question.reader, one) for one in hits.named}
        named |= self._unknown_names(question.text, named)
        in_names = {term for terms in named.values() for term in terms}
        asked = [term for term in hits.terms if term not in in_names and term not in self._asking]
        items = []
        for node in merged:
            record = catalog.get(node.id, question.reader)
            if record is None or (record.kind is KnowledgeKind.FACT and record.valid_from >= record.valid_to):
                continue
            evidence = self._evidence(catalog, question, record, node, named, asked, hits)
            ended = record.kind is KnowledgeKind.FACT and record.valid_to <= question.at
            if not ended or past:
                items.append(KnowledgeItem(record, round(evidence, 6), node, ended))
        by_id = {one.record.id: one for one in items}
        return [self._by_path(one, by_id, question.plan) for one in items]

    def _evidence(
        self,
        catalog: KnowledgeCatalog,
        question: KnowledgeQuestion,
        record: KnowledgeRecord,
        node: MergedNode,
        named: dict[str, set[str]],
        asked: Sequence[str],
        hits: SearchHits,
    ) -> float:
        """What a node says of what was asked, times how much it is about the things that the question names."""
        own = self._terms(record)
        if record.id in named:
            return (
                1.0
                if not asked
                else 0.3 * hits.similarity(record.id) + 0.7 * self._share(own - named[record.id], asked)
            )
        about = 1.0
        if named:
            linked = {other for _, other in catalog.links(record.id, question.reader)}
            mentions = [one in linked or (bool(terms) and terms <= own) for one, terms in named.items()]
            on_path = [one for path in node.paths.values() for one in path if one.source in named]
            about = sum(mentions) / len(mentions) if any(mentions) else (0.3 if on_path else 0.0)
            if len(mentions) > 1 and any(mentions):
                about = max(about, 0.75)
        said = self._share(own, asked) if asked else 1.0
        if not named and hits.similarity(record.id) > said:
            said = hits.similarity(record.id)  # by meaning
        return about * said

    def _by_path(self, item: KnowledgeItem, items: dict[str, KnowledgeItem], plan: QuestionPlan) -> KnowledgeItem:
        """Causes and effects of what the question says are evidence for why; events that they refer to as well."""
        path = item.node.paths.get(ViewName.CAUSAL)
        if plan.intent is not Intent.WHY or not path:
            return item
        begun = max((items[one.source].evidence for one in path if one.source in items), default=0.0)
        decay = 0.95 ** sum(one.kind == KnowledgeKind.CAUSES for one in path)
        reached = begun * decay * min(one.weight for one in path)
        return KnowledgeItem(item.record, round(max(item.evidence, reached), 6), item.node, item.superseded)

    def text_evidence(self, catalog: KnowledgeCatalog, question: KnowledgeQuestion, text: str) -> float:
        """How much of a question a text answers: what it says of what is asked, about the things that are named."""
        terms = self._lexicon.question(question.text)
        own = {term for word in _words(text) for term in self._lexicon.terms(word)}
        known = find_named(catalog, question.reader, question.text)
        by_entity = {one: self._names_of(catalog, question.reader, one) for one in known}
        named = [*by_entity.values(), *self._unknown_names(question.text, by_entity).values()]
        in_names = {term for group in named for term in group}
        asked = [term for term in terms if term not in in_names and term not in self._asking]
        mentions = [group <= own for group in named]
        about = sum(mentions) / len(mentions) if named else 1.0
        said = self._share(own, asked) if asked else self._share(own, list(terms))
        return round(said * (0.4 + 0.6 * about), 6)

    def _share(self, own: set[str], asked: Sequence[str]) -> float:
        if not asked:
            return 1.0
        said = sum(term in own or bool(self._alike.get(term, frozenset()) & own) for term in asked)
        return said / len(asked)

    def _unknown_names(self, text: str, known: Mapping[str, set[str]]) -> dict[str, set[str]]:
        """Names in a question that no readable entity has: what does not say them is about something else."""
        covered = {term for terms in known.values() for term in terms}
        found: dict[str, set[str]] = {}
        for name in find_names(text):
            terms = {term for word in _words(name) for term in self._lexicon.terms(word)}
            first = text.lstrip("\"'( ").startswith(name) and " " not in name
            if terms and not terms & (covered | self._asking) and not first:
                found[f"name {name}"] = terms
        return found

    def _names_of(self, catalog: KnowledgeCatalog, reader: KnowledgeReader, entity: str) -> set[str]:
        record = catalog.get(entity, reader)
        spelt = [record.body.name, *record.body.aliases] if record else []
        return {term for name in spelt for word in _words(name) for term in self._lexicon.terms(word)}

    def _terms(self, record: KnowledgeRecord) -> set[str]:
        return {term for word in _words(record.text) for term in self._lexicon.terms(word)}


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
    least = max(ENOUGH_SAID, NEAR_BEST * best)
    ranked = sorted(items, key=lambda one: (-round(one.evidence, 3), -one.node.score, one.record.id))
    answer = [one for one in ranked if one.evidence >= least]
    bare = [one for one in answer if one.record.kind is KnowledgeKind.ENTITY and not one.record.body.description]
    if len(bare) < len(answer) and plan.intent is not Intent.EXPLORE:
        answer = [one for one in answer if one not in bare]  # a name alone says nothing
    chosen = {one.record.id for one in answer}
    misses = [one for one in ranked if one.record.id not in chosen and one.evidence > 0]
    return answer, misses


def confidence_of(evidence: float) -> float:
    """How likely an answer with this evidence is right."""
    return round(1 / (1 + math.exp(-STEEPNESS * (evidence - MIDDLE))), 3)


def _is_cause(catalog: KnowledgeCatalog, reader: KnowledgeReader, node: str) -> bool:
    record = catalog.get(node, reader)
    return record is not None and record.kind is KnowledgeKind.CAUSE


def _alike_terms(lexicon: Lexicon) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _ALIKE:
        terms = frozenset(term for word in line.split() for term in lexicon.terms(word))
        for term in terms:
            found[term] = found.get(term, frozenset()) | terms
    return found


def _words(text: str) -> list[str]:
    return [word for part in text.split() for word in names.WORD.findall(part)]
