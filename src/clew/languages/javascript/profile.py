"""The profile of JavaScript, and the part of it that TypeScript shares."""

from dataclasses import replace

from clew.languages.profile import TYPE_PATH, ClassTokens, Language, lazy

_FACTORY = rf"(?:(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*)?(new\s+{TYPE_PATH})\s*(?:<[^()]*>\s*)?(?=\()"
_QUERIES = ("javascript", "clew.languages.javascript:untyped", "clew.languages.javascript:jsx")


def ecma(name: str, extensions: tuple[str, ...], grammar: str, entry: str, *queries: str) -> Language:
    """JavaScript or one of its typed dialects."""
    is_typed = name != "javascript"
    return Language(
        name,
        extensions,
        grammar,
        entry,
        queries,
        wrappers=frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}),
        exports=frozenset({"export_statement"}),
        doc_before=frozenset({"comment"}),
        leading=frozenset({"decorator"}),
        annotations=frozenset({"decorator"}),
        separator="",
        imports_as_context=True,
        loads=frozenset({"require", "import"}),
        callers=(".call", ".apply"),
        copiers=("Object.assign", "Object.freeze", "Object.seal", "structuredClone"),
        silent="!",
        dollars=True,
        this_words=frozenset({"this"}),
        lexical=frozenset({"arrow_function"}),
        super_words=frozenset({"super"}),
        containers=frozenset(
            "Array ReadonlyArray Set ReadonlySet WeakSet Map ReadonlyMap WeakMap Record Iterable AsyncIterable".split()
        ),
        hands_on=True,
        transparent=frozenset(
            "Promise Awaited Readonly Partial Required NonNullable Pick Omit Extract Exclude".split()
        ),
        giving=frozenset({"ReturnType", "InstanceType"}),
        class_tokens=ClassTokens(bracket="<" if is_typed else "", factory=_FACTORY, bare=True),
        alternatives=lazy("clew.languages.typescript.types:alternatives"),
        fields_of=lazy("clew.languages.typescript.types:fields_of"),
        super_calls=True,
        unchecked_types=True,
        named_tests=False,
        own_calls=r"toString|toJSON|valueOf|\[Symbol\.\w+\]",
        side="js",
        destructures=True,
        bodies_define=is_typed,
        shown_by_word=True,
        at_types=True,
        module_files=lazy("clew.languages.javascript.imports:files_of"),
        bindings_of=lazy("clew.languages.javascript.closures:untyped_parameters"),
        callbacks_of=lazy("clew.languages.javascript.closures:callback_types"),
        redeclares=True,
        block_scoped=True,
        literals=frozenset("{["),
        readable=lazy(f"clew.languages.javascript.shims:{'typescript' if name == 'typescript' else 'javascript'}"),
    )


JAVASCRIPT = replace(
    ecma("javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", "language", *_QUERIES),
    interpreters=("node",),
    may_be_minified=True,
    rules="clew.languages.javascript.rules:JavaScriptRules",
    services="clew.languages.javascript.services:FORMS",
    manifests=("package.json", "deno.json"),
    by_content=lazy("clew.languages.javascript.detection:language_of_source"),
)
