"""The calls of `bench.answers` name tools and arguments that exist."""

from bench.answers import CALLS
from clew.tools import TOOLS


def test_there_are_100_calls_that_their_tools_accept() -> None:
    assert len(CALLS) == 100
    for call in CALLS:
        TOOLS[call.tool].parse(call.arguments)
        assert call.expected
