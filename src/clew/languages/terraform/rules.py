"""Resolution of names in Terraform."""

from collections.abc import Iterator

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.source_index import SourceIndex
from clew.languages.terraform.imports import files_beside


class TerraformRules(LanguageRules):
    """All files of a folder are one module."""

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        folder = folder_of(path)
        yield (self.language, folder), files_beside(tree.world, folder)
