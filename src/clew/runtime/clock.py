"""The clock, and new ids."""

import time
import uuid


def now() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


def new_id() -> str:
    return str(uuid.uuid4())
