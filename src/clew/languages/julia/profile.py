"""The profile of Julia."""

from clew.languages.profile import Language, lazy

JULIA = Language(
    "julia",
    (".jl",),
    "tree_sitter_julia",
    interpreters=("julia",),
    queries=("julia",),
    doc_before=frozenset({"line_comment", "block_comment", "string_literal"}),
    private_prefix="_",
    this_words=frozenset(),
    super_words=frozenset(),
    bodiless=True,
    heads_like_calls=True,
    shares_names=True,
    module_files=lazy("clew.languages.julia.imports:files_of"),
    rules="clew.languages.julia.rules:JuliaRules",
)
