"""Content for MCP resources: texts of files, and completion of paths, symbols and packs."""

from collections.abc import Iterable
from heapq import nsmallest
from itertools import islice

from clew.engine import Engine
from clew.model.code import symbol_id
from clew.model.errors import NotFound
from clew.runtime.paths import from_root

MOST_COMPLETIONS = 100


def file_text(engine: Engine, path: str) -> str:
    """A file as it is indexed, after its last change was read; secrets in it are replaced."""
    wanted = from_root(engine.place.root, path).replace("\\", "/").removeprefix("./")
    engine.refresh_again([wanted])
    sheet = engine.files.sheet(wanted)
    if sheet is None:
        raise NotFound(f"no file {wanted!r} is indexed", "Completion of clew://file/ lists the paths.")
    return sheet.text.decode("utf-8", "replace")


def complete_path(engine: Engine, prefix: str) -> list[str]:
    """Paths that begin with a text, or whose file name does; the shortest first."""
    return _nearest((one.path for one in engine.files.contents()), prefix, "/")


def complete_symbol(engine: Engine, prefix: str) -> list[str]:
    """Ids that begin with a text, or whose own name does; the shortest first."""
    paths = engine.files.paths()
    ids = (symbol_id(paths[one.file], one.scope) for one in engine.nodes.all() if one.scope and one.file in paths)
    return _nearest(ids, prefix, "::")


def complete_pack(engine: Engine, prefix: str) -> list[str]:
    found = (one.pack_id for one in engine.packs.every())
    return list(islice((one for one in found if one.startswith(prefix)), MOST_COMPLETIONS))


def _nearest(names: Iterable[str], prefix: str, separator: str) -> list[str]:
    wanted = prefix.lower()
    found = (
        one
        for one in names
        if one.lower().startswith(wanted) or one.lower().rpartition(separator)[2].startswith(wanted)
    )
    return nsmallest(MOST_COMPLETIONS, found, key=lambda one: (len(one), one))
