"""Resolution of names in Zig."""

from clew.index.resolve.abstract_values import Found
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.language_rules import LanguageRules


class ZigRules(LanguageRules):
    """A file is a struct, which `@This()` at its top means; a type is a constant like others."""

    modules_are_types = True
    imports_itself = True

    def imported_otherwise(self, scope: CrossFileScope, path: str, name: str) -> Found:
        """A type by a constant of the file: `const Card = @import("card.zig").Card`."""
        return [(path, "", name)] if name in scope.tree.scope_bindings(path, "") else []
