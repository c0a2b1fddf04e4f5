"""Regular expressions that are compiled at their first use: most commands need few of those that modules define."""

import re
from typing import Any, AnyStr, cast


class _LatePattern:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._arguments), name)
        setattr(self, name, found)  # the next lookup finds it without this method
        return found


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A stand-in for the compiled expression, with the same methods and attributes."""
    return cast("re.Pattern[AnyStr]", _LatePattern(pattern, flags))
