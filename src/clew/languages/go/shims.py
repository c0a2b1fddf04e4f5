"""Go: syntax that the grammar cannot parse, rewritten."""

from clew.languages.rewriting import reader, rule, word_as_name

_GO = (
    rule(rb"\bnew(?=\((?!\s*[^\W\d]\w*(?:\.\w+)?\s*\)|\s*[*\[]))", word_as_name),
)  # of a value: `new(30)`, `new(now())`


readable = reader(_GO)
