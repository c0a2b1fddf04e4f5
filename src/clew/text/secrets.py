"""Secrets that must not be stored: found by their shape or by their name, replaced by a stand-in.

Works on UTF-8 bytes and starts every search from a literal, so that clean text costs little more than a few passes.
An expression reads no further than a line or a word, and is not tried again inside what it has read.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew.model.code import Redaction
from clew.model.errors import ConfigError

REDACTED = "[REDACTED]"

_MARK = REDACTED.encode()
_SETTINGS = frozenset(
    "env yaml yml toml ini cfg conf properties npmrc pypirc sh bash zsh envrc dockerfile containerfile tfvars".split()
)

# Each begins with one rare byte, which `re` finds as fast as `bytes.find` does; the number says how many bytes of the
# secret stand before it. A bracket before a secret is where another one ended: a second pass finds nothing new.
_SHAPES = tuple(
    (before, re.compile(expression))
    for before, expression in (
        (0, rb"A(?<![A-Za-z0-9\]].)(?:(?:KI|SI)A[A-Z0-9]{16}|Iza[\w-]{35})"),  # Amazon, Google
        (0, rb"g(?:h[opsu]_[A-Za-z0-9]{20,}|ithub_pat_\w{20,}|lpat-[\w-]{20,})"),
        (0, rb"npm_[A-Za-z0-9]{36}"),
        (2, rb"_live_(?<=[rs]k_live_)[A-Za-z0-9]{16,}"),  # Stripe
        (0, rb"Bearer (?=[\w.~+/-]{0,40}\d)([\w.~+/-]{20,}=*)"),
        (0, rb"xox[abeoprs]-[A-Za-z0-9-]{10,}"),  # Slack
        # Other words end in "sk-", and style classes begin with it: a key has a digit.
        (2, rb"-(?<=sk-)(?<![\w\]-]sk-)(?=[\w-]{0,40}\d)[\w-]{20,}"),
        (2, rb"J(?<=eyJ)(?<![\w\]-]eyJ)[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}"),  # JWT
        (0, rb"""/(?<=://)[^\s:/@"'`<>]{0,128}+:([^\s/@"'`<>]{1,256}+)@"""),
    )
)

# What the name of a secret ends in; a bare "key" is none.
_NAMES = (b"password", b"passwd", b"secret", b"token", b"key")
_KEYS = tuple(first + joint for first in (b"api", b"secret", b"access") for joint in (b"", b"_", b"-"))
_ASSIGNED = re.compile(
    rb"""\\?["'`]?\]?[ \t]*+ (?: :[ \t]*+[\w.|\[\] ]{1,40}+= | :=? | =>? ) [ \t]*+ [bBfFrRuU]{0,2}+
    (?: "((?:[^"\\\n]|\\.)*+)" | '((?:[^'\\\n]|\\.)*+)' | `((?:[^`\\\n]|\\.)*+)` | \\"([^"\\\n]*+)\\" )""",
    re.VERBOSE,
)
_BEFORE_SETTING = re.compile(rb"""[ \t]*+(?:-[ \t]++)?(?:(?:export|ENV|ARG)[ \t]++)?["']?[\w./:-]{0,80}""")
_SETTING = re.compile(rb"""["']?[ \t]*+[:=][ \t]*+([^\s"'`\[{|>&*!#][^\n]*+)""")
_LONGEST_BEFORE_SETTING = 200
_COMMENT = re.compile(rb"[ \t][#;]")
# A configured expression sees so many characters at once, so that its time grows with the text and no faster; a secret
# of up to `_OVERLAP` characters is seen whole.
_WINDOW, _OVERLAP = 4096, 1024

# Values that stand for a secret: variables, templates, formats, words of the language, mere punctuation.
_PLACEHOLDER = re.compile(
    rb"""\$\{.*\} | \$\(.* | \$\w+ | \#?\{.*\} | %\(?[\w.]*\)?[sdrf] | %\w+% | <[^>]*>
    | (?i:true|false|null|none|nil|yes|no|on|off|str|string|undefined) | [^A-Za-z0-9\x80-\xff]*""",
    re.VERBOSE,
)

_KEY_MARK = re.compile(rb"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Either nothing but a key, or a run that no code has: some code names the two marks without a key between them.
_KEY_BODY = re.compile(rb"\s*\n[\w+/=\s:,-]*|(?s:.*?)[A-Za-z0-9+/=]{32}(?s:.*)")
_KEY_REST = re.compile(rb"(?:\s*+\n[ \t]*+[A-Za-z0-9+/=]{32,}+)++")
_KEY_RUN = re.compile(rb"[A-Za-z0-9+/=]{4,}")


class _Span(NamedTuple):
    start: int
    end: int


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
        spans = _merged([*_secrets(data, path), *self._matches_of_extra(data)])
        return _replaced(data, spans) if spans else (data, ())

    def _matches_of_extra(self, data: bytes) -> Iterator[_Span]:
        text = data.decode("utf-8", "surrogatepass") if self._extra else ""
        before = 0  # bytes of the text up to here
        for here in range(0, len(text), _WINDOW - _OVERLAP):
            for pattern in self._extra:
                for match in pattern.finditer(text, here, here + _WINDOW):
                    group = "value" if "value" in pattern.groupindex else min(pattern.groups, 1)
                    start, end = match.span(group) if match[group] is not None else match.span()
                    if start < end and REDACTED not in match[0]:
                        at = before + _bytes(text[here:start])
                        yield _Span(at, at + _bytes(text[start:end]))
            before += _bytes(text[here : here + _WINDOW - _OVERLAP])


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"security.secret_patterns: {pattern!r} is not a regular expression: {error}") from error


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _secrets(data: bytes, path: str) -> Iterator[_Span]:
    for before, expression in _SHAPES:
        for match in expression.finditer(data):
            if _is_secret(match):
                yield _Span(match.start(match.lastindex or 0) - before, match.end(match.lastindex or 0))
    yield from _private_keys(data)
    lowered, in_settings = data.lower(), _is_settings(path)  # of ASCII only: places stay the same
    for name in _NAMES:
        yield from _named(data, lowered, name, in_settings=in_settings)


def _private_keys(data: bytes) -> Iterator[_Span]:
    """Run by run: the marks, the lines and the quotes of a source file stay."""
    if b"PRIVATE KEY" not in data:
        return
    begin = None
    for mark in _KEY_MARK.finditer(data):
        if mark[1] == b"BEGIN":
            begin = mark.end()
        elif begin is not None:
            if _KEY_BODY.fullmatch(data, begin, mark.start()):
                yield from (_Span(*run.span()) for run in _KEY_RUN.finditer(data, begin, mark.start()))
            begin = None
    if begin is not None and (rest := _KEY_REST.match(data, begin)):  # cut off before its end
        yield from (_Span(*run.span()) for run in _KEY_RUN.finditer(data, begin, rest.end()))


def _named(data: bytes, lowered: bytes, name: bytes, *, in_settings: bool) -> Iterator[_Span]:
    at = lowered.find(name)
    while at >= 0:
        after = at + len(name)
        match = None
        if name != b"key" or lowered.endswith(_KEYS, 0, at):
            match = _ASSIGNED.match(data, after) or (_setting(data, at, after) if in_settings else None)
        if match and _is_secret(match):
            yield _without_comment(data, match)
        at = lowered.find(name, match.end() if match else after)


def _setting(data: bytes, at: int, after: int) -> re.Match[bytes] | None:
    """`name: value` or `NAME=value` on a line of its own."""
    earliest = max(0, at - _LONGEST_BEFORE_SETTING)
    line = data.rfind(b"\n", earliest, at) + 1
    begins_too_early = earliest and not line
    if begins_too_early or not _BEFORE_SETTING.fullmatch(data, line, at):
        return None
    return _SETTING.match(data, after)


def _without_comment(data: bytes, match: re.Match[bytes]) -> _Span:
    start, end = match.span(match.lastindex or 0)
    if match.re is _SETTING:
        comment = _COMMENT.search(data, start, end)
        end = comment.start() if comment else end
        end -= len(data[start:end]) - len(data[start:end].rstrip())
    return _Span(start, end)


def _is_secret(match: re.Match[bytes]) -> bool:
    return _MARK not in match[0] and not _PLACEHOLDER.fullmatch(match[match.lastindex or 0].strip())


def _is_settings(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith(".env") or name.rpartition(".")[2] in _SETTINGS


def _merged(spans: list[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = _Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _replaced(data: bytes, spans: list[_Span]) -> tuple[bytes, tuple[Redaction, ...]]:
    parts, redactions, at = [], [], 0
    for start, end in spans:
        stand_in = _MARK + b"\n" * data.count(b"\n", start, end)
        parts += [data[at:start], stand_in]
        redactions.append(Redaction(start, end, len(stand_in)))
        at = end
    return b"".join([*parts, data[at:]]), tuple(redactions)
