"""From a request to a context pack: seeds, their graph neighborhood, one order of all candidates, the budget.

`Signatures` are the digests of everything that a pack depends on besides the request.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import msgspec
from msgspec import UNSET, structs

from clew.graph.walk_graph import Web
from clew.index import rules
from clew.model.code import split_id
from clew.model.errors import ClewError, NotFound
from clew.model.search import Query, RetrieverFailure, Scope
from clew.model.words import Kind
from clew.pack import sections
from clew.pack.around import nearest_by_walk
from clew.pack.artifact import ContextPack, Dropped, Timings
from clew.pack.assembly import Draft, fill_pack
from clew.pack.gather import MOST_SEEDS, Candidate, Gathered, gather
from clew.pack.matching import Match, MatchContext, Matcher, beginning_with, match_by_name
from clew.pack.request import Focus, PackRequest, pack_id
from clew.pack.scoring import DIGITS, SEEDS, Lead, graph_scores, hit_scores, seed_scores
from clew.pack.shares import order_turns
from clew.pack.shelf import PROSE, Shelf, is_prose
from clew.runtime import plugins
from clew.runtime.settings import NO_MODEL, Config
from clew.store.corpus import Corpus
from clew.store.postings import snapshot_name

MADE = "pack-2"  # how packs are made: gathering, scoring, sections; raise it when the same index gives another pack


class Signatures:
    """Of one checkout; files are hashed once for each state of contents."""

    def __init__(
        self, config: Config, embedder: Callable[[], str], summaries: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        """`embedder` is called for the name only if one is configured. `summaries` are those that a model wrote."""
        self._config = config
        self._embedder = embedder
        self._summaries = summaries
        self._kept: tuple[Corpus, bytes] | None = None

    def index(self, corpus: Corpus, tip: str) -> str:
        """A digest of formats, configuration that affects answers, embedder, contents, and the tip of the history."""
        said = (
            MADE,
            rules.FORMAT,
            snapshot_name(""),
            _settings(self._config),
            self._model(),
            _plugin_versions(self._config),
            tip,
        )
        digest = hashlib.sha256(msgspec.msgpack.encode(said))
        digest.update(self._contents(corpus))
        if written := self._summaries():
            digest.update(msgspec.msgpack.encode(sorted(written.items())))
        return digest.hexdigest()

    def _contents(self, corpus: Corpus) -> bytes:
        kept = self._kept
        if kept is None or kept[0] is not corpus:
            self._kept = kept = corpus, contents(corpus)
        return kept[1]

    def _model(self) -> str:
        if self._config.embedding.model == NO_MODEL:
            return NO_MODEL
        try:
            return self._embedder()
        except ClewError as problem:  # answers come without it, and are others for that
            return problem.code


def contents(corpus: Corpus) -> bytes:
    """A digest of all paths with their texts, links and languages; it does not depend on the corpus's parts."""
    held: list[tuple[str, bytes, str]] = []
    for part in corpus.parts:
        postings = part.postings
        languages = [postings.languages[i] for i in range(len(postings.languages))]
        rows = zip(postings.paths, postings.digests, postings.language_of.tolist(), part.files.tolist(), strict=True)
        held += [(path, state.tobytes(), languages[spoken]) for path, state, spoken, holds in rows if holds]
    digest = hashlib.sha256()
    for path, state, language in sorted(held, key=itemgetter(0)):
        digest.update(b"\0".join((path.encode(), state, language.encode(), b"")))
    return digest.digest()


def _settings(config: Config) -> tuple[object, ...]:
    """Tuned weights are among the weights. Settings that select files or affect parsing show in the contents."""
    query = config.query.min_score_threshold, config.query.mmr_lambda
    return config.enabled, query, config.providers, config.embedding.dimension, config.embedding.remote_model


def _plugin_versions(config: Config) -> list[tuple[str, str, str]]:
    """The retrievers of packages that take part, by version: another one may rank otherwise."""
    named = {one.partition("=")[0] for one in config.providers.plugins}
    offered = plugins.find_offers(plugins.RETRIEVERS) if named else ()
    return sorted((one.name, one.package, one.version) for one in offered if one.name in named)


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

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._sources = matcher.sources
        self.signatures = Signatures(matcher.sources.config, self._model, matcher.sources.files.summaries)
        self._packs: dict[str, ContextPack] = {}

    def make(self, request: PackRequest) -> Made:
        """Of one state of contents: while others commit, once more."""
        for _ in range(TRIES):
            corpus = self._matcher.corpora.current()
            made = self._make(corpus, request)
            if self._matcher.corpora.current() is corpus:
                break
        return made

    def index_signature(self) -> str:
        return self._signature(self._matcher.corpora.current())

    def _signature(self, corpus: Corpus) -> str:
        return self.signatures.index(corpus, self._sources.histories.tip())

    def _make(self, corpus: Corpus, request: PackRequest) -> Made:
        """Match, expand along the graph, order, fill to the budgets: the stages of a context pack, each timed."""
        signature = self._signature(corpus)
        request = structs.replace(request, index_signature=signature)
        key = pack_id(signature, request)
        if key in self._packs:
            return Made(self._packs[key], ())
        laps = [time.perf_counter()]
        context = self._match(corpus, request)
        laps.append(time.perf_counter())
        led = _expand(request, context, self._sources.config.query.min_score_threshold)
        draft = _order(key, request, context, led)
        laps.append(time.perf_counter())
        pack = fill_pack(draft)
        laps.append(time.perf_counter())
        pack = structs.replace(pack, stats=structs.replace(pack.stats, timings=_timings(laps)))
        if not draft.failed:
            self._packs = {**dict([*self._packs.items()][1 - KEPT :]), key: pack}
        return Made(pack, draft.failed)

    def _match(self, corpus: Corpus, request: PackRequest) -> MatchContext:
        if request.query and request.seed_provider != "ann":
            self._sources.config.require_search()
        query = Query(request.query, FOUND, Scope(kinds=_KINDS[request.seed_mode]))
        shelf = self._matcher.open_shelf(corpus)
        return self._matcher.match(query, corpus, shelf, _find_focus(request.focus, shelf), request.seed_provider)

    def _model(self) -> str:
        meaning = self._sources.meaning()
        return meaning.model if meaning else ""


def _find_focus(focus: Focus, shelf: Shelf) -> Match | None:
    """NotFound names the field if nothing is there."""
    looks = {"symbol_id": shelf.chunk_of, "chunk_uid": shelf.chunk, "file_rel_path": shelf.chunk_of}
    for name, wanted in structs.asdict(focus).items():
        if wanted is not UNSET:
            found = looks[name](wanted)
            if found is None:
                raise NotFound(f"focus.{name}: there is no {wanted!r}", "Find it with query_context or code_explain.")
            return match_by_name(found, wanted if name == "file_rel_path" else found.id)
    return None


class _Led(NamedTuple):
    """Seeds, the focus first; further matches; the nodes gathered along the graph, and whether those are `few`."""

    seeds: list[Match]
    further: list[Match]
    gathered: Gathered
    few: bool
    scored: Mapping[str, float]  # what matches further, by its node


def _expand(request: PackRequest, context: MatchContext, threshold: float) -> _Led:
    """A seed must score as much as any answer, or half as much as the best, where all is found faintly."""
    rounded = (structs.replace(one, score=round(one.score, DIGITS)) for one in context.matches)
    found = [one for one in rounded if one.score > 0]
    best = [one for one in found if one.score >= min(threshold, found[0].score / 2)][:MOST_SEEDS]
    seeds, further = beginning_with(context.named, best), [one for one in found if one not in best]
    scored = {one.id: one.score for one in reversed(further)}
    gathered = gather(context.web, seeds, sections.routes(request), scored)
    if few := len(gathered.candidates) < SPARSE:
        more = gather(context.web, seeds, sections.fallback(request), scored)
        gathered = Gathered(gathered.candidates + more.candidates, gathered.capped + more.capped)
    return _Led(seeds, further, gathered, few, scored)


def _order(key: str, request: PackRequest, context: MatchContext, led: _Led) -> Draft:
    """All that may become an item, in order, within the caps on how many."""
    everything = led.gathered.candidates
    proven = [one for one in everything if request.strictness != "strict" or not sections.gaps(one, request)]
    leads = list(_leads(request, context, led, proven))
    if request.ordering.primary == "ppr":
        leads = _add_walk_shares(context.web, led.seeds, leads)
    once, again = sections.distinct(leads)
    allotted = sections.allot(once, request, lambda one: one.quoted or context.shelf.chunk_of(one.id))
    order = order_turns(allotted.entries, request)
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
        failed=context.failed,
        order=order,
        dropped=dropped,
        candidates=len(leads) + dropped["noEvidence"],
        capped=led.gathered.capped,
    )


def _leads(request: PackRequest, context: MatchContext, led: _Led, candidates: list[Candidate]) -> Iterator[Lead]:
    """Seeds, gathered nodes, further tests and prose that match; if the graph led to little, the other matches too."""
    for seed in led.seeds:
        yield Lead(seed.id, seed_scores(seed.score), SEEDS, "focus" if seed.named else "seed", seed.quoted)
    for one in candidates:
        scores = graph_scores(one, led.scored.get(one.id, 0.0))
        section, rule = sections.place(one, request, prose=context.shelf.is_prose(split_id(one.id)[0]))
        yield Lead(one.id, scores, section, rule, candidate=one)
    for hit in led.further:
        section, rule = sections.place_hit(hit.quoted)
        if led.few or section == "tests" or (section == "docs" and request.seed_mode != "code"):
            yield Lead(hit.id, hit_scores(hit.score), section, rule, hit.quoted)


def _add_walk_shares(web: Web, seeds: list[Match], leads: list[Lead]) -> list[Lead]:
    """With how much of a walk from the seeds ends at each."""
    weights: dict[str, float] = {}
    for seed in seeds:
        weights[seed.id] = weights.get(seed.id, 0.0) + seed.score
    shares = nearest_by_walk(web, weights, web.size)
    scored = ((one, round(shares.get(one.id, 0.0), 2 * DIGITS)) for one in leads)
    return [structs.replace(one, scores=structs.replace(one.scores, ppr=share)) for one, share in scored]


def _timings(laps: list[float]) -> Timings:
    """Of when it began, and when each stage was done."""
    spans = [*pairwise(laps), (laps[0], laps[-1])]
    return Timings(*(round((end - start) * 1000, 1) for start, end in spans))
