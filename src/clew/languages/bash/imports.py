"""Bash: a path beside the script, or one that starts from a folder which only the running script knows."""

import re

from clew.index.modules.source_tree import SourceTree, folder_of, join_path

_KNOWN_LATER = re.compile(r"^(?:\$\(.*\)|\$\{[^}]*\}|\$\w+|~)+/")  # `$DIR/`, `$(dirname "$0")/`


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """As written from the script's folder or one above it."""
    name = _KNOWN_LATER.sub("", module.replace('"', "").replace("'", ""))
    if "$" in name or module.startswith("/"):
        return []
    folder = folder_of(path)
    while True:
        if (found := join_path(folder, name)) in world.paths:
            return [found]
        if not folder:
            return []
        folder = folder_of(folder)
