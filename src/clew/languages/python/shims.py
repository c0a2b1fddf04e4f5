"""Python: syntax that the grammar cannot parse, rewritten."""

from clew.languages.rewriting import reader, rule

_PYTHON = (
    rule(rb"^[ \t]*lazy(?=\s+(?:import|from)\s)"),
    # `class Card[T: int = int, *Ts = *tuple[int]]:`
    rule(
        rb"(?<=[\[,])\s*\*{0,2}\w+(?:\s*:[^=,\[\]()\n]+)?\s*(=[^=,\[\]()\n]*(?:\[[^\[\]\n]*\])?[^=,\[\]()\n]*)"
        rb"(?=[,\]](?:[^\n]*\])?\s*[(:=])",
        lambda found: found[0][: found.start(1) - found.start()].ljust(len(found[0])),
    ),
    rule(rb"(?:(?<=return)|(?<=yield)|(?<=[=,]))[ \t]*\*(?=[ \t]*[(\[{])"),  # `return *(a), *(b)`
)


readable = reader(_PYTHON)
