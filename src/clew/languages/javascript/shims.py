"""JavaScript and TypeScript: syntax that the grammar cannot parse, rewritten."""

from clew.languages.rewriting import as_name, reader, rule, with_semicolon, word_as_name

_ECMA = (
    rule(rb"(?<=export) type(?=\s*\*)"),
    rule(rb"(?<=^import) (?:defer|source)(?=\s+(?!from\b)[\w$*{])"),
    rule(rb"(?<=[\"']) with\s*\{[^{}\n]*\}"),
    rule(rb"\baccessor[ \t]+(?=[\w$#\[])"),
    rule(rb"\baccessor(?=[!?]?[ \t]*[:=;(])", word_as_name),
    rule(rb"\bimport\((?:\"[^\"\n]*\"|'[^'\n]*')\)(?=\.[A-Z_$])", as_name),  # a type: `import("x").Card[]`
    rule(rb"(?<=typeof )import\((?:\"[^\"\n]*\"|'[^'\n]*')\)", as_name),
    rule(rb"(?<=[<,\s])(?:in|out)[ \t]+(?=(?:out[ \t]+)?[A-Z][\w$]*\s*(?:[,>=]|extends\b))"),  # `<in out T>`
)
_PAGES = (
    rule(rb"&(?=[\w-]+=)", as_name),  # of an address in an attribute: "…?a=1&b=2"
    rule(rb"(?<=\s)(?:class|for|if|in|is|default|async|static)(?==[\"'{])", word_as_name),  # `<div class="card">`
)
_SIGNATURES = (  # behind others: `<T>(x: T): T`, `in<T>(x: T): T`
    rule(rb"^[ \t]*[ \t](?=<(?:[ \t]*$|[\w$]))", with_semicolon),
    rule(rb"^[ \t]+in(?=[<(])", word_as_name),
)


javascript = reader((*_ECMA, *_PAGES))
typescript = reader(_ECMA, _SIGNATURES)
