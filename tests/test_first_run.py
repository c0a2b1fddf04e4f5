"""A first run that another process has started is told of before it has begun."""

import subprocess
import sys

import pytest

from clew.engine import Engine, now
from clew.model.errors import IndexMissing
from clew.model.search import Query
from clew.store.leases import BEGINNING, this_process


def test_a_run_that_is_still_loading_is_one(engine: Engine, backend: str) -> None:
    loading = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        engine.leases.acquire(BEGINNING, this_process("run", loading.pid), now())
        with Engine.open(engine.place.root) as other:
            assert other.search(Query("token", 5)).coverage.indexing
    finally:
        loading.communicate()
    with Engine.open(engine.place.root) as other, pytest.raises(IndexMissing):
        other.require_index()
