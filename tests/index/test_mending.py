"""One line that a grammar cannot read hides neither what stands around it nor, by its words, what it defines itself."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.error_recovery import MOST_READ, unreadable
from clew.index.syntax.parse import Outline, outline
from clew.index.syntax.ranges import blank_ranges
from clew.languages import language_named

# In each, `broken` cannot be read, and hid what follows it or swallowed it.
BROKEN = {
    "go": "package p\n\nfunc before() {}\n\nfunc broken( {\n\tlost()\n\nfunc after() { pay() }\n",
    "python": "def before():\n    pass\n\n\ndef broken(:\n    return lost(\n\n\ndef after():\n    return pay()\n",
    "typescript": "function before() {}\n\nfunction broken(a: ?) {\n  lost(;\n}\n\nfunction after() { pay() }\n",
    "java": "class Card {\n    void before() {}\n\n    int broken = = lost(;\n\n    void after() { pay(); }\n}\n",
    "rust": "fn before() {}\n\nfn broken(a: ) -> {\n    lost(;\n\nfn after() { pay() }\n",
    "kotlin": "fun before() {}\n\nfun broken(a: = {\n    lost((\n}\n\nfun after() { pay() }\n",
    "bash": "before() {\n    :\n}\n\nfunction broken {\n    if [[ ; then lost\n}\n\nafter() {\n    pay\n}\n",
    "cpp": "namespace p {\nvoid before() {}\n\nvoid broken( { lost(; \n\n"
    + "int x;\n" * 9
    + "void after() { pay(); }\n}\n",
}


def seen_in(language: str, source: str) -> Outline:
    known = language_named(language)
    assert known is not None
    return outline(known, source.encode())


@pytest.mark.parametrize("language", BROKEN)
def test_what_stands_around_is_defined_and_calls(language: str) -> None:
    seen = seen_in(language, BROKEN[language])
    lines = BROKEN[language].splitlines()

    by_name = {one.name: one for one in seen.definitions}
    assert {"before", "after"} <= by_name.keys()
    assert "pay" in {call.callee for call in seen.calls} or language == "python"  # whose calls are read off the tree
    assert "after" in lines[by_name["after"].first - 1]
    assert "broken" not in lines[by_name["before"].last - 1]
    assert seen.problems[0].startswith("syntax error at line ")


@pytest.mark.parametrize("language", ["go", "python", "typescript", "rust", "kotlin"])
def test_what_it_defines_is_told_by_its_words(language: str) -> None:
    seen = seen_in(language, BROKEN[language])

    (broken,) = [one for one in seen.definitions if one.name == "broken"]
    assert BROKEN[language].splitlines()[broken.first - 1].split("(")[0].endswith("broken")


def test_members_of_what_has_an_unreadable_head_are_its_own() -> None:
    members = "    fun pay() = charge()\n\n    fun close() {\n        end()\n    }\n"
    seen = seen_in("kotlin", f"class Card : Base( {{ ) {{\n{members}}}\n\nfun after() {{}}\n")

    card, *inner = [one for one in seen.definitions if one.name != "after"]
    assert card.name == "Card"
    assert [one.name for one in inner] == ["pay", "close"]
    assert all(card.start < one.start and one.end <= card.end for one in inner)


def test_of_a_line_that_is_understood_in_part_more_is_kept_than_is_blanked() -> None:
    seen = seen_in("python", "def pay(card):\n    return card.charge(]\n")

    assert [one.name for one in seen.definitions] == ["pay"]


@given(st.text(st.sampled_from("ab(){};: \t\n@[]"), max_size=200), st.sampled_from(["(", "a", ""]))
def test_every_place_stays_where_it_is(text: str, refused: str) -> None:
    source = text.encode()
    lost = unreadable(source, lambda part: bool(refused) and refused.encode() not in part)

    assert len(blank_ranges(source, lost)) == len(source)
    assert all(before[1] <= after[0] for before, after in pairwise(lost))


def test_no_more_is_read_than_some_times_the_text() -> None:
    read = 0

    def is_read(part: bytes) -> bool:
        nonlocal read
        read += len(part)
        return False

    source = b"".join(b" " * depth + b"a {\n" for depth in range(200)) + b"b\n" * 200
    unreadable(source, is_read)

    assert read <= MOST_READ * len(source)


@pytest.mark.parametrize("text", ["func f( {\n\tx(\n}\n" * 3000, "func f(" + " ; ) =" * 20_000, "{(\n" * 2000])
def test_a_long_text_of_errors_is_done_in_good_time(text: str) -> None:
    start = time.process_time()
    seen_in("go", f"package p\n{text}")

    assert time.process_time() - start < 10
