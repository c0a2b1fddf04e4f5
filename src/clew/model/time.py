"""Two clocks: when a thing was true, and when we came to know it. Integers, UTC microseconds."""

from datetime import UTC, datetime, timedelta

from msgspec import Struct

FOREVER = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z: an end that has not come; no None to check for
FIRST = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z: nothing before it has a spelling
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class AsOf(Struct, frozen=True):
    """The viewpoint of a read: facts valid at `valid`, as known at `known`."""

    valid: int
    known: int

    @property
    def instant(self) -> int:
        """For what is known as soon as it is true, such as claims, tasks and notes: the earlier of the two."""
        return min(self.valid, self.known)


NOW = AsOf(FOREVER - 1, FOREVER - 1)  # the present: every open period holds it


class Period(Struct, frozen=True):
    """Half-open: holds from `start` up to, not including, `end`."""

    start: int
    end: int = FOREVER

    def __contains__(self, moment: int) -> bool:
        return self.start <= moment < self.end


def to_iso(moment: int) -> str:
    """RFC 3339 with microseconds; an open end has no spelling and must not get here. Beyond the years, the nearest."""
    return (_EPOCH + timedelta(microseconds=min(max(moment, FIRST), FOREVER))).isoformat().replace("+00:00", "Z")


def from_iso(text: str) -> int:
    """Microseconds of an ISO 8601 time; without an offset it is UTC. ValueError, if it is none or beyond the years."""
    moment = datetime.fromisoformat(text.strip())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = (moment - _EPOCH) // timedelta(microseconds=1)
    if not FIRST <= since <= FOREVER:
        raise ValueError(f"{text} lies outside of the years 1 to 9999 in UTC")
    return since
