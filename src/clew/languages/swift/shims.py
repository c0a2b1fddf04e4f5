"""Swift: syntax that the grammar cannot parse, rewritten."""

from clew.languages.rewriting import as_name, reader, replace_word, rule

_SWIFT = (
    rule(rb"(?<=[(,])[ \t]*\(\)(?=\s*[,)])", lambda found: found[0][:-2] + b"v_"),  # `.success(())`
    rule(rb"(?<=[ !(])(?:hasFeature|hasAttribute|objectFormat|_runtime)(?=\()", replace_word(b"os")),
    rule(rb"(?<=\w)(?:::|\$)(?=\w)", as_name),
    rule(rb"(?<=> )sending(?=\s+[\w(\[@])"),
    rule(rb"^[ \t]*\#(?:warning|error)\([^\n]*\)[ \t]*$"),
)


readable = reader(_SWIFT)
