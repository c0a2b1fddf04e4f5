"""Identifies a caller without an explicit identity: by the environment, the MCP client's name, or the request's
headers."""

import os
from collections.abc import Mapping
from typing import Any

from blake3 import blake3

from clew.model.agents import Identity
from clew.runtime.environment import AGENT, SESSION
from clew.store.leases import this_process

HEADER_AGENT = "x-clew-agent"
HEADER_SESSION = "x-clew-session"
MCP_SESSION = "mcp-session-id"


def of_process(environ: Mapping[str, str], name: str, session: str) -> Identity:
    """A program that uses the library, or one client of a server on standard streams: its session ends with us."""
    return _session_identity(environ, name, session, os.getpid())


def of_terminal(environ: Mapping[str, str]) -> Identity:
    """A person at the command line: all commands of one terminal are one session."""
    group = os.getsid(0) if hasattr(os, "getsid") else 0
    return _session_identity(environ, "command-line", f"terminal-{group}", group)


def _session_identity(environ: Mapping[str, str], name: str, session: str, pid: int) -> Identity:
    """A session that the environment names may outlive the process."""
    process = "" if environ.get(SESSION) or not pid else this_process(session, pid)
    return Identity(environ.get(AGENT) or name, environ.get(SESSION) or session, process)


def of_request(headers: Mapping[str, str], client: str = "", user: str = "") -> Identity:
    """A request that stands alone: its headers, the MCP client's name, or the token, of which only a digest is told.

    `user` is the person that the token belongs to, as the guard found it; no header sets it.
    """
    token = headers.get("authorization", "").partition(" ")[2]
    named = user or (f"token-{blake3(token.encode()).hexdigest()[:12]}" if token else "http")
    agent = headers.get(HEADER_AGENT) or client or named
    return Identity(agent, headers.get(HEADER_SESSION) or headers.get(MCP_SESSION) or named, user=user)


def has_session(headers: Mapping[str, str]) -> bool:
    """Whether a request names the session that it belongs to."""
    return bool(headers.get(HEADER_SESSION) or headers.get(MCP_SESSION))


# Request headers with meaning for Clew: the project, and the toolsets to list.

PROJECT = "x-clew-project"
TOOLSETS = "x-clew-toolsets"
GONE = "clew.gone"  # in a request's scope, the event that its client has hung up
USER = "clew.user"  # in a request's scope, the person that its token belongs to
SCOPE = "clew.scope"  # in a request's scope, the rights of its token
API_KEY = "x-api-key"
AGENT_KEY = "x-clew-agent-key"  # opens and seals the sensitive episodes of the agent that calls
VALUES, TYPED = "x-clew-values", "typed"  # the whole values of the library, as its client reads them


def toolsets(headers: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in headers.get(TOOLSETS, "").split(","))))


def with_project(arguments: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """The arguments, and the project of the header unless they name one."""
    project = headers.get(PROJECT)
    return {"project": project, **arguments} if project else dict(arguments)
