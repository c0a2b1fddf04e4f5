"""The profile of Dart."""

from clew.languages.profile import Language, lazy

DART = Language(
    "dart",
    (".dart",),
    "tree_sitter_dart",
    queries=("dart",),
    doc_before=frozenset({"comment", "documentation_comment"}),
    leading=frozenset({"annotation"}),
    private_prefix="_",
    members_in_scope=True,
    separator="/",
    hands_on=True,
    this_words=frozenset({"this"}),
    super_words=frozenset({"super"}),
    string="String",
    transparent=frozenset({"Future", "FutureOr"}),
    holders=frozenset("Iterable List Set Map Stream Queue Iterator".split()),
    spelled=lazy("clew.languages.dart.expressions:normalise_expression"),
    module_files=lazy("clew.languages.dart.imports:files_of"),
    rules="clew.languages.dart.rules:DartRules",
)
