"""What people write about changes and tasks, without what they wrote by habit: trailers, templates, numbers, addresses.

Commit messages and questions are cleaned alike, so that a question meets what was said before in the same words.
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


class Message(NamedTuple):
    """The first line, the part of the project it names (`fix(parser): …`), and the lines behind."""

    headline: str
    part: str
    body: str


def cleaned(text: str) -> str:
    for pattern in (_COMMENT, _CHECKBOX, _TRAILER, _ADDRESS, _NUMBER):
        text = pattern.sub(" ", text)
    return text.strip()


def read(text: str) -> Message:
    """A message as written, taken apart and cleaned; one that says nothing else is taken as it is."""
    headline, _, body = (cleaned(text) or text.strip()).partition("\n")
    found = _HEADLINE.match(headline)
    if found is None or not headline[found.end() :].strip():
        return Message(headline, "", body)
    return Message(headline[found.end() :], found[1] or "", body)
