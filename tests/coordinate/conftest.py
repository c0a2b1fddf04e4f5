"""What tests of the fleet share."""

import subprocess
import sys

import pytest

from clew.store.leases import this_process


@pytest.fixture
def dead() -> str:
    """The name of a process on this host that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return this_process("x", ended.pid)
