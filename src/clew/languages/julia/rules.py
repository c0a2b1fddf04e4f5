"""Resolution of names in Julia."""

from collections.abc import Iterator

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import Found
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.source_index import SourceIndex
from clew.languages.julia.imports import package_folder, sources_below


class JuliaRules(LanguageRules):
    """The files of a package see each other, since one of them includes all."""

    language = "julia"

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        yield self.package_files(tree, path)

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        folder = package_folder(path)
        return (self.language, folder), sources_below(tree.world, folder)

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        """A module by its name."""
        files = tree.world.packages.get((self.language, name), ())
        return [tree.things.thing(value_kinds.MODULE, file) for file in files[:1]]
