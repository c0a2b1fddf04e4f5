"""How fresh an answer is: what was indexed for it, what could not be seen, and what looking cost."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from msgspec import Struct

from clew.engine import Engine
from clew.model.search import Freshness
from clew.retrieve.freshness import changed_to

T = TypeVar("T")


class FreshnessState(Struct, frozen=True, omit_defaults=True):
    """What was done so that the answer is of the files as they are, what could not be, and what looking cost."""

    refreshed: int = 0
    stale: int = 0
    pending: int = 0
    unchecked: int = 0
    sweep_ms: float | None = None
    refresh_ms: float | None = None

    def unseen(self) -> str:
        """What the answer could not see, in words; nothing, if it saw all."""
        counts = (
            (self.pending, "changed file is not indexed yet", "changed files are not indexed yet"),
            (self.unchecked, "file or folder was not checked", "files or folders were not checked"),
        )
        return " ".join(f"{counted(*one)}." for one in counts if one[0])


NOTHING_TO_TELL = FreshnessState()  # the one that answers leave out: they do so by what it is, not by its value


def to_state(fresh: Freshness, stale: int) -> FreshnessState:
    found = FreshnessState(
        refreshed=fresh.refreshed,
        stale=stale,
        pending=fresh.pending,
        unchecked=fresh.unchecked,
        sweep_ms=round(fresh.sweep_ms, 1) or None,
        refresh_ms=round(fresh.refresh_ms, 1) or None,
    )
    return NOTHING_TO_TELL if found == NOTHING_TO_TELL else found


def freshly(engine: Engine, ask: Callable[[], T], quoted: Callable[[T], Collection[str]]) -> tuple[T, FreshnessState]:
    """An answer of the files as they are: asked for once more, if one that it quotes has changed since the sweep."""
    fresh = engine.refresh()
    found = ask()
    stale = _changed(engine, quoted(found))
    late = engine.refresh_again(stale) if stale else Freshness()
    if late.refreshed:
        fresh, found = fresh.and_then(late), ask()
        stale = _changed(engine, quoted(found))
    return found, to_state(fresh, len(stale))


def counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _changed(engine: Engine, paths: Iterable[str]) -> frozenset[str]:
    """Those that are not as they were when they were indexed."""
    known = engine.files.known_among(paths)
    return frozenset(path for path, one in known.items() if changed_to(engine.place.root, path, one) is not None)
