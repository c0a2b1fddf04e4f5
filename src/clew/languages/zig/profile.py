"""The profile of Zig."""

from clew.languages.profile import Language, Visibility, lazy

ZIG = Language(
    "zig",
    (".zig", ".zon"),
    "tree_sitter_zig",
    queries=("zig",),
    doc_before=frozenset({"comment"}),
    is_exported=Visibility(frozenset({b"pub", b"export"})).shows,
    this_words=frozenset(),
    super_words=frozenset(),
    loads=frozenset({"import"}),
    spelled=lazy("clew.languages.zig.expressions:normalise_expression"),
    alternatives=lazy("clew.languages.zig.expressions:types_of"),
    module_files=lazy("clew.languages.zig.imports:files_of"),
    rules="clew.languages.zig.rules:ZigRules",
)
