"""Resolution of names in Lua."""

from clew.index.resolve.abstract_values import Found
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.source_index import SourceIndex
from clew.languages.lua.library import LIBRARY


class LuaRules(LanguageRules):
    """A file gives the table that it returns: its members are the module's."""

    library = LIBRARY

    def module_members(self, tree: SourceIndex, path: str, name: str) -> Found:
        tables = [tree.definition_at(path, table) for table in tree.facts(path).exports]
        return [place for table in tables for place in tree.members(table, name)]
