"""The freshness of an answer: files that were indexed for it, files that were skipped, and the time this took."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from clew.engine import Engine
from clew.graph.surroundings import Relation
from clew.model.code import split_id
from clew.model.errors import NotFound
from clew.model.fleet import ClaimKind
from clew.model.search import Coverage, Freshness
from clew.retrieve.source_cache import changed_to

T = TypeVar("T")

CODE_KINDS = (ClaimKind.FILE, ClaimKind.FUNCTION)  # of claims
MOST_ROUNDS = 3  # in which an answer is made again, since what it tells of has changed
MOST_NAMED = 5  # stale files that are named; all are counted
UNLINKED = "callers and other edges are not all known yet."
TAKEN_OVER = (
    "A newer Clew, or newer tree-sitter packages, have taken over this index. This process sees no changes any more: "
    "restart it."
)
CONTESTED = (
    "Another process has this project indexed by other settings or plug-ins: this one sees no changes until both agree."
)
READING = "The newest commits are still to be read: what they say is not known yet."
NOTHING_YET = "Indexing: nothing is read yet. Ask again in a moment."
LINKING = "Unchanged files are being linked anew: some of their edges may be of before the last change."


class FreshnessState(Struct, frozen=True, omit_defaults=True):
    """What was done so that the answer is of the files as they are, what could not be, and what looking cost.

    `indexed` of `seen` files is how far a first index has come, while it is being made. Of `stale_files`, the
    first of those that an answer tells of and that have changed, lines may be others now.
    """

    indexed: int = 0
    seen: int = 0
    refreshed: int = 0
    stale: int = 0
    stale_files: tuple[str, ...] = ()
    pending: int = 0
    unchecked: int = 0
    linking: bool = False
    newer: bool = False
    contested: bool = False
    history: bool = False
    sweep_ms: float | None = None
    refresh_ms: float | None = None

    def unseen(self, *, edges: bool = True) -> str:
        """What the answer could not see, in words; nothing, if it saw all. `edges` if it tells any."""
        unchecked = 0 if self.seen else self.unchecked  # a first index has yet to come to them
        counts = (
            (self.pending, "changed file is not indexed yet", "changed files are not indexed yet"),
            (unchecked, "file or folder was not checked for changes", "files or folders were not checked for changes"),
        )
        said = [f"{count_of(*one)}." for one in counts if one[0]]
        if self.newer or self.contested:
            said = [TAKEN_OVER if self.newer else CONTESTED]
        if self.stale_files:
            more = ", …" if self.stale > len(self.stale_files) else ""
            which = f"{', '.join(self.stale_files)}{more}"
            said.insert(0, f"{count_of(self.stale, 'file has', 'files have')} changed since indexing ({which}).")
        said += [READING] if self.history else []
        if self.seen:
            so_far = f"Indexing: {self.indexed} of {self.seen} files so far"
            return " ".join([f"{so_far}; {UNLINKED}" if edges else f"{so_far}.", *said])
        return " ".join([*said, LINKING] if self.linking and edges else said)


NOTHING_TO_TELL = FreshnessState()  # the one that answers leave out: they do so by what it is, not by its value


def to_state(
    fresh: Freshness, stale: int, begun: Coverage | None = None, stale_files: Iterable[str] = ()
) -> FreshnessState:
    """`begun` is how far the first index has come, while it is being made."""
    found = FreshnessState(
        indexed=begun.indexed if begun else 0,
        seen=begun.seen if begun else 0,
        refreshed=fresh.refreshed,
        stale=stale,
        stale_files=tuple(sorted(stale_files)[:MOST_NAMED]),
        pending=fresh.pending,
        unchecked=fresh.unchecked,
        linking=fresh.linking,
        newer=fresh.newer,
        contested=fresh.contested,
        history=fresh.history,
        sweep_ms=round(fresh.sweep_ms, 1) or None,
        refresh_ms=round(fresh.refresh_ms, 1) or None,
    )
    return NOTHING_TO_TELL if found == NOTHING_TO_TELL else found


def freshly(engine: Engine, ask: Callable[[], T], quoted: Callable[[T], Iterable[str]]) -> tuple[T, FreshnessState]:
    """An answer of the files as they are: asked for once more, if one that it tells of has changed since the sweep."""
    found, fresh = _ask_after_scan(engine, ask, engine.refresh())
    stale = changed_among(engine, quoted(found))
    for _ in range(MOST_ROUNDS):
        late = engine.refresh_again(stale) if stale else Freshness()
        if not late.refreshed:
            break
        found, fresh = _ask_after_scan(engine, ask, fresh.and_then(late))
        stale = changed_among(engine, quoted(found))
    return found, to_state(fresh, len(stale), begun_by(engine, fresh), stale)


def _ask_after_scan(engine: Engine, ask: Callable[[], T], fresh: Freshness) -> tuple[T, Freshness]:
    """Before something is told not to be there, all of the tree is looked at."""
    try:
        return ask(), fresh
    except NotFound as error:
        if not fresh.unchecked:
            raise _not_found_yet(engine, error, fresh) from None
    fresh = engine.refresh(patient=True)
    try:
        return ask(), fresh
    except NotFound as error:
        raise _not_found_yet(engine, error, fresh) from None


def paths_of(ids: Iterable[str]) -> Iterator[str]:
    return (split_id(one)[0] for one in ids)


def places_of(relations: Iterable[Relation]) -> Iterator[str]:
    """The files that show a relation, and those of what it is with."""
    return (path for one in relations for path in (one.path, split_id(one.id)[0]))


def _not_found_yet(engine: Engine, error: NotFound, fresh: Freshness) -> NotFound:
    """A missing element may be in a file that is not indexed yet: then the hint says so first."""
    of_files = replace(fresh, history=False)  # no commit holds a name
    unseen = to_state(of_files, 0, begun_by(engine, fresh)).unseen(edges=False)
    if not (unseen or engine.coverage().indexed):
        unseen = "Nothing is indexed yet."
    return type(error)(error.message, f"{unseen} Ask again in a moment. {error.hint}") if unseen else error


def begun_by(engine: Engine, fresh: Freshness) -> Coverage | None:
    """How much there is of a first index: of files, and, when all are read, of the edges between them."""
    coverage = engine.coverage()
    is_first = coverage.partial or (coverage.indexing and fresh.linking and engine.transactions.count() <= 1)
    return coverage if is_first else None


def count_of(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def changed_among(engine: Engine, paths: Iterable[str]) -> frozenset[str]:
    """Those that are not as they were when they were indexed."""
    known = engine.files.known_among(paths)
    return frozenset(path for path, one in known.items() if changed_to(engine.place.root, path, one) is not None)


def settle_claims(engine: Engine) -> str:
    """Have claims judged by the working tree as it is; what could not be seen of it, in words."""
    open_claims = engine.fleet.claims.open()
    if not open_claims:
        return ""
    fresh = engine.refresh(patient=True)
    changed = changed_among(engine, {split_id(one.target)[0] for one in open_claims if one.kind in CODE_KINDS})
    late = engine.refresh_again(changed) if changed else Freshness()
    left = max(fresh.pending - late.refreshed, 0)
    return to_state(replace(fresh, pending=left, history=False), 0).unseen(edges=False)
