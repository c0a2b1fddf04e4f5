"""The service map as lines, for packs of tasks that ask how the parts of a system talk."""

import re
from contextlib import suppress

from clew.engine import Engine
from clew.model.errors import ClewError
from clew.text.tokens import estimate

_ASKS = re.compile(
    r"\b(?:micro-?services?|services|service (?:map|graph|calls?|dependenc\w+|boundar\w+)|consumers? of)\b",
    re.IGNORECASE,
)
MOST_FILES = 500  # that are read for a pack, where nothing was asked about services before
SHARE = 4  # the map takes no more than this part of a pack's room


def service_lines(engine: Engine, task: str, limit: int | None) -> tuple[str, ...]:
    """The map, where the task asks for it and the project has several services; whole lines, as many as fit."""
    if not engine.config.services.enabled or not _ASKS.search(task):
        return ()
    from clew.services.drawing import text_map  # few tasks ask for it

    if not engine.service_sources.is_read and engine.files.totals().files > MOST_FILES:
        return ()
    with suppress(ClewError):
        system = engine.services.current().system
        if sum(1 for one in system.services if one.path) < 2:
            return ()
        lines = text_map(system)
        while lines and limit is not None and estimate("\n".join(lines)) > limit // SHARE:
            lines = lines[: len(lines) * 9 // 10]
        return tuple(lines)
    return ()
