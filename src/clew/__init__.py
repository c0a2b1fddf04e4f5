"""Clew: the right context for coding agents, in the fewest tokens.

with clew.open("path/to/repo") as ws:
    ws.index()
    for hit in ws.search("where are tokens validated?", limit=10):
        print(hit.path, hit.symbol, hit.first_line, hit.last_line, hit.score)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from clew.surfaces.client import ConnectionSettings, RemoteWorkspace
    from clew.surfaces.library import Workspace

__version__ = "0.1.0"
__all__ = ["__version__", "connect", "open"]


def open(path: "str | Path" = ".", *, read_only: bool = False) -> "Workspace":  # noqa: A001 - clew.open is the library's front door
    """Open the project that holds `path`; its `.clew/` is created on first use."""
    from clew.surfaces.library import Workspace  # the library's weight is paid on first use, not on import

    return Workspace.open(path, read_only=read_only)


def connect(
    url: str = "",
    *,
    path: "str | Path" = ".",
    fallback: bool = False,
    settings: "ConnectionSettings | None" = None,
) -> "RemoteWorkspace":
    """Connect to a `clew serve`. With `fallback`, the project at `path` answers while the server cannot be reached.

    Without `url`, the configuration of the project at `path` decides: `mode` and `[engine]`.
    """
    from clew.surfaces import client  # likewise

    return client.connect(url, path=path, fallback=fallback, settings=settings)
