"""C#: syntax that the grammar cannot parse, rewritten."""

from collections.abc import Iterator

from clew.languages.rewriting import replace_word, rewrite, rule, word_as_name

_CSHARP = (
    rule(rb"\?(?=\.[\w.]+[ \t]*[-+*/|&?]{0,2}=(?![=>]))"),  # `card?.total = 3`
    rule(rb"\bref(?=\s+partial\s+struct\b)"),
    rule(rb"\ballows\s+ref\s+struct\b", replace_word(b"struct")),
    rule(rb"(?<![\w.])(?:partial|record|required|file|field|scoped|extension)(?=\.\w)", word_as_name),
)


def readable(source: bytes) -> Iterator[bytes]:
    """Code that `#if` cuts in two comes first."""
    from clew.index.syntax.preprocessor import without_cuts  # its expressions take a while to compile

    yield source
    source = without_cuts(source)
    yield source
    yield rewrite(source, _CSHARP)
