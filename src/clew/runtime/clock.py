"""The clock, and new ids."""

import logging
import threading
import time
import uuid
from collections.abc import Callable

from clew.model.errors import ClewError


def now() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


def new_id() -> str:
    return str(uuid.uuid4())


# Work that comes round by the clock, in a thread of its own.

log = logging.getLogger(__name__)


class Ticker:
    """Runs `work` periodically until it is closed; failures are logged, and retried at the next turn."""

    def __init__(self, work: Callable[[], object], first_seconds: float, seconds: float) -> None:
        self._work = work
        self._pauses = first_seconds, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="clew-ticker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _tick(self) -> None:
        pause, seconds = self._pauses
        while not self._over.wait(pause):
            pause = seconds
            try:
                self._work()
            except ClewError as error:
                log.warning("a periodic task was skipped: %s", error.message)
            except Exception:
                log.exception("a periodic task failed")
