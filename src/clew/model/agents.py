"""Identities: an agent, and its session."""

from dataclasses import dataclass, field

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Identity:
    """Records belong to agent and session together: two windows of one client are two sessions of one agent.

    `process` is the process with which the session ends, as `store/leases.py` names it; empty if the session may
    outlive any. `user` is the person whose token a request carried, whatever the agent calls itself; empty: the user
    who runs Clew.
    """

    agent_id: str = UNNAMED
    session_id: str = ""
    process: str = field(default="", compare=False)
    user: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.session_id}" if self.session_id else self.agent_id

    def with_ids(self, agent_id: str, session_id: str) -> "Identity":
        """The same, with the ids that a caller gives explicitly."""
        process = "" if session_id and session_id != self.session_id else self.process
        return Identity(agent_id or self.agent_id, session_id or self.session_id, process, self.user)
