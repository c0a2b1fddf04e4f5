"""Code that a program has squeezed into a few endless lines: nobody reads it, and its names say nothing."""

LEAST_BYTES = 10_000
LONG_LINE = 400  # bytes
LEAST_SHARE = 0.9  # of the bytes, in long lines
BYTES_PER_WORD = 2_000  # of which one at least is a word of functions; a table in one line has none
LANGUAGES = frozenset({"javascript"})
_WORDS = (b"function", b"=>", b"return")


def is_minified(source: bytes) -> bool:
    if len(source) < LEAST_BYTES:
        return False
    long = [line for line in source.split(b"\n") if len(line) > LONG_LINE]
    size = sum(map(len, long))
    return (
        size >= LEAST_SHARE * len(source)
        and sum(line.count(word) for line in long for word in _WORDS) * BYTES_PER_WORD >= size
    )
