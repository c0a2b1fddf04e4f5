"""How holders and steps of a plan are told, and what came of a wish to hold something."""

from msgspec import Struct

OK, CONFLICT = "ok", "CONFLICT"


class HolderView(Struct, frozen=True, omit_defaults=True):
    agent_id: str
    session_id: str = ""

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.session_id}" if self.session_id else self.agent_id


class StepView(Struct, frozen=True):
    text: str
    state: str
