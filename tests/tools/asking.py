"""Asking the tools of a project as an agent does, and reading all that they say."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

Ask = Callable[..., dict[str, Any]]


@contextmanager
def asking(root: Path) -> Iterator[Ask]:
    workspaces = Workspaces(root)

    def asked(tool: str, **arguments: object) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(answer(Caller(workspaces), tool, {"profile": "debug", **arguments}).body)
        return envelope

    try:
        yield asked
    finally:
        workspaces.close()
