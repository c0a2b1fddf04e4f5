"""Replacing secrets: all that is found, in order, each by the same stand-in."""

import re
from collections.abc import Iterable, Iterator

from clew.model.code import Redaction
from clew.model.errors import ConfigError
from clew.text.secrets.forms import Find, find_values
from clew.text.secrets.private_keys import find_key_bodies
from clew.text.secrets.providers import find_tokens
from clew.text.secrets.values import looks_random

REDACTED = "[REDACTED]"
_MARK = REDACTED.encode()
# A configured expression sees so many characters at once, so that its time grows with the text and no faster; a secret
# of up to `_OVERLAP` characters is seen whole.
_WINDOW, _OVERLAP = 4096, 1024
_LEAST_AGAIN, _MOST_AGAIN = 12, 500  # bytes of a secret that is looked for in the whole text


class Scrubber:
    """`extra_patterns` are the user's: group `value`, else the first group, else the whole match is the secret."""

    def __init__(self, enabled: bool, extra_patterns: Iterable[str] = ()) -> None:
        self._enabled = enabled
        self._extra = tuple(map(_compiled, extra_patterns))

    def scrub(self, text: str, path: str = "") -> tuple[str, tuple[Redaction, ...]]:
        """The text with stand-ins, and where they stand. Lines keep their numbers.

        The path tells settings files apart, whose values need no quotes.
        """
        clean, redactions = self.scrub_bytes(text.encode("utf-8", "surrogatepass"), path)
        return clean.decode("utf-8", "surrogatepass") if redactions else text, redactions

    def scrub_bytes(self, data: bytes, path: str) -> tuple[bytes, tuple[Redaction, ...]]:
        """The same of a text in UTF-8."""
        if not self._enabled:
            return data, ()
        finds = [*_finds(data, path), *self._matches_of_extra(data)]
        finds = _merged([*finds, *_again(data, finds)]) if finds else finds
        return _replaced(data, finds) if finds else (data, ())

    def _matches_of_extra(self, data: bytes) -> Iterator[Find]:
        text = data.decode("utf-8", "surrogatepass") if self._extra else ""
        before = 0  # bytes of the text up to here
        for here in range(0, len(text), _WINDOW - _OVERLAP):
            for pattern in self._extra:
                for match in pattern.finditer(text, here, here + _WINDOW):
                    group = "value" if "value" in pattern.groupindex else min(pattern.groups, 1)
                    start, end = match.span(group) if match[group] is not None else match.span()
                    if start < end and REDACTED not in match[0]:
                        at = before + _bytes(text[here:start])
                        yield Find("pattern", at, at + _bytes(text[start:end]))
            before += _bytes(text[here : here + _WINDOW - _OVERLAP])


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"security.secret_patterns: {pattern!r} is not a regular expression: {error}") from error


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _finds(data: bytes, path: str) -> Iterator[Find]:
    yield from (Find(*token) for token in find_tokens(data))
    yield from (Find("private-key", *span) for span in find_key_bodies(data))
    yield from find_values(data, path)


def _again(data: bytes, finds: list[Find]) -> Iterator[Find]:
    """The other places of the same values, which may have no name there; only of values that no other text has."""
    known = {data[one.start : one.end]: one for one in finds if _LEAST_AGAIN <= one.end - one.start <= _MOST_AGAIN}
    for value, one in known.items():
        if data.count(value) > 1 and looks_random(value):
            at = data.find(value)
            while at >= 0:
                yield Find(one.kind, at, at + len(value))
                at = data.find(value, at + len(value))


def _merged(finds: list[Find]) -> list[Find]:
    """Finds that overlap are one, of the kind that begins first; a kind of the table goes before one by name."""
    merged: list[Find] = []
    for find in sorted(finds, key=lambda one: one.start):  # stable: those of the table come first
        if merged and find.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, find.end))
        else:
            merged.append(find)
    return merged


def _replaced(data: bytes, finds: list[Find]) -> tuple[bytes, tuple[Redaction, ...]]:
    parts, redactions, at = [], [], 0
    for find in finds:
        stand_in = _MARK + b"\n" * data.count(b"\n", find.start, find.end)
        parts += [data[at : find.start], stand_in]
        redactions.append(Redaction(find.start, find.end, len(stand_in)))
        at = find.end
    return b"".join([*parts, data[at:]]), tuple(redactions)
