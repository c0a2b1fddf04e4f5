"""How holders and plan steps are shown, and the outcomes of a claim."""

from msgspec import Struct

OK, CONFLICT = "ok", "CONFLICT"
SESSION_SAID = 12  # characters; longer ones, such as those made per connection, are named by their first few
_FIRST_FEW = 8


class HolderView(Struct, frozen=True, omit_defaults=True):
    agent_id: str
    session_id: str = ""

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.session_id}" if self.session_id else self.agent_id

    def briefly(self) -> str:
        """In a sentence, which no budget may shorten: sessions that connections make are dear in tokens."""
        known = len(self.session_id) <= SESSION_SAID
        return str(self if known else HolderView(self.agent_id, f"{self.session_id[:_FIRST_FEW]}…"))


class StepView(Struct, frozen=True):
    text: str
    state: str
