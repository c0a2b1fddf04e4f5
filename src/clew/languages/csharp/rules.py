"""Resolution of names in C#."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.shared_names import top_types
from clew.index.resolve.source_index import SourceIndex


class CSharpRules(LanguageRules):
    language = "csharp"
    family = "csharp"
    overloads = True
    inherits_types = True
    casts = True
    bare_members = True
    declares_types = True
    constructors_take_functions = True
    pair_value = "Value"
    defaults_left_out = True
    inherits_overloads = True
    reopens_classes = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """The namespace and those around it."""
        package, packages = tree.facts(path).package, tree.world.packages
        while package:
            yield (self.language, package), packages.get((self.language, package), ())
            package = package.rpartition(".")[0]

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        package = tree.facts(path).package
        return (self.language, package), tree.world.packages.get((self.language, package), (path,))

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return top_types(facts)
