"""Reasons that stand in files: `WHY:` comments, and records of architecture decisions. Pure; the text is only data."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_LINES = 6  # of one comment
LONGEST = 600  # characters of one reason
_WHY = re.compile(r"^(?P<code>.*?)(?P<mark>#|//|/\*+|\*|--|;|<!--|%|\"\"\"|''')\s*WHY\b\s*[:\-]\s*(?P<text>\S.*)$")
_FURTHER = re.compile(r"^\s*(?:#|//|\*(?!/)|--|;|%)\s?(?P<text>\s*\S.*)$")
_END = re.compile(r"\s*(?:\*/|-->|\"\"\"|''')\s*$")
_RECORD_PATH = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|architecture[-_]decisions?)/[^/]+\.(?:md|rst|txt|adoc)$", re.IGNORECASE
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<title>.+?)\s*#*\s*$|^(?P<under>\S.*)\n(?:=+|-+)\s*$", re.MULTILINE)


class FileReason(NamedTuple):
    """A reason in a file: its line, the words, and what they are a reason of."""

    line: int
    text: str
    kind: str
    title: str = ""


def find_reasons(path: str, text: str) -> list[FileReason]:
    """`WHY:` comments of any language; of an architecture decision record, its decision and its context."""
    if _RECORD_PATH.search(path):
        return list(_decision(text))
    return list(_comments(text)) if "WHY" in text else []


def _comments(text: str) -> Iterator[FileReason]:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = _WHY.match(line)
        if found is None:
            continue
        words = [_END.sub("", found["text"])]
        for further in lines[number + 1 : number + MOST_LINES]:
            more = _FURTHER.match(further)
            if more is None or found["code"].strip() or _WHY.match(further):
                break
            words.append(_END.sub("", more["text"]).strip())
        title = next((one.strip() for one in (found["code"], *lines[number + len(words) :]) if one.strip()), "")
        yield FileReason(number + 1, " ".join(words)[:LONGEST], "WHY comment", title[:120])


def _decision(text: str) -> Iterator[FileReason]:
    """The sections called decision, context and consequences, each with the record's title."""
    headings = list(_HEADING.finditer(text))
    title = (headings[0]["title"] or headings[0]["under"]) if headings else ""
    status = _section(text, headings, "status")
    if status and re.match(r"(?i)\W*(?:superseded|deprecated|rejected)", status[1]):
        return
    for name in ("decision", "context"):
        if section := _section(text, headings, name):
            yield FileReason(section[0], section[1][:LONGEST], f"decision record, {name}", title)


def _section(text: str, headings: list[re.Match[str]], name: str) -> tuple[int, str] | None:
    for place, heading in enumerate(headings):
        if (heading["title"] or heading["under"] or "").strip().lower().startswith(name):
            end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
            body = " ".join(text[heading.end() : end].split())
            return (text.count("\n", 0, heading.end()) + 1, body) if body else None
    return None
