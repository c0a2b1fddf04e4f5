"""How fresh an answer is: what was indexed for it, what could not be seen, and what looking cost."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from msgspec import Struct

from clew.engine import Engine
from clew.model.errors import NotFound
from clew.model.search import Freshness
from clew.retrieve.freshness import changed_to

T = TypeVar("T")

LINKING = "Unchanged files are being linked anew: some of their edges may be of before the last change."


class FreshnessState(Struct, frozen=True, omit_defaults=True):
    """What was done so that the answer is of the files as they are, what could not be, and what looking cost."""

    refreshed: int = 0
    stale: int = 0
    pending: int = 0
    unchecked: int = 0
    linking: bool = False
    sweep_ms: float | None = None
    refresh_ms: float | None = None

    def unseen(self, *, edges: bool = True) -> str:
        """What the answer could not see, in words; nothing, if it saw all. `edges` if it tells any."""
        counts = (
            (self.pending, "changed file is not indexed yet", "changed files are not indexed yet"),
            (self.unchecked, "file or folder was not checked", "files or folders were not checked"),
        )
        said = [f"{counted(*one)}." for one in counts if one[0]]
        return " ".join([*said, LINKING] if self.linking and edges else said)


NOTHING_TO_TELL = FreshnessState()  # the one that answers leave out: they do so by what it is, not by its value


def to_state(fresh: Freshness, stale: int) -> FreshnessState:
    found = FreshnessState(
        refreshed=fresh.refreshed,
        stale=stale,
        pending=fresh.pending,
        unchecked=fresh.unchecked,
        linking=fresh.linking,
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
    return found, to_state(fresh, len(stale))


def _not_found_yet(engine: Engine, error: NotFound, fresh: Freshness) -> NotFound:
    """What is not there may only not have been seen: then the hint says that first."""
    coverage = engine.coverage()
    begun = coverage.indexing and coverage.indexed < max(coverage.seen, 1)
    so_far = f"Indexing: {coverage.indexed} of {coverage.seen} files so far." if begun else ""
    unseen = so_far or to_state(fresh, 0).unseen()
    return type(error)(error.message, f"{unseen} Ask again in a moment. {error.hint}") if unseen else error


def counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _changed(engine: Engine, paths: Iterable[str]) -> frozenset[str]:
    """Those that are not as they were when they were indexed."""
    known = engine.files.known_among(paths)
    return frozenset(path for path, one in known.items() if changed_to(engine.place.root, path, one) is not None)
