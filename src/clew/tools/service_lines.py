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
SHARE = 4  # the map takes no more than this part of a pack's room


MOST_LINES = 60  # of a page


def service_lines(engine: Engine, task: str, limit: int | None) -> tuple[str, ...]:
    """The map, where the task asks for it; whole lines, as many as fit."""
    lines = map_lines(engine) if _ASKS.search(task) else ()
    while lines and limit is not None and estimate("\n".join(lines)) > limit // SHARE:
        lines = lines[: len(lines) * 9 // 10]
    return lines


def map_lines(engine: Engine) -> tuple[str, ...]:
    """The map of a project that has several services with source, and is deployed; empty for others."""
    from clew.services.discovery import looks_like_services  # few projects have services
    from clew.services.drawing import text_map

    if not engine.config.services.enabled or not looks_like_services(one.path for one in engine.files.contents()):
        return ()
    with suppress(ClewError):
        system = engine.services.current().system
        return tuple(text_map(system)[:MOST_LINES]) if sum(1 for one in system.services if one.path) > 1 else ()
    return ()
