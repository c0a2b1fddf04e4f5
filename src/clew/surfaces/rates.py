"""How often a client may call: a bucket for each that refills evenly."""

import time
from collections.abc import Callable

from clew.model.errors import RateLimited

MOST_CLIENTS = 10_000  # that are remembered


class RateLimit:
    """Any number of calls at once up to a minute's worth; 0 is no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, client: str) -> None:
        """Count a call; raises with the seconds to wait."""
        if not self._per_minute:
            return
        now, rate = self._clock(), self._per_minute / 60
        left, at = self._buckets.pop(client, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - at) * rate)
        self._buckets[client] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > MOST_CLIENTS:
            del self._buckets[next(iter(self._buckets))]  # the one that called longest ago
        if left < 1:
            raise RateLimited(f"more than {self._per_minute} requests a minute", f"Wait {(1 - left) / rate:.0f} s.")
