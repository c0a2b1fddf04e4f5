"""Reports for other programs and for reviews: SARIF 2.1.0 and Markdown. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from clew import __version__
from clew.text.escaping import code_span, line

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")


class Finding(NamedTuple):
    """A result at a place; `level` is error, warning or note."""

    rule: str
    level: str
    message: str
    path: str
    line: int = 1


def sarif(findings: Iterable[Finding], rules: Mapping[str, str]) -> dict[str, Any]:
    """A SARIF log with one run; `rules` describes each rule by its id."""
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "clew",
                        "version": __version__,
                        "rules": [{"id": rule, "shortDescription": {"text": about}} for rule, about in rules.items()],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "results": [_result(one, list(rules)) for one in findings],
            }
        ],
    }


def _result(one: Finding, rules: Sequence[str]) -> dict[str, Any]:
    return {
        "ruleId": one.rule,
        "ruleIndex": rules.index(one.rule),
        "level": one.level,
        "message": {"text": one.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(one.path), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": max(1, one.line)},
                }
            }
        ],
    }


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; cell contents can neither end a cell nor format it."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def code(text: str) -> str:
    """Text as code inside a line of Markdown, also of a table."""
    return code_span(" ".join(text.split())).replace("|", "\\|")


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return line(_SPECIAL.sub(r"\\\1", " ".join(text.split())))
