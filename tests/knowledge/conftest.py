"""A project with knowledge, asked through its tools."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.model.agents import Identity
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")
Said = Callable[..., dict[str, Any]]


@pytest.fixture
def workspaces(tmp_path: Path, backend: str) -> Iterator[Workspaces]:
    (tmp_path / "pay.py").write_text("def charge_card(amount):\n    return amount\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    yield workspaces
    workspaces.close()


@pytest.fixture
def said(workspaces: Workspaces) -> Said:
    def ask(tool: str, who: Identity = ANN, **arguments: object) -> dict[str, Any]:
        body = answer(Caller(workspaces, identity=who), tool, {"profile": "debug", **arguments}).body
        return dict(msgspec.json.decode(body))

    return ask
