"""Messages about changes and tasks without their boilerplate: trailers, templates, numbers, addresses.

Commit messages and questions are cleaned alike, so that their terms match.
"""

import re
from typing import NamedTuple

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"https?://\S+")
_NUMBER = re.compile(r"\(?(?:(?<![\w.-])[\w.-]++/[\w.-]++)?#\d+\)?")
_TRAILER = re.compile(
    r"^[ \t]*(?:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|approved|helped|cherry-picked)-by"
    r"|change-id|git-svn-id|cc)[ \t]*:.*$",
    re.IGNORECASE | re.MULTILINE,
)
_CHECKBOX = re.compile(r"^[ \t]*[-*+] \[[ xX]\].*$", re.MULTILINE)
# `fix(parser)!: …`: the kind of change, which says nothing about where, and the part it is about, which does.
_HEADLINE = re.compile(
    r"\s*(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?)(?:\(([^()\n]*)\))?!?:[ \t]+", re.IGNORECASE
)

# `[PAY-12] …`, `PAY-12: …`: what a tracker calls the task, which says nothing about where; `SHA-256 is …` is none.
_KEY = re.compile(r"\s*(?:\[[A-Z][A-Z0-9]+-(\d+)\]|[A-Z][A-Z0-9]+-(\d+)(?=:|\s+-+\s))[\s:-]*")


class Message(NamedTuple):
    """The first line, the part of the project it names (`fix(parser): …`), and the lines behind.

    Of a tracker's key before it, the number is one of these: code and other commits may name it.
    """

    headline: str
    part: str
    body: str


def clean(text: str) -> str:
    for pattern in (_COMMENT, _CHECKBOX, _TRAILER, _ADDRESS, _NUMBER):
        text = pattern.sub(" ", text)
    return text.strip()


def read(text: str) -> Message:
    """A message as written, taken apart and cleaned; one that says nothing else is taken as it is."""
    headline, _, body = (clean(text) or text.strip()).partition("\n")
    key = _KEY.match(headline)
    if key and headline[key.end() :].strip():
        headline, body = headline[key.end() :], f"{body}\n{key[1] or key[2]}"
    found = _HEADLINE.match(headline)
    if found is None or not headline[found.end() :].strip():
        return Message(headline, "", body)
    return Message(headline[found.end() :], found[1] or "", body)
