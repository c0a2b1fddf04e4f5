"""From a request to a context pack: seeds, their graph neighborhood, one order of all candidates, the budget."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from msgspec import UNSET, structs

from clew.graph.walk_graph import Web
from clew.model.code import split_id
from clew.model.errors import NotFound
from clew.model.search import Query, RetrieverFailure, Scope
from clew.model.words import Kind
from clew.pack import sections
from clew.pack.around import reached
from clew.pack.artifact import ContextPack, Dropped, Timings
from clew.pack.assembly import Draft, assembled
from clew.pack.builder import Asked, Begun, Builder
from clew.pack.gather import MOST_SEEDS, Candidate, Gathered, gather
from clew.pack.matching import Match, beginning_with, named
from clew.pack.request import Focus, PackRequest, pack_id
from clew.pack.scoring import DIGITS, SEEDS, Lead, graph_scores, hit_scores, seed_scores
from clew.pack.shares import ordered
from clew.pack.shelf import PROSE, Shelf, is_prose
from clew.pack.signature import Signatures
from clew.store.corpus import Corpus

FOUND = 50  # matches whose scores are known: what the graph leads to may be one of them
SPARSE = 10  # candidates; where the graph leads to fewer, what stands near and what was found besides comes too
KEPT = 8  # packs
TRIES = 3  # while others commit

_CODE = tuple(kind for kind in Kind if not is_prose(kind))
_KINDS: dict[str, tuple[Kind, ...]] = {"code": _CODE, "prose": PROSE, "mixed": ()}


class Made(NamedTuple):
    """A pack, and the retrievers that could not take part in it: with them it would be another."""

    pack: ContextPack
    failed: tuple[RetrieverFailure, ...]


class Packer:
    """Of one checkout. The last packs are kept: the same id is the same pack."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._sources = builder.sources
        self.signatures = Signatures(builder.sources.config, self._model)
        self._packs: dict[str, ContextPack] = {}

    def make(self, request: PackRequest) -> Made:
        """Of one state of contents: while others commit, once more."""
        for _ in range(TRIES):
            corpus = self._builder.corpora.current()
            made = self._make(corpus, request)
            if self._builder.corpora.current() is corpus:
                break
        return made

    def index_signature(self) -> str:
        return self._signature(self._builder.corpora.current())

    def _signature(self, corpus: Corpus) -> str:
        return self.signatures.index(corpus, self._sources.histories.tip())

    def _make(self, corpus: Corpus, request: PackRequest) -> Made:
        signature = self._signature(corpus)
        request = structs.replace(request, index_signature=signature)
        key = pack_id(signature, request)
        if key in self._packs:
            return Made(self._packs[key], ())
        laps = [time.perf_counter()]

        def expand(begun: Begun) -> _Led:
            laps.append(time.perf_counter())
            return _led(request, begun, self._sources.config.query.min_score_threshold)

        draft = self._builder.build(self._asked(request), expand, partial(_drafted, key, request), corpus)
        laps.append(time.perf_counter())
        pack = assembled(draft)
        laps.append(time.perf_counter())
        pack = structs.replace(pack, stats=structs.replace(pack.stats, timings=_timings(laps)))
        if not draft.failed:
            self._packs = {**dict([*self._packs.items()][1 - KEPT :]), key: pack}
        return Made(pack, draft.failed)

    def _asked(self, request: PackRequest) -> Asked:
        if request.query and request.seed_provider != "ann":
            self._sources.config.require_search()
        query = Query(request.query, FOUND, Scope(kinds=_KINDS[request.seed_mode]))
        return Asked(query, partial(_focused, request.focus), request.seed_provider)

    def _model(self) -> str:
        meaning = self._sources.meaning()
        return meaning.model if meaning else ""


def _focused(focus: Focus, shelf: Shelf) -> Match | None:
    """NotFound names the field if nothing is there."""
    looks = {"symbol_id": shelf.showing, "chunk_uid": shelf.chunk, "file_rel_path": shelf.showing}
    for name, wanted in structs.asdict(focus).items():
        if wanted is not UNSET:
            found = looks[name](wanted)
            if found is None:
                raise NotFound(f"focus.{name}: there is no {wanted!r}", "Find it with query_context or code_explain.")
            return named(found, wanted if name == "file_rel_path" else found.id)
    return None


class _Led(NamedTuple):
    """Seeds, the focus first; further matches; the nodes gathered along the graph, and whether those are `few`."""

    seeds: list[Match]
    further: list[Match]
    gathered: Gathered
    few: bool
    scored: Mapping[str, float]  # what matches further, by its node


def _led(request: PackRequest, begun: Begun, threshold: float) -> _Led:
    """A seed must score as much as any answer, or half as much as the best, where all is found faintly."""
    rounded = (structs.replace(one, score=round(one.score, DIGITS)) for one in begun.matches)
    found = [one for one in rounded if one.score > 0]
    best = [one for one in found if one.score >= min(threshold, found[0].score / 2)][:MOST_SEEDS]
    seeds, further = beginning_with(begun.named, best), [one for one in found if one not in best]
    scored = {one.id: one.score for one in reversed(further)}
    gathered = gather(begun.web, seeds, sections.routes(request), scored)
    if few := len(gathered.candidates) < SPARSE:
        more = gather(begun.web, seeds, sections.fallback(request), scored)
        gathered = Gathered(gathered.candidates + more.candidates, gathered.capped + more.capped)
    return _Led(seeds, further, gathered, few, scored)


def _drafted(key: str, request: PackRequest, begun: Begun, led: _Led) -> Draft:
    """All that may become an item, in order, within the caps on how many."""
    everything = led.gathered.candidates
    proven = [one for one in everything if request.strictness != "strict" or not sections.gaps(one, request)]
    leads = list(_leads(request, begun, led, proven))
    if request.ordering.primary == "ppr":
        leads = _walked(begun.web, led.seeds, leads)
    once, again = sections.distinct(leads)
    allotted = sections.allotted(once, request, lambda one: one.quoted or begun.shelf.showing(one.id))
    order = ordered(allotted.entries, request)
    others: dict[Dropped, int] = {
        "noEvidence": len(everything) - len(proven),
        "duplicate": again,
        "budget": len(allotted.entries) - len(order.entries),
    }
    dropped = allotted.dropped + Counter(others)
    return Draft(
        pack_id=key,
        request=request,
        seeds=tuple(led.seeds),
        failed=begun.failed,
        order=order,
        dropped=dropped,
        candidates=len(leads) + dropped["noEvidence"],
        capped=led.gathered.capped,
    )


def _leads(request: PackRequest, begun: Begun, led: _Led, candidates: list[Candidate]) -> Iterator[Lead]:
    """Seeds, gathered nodes, further tests and prose that match; if the graph led to little, the other matches too."""
    for seed in led.seeds:
        yield Lead(seed.id, seed_scores(seed.score), SEEDS, "focus" if seed.named else "seed", seed.quoted)
    for one in candidates:
        scores = graph_scores(one, led.scored.get(one.id, 0.0))
        section, rule = sections.place(one, request, prose=begun.shelf.is_prose(split_id(one.id)[0]))
        yield Lead(one.id, scores, section, rule, candidate=one)
    for hit in led.further:
        section, rule = sections.place_hit(hit.quoted)
        if led.few or section == "tests" or (section == "docs" and request.seed_mode != "code"):
            yield Lead(hit.id, hit_scores(hit.score), section, rule, hit.quoted)


def _walked(web: Web, seeds: list[Match], leads: list[Lead]) -> list[Lead]:
    """With how much of a walk from the seeds ends at each."""
    weights: dict[str, float] = {}
    for seed in seeds:
        weights[seed.id] = weights.get(seed.id, 0.0) + seed.score
    shares = reached(web, weights, web.size)
    scored = ((one, round(shares.get(one.id, 0.0), 2 * DIGITS)) for one in leads)
    return [structs.replace(one, scores=structs.replace(one.scores, ppr=share)) for one, share in scored]


def _timings(laps: list[float]) -> Timings:
    """Of when it began, and when each stage was done."""
    spans = [*pairwise(laps), (laps[0], laps[-1])]
    return Timings(*(round((end - start) * 1000, 1) for start, end in spans))
