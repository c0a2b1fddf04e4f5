"""Expressions that are compiled at their first use."""

import re

from clew.text.late_patterns import compile_late


def test_a_late_pattern_works_as_one_that_was_compiled() -> None:
    late = compile_late(r"(?P<word>\w+)-", re.IGNORECASE)

    assert [found["word"] for found in late.finditer("one-two-")] == ["one", "two"]
    assert late.sub("", "one-2") == "2"
    assert late.groupindex == {"word": 1}
