"""What the token of a request allows."""

from collections.abc import Mapping

from msgspec import structs

from clew.model.errors import Denied
from clew.runtime.guard import TokenScope
from clew.tools.answer import Caller

ADMIN_TOOLS = frozenset({"rebuild_context", "cancel_rebuild", "graph_rebuild"})
_STAND_IN = "tools_call"


def limited(caller: Caller, scope: TokenScope, name: str, arguments: Mapping[str, object]) -> Caller:
    """The caller with the rights of the token; raises if the tool needs more."""
    called = str(arguments.get("name", "")) if name == _STAND_IN else name
    if called in ADMIN_TOOLS and scope is not TokenScope.ADMIN:
        raise Denied(f"{called} needs a token with scope admin", "Ask whoever runs the server to call it.")
    return structs.replace(caller, read_only=True) if scope is TokenScope.READ else caller
