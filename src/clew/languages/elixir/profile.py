"""The profile of Elixir."""

import re

from clew.languages.profile import Language, lazy

ELIXIR = Language(
    "elixir",
    (".ex", ".exs"),
    "tree_sitter_elixir",
    interpreters=("elixir",),
    queries=("elixir",),
    doc_before=frozenset({"comment"}),
    leading=frozenset({"unary_operator"}),
    leading_text=re.compile(rb"@(?:doc|spec|impl|deprecated|dialyzer|decorate|tag)\b"),
    is_exported=lazy("clew.languages.elixir.definitions:is_exported"),
    members_in_scope=True,
    this_words=frozenset(),
    super_words=frozenset(),
    bodiless=True,
    merges_clauses=True,
    imports_of=lazy("clew.languages.elixir.definitions:imports_of"),
    module_files=lazy("clew.languages.elixir.imports:files_of"),
    rules="clew.languages.elixir.rules:ElixirRules",
    services="clew.languages.elixir.services:FORMS",
    manifests=("mix.exs",),
)
