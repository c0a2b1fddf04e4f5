"""A project that is hard to pack: an interface, callers, a very long function, other scripts, one endless line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.surfaces.library import Workspace

LONG = "\n".join(f"    total += weigh_token(token, {n})  # step {n} of the audit" for n in range(10_000))

FILES = {
    "tokens.py": '''"""Bearer tokens."""

from store import Store


def validate_token(token: str, store: Store) -> bool:
    """Whether a bearer token may pass."""
    if not token:
        return False
    if is_expired(token):
        return False
    return store.load(token) is not None


def is_expired(token: str) -> bool:
    """Whether the time of a token is over."""
    return token.startswith("expired")


def expire_token(token: str) -> str:
    """Mark a token as no longer valid."""
    return f"expired:{token}"
''',
    "store.py": '''from abc import ABC, abstractmethod


class Store(ABC):
    """Where bearer tokens are kept."""

    @abstractmethod
    def load(self, token: str) -> object: ...

    @abstractmethod
    def save(self, token: str) -> None: ...


class DiskStore(Store):
    """On a disk."""

    def load(self, token: str) -> object:
        """Read one from its file."""
        return self.files.get(token)

    def save(self, token: str) -> None:
        """Write one into its file."""
        self.files[token] = token
''',
    "login.py": '''from tokens import is_expired as over
from tokens import validate_token


def sign_in(request, store):
    """Let a person in."""
    if validate_token(request.header, store):
        return "welcome"
    return "denied"
''',
    "gate.py": """from login import over


def open_gate(person):
    if over(person.badge):
        return None
    return person
""",
    "audit.py": f'''def audit_token(token: str) -> int:
    """Weigh a token, very slowly."""
    total = 0
{LONG}
    return total
''',
    "scripts.py": '''def prüfe_token(token: str) -> str:
    """令牌验证:检查令牌是否有效,然后返回结果。トークンを検証する。"""
    return "🔐🗝️✅ " + token + """]]> & <b> ``` ````"""
''',
    "bundle.js": "var token=1;" + "".join(f"function a{n}(token){{return token+{n}}}" for n in range(2000)) + "\n",
    "guide.md": "# Guide\n\n## Tokens\n\nA token is validated first. 🔐\n\n## 令牌\n\n令牌 token 说明。\n",
}


def write(root: Path) -> None:
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexed once; the tests of this room only read it."""
    root = tmp_path_factory.mktemp("pack")
    write(root)
    with clew.open(root) as workspace:
        workspace.index()
    return root


@pytest.fixture(scope="session")
def workspace(root: Path) -> Iterator[Workspace]:
    with clew.open(root) as opened:
        yield opened
