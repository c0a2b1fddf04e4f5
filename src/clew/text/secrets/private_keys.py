"""The bodies of private keys, between their two marks or cut off."""

import re
from collections.abc import Iterator

_MARK = re.compile(rb"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Either nothing but a key, or a run that no code has: some code names the two marks without a key between them.
_BODY = re.compile(rb"\s*\n[\w+/=\s:,-]*|(?s:.*?)[A-Za-z0-9+/=]{32}(?s:.*)")
_REST = re.compile(rb"(?:\s*+\n[ \t]*+[A-Za-z0-9+/=]{32,}+)++")
_PUTTY = re.compile(rb"Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]{4,}+\r?\n)++)")
_RUN = re.compile(rb"[A-Za-z0-9+/=]{4,}")


def find_key_bodies(data: bytes) -> Iterator[tuple[int, int]]:
    """Run by run: the marks, the lines and the quotes of a source file stay."""
    if b"Private-Lines:" in data:
        for body in _PUTTY.finditer(data):
            yield from (run.span() for run in _RUN.finditer(data, *body.span(1)))
    if b"PRIVATE KEY" not in data:
        return
    begin = None
    for mark in _MARK.finditer(data):
        if mark[1] == b"BEGIN":
            begin = mark.end()
        elif begin is not None:
            if _BODY.fullmatch(data, begin, mark.start()):
                yield from (run.span() for run in _RUN.finditer(data, begin, mark.start()))
            begin = None
    if begin is not None and (rest := _REST.match(data, begin)):  # cut off before its end
        yield from (run.span() for run in _RUN.finditer(data, begin, rest.end()))
