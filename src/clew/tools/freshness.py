"""How fresh an answer is: what was indexed for it, what could not be seen, and what looking cost."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TypeVar

from msgspec import Struct

from clew.engine import Engine
from clew.model.errors import NotFound
from clew.model.search import Coverage, Freshness
from clew.retrieve.freshness import changed_to

T = TypeVar("T")

UNLINKED = "callers and other edges are not all known yet."
READING = "The newest commits are still to be read: what they say is not known yet."
LINKING = "Unchanged files are being linked anew: some of their edges may be of before the last change."


class FreshnessState(Struct, frozen=True, omit_defaults=True):
    """What was done so that the answer is of the files as they are, what could not be, and what looking cost.

    `indexed` of `seen` files is how far a first index has come, while it is being made.
    """

    indexed: int = 0
    seen: int = 0
    refreshed: int = 0
    stale: int = 0
    pending: int = 0
    unchecked: int = 0
    linking: bool = False
    history: bool = False
    sweep_ms: float | None = None
    refresh_ms: float | None = None

    def unseen(self, *, edges: bool = True) -> str:
        """What the answer could not see, in words; nothing, if it saw all. `edges` if it tells any."""
        counts = (
            (self.pending, "changed file is not indexed yet", "changed files are not indexed yet"),
            (self.unchecked, "file or folder was not checked", "files or folders were not checked"),
        )
        said = [f"{counted(*one)}." for one in counts if one[0]]
        said += [READING] if self.history else []
        if self.seen:
            so_far = f"Indexing: {self.indexed} of {self.seen} files so far"
            return " ".join([f"{so_far}; {UNLINKED}" if edges else f"{so_far}.", *said])
        return " ".join([*said, LINKING] if self.linking and edges else said)


NOTHING_TO_TELL = FreshnessState()  # the one that answers leave out: they do so by what it is, not by its value


def to_state(fresh: Freshness, stale: int, begun: Coverage | None = None) -> FreshnessState:
    """`begun` is how far the first index has come, while it is being made."""
    found = FreshnessState(
        indexed=begun.indexed if begun else 0,
        seen=begun.seen if begun else 0,
        refreshed=fresh.refreshed,
        stale=stale,
        pending=fresh.pending,
        unchecked=fresh.unchecked,
        linking=fresh.linking,
        history=fresh.history,
        sweep_ms=round(fresh.sweep_ms, 1) or None,
        refresh_ms=round(fresh.refresh_ms, 1) or None,
    )
    return NOTHING_TO_TELL if found == NOTHING_TO_TELL else found


def freshly(engine: Engine, ask: Callable[[], T], quoted: Callable[[T], Collection[str]]) -> tuple[T, FreshnessState]:
    """An answer of the files as they are: asked for once more, if one that it quotes has changed since the sweep."""
    fresh = engine.refresh()
    try:
        found = ask()
    except NotFound as error:
        raise _not_found_yet(engine, error, fresh) from None
    stale = _changed(engine, quoted(found))
    late = engine.refresh_again(stale) if stale else Freshness()
    if late.refreshed:
        fresh, found = fresh.and_then(late), ask()
        stale = _changed(engine, quoted(found))
    return found, to_state(fresh, len(stale), _begun(engine, fresh))


def _not_found_yet(engine: Engine, error: NotFound, fresh: Freshness) -> NotFound:
    """What is not there may only not have been seen: then the hint says that first."""
    of_files = replace(fresh, history=False)  # no commit holds a name
    unseen = to_state(of_files, 0, _begun(engine, fresh)).unseen(edges=False)
    if not (unseen or engine.coverage().indexed):
        unseen = "Nothing is indexed yet."
    return type(error)(error.message, f"{unseen} Ask again in a moment. {error.hint}") if unseen else error


def _begun(engine: Engine, fresh: Freshness) -> Coverage | None:
    """How much there is of a first index: of files, and, when all are read, of the edges between them."""
    coverage = engine.coverage()
    is_first = coverage.partial or (coverage.indexing and fresh.linking and engine.transactions.count() <= 1)
    return coverage if is_first else None


def counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _changed(engine: Engine, paths: Iterable[str]) -> frozenset[str]:
    """Those that are not as they were when they were indexed."""
    known = engine.files.known_among(paths)
    return frozenset(path for path, one in known.items() if changed_to(engine.place.root, path, one) is not None)
