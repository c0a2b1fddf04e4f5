"""Resolution of names in Haskell."""

from clew.index.resolve.abstract_values import Found
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.source_index import SourceIndex


class HaskellRules(LanguageRules):
    """Methods of a type class are functions of its module."""

    def module_members(self, tree: SourceIndex, path: str, name: str) -> Found:
        return self.members_of_top_classes(tree, path, name)
