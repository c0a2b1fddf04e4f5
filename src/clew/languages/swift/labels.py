"""Parameters and arguments in Swift by labels: `move(from:to:)` differs from `move(by:)`."""

import re
from collections.abc import Mapping, Sequence

from clew.index.extract.argument_types import BLOCK
from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import FUNCTIONS, ScopeMap
from clew.index.facts import (
    Typed,
)
from clew.index.syntax import chains, types
from clew.index.syntax.parse import Callsite
from clew.index.syntax.units import OutlineUnit

_LABEL = re.compile(r"(?:@\w+(?:\([^()]*\))?\s+)*`?(\w+)`?(?:\s+\w+)?\s*:")
_BEFORE = re.compile(r"\w+[?!]?\s*")


def labels_of(units: list[OutlineUnit], source: bytes) -> dict[str, tuple[str, ...]]:
    """The parameters of each function, by its scope."""
    found = {unit.scope: _parameter_labels(unit, source) for unit in units if unit.definition.kind in FUNCTIONS}
    return {scope: (labels,) for scope, labels in found.items() if labels is not None}


def _parameter_labels(unit: OutlineUnit, source: bytes) -> str | None:
    head = source[unit.definition.named : unit.definition.head[1]].decode("utf-8", "replace")
    name = _BEFORE.match(head)
    opening = name.end() if name else 0
    if head.startswith("<", opening):
        opening = head.find("(", chains.closing_bracket(head, opening))
    if not head.startswith("(", max(opening, 0)) or (end := chains.closing_bracket(head, opening)) < 0:
        return None
    parts = types.arguments(f"<{head[opening + 1 : end]}>")
    labels = [_label(part) for part in parts if part]
    return "".join(labels) if all(labels) else None


def _label(part: str) -> str:
    label = _LABEL.match(part)
    type_, default, _ = part.partition("=")
    marks = f"{'=' if default else ''}{'*' if '...' in type_ else ''}{'&' if '->' in type_ else ''}"
    return f"{label[1]}{marks}:" if label else ""


class SwiftLabels:
    """As `ArgumentTyping`, for Swift."""

    def __init__(self, takes: Mapping[str, tuple[str, ...]]) -> None:
        self._takes = takes

    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        """Types of names say nothing here."""

    def parameter_types(self, params: Mapping[str, Sequence[str]]) -> dict[str, tuple[Typed, ...]]:
        return dict(self._takes)

    def argument_types(self, call: Callsite, scope: str) -> tuple[Typed, ...]:
        given = call.given.lstrip()
        if given.startswith("{"):
            return (f"{BLOCK}:",)
        end = chains.closing_bracket(given, 0) if given.startswith("(") else -1
        if end < 0:
            return ()
        labels = [key or "_" for key, _ in chains.elements(given[: end + 1])]
        labels += [BLOCK] if given[end + 1 :].lstrip().startswith("{") else []
        return ("".join(f"{label}:" for label in labels),)


def typing_of(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> SwiftLabels:
    return SwiftLabels(takes)
