"""Clew: the right context for coding agents, in the fewest tokens.

with clew.open("path/to/repo") as ws:
    ws.index()
    for hit in ws.search("where are tokens validated?", limit=10):
        print(hit.path, hit.symbol, hit.first_line, hit.last_line, hit.score)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from clew.surfaces.library import Workspace

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(path: "str | Path" = ".", *, read_only: bool = False) -> "Workspace":  # noqa: A001 - clew.open is the library's front door
    """Open the project that holds `path`; its `.clew/` is created on first use."""
    from clew.surfaces.library import Workspace  # the library's weight is paid on first use, not on import

    return Workspace.open(path, read_only=read_only)
