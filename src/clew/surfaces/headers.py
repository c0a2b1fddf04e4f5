"""Request headers with meaning for Clew: the project, and the toolsets to list."""

from collections.abc import Mapping
from typing import Any

PROJECT = "x-clew-project"
TOOLSETS = "x-clew-toolsets"
GONE = "clew.gone"  # in a request's scope, the event that its client has hung up
USER = "clew.user"  # in a request's scope, the person that its token belongs to
SCOPE = "clew.scope"  # in a request's scope, the rights of its token
API_KEY = "x-api-key"


def toolsets(headers: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in headers.get(TOOLSETS, "").split(","))))


def with_project(arguments: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """The arguments, and the project of the header unless they name one."""
    project = headers.get(PROJECT)
    return {"project": project, **arguments} if project else dict(arguments)
