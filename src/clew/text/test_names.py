"""Test conventions that languages share: names of test functions, marks, and the names of tested symbols."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]

_NAME = re.compile(
    r"(?:[tT]ests?|[sS]hould|[iI]t|[sS]pec)(?:$|[_A-Z0-9 ])|(?:Benchmark|Example|Fuzz)(?:$|[_A-Z])|.*_test$"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HELPER = re.compile(
    r"(?:^|/)(?:conftest\.py|(?:test_?|spec_?|rails_?)?helpers?\.\w+|jest\.setup\.\w+|setup-?tests?\.\w+|TestCase\.php"
    r"|factories\.\w+|common/mod\.rs)$",
    re.IGNORECASE,
)
_MARKS = frozenset(
    "test fact theory parameterizedtest repeatedtest testfactory testtemplate testmethod testcase test_case "
    "datatestmethod rstest bench quickcheck dataprovider".split()
)
_AFFIXES = frozenset({"test", "tests", "spec", "specs", "testcase", "should", "it", "benchmark", "example", "fuzz"})


def is_test_name(name: str) -> bool:
    """Of a function."""
    return _NAME.match(name) is not None


def is_helper_path(path: str) -> bool:
    """Whether a file among tests holds set-up for others, by its name: `conftest.py`, `spec_helper.rb`."""
    return _HELPER.search(path) is not None


def is_test_scope(scope: str) -> bool:
    """Whether code stands among the tests of a file that is none itself: `mod tests` in Rust."""
    return scope.startswith("tests::") or "::tests::" in scope


def is_marked(decorators: Iterable[str]) -> bool:
    """By an annotation: `@Test`, `#[tokio::test]`, `[Fact]`."""
    return any(_last_name(one) in _MARKS for one in decorators)


@lru_cache(maxsize=1 << 12)
def _last_name(decorator: str) -> str:
    return re.split(r"[.:\\]", re.split(r"[(\[<\s]", decorator, maxsplit=1)[0])[-1].lower()


def stem_of(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def without_test_mark(stem: str) -> str:
    """`test_card`, `card_test`, `card.test`, `CardTest` without their test marks."""
    for mark in ("test_", "tests_"):
        stem = stem.removeprefix(mark)
    for mark in ("_test", "_tests", "_spec", ".test", ".spec", "-test", "-spec", "Tests", "Test", "Spec"):
        stem = stem.removesuffix(mark)
    return stem


@lru_cache(maxsize=1 << 16)
def words(name: str) -> Words:
    """An identifier's words, in small letters."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=1 << 16)
def subject(name: str) -> Words:
    """The words of a test's name that name its subject; empty for a generic name."""
    found = list(words(name))
    while found and found[0] in _AFFIXES:
        del found[0]
    while found and found[-1] in _AFFIXES:
        del found[-1]
    return tuple(found)


def forget_words() -> None:
    words.cache_clear()
    subject.cache_clear()
    _last_name.cache_clear()
