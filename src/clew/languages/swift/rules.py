"""Resolution of names in Swift."""

from collections.abc import Iterator

from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.source_index import SourceIndex


class SwiftRules(LanguageRules):
    language = "swift"
    family = "swift"
    overloads = True
    reads_containers = True
    inherits_constructors = True
    inherits_types = True
    call_operator = "callAsFunction"
    bare_members = True
    constructors_take_functions = True
    pair_value = "value"

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """The module, then those that are imported."""
        for module in ("", *tree.facts(path).stars):
            if files := tree.files(path, module):
                yield (self.language, files[0]), files

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        files = tree.files(path, "") or (path,)
        return (self.language, files[0]), files
