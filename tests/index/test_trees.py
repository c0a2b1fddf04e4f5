"""From a text to its tree: whoever interrupts is heard."""

import re
import signal
from types import FrameType

import pytest

from clew.index.syntax import trees
from clew.languages import language_named


def test_an_interruption_is_none_of_the_query() -> None:
    """While its expressions are compiled, which takes most of its time, the parser takes it for an error of theirs."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    language = language_named("ruby")
    trees.query_of.cache_clear()
    re.purge()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.003)
            trees.query_of(language)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert trees.query_of(language).capture_count
