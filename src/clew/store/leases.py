"""Leases with fencing tokens for operations that only one process may do at a time.

Times are the store's: hosts need not agree on theirs.
"""

import os
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from msgspec import Struct

from clew.runtime.asking import once
from clew.store.database import Database, Durability, Later, Row, Where
from clew.store.outage import outlast

INDEXING = "index"  # the lease of those who write derived state
BEGINNING = "begin"  # of a first run that has been started and is still loading: of no other can it be told
LINKING = "link"  # of those who link in the background what questions did not wait for
REFLECTING = "reflect"  # of those who look back by the clock
SKEW = 60_000_000  # microseconds by which clocks of those who share a file may differ
LEASE = 15_000_000  # microseconds; a holder renews with every commit, and every few seconds between them


class Lease(Struct, frozen=True):
    name: str
    holder: str
    fence: int


class Leases:
    def __init__(self, db: Database, where: Where, length: int = LEASE) -> None:
        self._db = db
        self._where = where._asdict()
        self._length = length

    def acquire(self, name: str, holder: str, now: int) -> Lease | None:
        """The lease, or None while another holds it. The fence grows with every holder."""
        return outlast(self._db, lambda: self._acquire(name, holder, now))

    def _acquire(self, name: str, holder: str, now: int) -> Lease | None:
        """Waiters ask often, so only an available lease takes the lock; it is acquired only if it has not changed
        since."""
        fence, expires_at = 0, 0
        for row in self._rows(name, now):
            if self._is_held(row) and row["holder"] != holder:
                return None
            fence, expires_at = row["fence"], row["expires_at"]
        with self._db.transaction():
            taken = self._db.later(
                "lease_take", name=name, holder=holder, fence=fence, expires_at=expires_at, now=now,
                length=self._length, **self._where,
            )  # fmt: skip
        return Lease(name, holder, fence + 1) if taken() else None

    def renew(self, lease: Lease, now: int) -> None:
        """Stay the holder. Called inside every transaction of the holder, so that a late writer writes nothing."""
        self._db.insist(
            "lease_renew", f"another process took over the lease {lease.name!r}", name=lease.name, holder=lease.holder,
            fence=lease.fence, now=now, length=self._length, **self._where,
        )  # fmt: skip

    def release(self, lease: Lease, now: int) -> None:
        with self._db.transaction(Durability.DERIVED):
            held = {"name": lease.name, "holder": lease.holder, "fence": lease.fence}
            self._db.execute("lease_end", now=now, **held, **self._where)

    def holder(self, name: str, now: int) -> str:
        """The current holder of the lease; empty if there is none."""
        return next((str(row["holder"]) for row in self._rows(name, now) if self._is_held(row)), "")

    def is_held(self, name: str, now: int) -> bool:
        """As of the question at hand."""
        return once(self.key(name), lambda: bool(self.holder(name, now)))

    def is_held_later(self, name: str, now: int) -> Later[bool]:
        rows = self._db.later("lease_get", name=name, now=now, **self._where)
        return lambda: any(map(self._is_held, rows()))

    def key(self, name: str) -> Hashable:
        return id(self._db), *self._where.values(), name

    def _rows(self, name: str, now: int) -> Iterator[Row]:
        return self._db.query("lease_get", name=name, now=now, **self._where)

    def _is_held(self, row: Row) -> bool:
        """A lease that has longer to run than any is given was taken before the clock was set back."""
        return 0 < row["remaining"] <= self._length + SKEW and not is_dead(row["holder"])


def this_process(nonce: str, pid: int = 0) -> str:
    """A holder's name: where it runs, so that others there can see whether it still does. `pid` names another."""
    return f"{_here()}:{pid or os.getpid()}:{nonce}"


def _host() -> str:
    """The host's name. Every command needs it, and loading `socket` would take longer than the rest of it."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket

    return socket.gethostname()


@cache
def _here() -> str:
    """Where process numbers mean the same: this boot of this host, and on Linux this container."""
    marks = [_host().replace(":", "-")]
    with suppress(OSError):
        marks.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8])
        marks.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    return "/".join(marks)


def is_dead(holder: str) -> bool:
    """True only if the holder ran here and its process is gone; else its lease must run out."""
    here, _, rest = holder.partition(":")
    pid, _, _ = rest.partition(":")
    if here != _here() or not pid.isdigit() or os.name != "posix":
        return False
    with suppress(PermissionError):  # it runs, as somebody else
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
    return False
