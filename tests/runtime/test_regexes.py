"""Only expressions that take time in proportion to the text are accepted from a configuration."""

import pytest

from clew.runtime.values import slow_part

QUICK = [
    "acme-[0-9a-f]{32}",
    r"tok_(?P<value>\w+)",
    r"(?i)api[_-]?key\s*[:=]\s*['\"]?([\w-]{16,})",
    "(?:[a-f0-9]{2}:)+",
    "foo.*bar",
    "(?:a++)+b",
    "(?>a+)+b",
    "(?:AA|BB)[0-9]+",
    r"\b[A-Z0-9_]*(?:PASSWORD|SECRET)=(?P<value>[^\s]{4,})",
    r"(?<!\w)ACME_[A-Z]+_KEY=(\S+)",
]
SLOW = [
    "(a+)+$",
    "(a|a)+$",
    "(a|aa)+$",
    "(.*)*x",
    "a*a*a*a*a*b",
    ".*.*.*x",
    r"(a)\1+",
    r"(\w+\s?)+$",
    "(a{1,30}){1,30}$",
    "(.*a){11}",
    "a?" * 30 + "a" * 30,
    f"{'(' * 40}a+{')+' * 40}",
]


@pytest.mark.parametrize("pattern", QUICK)
def test_an_expression_that_is_decided_by_the_next_character_is_accepted(pattern: str) -> None:
    assert slow_part(pattern) == ""


@pytest.mark.parametrize("pattern", SLOW)
def test_an_expression_that_may_take_very_long_is_refused(pattern: str) -> None:
    assert slow_part(pattern)
