"""From a request to a context pack: seeds, what the graph leads to, one order of it all, and as much as fits."""

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from clew.graph.web import Web, Webs, walk
from clew.model.code import split_id
from clew.model.search import Failure
from clew.pack import sections
from clew.pack.artifact import ContextPack, Timings
from clew.pack.assembly import Draft, fitted, noted
from clew.pack.gather import Gathered, Seed, gather
from clew.pack.request import PackRequest, pack_id
from clew.pack.scoring import Lead, graph_scores, hit_scores, seed_scores
from clew.pack.seeding import Beginning, Seeder
from clew.pack.shelf import Shelf
from clew.pack.signature import Signatures
from clew.retrieve.retriever import Sources
from clew.retrieve.search import Searcher
from clew.store.corpus import Corpora, Corpus
from clew.store.ground import Ground

SPARSE = 10  # candidates; where the graph leads to fewer, what stands near and what was found besides comes too
KEPT = 8  # packs
TRIES = 3  # while others commit


class Made(NamedTuple):
    """A pack, and the retrievers that could not take part in it: with them it would be another."""

    pack: ContextPack
    failed: tuple[Failure, ...]


class Packer:
    """Of one checkout. The last packs are kept: the same id is the same pack."""

    def __init__(self, sources: Sources, corpora: Corpora, searcher: Searcher, webs: Webs, ground: Ground) -> None:
        self._sources = sources
        self._corpora = corpora
        self._webs = webs
        self._seeder = Seeder(sources, corpora, searcher)
        self.signatures = Signatures(sources.config, lambda: _model(sources), ground)
        self._packs: dict[str, ContextPack] = {}

    def make(self, request: PackRequest) -> Made:
        """Of one state of contents: while others commit, once more."""
        for _ in range(TRIES):
            corpus = self._corpora.current()
            made = self._make(corpus, request)
            if self._corpora.current() is corpus:
                break
        return made

    def index_signature(self) -> str:
        return self._signature(self._corpora.current())

    def _signature(self, corpus: Corpus) -> str:
        return self.signatures.index(corpus, self._sources.histories.tip())

    def _make(self, corpus: Corpus, request: PackRequest) -> Made:
        signature = self._signature(corpus)
        request = structs.replace(request, index_signature=signature)
        key = pack_id(signature, self.signatures.memory(), request)
        if key in self._packs:
            return Made(self._packs[key], ())
        clock = _Clock()
        shelf = Shelf(corpus, self._sources.held, self._sources.files)
        beginning = self._seeder.begin(corpus, request, shelf)
        clock.lap("seeds")
        draft = self._draft(self._webs.of(corpus), shelf, request, beginning)
        clock.lap("graph")
        pack = fitted(structs.replace(draft, pack_id=key))
        clock.lap("render")
        pack = noted(pack, clock.timings())
        if not beginning.failed:
            self._packs = {**dict([*self._packs.items()][1 - KEPT :]), key: pack}
        return Made(pack, beginning.failed)

    def _draft(self, web: Web, shelf: Shelf, request: PackRequest, beginning: Beginning) -> Draft:
        """All that may become an item, in order, within the caps on how many."""
        scored = {hit.id: hit.score for hit in reversed(beginning.further)}
        gathered = gather(web, beginning.seeds, sections.routes(request), scored)
        if few := len(gathered.candidates) < SPARSE:
            more = gather(web, beginning.seeds, sections.fallback(request), scored)
            gathered = Gathered(gathered.candidates + more.candidates, gathered.capped + more.capped)
        shares = _shares(web, beginning.seeds) if request.ordering.primary == "ppr" else None
        leading = _Leading(shelf, request, shares)
        leads = [
            *leading.seeds(beginning),
            *leading.led_to(gathered, scored),
            *leading.further(beginning, few=few),
        ]
        once, again = sections.distinct(leads)
        allotted = sections.allotted(once, request, lambda one: shelf.chunk(one.chunk) or shelf.showing(one.id))
        dropped = allotted.dropped
        dropped["noEvidence"], dropped["duplicate"] = leading.unproven, dropped["duplicate"] + again
        candidates = len(leads) + leading.unproven
        return Draft("", request, beginning, allotted.entries, dropped, candidates, gathered.capped)


class _Leading:
    """Makes leads, and counts what is dropped for lack of evidence."""

    def __init__(self, shelf: Shelf, request: PackRequest, shares: Mapping[str, float] | None) -> None:
        self._shelf = shelf
        self._request = request
        self._shares = shares
        self.unproven = 0

    def seeds(self, beginning: Beginning) -> Iterator[Lead]:
        for seed in beginning.seeds:
            rule, scores = "focus" if seed.focus else "seed", seed_scores(seed.score, self._share(seed.id))
            yield Lead(seed.id, scores, "seeds", rule, chunk=seed.chunk, is_seed=True)

    def led_to(self, gathered: Gathered, scored: Mapping[str, float]) -> Iterator[Lead]:
        for candidate in gathered.candidates:
            if self._request.strictness == "strict" and sections.gaps(candidate, self._request):
                self.unproven += 1
                continue
            prose = self._shelf.is_prose(split_id(candidate.id)[0])
            section, rule = sections.place(candidate, self._request, prose=prose)
            scores = graph_scores(candidate, scored.get(candidate.id, 0.0), self._share(candidate.id))
            yield Lead(candidate.id, scores, section, rule, candidate)

    def further(self, beginning: Beginning, *, few: bool) -> Iterator[Lead]:
        """Tests and prose that were found besides; where the graph leads to little, the rest too."""
        for hit in beginning.further:
            section, rule = sections.place_hit(hit.quoted)
            wanted = section == "tests" or (section == "docs" and self._request.seed_mode != "code")
            if wanted or few:
                yield Lead(hit.id, hit_scores(hit.score, self._share(hit.id)), section, rule, chunk=hit.quoted.uid)

    def _share(self, id: str) -> float | None:
        return None if self._shares is None else self._shares.get(id, 0.0)


class _Clock:
    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps[name], self._last = _ms(now - self._last), now

    def timings(self) -> Timings:
        laps = self._laps
        return Timings(laps["seeds"], laps["graph"], laps["render"], _ms(self._last - self._start))


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _shares(web: Web, seeds: tuple[Seed, ...]) -> dict[str, float]:
    """How much of a walk from the seeds ends at each node."""
    weights: dict[str, float] = {}
    for seed in seeds:
        weights[seed.id] = weights.get(seed.id, 0.0) + seed.score
    reached = walk(web, weights)
    shares = zip(reached.nodes.tolist(), reached.shares.tolist(), strict=True)
    return {web.numbering.id(node): share for node, share in shares}


def _model(sources: Sources) -> str:
    meaning = sources.meaning()
    return meaning.model if meaning else ""
