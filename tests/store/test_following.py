"""A process that lives long sees what others commit, before anybody asks."""

import threading
import time
from collections.abc import Callable

from clew.engine import Engine
from clew.model.search import Query
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.following import Follower
from tests.conftest import PROJECT, Repository
from tests.views import search

SOON = 1.0  # seconds


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def test_a_commit_elsewhere_is_told(reopened: Callable[[str], Database], db: Database, where: Where) -> None:
    elsewhere = reopened(PROJECT)

    with db.listen() as news:
        assert not news(0.3), "nobody has committed"
        with elsewhere.transaction():
            Checkouts(elsewhere).change(where, "new", 1)
        assert news(SOON)
        assert not news(0.3), "it was told already"


def test_a_follower_refreshes_once_at_the_start_and_after_commits(
    reopened: Callable[[str], Database], db: Database, where: Where
) -> None:
    refreshed = threading.Semaphore(0)
    follower = Follower(db, refreshed.release)
    elsewhere = reopened(PROJECT)
    try:
        assert refreshed.acquire(timeout=SOON)
        with elsewhere.transaction():
            Checkouts(elsewhere).change(where, "new", 1)
        assert refreshed.acquire(timeout=SOON)
    finally:
        follower.close()


def test_what_another_process_indexes_is_at_hand_within_a_second(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def login(): ...\n")
    engine.index()
    engine.follow()
    assert search(engine, "newcomer") == ()
    repository.write("b.py", "def newcomer(): ...\n")
    with Engine.open(repository.root) as elsewhere:
        elsewhere.index()
        stamp = elsewhere.checkouts.state(elsewhere.where).stamp

    at_hand = eventually(lambda: (c := engine._corpora._corpus) is not None and c.stamp == stamp, SOON)

    assert at_hand, "no question was asked"
    assert [hit.path for hit in engine.search(Query("newcomer", 5)).hits] == ["b.py"]
