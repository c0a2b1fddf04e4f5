"""Who speaks: an agent, and the session that it speaks in."""

from dataclasses import dataclass

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Identity:
    """The holder of what is written is both together: two windows of one client are two sessions of one agent."""

    agent_id: str = UNNAMED
    session_id: str = ""

    def saying(self, agent_id: str, session_id: str) -> "Identity":
        """The same, but for what a caller says itself."""
        return Identity(agent_id or self.agent_id, session_id or self.session_id)
