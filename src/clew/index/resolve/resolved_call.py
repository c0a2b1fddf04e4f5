"""The result of resolving a call."""

from enum import StrEnum

from msgspec import Struct

CERTAIN = 1.0
GUESSED = 0.5  # by name alone, where only one method of the tree has it

Targets = tuple[tuple[str, float], ...]


class UnresolvedReason(StrEnum):
    """Why a call leads nowhere."""

    NAME = "unknown name"
    RECEIVER = "unknown receiver"
    MEMBER = "no such member"
    MANY = "too many targets"
    DYNAMIC = "computed"


class ResolvedCall(Struct, frozen=True, gc=False):
    """A call with its targets, `(id, confidence)`; or none, and the reason.

    `behind` are decorated functions: a wrapper has taken the name, and most likely calls them.
    """

    scope: str
    line: int
    written: str
    targets: Targets
    reason: UnresolvedReason | None = None
    behind: Targets = ()
