"""From a request to a context pack: seeds, what the graph leads to, one order of it all, and as much as fits."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct, structs

from clew.graph.web import Web, Webs, walk
from clew.model.search import Coverage, Failure
from clew.pack import sections
from clew.pack.artifact import ContextPack, Dropped, Timings
from clew.pack.fitting import Draft, fitted, noted
from clew.pack.gather import Capped, Gathered, Seed, gather
from clew.pack.request import PackRequest, pack_id
from clew.pack.scoring import Entry, graph_scores, hit_scores, ordered, seed_scores
from clew.pack.seeding import Beginning, Seeder
from clew.pack.shelf import Shelf
from clew.pack.signature import Signatures
from clew.retrieve.retriever import Sources
from clew.retrieve.search import Searcher
from clew.store.corpus import Corpora, Corpus

SPARSE = 10  # candidates; where the graph leads to fewer, what stands near and what was found besides comes too
KEPT = 8  # packs
TRIES = 3  # while others commit


class Made(NamedTuple):
    """A pack, and the retrievers that could not take part in it: with them it would be another."""

    pack: ContextPack
    failed: tuple[Failure, ...]


class _Found(Struct, frozen=True):
    entries: tuple[Entry, ...]
    candidates: int
    dropped: Counter[Dropped]
    capped: tuple[Capped, ...]


class Packer:
    """Of one checkout. The last packs are kept: the same id is the same pack."""

    def __init__(self, sources: Sources, corpora: Corpora, searcher: Searcher, webs: Webs) -> None:
        self._sources = sources
        self._corpora = corpora
        self._webs = webs
        self._seeder = Seeder(sources, corpora, searcher)
        self.signatures = Signatures(sources.config, lambda: _model(sources))
        self._packs: dict[str, ContextPack] = {}

    def make(self, request: PackRequest, coverage: Callable[[], Coverage]) -> Made:
        """Of one state of contents: while others commit, once more."""
        for _ in range(TRIES):
            corpus = self._corpora.current()
            made = self._make(corpus, request, coverage())
            if self._corpora.current() is corpus:
                break
        return made

    def index_signature(self) -> str:
        return self._signature(self._corpora.current())

    def _signature(self, corpus: Corpus) -> str:
        return self.signatures.index(corpus, self._sources.histories.tip())

    def _make(self, corpus: Corpus, request: PackRequest, coverage: Coverage) -> Made:
        signature = self._signature(corpus)
        request = structs.replace(request, index_signature=signature)
        key = pack_id(signature, self.signatures.memory(), request)
        if key in self._packs:
            return Made(self._packs[key], ())
        clock = _Clock()
        shelf = Shelf(corpus, self._sources.held, self._sources.files)
        beginning = self._seeder.begin(corpus, request, coverage, shelf)
        clock.lap("seeds")
        found = self._found(self._webs.of(corpus), shelf, request, beginning)
        clock.lap("graph")
        draft = Draft(key, request, beginning, found.entries, found.dropped, found.candidates, found.capped)
        pack = fitted(draft)
        clock.lap("render")
        pack = noted(pack, clock.timings())
        if not beginning.failed:
            self._packs = {**dict([*self._packs.items()][1 - KEPT :]), key: pack}
        return Made(pack, beginning.failed)

    def _found(self, web: Web, shelf: Shelf, request: PackRequest, beginning: Beginning) -> _Found:
        """All that may become an item, in order, within the caps on how many."""
        scored = {hit.symbol: hit.score for hit in reversed(beginning.further)}
        gathered = gather(web, beginning.seeds, sections.routes(request), scored)
        if few := len(gathered.candidates) < SPARSE:
            more = gather(web, beginning.seeds, sections.FALLBACK, scored)
            gathered = Gathered(gathered.candidates + more.candidates, gathered.capped + more.capped)
        shares = _shares(web, beginning.seeds) if request.ordering.primary == "ppr" else None
        collecting = _Collecting(shelf, request, shares)
        entries = [
            *collecting.seeds(beginning),
            *collecting.led_to(gathered, scored),
            *collecting.further(beginning, few=few),
        ]
        once, again = sections.distinct(entries)
        allotted = sections.allotted(ordered(once, request), request.budgets)
        dropped = collecting.dropped + allotted.dropped
        dropped["duplicate"] = again
        return _Found(allotted.entries, len(entries) + collecting.dropped.total(), dropped, gathered.capped)


class _Collecting:
    """Makes entries, and counts what cannot become one."""

    def __init__(self, shelf: Shelf, request: PackRequest, shares: Mapping[str, float] | None) -> None:
        self._shelf = shelf
        self._request = request
        self._shares = shares
        self.dropped: Counter[Dropped] = Counter()

    def seeds(self, beginning: Beginning) -> Iterator[Entry]:
        for seed in beginning.seeds:
            if standing := self._shelf.chunk(seed.chunk):
                rule = "focus" if seed.focus else "seed"
                yield Entry(standing, seed_scores(seed.score, self._share(seed.id)), "seeds", rule, is_seed=True)
            else:
                self.dropped["unsupported"] += 1

    def led_to(self, gathered: Gathered, scored: Mapping[str, float]) -> Iterator[Entry]:
        for candidate in gathered.candidates:
            if (standing := self._shelf.showing(candidate.id)) is None:
                self.dropped["unsupported"] += 1
            elif self._request.strictness == "strict" and sections.gaps(candidate, self._request):
                self.dropped["noEvidence"] += 1
            else:
                section, rule = sections.place(candidate, standing, self._request)
                found = scored.get(candidate.id, scored.get(standing.id, 0.0))
                scores = graph_scores(candidate, found, self._share(candidate.id))
                yield Entry(standing, scores, section, rule, candidate)

    def further(self, beginning: Beginning, *, few: bool) -> Iterator[Entry]:
        """Tests and prose that were found besides; where the graph leads to little, the rest too."""
        for hit in beginning.further:
            standing = self._shelf.chunk(hit.chunk_id)
            section, rule = sections.place_hit(standing) if standing else ("", "")
            wanted = section == "tests" or (section == "docs" and self._request.seed_mode != "code")
            if standing and (wanted or few):
                yield Entry(standing, hit_scores(hit.score, self._share(hit.symbol)), section, rule)

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
    weights: Counter[str] = Counter()
    for seed in seeds:
        weights[seed.id] += seed.score  # type: ignore[assignment]
    reached = walk(web, weights)
    shares = zip(reached.nodes.tolist(), reached.shares.tolist(), strict=True)
    return {web.numbering.id(node): share for node, share in shares}


def _model(sources: Sources) -> str:
    meaning = sources.meaning()
    return meaning.model if meaning else ""
