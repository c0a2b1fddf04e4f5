"""Decides whether a holder is gone: its process or session has ended, or it was silent for too long."""

from clew.model.fleet import Session
from clew.model.time import FOREVER
from clew.store.leases import is_dead


def is_gone(session: Session | None, heartbeat: int) -> bool:
    """`heartbeat` is how many microseconds a holder may be silent; 0: for ever.

    Of a holder that was never seen, or that lives on another host, nothing is known: it counts as there.
    """
    if session is None:
        return False
    if session.ended_at < FOREVER or (session.holder.process and is_dead(session.holder.process)):
        return True
    return 0 < heartbeat < session.silent
