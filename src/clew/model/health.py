"""The result of examining a project and its surroundings."""

from enum import StrEnum

from msgspec import Struct


class HealthState(StrEnum):
    """`NOTE`: nothing is wrong, but its consequences should be known. `FAULT`: something fails or is unsafe."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAULT = "fault"


class HealthCheck(Struct, frozen=True, omit_defaults=True):
    """One check: what was looked at, what was found, and what to do about it."""

    name: str
    state: HealthState
    finding: str
    hint: str = ""
