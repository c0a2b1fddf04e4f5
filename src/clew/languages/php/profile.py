"""The profile of PHP."""

from clew.languages.profile import ClassTokens, Language, Visibility, lazy

PHP = Language(
    "php",
    (".php", ".phtml"),
    "tree_sitter_php",
    "language_php",
    queries=("php",),
    wrappers=frozenset({"expression_statement"}),
    doc_before=frozenset({"comment"}),
    separator="\\",
    submodules="\\",
    namespaces=True,
    is_exported=Visibility(private=frozenset({b"private", b"protected"})).shows,
    imports_things=True,
    module_files=lazy("clew.languages.php.imports:files_of"),
    constructor="__construct",
    class_tokens=ClassTokens(r"([^\W\d][\w\\]*)::class"),
    this_words=frozenset({"$this", "self", "static"}),
    super_words=frozenset({"parent"}),
    literals=frozenset("["),
    spelled=lazy("clew.languages.php.expressions:normalise_expression"),
    alternatives=lazy("clew.languages.php.types:alternatives"),
    made_results=True,
    remarks_of=lazy("clew.languages.php.types:doc_types"),
    annotations=frozenset({"attribute_list"}),
    rules="clew.languages.php.rules:PhpRules",
    services="clew.languages.php.services:FORMS",
    manifests=("composer.json",),
    named_callables=(
        rb"(?:\[|\barray\s*+\()\s*+(?P<of>\$this|(?:self|static|[A-Z]\w*+)(?=::class))(?:::class)?\s*+,"
        rb"\s*+(?P<quote>['\"])(?P<name>\w++)(?P=quote)\s*+[\])]"
    ),
    member_arrows=True,
    shares_names=True,
    unchecked_types=True,
    own_calls=r"__\w+",
    types_first=True,
)
