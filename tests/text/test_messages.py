"""What people write about changes, without what they wrote by habit."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.messages import Message, clean, read


@pytest.mark.parametrize(
    "habit",
    [
        "Signed-off-by: Ann <ann@example.org>",
        "co-authored-by: Bob <bob@example.org>",
        "  Reviewed-by: Carl",
        "Change-Id: I12345",
        "CC: somebody",
        "- [x] I have read the rules",
        "* [ ] tests",
        "<!-- describe your change -->",
        "<!-- several\nlines -->",
        "https://example.org/a?b=c",
        "(#123)",
        "owner/repo#7",
    ],
)
def test_habits_are_left_out(habit: str) -> None:
    assert clean(f"Sign tokens\n{habit}\nagain").split() == ["Sign", "tokens", "again"]


@pytest.mark.parametrize("kept", ["a colon: here", "C# 9", "on - or [off]", "x <- y", "#hashtag", "and/or"])
def test_what_only_looks_like_one_is_kept(kept: str) -> None:
    assert clean(kept) == kept


def test_a_comment_that_does_not_end_goes_to_the_end() -> None:
    assert clean("Sign tokens <!-- and\nso on") == "Sign tokens"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sign tokens", Message("Sign tokens", "", "")),
        ("Sign tokens\n\nwith care\n", Message("Sign tokens", "", "\nwith care")),
        ("fix: sign tokens", Message("sign tokens", "", "")),
        ("fix(auth): sign tokens", Message("sign tokens", "auth", "")),
        ("Feat(auth)!: sign tokens\nbody", Message("sign tokens", "auth", "body")),
        ("refactor!: sign", Message("sign", "", "")),
        ("fix(auth):", Message("fix(auth):", "", "")),
        ("auth: sign tokens", Message("auth: sign tokens", "", "")),
        ("fixes: nothing", Message("fixes: nothing", "", "")),
        ("[PAY-12] fix: sign tokens", Message("sign tokens", "", "\n12")),
        ("[PAY-12]: Sign tokens\nbody", Message("Sign tokens", "", "body\n12")),
        ("PAY-12: Sign tokens", Message("Sign tokens", "", "\n12")),
        ("PAY-12 - Sign tokens", Message("Sign tokens", "", "\n12")),
        ("[PAY-12]", Message("[PAY-12]", "", "")),
        ("SHA-256 is slow", Message("SHA-256 is slow", "", "")),
        ("UTF-8", Message("UTF-8", "", "")),
        ("", Message("", "", "")),
    ],
)
def test_a_message_is_its_headline_the_part_it_names_and_the_rest(text: str, message: Message) -> None:
    assert read(text) == message


def test_one_that_says_nothing_else_is_taken_as_it_is() -> None:
    assert read("https://example.org #12").headline == "https://example.org #12"


@given(st.text(max_size=200))
def test_cleaning_is_over_after_a_few_times(text: str) -> None:
    once = clean(text)

    assert len(once) <= len(text)
    assert read(text).headline == read(text.strip()).headline


@pytest.mark.parametrize("unit", ["a.", "a-", "a/", "a#", "(", "- [", "cc", "<!-", "http://"])
def test_a_long_one_is_read_at_once(unit: str) -> None:
    started = time.process_time()
    read(unit * (100_000 // len(unit)))

    assert time.process_time() - started < 1.0
