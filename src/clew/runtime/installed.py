"""The files that this process was loaded from: an upgrade may put others in their place while it runs."""

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_FILES = (_PACKAGE / "__init__.py", _PACKAGE / "index" / "rules.py")


def _marks() -> list[tuple[int, int]]:
    try:
        return [(stat.st_ino, stat.st_mtime_ns) for stat in (file.stat() for file in _FILES)]
    except OSError:  # gone, or in an archive
        return []


_LOADED = _marks()


def is_replaced() -> bool:
    """Whether the installed package changed since the start: modules loaded from now on may not fit."""
    return _marks() != _LOADED
