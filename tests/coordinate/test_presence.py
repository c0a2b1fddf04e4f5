"""Who counts as gone, and who does not."""

from clew.coordinate.hooks import is_gone
from clew.model.agents import Identity
from clew.model.fleet import Session
from clew.model.time import FOREVER
from clew.store.leases import this_process


def a_session(process: str = "", *, ended_at: int = FOREVER, silent: int = 0) -> Session:
    return Session(Identity("ann", "1", process), 1, 1, ended_at, silent)


def test_who_was_never_seen_or_lives_elsewhere_counts_as_there() -> None:
    assert not is_gone(None, 0)
    assert not is_gone(a_session("another-host:1:x"), 0)
    assert not is_gone(a_session(silent=10**15), 0)


def test_a_process_here_tells_by_itself(dead: str) -> None:
    assert is_gone(a_session(dead), 0)
    assert not is_gone(a_session(this_process("1")), 0)


def test_a_good_bye_and_too_long_a_silence_count() -> None:
    assert is_gone(a_session(ended_at=2), 0)
    assert is_gone(a_session(silent=1001), 1000)
    assert not is_gone(a_session(silent=1000), 1000)
