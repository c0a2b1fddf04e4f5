"""Java: syntax that the grammar cannot parse, rewritten."""

from clew.languages.rewriting import reader, rule, word_as_name

_JAVA = (
    rule(rb"@[\w.]+(?=\s*\.\.\.)"),
    rule(rb"(?<=^import) module\b"),
    rule(rb"(?<=\s_)(?:\s*,\s*[\w.]+\s+_)+(?=\s*(?:->|:))"),  # `case Card _, Gate _ ->`
    rule(rb"(?<=[;}])\s*(?:super|this)(?=\()", word_as_name),  # a constructor's, behind other statements
)


readable = reader(_JAVA)
