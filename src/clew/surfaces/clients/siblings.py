"""Which session an agent's hook belongs to: the MCP server that the same client process started."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from clew.model.agents import Identity
from clew.model.fleet import Session
from clew.model.time import FOREVER
from clew.store.leases import this_process

_MOST_PARENTS = 32


def find_sibling(sessions: Iterable[Session], parents: frozenset[int] | None = None) -> Identity | None:
    """The session seen last whose process has its parent among ours; None where parents are not known."""
    above = ancestors(os.getpid()) if parents is None else parents
    here = this_process("").partition(":")[0]
    own = [
        one
        for one in sessions
        if one.ended_at == FOREVER
        and (pid := _pid_here(one.holder.process, here))
        and pid not in above  # a terminal, in which other commands ran
        and parent_of(pid) in above
    ]
    return max(own, key=lambda one: (one.seen_at, one.holder.session_id)).holder if own else None


def ancestors(pid: int) -> frozenset[int]:
    """The processes above one; the first of all, which is above every process, does not count."""
    found = set[int]()
    while (pid := parent_of(pid)) > 1 and pid not in found and len(found) < _MOST_PARENTS:
        found.add(pid)
    return frozenset(found)


def parent_of(pid: int) -> int:
    """0 where it is not known: only Linux tells without another program."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    return 0


def _pid_here(process: str, here: str) -> int:
    place, _, rest = process.partition(":")
    number = rest.partition(":")[0]
    return int(number) if place == here and number.isdigit() else 0
