"""A small project on disk, indexed; and servers of it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from tests.trusting import copied

from .processes import Server, serving

TOKENS = '''"""Bearer tokens."""

from vault import Vault


def validate_token(token: str, vault: Vault) -> bool:
    """Whether a bearer token is one that the vault knows."""
    return vault.knows(token)


def expire_token(token: str) -> str:
    """Mark a token as no longer valid."""
    return f"expired:{token}"
'''
VAULT = '''"""Where tokens are kept."""


class Vault:
    """Keeps tokens by their owner."""

    def __init__(self) -> None:
        self.kept: set[str] = set()

    def knows(self, token: str) -> bool:
        return token in self.kept
'''
GUIDE = """# Guide

## Tokens

A token is validated before anything else happens.
"""


@pytest.fixture(scope="session", autouse=True)
def nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No setting of the person who runs the tests counts."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("CLEW_") or name in ("NO_COLOR", "FORCE_COLOR", "GIT_CONFIG_GLOBAL"):
                patch.delenv(name)
        patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, indexed once; tests that change it take their own."""
    root = tmp_path_factory.mktemp("indexed")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "tokens.py").write_text(TOKENS, "utf-8")
    (root / "vault.py").write_text(VAULT, "utf-8")
    (root / "guide.md").write_text(GUIDE, "utf-8")
    with clew.open(root) as ws:
        ws.index()
    return root


@pytest.fixture
def project(indexed: Path, tmp_path: Path) -> Path:
    """The same project, to be changed at will."""
    return copied(indexed, tmp_path / "project")


@pytest.fixture(scope="module")
def server(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(indexed, tmp_path_factory.mktemp("server") / "log") as server:
        yield server
