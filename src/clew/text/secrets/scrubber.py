"""Replacing secrets: all that is found, in order, each by the same stand-in."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Self

from blake3 import blake3

from clew.model.code import Redaction
from clew.model.errors import ConfigError
from clew.runtime.settings import Security
from clew.text.late_patterns import compile_late
from clew.text.secrets.forms import Find, find_values
from clew.text.secrets.providers import find_tokens
from clew.text.secrets.values import looks_random

# The bodies of private keys, between their two marks or cut off.

_KEY_MARK = compile_late(rb"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Either nothing but a key, or a run that no code has: some code names the two marks without a key between them.
_BODY = compile_late(rb"\s*\n[\w+/=\s:,-]*|(?s:.*?)[A-Za-z0-9+/=]{32}(?s:.*)")
_REST = compile_late(rb"(?:\s*+\n[ \t]*+[A-Za-z0-9+/=]{32,}+)++")
_PUTTY = compile_late(rb"Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]{4,}+\r?\n)++)")
_RUN = compile_late(rb"[A-Za-z0-9+/=]{4,}")


def find_key_bodies(data: bytes) -> Iterator[tuple[int, int]]:
    """Run by run: the marks, the lines and the quotes of a source file stay."""
    if b"Private-Lines:" in data:
        for body in _PUTTY.finditer(data):
            yield from (run.span() for run in _RUN.finditer(data, *body.span(1)))
    if b"PRIVATE KEY" not in data:
        return
    begin = None
    for mark in _KEY_MARK.finditer(data):
        if mark[1] == b"BEGIN":
            begin = mark.end()
        elif begin is not None:
            if _BODY.fullmatch(data, begin, mark.start()):
                yield from (run.span() for run in _RUN.finditer(data, begin, mark.start()))
            begin = None
    if begin is not None and (rest := _REST.match(data, begin)):  # cut off before its end
        yield from (run.span() for run in _RUN.finditer(data, begin, rest.end()))


REDACTED = "[REDACTED]"
_MARK = REDACTED.encode()
# A configured expression sees so many characters at once, so that its time grows with the text and no faster; a secret
# of up to `_OVERLAP` characters is seen whole.
_WINDOW, _OVERLAP = 4096, 1024
_BY_DIGEST = "digest:"
_DIGITS, _LEAST_DIGITS = 12, 8  # of a digest: how many are shown, and how many must be given
_MOST_ALLOWED = 1_000  # bytes of a value that is compared with what is allowed
_MOST_ROUNDS = 3
_MOST_READ = 300_000_000  # bytes, while a text is searched for the other places of its secrets
_LEAST_AGAIN, _MOST_AGAIN = 12, 500  # bytes of a secret that is looked for in the whole text


class Scrubber:
    """`extra_patterns` are the user's: group `value`, else the first group, else the whole match is the secret.

    A value that one of `allowed` matches as a whole is left alone; one that begins with `digest:` matches by digest.
    """

    def __init__(self, enabled: bool, extra_patterns: Iterable[str] = (), allowed: Iterable[str] = ()) -> None:
        self._enabled = enabled
        self._extra = tuple(_compile("secret_patterns", pattern) for pattern in extra_patterns)
        self._digests = tuple(one.removeprefix(_BY_DIGEST) for one in allowed if one.startswith(_BY_DIGEST))
        self._allowed = tuple(_compile("secret_allow", one) for one in allowed if not one.startswith(_BY_DIGEST))

    @classmethod
    def from_settings(cls, security: Security, extra_patterns: Iterable[str] = ()) -> Self:
        """As the settings say, with further patterns."""
        return cls(security.scrub_secrets, (*security.secret_patterns, *extra_patterns), security.secret_allow)

    def scrub(self, text: str, path: str = "") -> tuple[str, tuple[Redaction, ...]]:
        """The text with placeholders, and their places. Lines keep their numbers.

        The path identifies settings files, in which values need no quotes.
        """
        clean, redactions = self.scrub_bytes(text.encode("utf-8", "surrogatepass"), path)
        return clean.decode("utf-8", "surrogatepass") if redactions else text, redactions

    def scrub_bytes(self, data: bytes, path: str) -> tuple[bytes, tuple[Redaction, ...]]:
        """The same of a text in UTF-8."""
        if not self._enabled:
            return data, ()
        finds = self._finds(data, path)
        if not finds:
            return data, ()
        clean, redactions = _replace(data, finds)
        for _ in range(_MOST_ROUNDS):  # a stand-in can end what went on before
            more = self._finds(clean, path)
            if not more:
                break
            finds = _merge([*finds, *(_in_original(find, redactions) for find in more)])
            clean, redactions = _replace(data, finds)
        return clean, redactions

    def _finds(self, data: bytes, path: str) -> list[Find]:
        finds = [*_finds(data, path), *self._matches_of_extra(data)]
        if self._digests or self._allowed:
            finds = [find for find in finds if not self._is_allowed(data[find.start : find.end])]
        return _merge([*finds, *_again(data, finds)]) if finds else finds

    def _is_allowed(self, value: bytes) -> bool:
        if len(value) > _MOST_ALLOWED:
            return False
        text, digest = value.decode("utf-8", "surrogatepass"), digest_of(value)
        return any(len(one) >= _LEAST_DIGITS and digest.startswith(one) for one in self._digests) or any(
            one.fullmatch(text) for one in self._allowed
        )

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


def without_tokens(name: bytes) -> bytes:
    """A name, such as a path, without the tokens of providers in it; other secrets have no form there."""
    finds = [Find(*token) for token in find_tokens(name)]
    return _replace(name, finds)[0] if finds else name


def _compile(setting: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"security.{setting}: {pattern!r} is not a regular expression: {error}") from error


def digest_of(value: bytes) -> str:
    """The digits that stand for a secret in lists: too few to tell it, enough to tell it from others."""
    return blake3(value).hexdigest()[:_DIGITS]


def _in_original(find: Find, redactions: tuple[Redaction, ...]) -> Find:
    """A find in the text with stand-ins, by its places in the text without."""
    start, end = find.start, find.end
    for one in redactions:
        grown = one.stand_in - (one.end - one.start)
        if one.start < start:
            start -= grown
        if one.start < end:
            end -= grown
    return find._replace(start=start, end=end)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _finds(data: bytes, path: str) -> Iterator[Find]:
    yield from (Find(*token) for token in find_tokens(data))
    yield from (Find("private-key", *span) for span in find_key_bodies(data))
    yield from find_values(data, path)


def _again(data: bytes, finds: list[Find]) -> Iterator[Find]:
    """The other places of the same values, which may have no name there; only of values that no other text has."""
    known = {data[one.start : one.end]: one for one in finds if _LEAST_AGAIN <= one.end - one.start <= _MOST_AGAIN}
    for value, one in islice(known.items(), _MOST_READ // len(data)):
        if data.count(value) > 1 and looks_random(value):
            at = data.find(value)
            while at >= 0:
                end = at + len(value)
                if not data[at - 1 : at].isalnum() and not data[end : end + 1].isalnum():
                    yield Find(one.kind, at, at + len(value))
                at = data.find(value, at + len(value))


def _merge(finds: list[Find]) -> list[Find]:
    """Finds that overlap are one, of the kind that begins first; a kind of the table goes before one by name."""
    merged: list[Find] = []
    for find in sorted(finds, key=lambda one: one.start):  # stable: those of the table come first
        if merged and find.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, find.end))
        else:
            merged.append(find)
    return merged


def _replace(data: bytes, finds: list[Find]) -> tuple[bytes, tuple[Redaction, ...]]:
    parts, redactions, at, line = [], [], 0, 1
    for find in finds:
        lines = data.count(b"\n", find.start, find.end)
        stand_in = _MARK + b"\n" * lines
        parts += [data[at : find.start], stand_in]
        line += data.count(b"\n", at, find.start)
        digest = digest_of(data[find.start : find.end])
        redactions.append(Redaction(find.start, find.end, len(stand_in), find.kind, digest, line))
        line += lines
        at = find.end
    return b"".join([*parts, data[at:]]), tuple(redactions)


# What people paste of a shell, also in the middle of a sentence. Code has quotes there.
_IN_A_SHELL = (
    r"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|(?:API|SECRET|ACCESS)_?KEY)=(?P<value>[^\s\"'`$<>{}()\[\]%*]{4,})"
)
# And of addresses, settings and connections, in any letters: there, a name may well be the value, and has no digit.
_IN_A_SENTENCE = (
    r"(?i)\b\w*(?:password|passwd|pwd|secret|(?:api|secret|access)_?key|token)="
    r"(?P<value>(?=[^\s;&,\"'`]{0,60}\d)[^\s;&,\"'`$<>{}()\[\]%*]{6,})"
)


class Scrubbing:
    """For the texts of one call; `count` grows with it."""

    def __init__(self, security: Security) -> None:
        self._scrubber = Scrubber.from_settings(security, (_IN_A_SHELL, _IN_A_SENTENCE))
        self.count = 0

    def text(self, text: str) -> str:
        clean, found = self._scrubber.scrub(text)
        self.count += len(found)
        return clean

    def fields(self, fields: dict[str, object]) -> dict[str, object]:
        """Values as JSON has them; one with the name of a secret is replaced as a whole."""
        return {self.text(name): self._value(value, name) for name, value in fields.items()}

    def _value(self, value: object, name: str) -> object:
        if isinstance(value, dict):
            return self.fields(value)
        if isinstance(value, list | tuple):
            return [self._value(one, name) for one in value]
        if not isinstance(value, str):
            return value
        if self._is_named(name, value):
            self.count += 1
            return REDACTED
        return self.text(value)

    def _is_named(self, name: str, value: str) -> bool:
        """Whether the value would be a secret as the quoted value of that name in code."""
        shown = f'{name} = "'
        plain = value.replace("\\", "/").replace('"', "/").replace("\n", " ")
        _, found = self._scrubber.scrub(f'{shown}{plain}"')
        at = len(shown.encode("utf-8", "surrogatepass"))
        return any(one.start == at and one.end == at + len(plain.encode("utf-8", "surrogatepass")) for one in found)
