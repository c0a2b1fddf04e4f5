"""Which files' names a file sees without importing each, the nearest first."""

from collections.abc import Hashable, Sequence

from clew.index.resolve.language_rules import Tier
from clew.index.resolve.source_index import SourceIndex


class Tiers(dict[str, list[Tier]]):
    """The visible files of each path, cached; groups are shared."""

    def __init__(self, tree: SourceIndex) -> None:
        self._tree = tree
        self._groups: dict[Hashable, Sequence[str]] = {}

    def __missing__(self, path: str) -> list[Tier]:
        groups, tiers = self._groups, self._tree.rules(path).visible_files(self._tree, path)
        found = self[path] = [(key, groups.setdefault(key, files)) for key, files in tiers]
        return found
