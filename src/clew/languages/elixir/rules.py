"""Resolution of names in Elixir."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import Found
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.provenance import seen_from
from clew.index.resolve.source_index import SourceIndex
from clew.languages.elixir.imports import stem_of
from clew.languages.elixir.library import LIBRARY
from clew.model.code import SCOPE


class ElixirRules(LanguageRules):
    """A file holds modules, and is named for one; a module may be named in full without an import."""

    library = LIBRARY

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        if not name[:1].isupper():
            return []
        files = tree.files(path, name)
        if files:
            return [tree.things.thing(value_kinds.MODULE, files[0])]
        return [tree.things.thing(value_kinds.OUTSIDE, name, "", seen_from(path))]

    def module_members(self, tree: SourceIndex, path: str, name: str) -> Found:
        """Of the module that the file is named for, if there is one: `defimpl` gives nothing to those who import it."""
        stem = path.rpartition("/")[2].partition(".")[0]
        own = [scope for scope in tree.facts(path).kinds if SCOPE not in scope and stem_of(scope) == stem]
        if not own:
            return self.members_of_top_classes(tree, path, name)
        return [place for scope in own for place in tree.members(tree.definition_at(path, scope), name)]
