"""Who speaks: an agent, and the session that it speaks in."""

from dataclasses import dataclass, field

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Identity:
    """The holder of what is written is both together: two windows of one client are two sessions of one agent.

    `process` is the one that the session ends with, as `store/leases.py` names it; empty if it may outlive any.
    """

    agent_id: str = UNNAMED
    session_id: str = ""
    process: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.session_id}" if self.session_id else self.agent_id

    def saying(self, agent_id: str, session_id: str) -> "Identity":
        """The same, but for what a caller says itself."""
        process = "" if session_id and session_id != self.session_id else self.process
        return Identity(agent_id or self.agent_id, session_id or self.session_id, process)
