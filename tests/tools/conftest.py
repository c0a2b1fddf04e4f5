"""A small project, indexed, that holds what is hard to measure: other scripts, emoji, one very long function."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller
from clew.workspaces import Workspaces

LONG = "\n".join(f"    total += weigh_token(token, {n})  # step {n} of the audit" for n in range(400))

FILES = {
    "tokens.py": '''"""Bearer tokens."""


def validate_token(token: str) -> bool:
    """Whether a bearer token may pass."""
    return bool(token) and not token.startswith("expired")


def expire_token(token: str) -> str:
    """Mark a token as no longer valid."""
    return f"expired:{token}"
''',
    "audit.py": f'''def audit_token(token: str) -> int:
    """Weigh a token, very slowly."""
    total = 0
{LONG}
    return total
''',
    "scripts.py": '''def prüfe_token(token: str) -> str:
    """令牌验证:检查令牌是否有效,然后返回结果。トークンを検証する。"""
    return "🔐🗝️✅ " + token
''',
    "vault.py": '''class Vault:
    """Keeps tokens by their owner."""

    def store_token(self, owner: str, token: str) -> None:
        """Keep a token."""
        self.kept[owner] = token

    def find_token(self, owner: str) -> str:
        """The token of an owner."""
        return self.kept[owner]
''',
    "guide.md": "# Guide\n\n## Tokens\n\nA token is validated first. 🔐\n\n## 令牌\n\n令牌 token 说明。\n",
}


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexed once; the tests of this room only read it."""
    root = tmp_path_factory.mktemp("tools")
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    return root


@pytest.fixture(scope="session")
def workspaces(root: Path) -> Iterator[Workspaces]:
    workspaces = Workspaces(root)
    yield workspaces
    workspaces.close()


@pytest.fixture(scope="session")
def caller(workspaces: Workspaces) -> Caller:
    return Caller(workspaces)


@pytest.fixture(scope="session")
def engine(workspaces: Workspaces) -> Engine:
    return workspaces.get()
