"""What functions of Swift take and what calls pass them, by labels: `move(from:to:)` is another than `move(by:)`.

All labels of one are a text, each with a colon behind it; one that goes without is `_`. Of parameters, `=` says that it
may be left out, `*` that it takes many, `&` that it is a function; a block behind the brackets of a call is `{}`.
"""

import re
from collections.abc import Mapping, Sequence

from clew.index.facts import Typed
from clew.index.gathering.places import FUNCTIONS
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite
from clew.index.syntax.units import Unit

BLOCK = "{}"
_LABEL = re.compile(r"(?:@\w+(?:\([^()]*\))?\s+)*`?(\w+)`?(?:\s+\w+)?\s*:")
_BEFORE = re.compile(r"\w+[?!]?\s*")


def labels_of(units: list[Unit], source: bytes) -> dict[str, tuple[str, ...]]:
    """What each function takes, by its scope."""
    found = {unit.scope: _taken(unit, source) for unit in units if unit.definition.kind in FUNCTIONS}
    return {scope: (labels,) for scope, labels in found.items() if labels is not None}


def _taken(unit: Unit, source: bytes) -> str | None:
    head = source[unit.definition.named : unit.definition.head[1]].decode("utf-8", "replace")
    name = _BEFORE.match(head)
    opening = name.end() if name else 0
    if head.startswith("<", opening):
        opening = head.find("(", chains.closing(head, opening))
    if not head.startswith("(", max(opening, 0)) or (end := chains.closing(head, opening)) < 0:
        return None
    parts = types.arguments(f"<{head[opening + 1 : end]}>")
    labels = [_label(part) for part in parts if part]
    return "".join(labels) if all(labels) else None


def _label(part: str) -> str:
    label = _LABEL.match(part)
    type_, default, _ = part.partition("=")
    marks = f"{'=' if default else ''}{'*' if '...' in type_ else ''}{'&' if '->' in type_ else ''}"
    return f"{label[1]}{marks}:" if label else ""


class Labels:
    """As `told.Typing`, for Swift."""

    def __init__(self, takes: Mapping[str, tuple[str, ...]]) -> None:
        self._takes = takes

    def note(self, scope: str, name: str, text: str, seen_from: str) -> None:
        """Types of names say nothing here."""

    def taken(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        return dict(self._takes)

    def passed(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        given = call.given.lstrip()
        if given.startswith("{"):
            return (f"{BLOCK}:",)
        end = chains.closing(given, 0) if given.startswith("(") else -1
        if end < 0:
            return ()
        labels = [key or "_" for key, _ in chains.elements(given[: end + 1])]
        labels += [BLOCK] if given[end + 1 :].lstrip().startswith("{") else []
        return ("".join(f"{label}:" for label in labels),)
