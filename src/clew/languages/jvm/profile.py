"""What Java, Kotlin and Scala share, and a rule of visibility that is Java's and C#'s."""

from typing import Any

from clew.languages.profile import Language, Visibility, lazy

HIDING = frozenset({b"private", b"protected", b"internal"})
DECLARED_PUBLIC = Visibility(
    frozenset({b"public"}),
    HIDING,
    frozenset({"enum_constant", "formal_parameter", "enum_member_declaration", "parameter"}),
    frozenset({"interface_body", "annotation_type_body", "interface_declaration"}),
)


def jvm(name: str, extensions: tuple[str, ...], seen: Visibility, **own: Any) -> Language:
    """The profile of a language of the Java virtual machine: the shared part, and what is its own."""
    shared: dict[str, Any] = {
        "annotations": frozenset({"annotation"}),
        "implicit": frozenset({"it", "field", "_"}),
    }
    return Language(
        name,
        extensions,
        f"tree_sitter_{name}",
        queries=(name,),
        doc_before=frozenset({"comment", "line_comment", "block_comment"}),
        imports_things=True,
        members_in_scope=True,
        this_words=frozenset({"this"}),
        super_words=frozenset({"super"}),
        is_exported=seen.shows,
        string="String",
        module_files=lazy("clew.languages.jvm.imports:files_of"),
        **(shared | own),
    )
