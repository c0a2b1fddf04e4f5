"""The profile of Haskell."""

from clew.languages.profile import Language, lazy

HASKELL = Language(
    "haskell",
    (".hs",),
    "tree_sitter_haskell",
    interpreters=("runhaskell", "stack"),
    queries=("haskell",),
    doc_before=frozenset({"comment", "haddock"}),
    leading=frozenset({"signature", "pragma"}),
    this_words=frozenset(),
    super_words=frozenset(),
    bodiless=True,
    merges_clauses=True,
    block_scoped=True,
    module_files=lazy("clew.languages.haskell.imports:files_of"),
    rules="clew.languages.haskell.rules:HaskellRules",
)
