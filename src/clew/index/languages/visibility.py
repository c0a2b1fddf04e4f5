"""Visibility of a definition by the modifiers before its name and the enclosing nodes."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(rb"\b\w+\b(?!\()")  # Swift's `private(set)` hides nothing


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which definitions others see, by the words before a name and by the nodes that it stands in."""

    public: frozenset[bytes] = frozenset()  # words that show a name; where there are none, all names are shown
    private: frozenset[bytes] = frozenset()  # words that hide it
    open: frozenset[str] = frozenset()  # nodes that are shown unless they are hidden
    holders: frozenset[str] = frozenset()  # nodes whose members are
    closed: frozenset[str] = frozenset()  # nodes whose members are hidden

    def shows(self, node: "Node", before: bytes, name: str) -> bool:
        """Whether a definition is visible to others; `before` is the text before its name."""
        parent = node.parent
        holder = parent.parent if parent else None
        around = {one.type for one in (parent, holder) if one}
        words = set(_WORD.findall(before))
        if words & self.private or (parent and parent.type in self.closed):
            return False
        return not self.public or bool(words & self.public or node.type in self.open or around & self.holders)
