"""Resolution of names in Go."""

from collections.abc import Iterator, Sequence

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.language_rules import LanguageRules, SharedNames, Tier
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import SourceIndex
from clew.languages.go.interfaces import implicit_interfaces
from clew.languages.go.library import LIBRARY


class GoRules(LanguageRules):
    language = "go"
    family = "go"
    library = LIBRARY
    modules_by_file = True
    declares_types = True
    structural_interfaces = True
    no_bare_outside = True
    variants_in = "folder"

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        yield self.package_files(tree, path)

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        """The files of a folder that say so; of its tests only as seen from one."""
        package, is_test = tree.facts(path).package, path.endswith("_test.go")
        files = [file for file in tree.world.folders.get(folder_of(path), ()) if tree.language(file) == self.language]
        seen = [file for file in files if is_test or not file.endswith("_test.go")]
        key = (self.language, folder_of(path), package, is_test)
        return key, [file for file in seen if tree.facts(file).package == package]

    def implicit_interfaces(self, tree: Program, paths: Sequence[str]) -> SharedNames:
        return implicit_interfaces(tree, paths)

    def representative_file(self, tree: SourceIndex, files: Sequence[str]) -> str:
        """Tests that stand outside of a package are not of it; its own tests are among the files where one of those
        asks, and only they see all that is meant for it."""
        own = [file for file in files if not tree.facts(file).package.endswith("_test")]
        return next((file for file in own if file.endswith("_test.go")), (own or files)[0])
