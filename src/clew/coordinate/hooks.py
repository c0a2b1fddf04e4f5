"""Where memory joins in: called inside of the transaction that ends a claim or closes a task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.model.agents import Identity
from clew.model.fleet import Claim, Session, Task
from clew.model.time import FOREVER
from clew.store.leases import is_dead

# Decides whether a holder is gone: its process or session has ended, or it was silent for too long.


def is_gone(session: Session | None, heartbeat: int) -> bool:
    """`heartbeat` is how many microseconds a holder may be silent; 0: for ever.

    Of a holder that was never seen, or that lives on another host, nothing is known: it counts as there.
    """
    if session is None:
        return False
    if session.ended_at < FOREVER or (session.holder.process and is_dead(session.holder.process)):
        return True
    return 0 < heartbeat < session.silent


@dataclass(frozen=True, slots=True)
class Closing:
    """A task as it was closed, the claims that ended with it, its closer, the time, and the note."""

    task: Task
    claims: Sequence[Claim]
    by: Identity
    at: int
    note: str


OnRelease = Callable[[Claim], None]
OnClosed = Callable[[Closing], None]


def _on_release(claim: Claim) -> None:
    """Nobody keeps the outcome elsewhere."""


def _on_closed(closing: Closing) -> None:
    """Nobody reflects on it."""


@dataclass(frozen=True, slots=True)
class Seams:
    """Hooks that write in the same transaction as the change itself.

    `on_release` gets an ended claim with its outcome.
    """

    on_release: OnRelease = _on_release
    on_closed: OnClosed = _on_closed


SILENT = Seams()
