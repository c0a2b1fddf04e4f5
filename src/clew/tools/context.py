"""Context for a task: finding what answers a question, exact lines of code, and how the index stands."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, structs

from clew.engine import Engine
from clew.history.answers import AuthorAnswer, CommitAnswer
from clew.model.code import split_id
from clew.model.errors import InvalidInput
from clew.model.search import Coverage, Hit, Query, Reason, Results, RetrieverFailure, Scope
from clew.model.time import to_iso
from clew.model.words import KIND_WORDS, Kind, kinds_named
from clew.pack.reasons import in_few_words
from clew.runtime.paths import from_root
from clew.store.transactions import Transaction
from clew.text.tokens import by_characters, estimate
from clew.tools.budget import Priority, Row, Shape
from clew.tools.freshness import NOTHING_YET, FreshnessState, count_of, freshly, to_state
from clew.tools.metering import Rows
from clew.tools.params import Explain, MaxTokens, Patterns, Score, Text
from clew.tools.registry import Effect, tool
from clew.tools.retrieval import ProviderState, count_vectors, describe_failures, passed_over, providers
from clew.tools.unindexed_files import ALL_READ, UnindexedFiles, find_unindexed_files
from clew.tools.unknown_terms import MOST_UNKNOWN, UnknownTerms, describe_unknown_terms, find_unknown_terms

# Questions that ask for a text to the letter: one in quotes, or where a setting is read.

_QUOTED = re.compile(r"""\s*(?:"([^"]{2,})"|'([^']{2,})'|`([^`]{2,})`|“([^”]{2,})”)\s*\Z""")
_READ = re.compile(
    r"""\s*where\s+(?:is|are)\s+(?:the\s+)?(?:(?:config(?:uration)?|environment|env|settings?|options?|flag|key|variable"""
    r"""|constant)\s+)*["'`]?(?P<name>[A-Za-z_][\w.-]*\w)["'`]?\s+(?:read|used|accessed|referenced|looked\s+up|consumed)"""
    r"""\b[^.]*\Z""",
    re.IGNORECASE,
)
_LIKE_A_NAME = re.compile(r"_|[.-]|[a-z][A-Z]|\A[A-Z][A-Z0-9]+\Z")  # and no word of a sentence


class Literal(Struct, frozen=True):
    """`is_name`: it is looked for as a whole word."""

    text: str
    is_name: bool = False


def find_literal(query: str) -> Literal | None:
    if quoted := _QUOTED.match(query):
        return Literal(next(filter(None, quoted.groups())))
    asked = _READ.match(query)
    if asked and _LIKE_A_NAME.search(asked["name"]):
        return Literal(asked["name"], is_name=True)
    return None


RECENT = 10
LINES_FIRST = 4  # hits that come by one line each, before any code
MOST_LINES = 100  # that have a text which is wanted to the letter
SHORT_LINE, LONGEST_LINE = 50, 100  # characters of that line, as long as others wait, and at most
_ASIDE = ("@", "#[", "…", "#", "//", "/*", "*", '"""')  # begin lines that declare nothing
OPENING, FEW_LINES = 8, 3  # lines that a text begins with; so few more make it whole
MOST_UNMET = 3  # paths and languages that no file fits, in words
# Both by characters, as the units themselves are sized.
WHOLE_UP_TO = 600  # tokens; a longer unit is shown whole only once everything else is
PASSAGE_UP_TO = 600  # tokens, of a passage with its unit's opening; a longer one comes when all others are shown
LONG_PASSAGE = 800  # tokens; of one that is within the default limits


class ScopeFilter(Struct, frozen=True, forbid_unknown_fields=True):
    paths: Patterns = ()
    languages: Annotated[tuple[str, ...], Meta(description="Such as python, typescript, markdown.")] = ()
    kinds: Annotated[tuple[str, ...], Meta(description="Such as function, class, section, CODE_FUNCTION.")] = ()
    exclude_patterns: Patterns = ()


class ResultFilter(Struct, frozen=True, forbid_unknown_fields=True):
    min_score: Score | None = None
    max_tokens: MaxTokens = None


class Offsets(Struct, frozen=True):
    start: int
    end: int


NOWHERE = Offsets(0, 0)


class ContextHit(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """By default an answer has one short `reason` and a `label` that is the name inside of the file; `explain` adds
    ids, scores, kinds, offsets and all `reasons`. In little room there is no
    `last_line`, and `snippet` is the one line that says what it is.
    """

    chunk_id: str = ""
    score: float = 0.0
    file_path: str
    first_line: int
    last_line: int = 0
    label: str = ""
    kind: str = ""
    language: str = ""
    offsets: Offsets = NOWHERE
    snippet: str
    symbol: str = ""
    reasons: tuple[Reason, ...] = ()
    stale: bool = False
    redacted: bool = False
    elided: bool = False
    outline: str = ""
    passage: str = ""


class IndexState(Struct, frozen=True):
    """How much of the project the answer could see."""

    files_indexed: int
    files_seen: int
    indexing: bool

    @property
    def partial(self) -> bool:
        return Coverage(self.files_indexed, self.files_seen, self.indexing).partial


class QueryContext(Struct, frozen=True, omit_defaults=True):
    """`failed` retrievers could not answer, the others did; `collapsed` counts near-duplicates of hits, left out.

    Of hits that the budget leaves out, `hits_left_out` tells the number and `more` where they are, the best first.
    `unmet_scope` names what of the scope no file fits: nothing was looked for there.
    Of a text that was looked for to the letter (`exact`), `total` counts the occurrences, and a hit is a line.
    `barred` says why nothing could be found, where that does not depend on what the files say. Beside `unknown_words`,
    `understood` are the others, where they are few, and `near` is what is called almost like one of the unknown.
    """

    query: str
    total: int
    hits: tuple[ContextHit, ...]
    total_tokens: int
    index: IndexState
    freshness: FreshnessState = FreshnessState()
    below_min_score: int = 0
    unknown_words: tuple[str, ...] = ()
    unread: UnindexedFiles = ALL_READ
    failed: tuple[RetrieverFailure, ...] = ()
    collapsed: int = 0
    unmet_scope: tuple[str, ...] = ()
    barred: str = ""
    understood: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = {}
    exact: str = ""
    in_files: int = 0
    commits: tuple[CommitAnswer, ...] = ()
    authors: tuple[AuthorAnswer, ...] = ()

    def summary(self) -> str:
        if self.index.indexing and not self.index.files_indexed:
            return NOTHING_YET
        in_all = not (self.index.partial or self.freshness.pending or self.freshness.unchecked)
        few = UnknownTerms(self.understood, self.near)
        lost = describe_unknown_terms(self.unknown_words, few, found=bool(self.total), in_all=in_all, left=self.unread)
        left = "" if lost or self.total or self.barred else str(self.unread)
        told = lost, left, passed_over(self.query), describe_failures(self.failed), self._past()
        said = [self._describe_hits(), self._nowhere(), *told, self._unsure()]
        return " ".join(filter(None, said))

    def _past(self) -> str:
        if self.authors:
            return f"{self.authors[0].author} knows it best, by git."
        if not self.commits:
            return ""
        best = self.commits[0]
        return f"By git: {best.commit[:10]} of {to_iso(best.time)[:10]}, {best.subject.rstrip('.')}."

    def _describe_hits(self) -> str:
        if self.exact:
            times = count_of(self.total, "occurrence", "occurrences") if self.total else "No occurrence"
            return (
                f"{times} of {self.exact!r} in {count_of(self.in_files or self.index.files_indexed, 'file', 'files')}."
            )
        if not self.total:
            below = f"; {self.below_min_score} scored below min_score" if self.below_min_score else ""
            return f"Nothing found{below}{f': {self.barred}' if self.barred else ''}."
        return f"{count_of(self.total, 'match', 'matches')}."

    def _nowhere(self) -> str:
        return f"No indexed file fits {_list_patterns(self.unmet_scope)}." if self.unmet_scope else ""

    def _unsure(self) -> str:
        stale = self.freshness.stale
        quoted = f"{count_of(stale, 'hit is stale', 'hits are stale')}." if stale else ""
        return " ".join(filter(None, [quoted, self.freshness.unseen(edges=False)]))


def _list_patterns(patterns: tuple[str, ...]) -> str:
    left = len(patterns) - MOST_UNMET
    return ", ".join([*map(repr, patterns[:MOST_UNMET]), *([f"{left} more"] if left > 0 else [])])


def _steps(data: Row) -> Iterator[Row]:
    """Ever longer answers: the first hits by a line each, then the places of the others; then hit by hit, each ever
    longer if it is not too long; then those that are, and at last all of them whole."""
    hits: list[Row] = data["hits"]
    shown = _Shown(data)
    yield shown.version(0)
    for longest in (SHORT_LINE, LONGEST_LINE):
        for i, hit in enumerate(hits[:LINES_FIRST]):
            shown.put(i, _in_a_line(hit, longest))
            yield shown.version(0)
    yield from map(shown.version, range(1, len(hits) - LINES_FIRST + 1))
    late: list[tuple[int, list[Row]]] = []
    for i, hit in enumerate(hits):
        if i >= LINES_FIRST:
            shown.put(i, _in_a_line(hit))
            yield shown.version()
        forms, later = _forms(hit), _later(hit)
        for form in chain.from_iterable(map(_without_reasons_first, forms)):
            shown.put(i, form)
            yield shown.version()
        late += [(i, later)] if later else []
    for stage in range(max((len(later) for _, later in late), default=0)):
        for i, later in late:
            shown.put(i, later[min(stage, len(later) - 1)])
            yield shown.version()


class _Shown:
    """Some hits, and of those that are left out the places of the first ones, or of all."""

    def __init__(self, data: Row) -> None:
        self._data = data
        self._hits = Rows()
        self._tokens: dict[int, int] = {}

    def put(self, place: int, hit: Row) -> None:
        self._hits.put(place, hit)
        self._tokens[place] = estimate(hit["snippet"])

    def version(self, listed: int | None = None) -> Row:
        left = self._data["hits"][len(self._hits) :]
        made = {**self._data, "hits": self._hits}
        if "total_tokens" in self._data:
            made["total_tokens"] = sum(self._tokens.values())
        if left:
            made["hits_left_out"] = len(left)
        if places := [f"{one['file_path']}:{one['first_line']} {one['label']}" for one in left[:listed]]:
            made["more"] = places
        return made


def _in_a_line(hit: Row, longest: int = LONGEST_LINE) -> Row:
    """Its location, and its most descriptive line."""
    if hit.get("first_line") == hit.get("last_line") and "elided" not in hit and "\n" not in hit["snippet"]:
        place: Row = {name: hit[name] for name in ("file_path", "first_line", "stale") if name in hit}
        return {**place, "snippet": _within(hit["snippet"].strip(), LONGEST_LINE)}
    text = _first_line(hit.get("outline") or hit["snippet"], _last_name(hit["label"]))
    kept: Row = {name: hit[name] for name in ("file_path", "first_line", "symbol", "stale") if name in hit}
    named: Row = {} if _last_name(hit["label"]) in text else {"label": hit["label"]}
    return {**kept, **named, "snippet": _within(text, longest)}


def _first_line(text: str, name: str) -> str:
    """The line that declares it, without decorators and attributes; a signature over several lines is one."""
    lines = [one.strip() for one in text.splitlines()]
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    own = (at for at, one in enumerate(lines) if not one.startswith(_ASIDE) and word.search(one))
    start = next(own, next((at for at, one in enumerate(lines) if one and not one.startswith(_ASIDE)), len(lines)))
    line = lines[start] if start < len(lines) else ""
    for more in lines[start + 1 :]:
        if not line.endswith(("(", ",", "[", "->")) or len(line) > LONGEST_LINE:
            break
        line += more if line.endswith(("(", "[")) else f" {more}"
    return line


def _within(line: str, most: int) -> str:
    """Shortened between words."""
    return line if len(line) <= most else f"{line[:most].rsplit(' ', 1)[0]} …"


def _last_name(label: str) -> str:
    return label.rpartition("::")[2] or label


def _without_reasons_first(form: Row) -> Iterator[Row]:
    """Its code does not wait for room that its reasons need."""
    bare = {name: value for name, value in form.items() if name not in ("reason", "reasons")}
    if len(bare) < len(form):
        yield bare
    yield form


def _forms(hit: Row) -> list[Row]:
    """How a hit is shown in its turn, from the shortest on; the last form is the whole, if that is not too long."""
    whole = _whole(hit)
    shown = whole["snippet"]
    shortened: list[str] = []
    for text, most in ((hit.get("passage", ""), PASSAGE_UP_TO), (hit.get("outline", ""), WHOLE_UP_TO)):
        if text and len(text) < len(shown) and by_characters(text) <= most:
            shortened.insert(0, text)
            shown = text
    if by_characters(whole["snippet"]) <= WHOLE_UP_TO:
        longest = max(map(len, shortened), default=0)
        shortened += [text for text in _openings(whole["snippet"]) if len(text) > longest]
        return [*(_with_text(whole, text) for text in shortened), whole]
    return [*(_with_text(whole, text) for text in shortened)] or [_with_text(whole, "")]  # an endless line: its place


def _openings(text: str) -> Iterator[str]:
    """Its first lines, in growing number: a long text may be shown in part."""
    lines = text.splitlines(keepends=True)
    count = OPENING
    while count < len(lines) - FEW_LINES:
        yield f"{''.join(lines[:count])}… {len(lines) - count} lines"
        count += max(OPENING, count // 2)


def _later(hit: Row) -> list[Row]:
    """How one that is not whole by then is shown when all others are shown somehow: a long passage, then all of it."""
    whole, last = _whole(hit), _forms(hit)[-1]
    passage = hit.get("passage", "")
    is_more = len(last["snippet"]) < len(passage) < len(whole["snippet"]) and by_characters(passage) <= LONG_PASSAGE
    return [*([_with_text(whole, passage)] if is_more else []), whole] if "elided" in last else []


def _with_text(whole: Row, text: str) -> Row:
    return {**whole, "snippet": text, "elided": True}


def _whole(hit: Row) -> Row:
    return {key: value for key, value in hit.items() if key not in ("outline", "passage")}


def _concise(data: Row) -> Row:
    """Without fields that the caller knows or rarely needs; `explain` and the debug profile include them."""
    dropped = {
        "query",
        "total_tokens",
        "exact",
        "in_files",
        *(() if data["index"]["indexing"] else ("index",)),
    }
    dropped |= {"below_min_score"} if data["total"] else set()
    kept = {name: value for name, value in data.items() if name not in dropped}
    return {**kept, "hits": [_concise_hit(hit) for hit in data["hits"]]}


def _concise_hit(hit: Row) -> Row:
    """One short reason; a symbol is its path and its label, which is its name inside of the file."""
    path, scope = split_id(hit.get("symbol", ""))
    kept = {name: value for name, value in hit.items() if name not in _EXPLAINED}
    label = scope if scope and path == hit["file_path"] else hit["label"]
    reasons = [Reason(**one) for one in hit.get("reasons", ())]
    why = {"reason": in_few_words(reasons, label)} if reasons else {}
    return {**kept, "label": label, **why}


_KNOWN = ("query", "total_tokens", "exact", "in_files")
_EXPLAINED = ("chunk_id", "score", "offsets", "symbol", "kind", "language", "reasons")

_QUERY_SHAPE = Shape(
    {
        "query": Priority.MEDIUM,
        "unknown_words": Priority.MEDIUM,
        "understood": Priority.LOW,
        "near": Priority.MEDIUM,
        "unread": Priority.MEDIUM,
        "unmet_scope": Priority.MEDIUM,
        "below_min_score": Priority.MEDIUM,
        "failed": Priority.HIGH,
        "collapsed": Priority.LOW,
        "barred": Priority.LOW,
        "exact": Priority.MEDIUM,
        "in_files": Priority.MEDIUM,
        "index": Priority.MEDIUM,
        "freshness": Priority.LOW,
        "total_tokens": Priority.MEDIUM,
        "commits": Priority.MEDIUM,
        "authors": Priority.MEDIUM,
    },
    _steps,
    _concise,
    pages=("hits",),
)


@tool(Effect.READ, shape=_QUERY_SHAPE, budgeted=True, also="search grep look where source")
def query_context(
    engine: Engine,
    query: Text,
    k: Annotated[int, Meta(ge=1, le=100, description="Maximum number of results; default: 12, or as configured.")]
    | None = None,
    scope: Annotated[ScopeFilter | None, Meta(description="Where to look.")] = None,
    filters: Annotated[ResultFilter | None, Meta(description="Which hits to drop.")] = None,
    explain: Explain = False,
    exact: Annotated[bool, Meta(description="Find the text literally; the same as a query in quotes.")] = False,
) -> QueryContext:
    """Find the code and text that best answer a question, best first, each with lines and the reason."""
    limits = filters or ResultFilter()
    literal = Literal(query) if exact else find_literal(query)
    if literal:
        found = _find_occurrences(engine, query, literal, _scope(engine.place.root, scope or ScopeFilter()), k)
        if found.total or exact:
            return found
    least = engine.config.query.min_score_threshold if limits.min_score is None else limits.min_score
    wanted = Query(query, k or engine.config.query.default_k, _scope(engine.place.root, scope or ScopeFilter()), least)
    results = engine.search(wanted)
    found = _with_past(engine, _to_context(results))
    if found.total and not found.unknown_words:
        return found
    told = find_unknown_terms(engine, query, results.unknown)
    return structs.replace(found, unread=find_unindexed_files(engine), understood=told.understood, near=told.near)


def _with_past(engine: Engine, found: QueryContext) -> QueryContext:
    """With commits and authors, where the question asks for the past."""
    from clew.tools.past_answers import beside  # most questions ask for none

    commits, authors = beside(engine, found.query)
    return structs.replace(found, commits=commits, authors=authors)


class StorageState(Struct, frozen=True):
    total_files: int
    total_chunks: int
    total_embeddings: int
    db_size_mb: float
    last_indexed: int


class Performance(Struct, frozen=True):
    """Over all recorded questions; `cache_hit_rate` is the share of rankings that were cached, null before any."""

    queries: int
    avg_query_latency_ms: float
    cache_hit_rate: float | None
    avg_tokens_per_query: float


class Activity(Struct, frozen=True):
    at: int
    op: str
    detail: str


class ContextStats(Struct, frozen=True):
    enabled: bool
    mode: str
    storage: StorageState
    performance: Performance
    providers: tuple[ProviderState, ...]
    languages: dict[str, int]
    recent_activity: tuple[Activity, ...]

    def summary(self) -> str:
        storage = self.storage
        return f"{storage.total_files} files, {storage.total_chunks} chunks, {storage.db_size_mb} MB."


_STATS_SHAPE = Shape(
    {
        "languages": Priority.MEDIUM,
        "providers": Priority.MEDIUM,
        "performance": Priority.HIGH,
        "recent_activity": Priority.LOW,
    }
)


@tool(Effect.READ, shape=_STATS_SHAPE, also="statistics usage metrics tokens latency fast large languages count")
def get_context_stats(engine: Engine) -> ContextStats:
    """Show index contents and size, response times, and recent activity."""
    totals = engine.files.totals()
    vectors, counts = count_vectors(engine), engine.search_counts()
    used = engine.usage.summary("query_context")
    latency, tokens = round(used.latency / 1000, 2), round(used.tokens, 1)
    return ContextStats(
        enabled=engine.config.enabled,
        mode="embedded",
        storage=StorageState(totals.files, totals.chunks, vectors, round(engine.db.size() / 1e6, 2), totals.last_known),
        performance=Performance(used.calls, latency, counts.cache_hit_rate, tokens),
        providers=providers(engine, counts),
        languages={language: chunks for language, (_, chunks) in engine.files.languages().items()},
        recent_activity=_activity(engine),
    )


def _activity(engine: Engine) -> tuple[Activity, ...]:
    """The last runs and questions, newest first."""
    runs = [Activity(t.started_at, t.type, _status(t)) for t in engine.transactions.latest(RECENT)]
    uses = [Activity(use.at, use.op, f"{use.hits} hits, {use.tokens} tokens") for use in engine.usage.latest(RECENT)]
    return tuple(sorted([*runs, *uses], key=lambda activity: -activity.at)[:RECENT])


def _status(run: Transaction) -> str:
    return f"{run.status}, for {run.author.agent}" if run.author.agent else run.status


def _languages() -> frozenset[str]:
    from clew.languages.plugins import load_languages, offered_languages  # few questions name one

    return load_languages(offered_languages()).known.names


def _find_occurrences(engine: Engine, query: str, literal: Literal, scope: Scope, limit: int | None) -> QueryContext:
    """All lines that have a text, or as many as are wanted."""
    from clew.retrieve.literal import occurrences  # numpy is heavy, and most tools do not need it

    engine.config.require_search()
    found, fresh = freshly(
        engine,
        lambda: occurrences(engine.corpus(), engine.files, literal.text, scope, words=literal.is_name),
        lambda one: {line.path for line in one.lines},
    )
    coverage = engine.require_index()
    hits = tuple(
        ContextHit(
            file_path=one.path,
            first_line=one.number,
            last_line=one.number,
            label=one.scope or one.path.rpartition("/")[2],
            kind=one.kind,
            language=one.language,
            snippet=one.text,
        )
        for one in found.lines[: limit or MOST_LINES]
    )
    return QueryContext(
        query=query,
        total=found.total,
        hits=hits,
        total_tokens=sum(estimate(one.snippet) for one in hits),
        index=IndexState(coverage.indexed, coverage.seen, coverage.indexing),
        freshness=fresh,
        exact=literal.text,
        in_files=found.files,
    )


def _scope(root: Path, scope: ScopeFilter) -> Scope:
    names = _languages() if scope.languages else frozenset()
    if strange := [name for name in scope.languages if name.lower() not in names]:
        raise InvalidInput(f"unknown language {strange[0]!r}", f"Languages: {', '.join(sorted(names))}.")
    kinds: list[Kind] = []
    for word in scope.kinds:
        named = kinds_named(word)
        if not named:
            raise InvalidInput(f"unknown kind {word!r}", f"Kinds: {', '.join(sorted(KIND_WORDS))}.")
        kinds += named
    paths, exclude = ([from_root(root, one) for one in some] for some in (scope.paths, scope.exclude_patterns))
    return Scope(tuple(paths), scope.languages, tuple(kinds), tuple(exclude))


def _to_context(results: Results) -> QueryContext:
    hits = tuple(_to_hit(hit) for hit in results.hits)
    coverage = results.coverage
    return QueryContext(
        query=results.query,
        total=results.total,
        hits=hits,
        total_tokens=sum(estimate(hit.snippet) for hit in hits),
        index=IndexState(coverage.indexed, coverage.seen, coverage.indexing),
        freshness=to_state(
            results.freshness, sum(hit.stale for hit in results.hits), coverage if coverage.partial else None
        ),
        below_min_score=results.below,
        unknown_words=results.unknown[:MOST_UNKNOWN],
        failed=results.failed,
        collapsed=results.collapsed,
        unmet_scope=results.unmet,
        barred=results.barred,
    )


def _to_hit(hit: Hit) -> ContextHit:
    return ContextHit(
        chunk_id=hit.chunk_id,
        score=hit.score,
        file_path=hit.path,
        first_line=hit.first_line,
        last_line=hit.last_line,
        label=hit.label,
        kind=hit.kind,
        language=hit.language,
        offsets=Offsets(hit.start, hit.end),
        snippet=hit.text,
        symbol=hit.symbol if hit.symbol != hit.path else "",
        reasons=hit.reasons,
        stale=hit.stale,
        redacted=hit.redacted,
        outline=hit.outline,
        passage=hit.passage,
    )
