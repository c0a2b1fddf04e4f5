"""Resolution of names in Java."""

from clew.index.resolve.abstract_values import Found
from clew.index.resolve.source_index import SourceIndex
from clew.languages.java.library import LIBRARY
from clew.languages.jvm.rules import JvmRules


class JavaRules(JvmRules):
    language = "java"
    library = LIBRARY
    casts = True
    reads_are_fields = True
    inherits_overloads = True
    writes_primary_constructor = True

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        """Also a member of the only class whose members the file imports all."""
        found = super().unbound_name(tree, path, name)
        if found or not name[:1].islower() or tree.starts_package(path, name):
            return found
        classes = [one for one in tree.elsewhere.unknown(path) if one.rpartition(".")[2][:1].isupper()]
        return [tree.outside(f"{classes[0]}.{name}")] if len(classes) == 1 else []

    def package_of_unknown_types(self, tree: SourceIndex, path: str) -> str:
        """The file's own package, of which the tree need not have all files."""
        package = tree.facts(path).package
        return f"{package}." if package else ""
