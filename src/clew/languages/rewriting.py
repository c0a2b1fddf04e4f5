"""Rewrites syntax that grammars cannot parse: the same text, byte by byte, for files with syntax errors.

Names, calls and lines are taken from the original text: the rewritten one only shapes the tree.
"""

import re
from collections.abc import Callable, Iterator

Found = re.Match[bytes]
Rule = tuple[re.Pattern[bytes], Callable[[Found], bytes]]


def blank(found: Found) -> bytes:
    return re.sub(rb"[^\n]", b" ", found[0])


def as_name(found: Found) -> bytes:
    """A name in its place."""
    return b"_" * len(found[0])


def with_semicolon(found: Found) -> bytes:
    """With a semicolon in place of its last character."""
    return found[0][:-1] + b";"


def word_as_name(found: Found) -> bytes:
    """A word as a name, where it is one."""
    return found[0][:-1] + b"_"


def replace_word(word: bytes) -> Callable[[Found], bytes]:
    """Another word, at the end of the place."""
    return lambda found: word.rjust(len(found[0]))


def rule(pattern: bytes, rewritten: Callable[[Found], bytes] = blank) -> Rule:
    return re.compile(pattern, re.MULTILINE), rewritten


def rewrite(source: bytes, rules: tuple[Rule, ...]) -> bytes:
    for pattern, rewritten in rules:
        source = pattern.sub(rewritten, source)
    return source


def reader(*rules: tuple[Rule, ...]) -> Callable[[bytes], Iterator[bytes]]:
    def readable(source: bytes) -> Iterator[bytes]:
        yield source
        for some in rules:
            source = rewrite(source, some)
            yield source

    return readable
