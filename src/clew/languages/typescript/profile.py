"""The profiles of TypeScript, without and with JSX."""

from dataclasses import replace

from clew.languages.javascript.profile import ecma
from clew.languages.profile import lazy

_GRAMMAR = "tree_sitter_typescript"
_QUERIES = ("javascript", "typescript")

TYPESCRIPT = replace(
    ecma("typescript", (".ts", ".mts", ".cts"), _GRAMMAR, "language_typescript", *_QUERIES),
    rules="clew.languages.typescript.rules:TypeScriptRules",
    services="clew.languages.typescript.services:FORMS",
    interpreters=("bun", "deno", "tsx", "ts-node"),
    by_content=lazy("clew.languages.typescript.detection:language_of_source"),
)
TSX = replace(
    ecma("tsx", (".tsx",), _GRAMMAR, "language_tsx", *_QUERIES, "clew.languages.javascript:jsx"),
    rules="clew.languages.typescript.rules:TsxRules",
    services="clew.languages.typescript.services:TSX_FORMS",
)
