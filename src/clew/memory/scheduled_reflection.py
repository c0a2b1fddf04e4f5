"""Looking back by the clock: whichever process comes first does it, for the whole project."""

from collections.abc import Callable

from clew.memory.reflection import Reflection, ReflectionSpan, Reflector
from clew.model.agents import Identity
from clew.store.episodes import Episodes
from clew.store.leases import REFLECTING, Leases

CLOCK = Identity("clew", "clock")  # who speaks in such reflections
FEWEST, MOST = 20, 1000  # episodes to look back on


class Looking:
    def __init__(
        self, episodes: Episodes, reflector: Callable[[], Reflector], leases: Leases, holder: str, every: int
    ) -> None:
        """`every` is in microseconds; `holder` names this process."""
        self._episodes = episodes
        self._reflector = reflector
        self._leases = leases
        self._holder = holder
        self._every = every

    def look(self, now: int) -> Reflection | None:
        """Reflect on new episodes, if it is time and no other process does."""
        if not self._new(now):
            return None
        lease = self._leases.acquire(REFLECTING, self._holder, now)
        if lease is None:
            return None
        try:
            new = self._new(now)  # another one may just have done it
            span = ReflectionSpan(limit=min(max(new, FEWEST), MOST))
            return self._reflector().reflect(span, CLOCK, now) if new else None
        finally:
            self._leases.release(lease, now)

    def _new(self, now: int) -> int:
        """How many episodes came since the last time; 0 if it is too early."""
        last = next(iter(self._episodes.latest(1, agent=CLOCK.agent_id)), None)
        if last and now - last.recorded_at < self._every:
            return 0
        return self._episodes.last() - (last.number if last else 0)
