"""Claims with only what a test cares about spelled out."""

from typing import Any

from clew.model.agents import Identity
from clew.model.fleet import Claim, ClaimKind

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")


def a_claim(target: str, **values: Any) -> Claim:
    given: dict[str, Any] = {
        "id": target, "fence": 1, "kind": ClaimKind.FILE, "holder": ANN, "intent": "", "task": "", "checkout": 1,
        "since": 1, "claimed_sha": "", "version_sha": "", "claimed_tx": 0, "settled_tx": 0,
    }  # fmt: skip
    return Claim(target=target, **{**given, **values})
