"""Who may do what only one may do at a time: a lease that ends with its holder, and a fencing number."""

import os
import socket
from contextlib import suppress

from msgspec import Struct

from clew.model.errors import Busy
from clew.store.database import Database, Durability, Where

INDEXING = "index"  # the lease of those who write derived state
LEASE = 15_000_000  # microseconds; a holder renews with every commit, and every few seconds between them


class Lease(Struct, frozen=True):
    name: str
    holder: str
    fence: int


class Leases:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def acquire(self, name: str, holder: str, now: int) -> Lease | None:
        """The lease, or None while another holds it. The fence grows with every change of holder."""
        with self._db.transaction():
            fence = 0
            for row in self._db.query("lease_get", name=name, **self._where):
                if row["expires_at"] > now and not _is_dead(row["holder"]):
                    return None
                fence = row["fence"]
            lease = Lease(name, holder, fence + 1)
            self._put(lease, now + LEASE)
        return lease

    def renew(self, lease: Lease, now: int) -> None:
        """Stay the holder. Called inside every transaction of the holder, so that a late writer writes nothing."""
        renewed = self._db.execute(
            "lease_renew", name=lease.name, holder=lease.holder, fence=lease.fence, expires_at=now + LEASE,
            **self._where,
        )  # fmt: skip
        if not renewed:
            raise Busy(f"another process took over the lease {lease.name!r}")

    def release(self, lease: Lease, now: int) -> None:
        with self._db.transaction(Durability.DERIVED), suppress(Busy):
            self.renew(lease, now)
            self._put(lease, 0)

    def holder(self, name: str, now: int) -> str:
        """Who holds the lease now; empty if nobody does."""
        for row in self._db.query("lease_get", name=name, **self._where):
            if row["expires_at"] > now and not _is_dead(row["holder"]):
                return str(row["holder"])
        return ""

    def _put(self, lease: Lease, expires_at: int) -> None:
        self._db.execute(
            "lease_put", name=lease.name, holder=lease.holder, fence=lease.fence, expires_at=expires_at,
            **self._where,
        )  # fmt: skip


def this_process(nonce: str) -> str:
    """A holder's name: where it runs, so that others on this host can see whether it still does."""
    return f"{socket.gethostname()}:{os.getpid()}:{nonce}"


def _is_dead(holder: str) -> bool:
    """True only if the holder ran on this host and its process is gone; else its lease must run out."""
    host, _, rest = holder.partition(":")
    pid, _, _ = rest.partition(":")
    if host != socket.gethostname() or not pid.isdigit() or os.name != "posix":
        return False
    with suppress(PermissionError):  # it runs, as somebody else
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
    return False
