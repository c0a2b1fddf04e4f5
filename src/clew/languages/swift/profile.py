"""The profile of Swift."""

from clew.languages.profile import TYPE_PATH, ClassTokens, Language, Visibility, lazy

SWIFT = Language(
    "swift",
    (".swift",),
    "tree_sitter_swift",
    queries=("swift",),
    readable=lazy("clew.languages.swift.shims:readable"),
    doc_before=frozenset({"comment", "multiline_comment"}),
    is_exported=Visibility(private=frozenset({b"private", b"fileprivate"})).shows,
    members_in_scope=True,
    nested_paths=True,
    string="String",
    typed_overloads=True,
    constructor="init",
    class_tokens=ClassTokens(rf"{TYPE_PATH}\.self"),
    block_scoped=True,
    module_files=lazy("clew.languages.swift.imports:files_of"),
    callee_of=lazy("clew.languages.swift.implicit_members:implicit_member_callee"),
    bindings_of=lazy("clew.languages.swift.closures:untyped_parameters"),
    callbacks_of=lazy("clew.languages.swift.closures:callback_types"),
    this_words=frozenset({"self", "Self"}),
    super_words=frozenset({"super"}),
    annotations=frozenset({"attribute"}),
    rules="clew.languages.swift.rules:SwiftRules",
    shares_names=True,
    at_types=True,
    method_values=True,
    nests_comments=True,
    takes_of=lazy("clew.languages.swift.labels:labels_of"),
    typing_of=lazy("clew.languages.swift.labels:typing_of"),
)
