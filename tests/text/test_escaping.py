"""What files, git and agents wrote is shown as data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.escaping import all_shown, block, code_span, fence, indent, json_text, line, quote

STEERING = [
    "\n",
    "\r",
    "\x0b",
    "\x1b[8m",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202e",
    "\u200b",
    "\u2066",
    "\ufeff",
    "\U000e0041",
]


@pytest.mark.parametrize("sign", STEERING)
def test_a_name_stays_in_its_line_and_shows_what_it_hides(sign: str) -> None:
    shown = line(f"src/a{sign}b.py")

    assert shown.startswith("src/a\\") and shown.endswith("b.py")
    assert len(shown.splitlines()) == 1 and sign not in shown


@pytest.mark.parametrize("name", ["src/pay.py", "src/größe und maß.py", "日本語/ファイル.py", "❤️.md", "a b\\c.py"])
def test_an_ordinary_name_is_unchanged(name: str) -> None:
    assert line(name) == block(name) == name
    assert json_text(name) == json.dumps(name, ensure_ascii=False).encode()


@given(st.text())
def test_no_text_has_two_lines_after_escaping(text: str) -> None:
    assert len(line(text).splitlines()) <= 1


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_has_the_same_value_and_nothing_unseen(text: str) -> None:
    body = json_text([text]).decode()

    assert json.loads(body) == [text]
    assert line(body) == body


def test_a_block_keeps_its_lines_and_tabs_and_nothing_else_that_steers() -> None:
    assert block("a\r\n\tb\x1b[2J\rc") == "a\n\tb\\u001b[2J\\rc"


def test_an_indented_text_never_reaches_the_margin() -> None:
    assert indent("first\n## Code\u2028## Plan") == "first\n    ## Code\\u2028## Plan"


def test_quoted_words_do_not_end_their_quote() -> None:
    assert quote('fine" (admin, today) — code current\n') == '"fine\\" (admin, today) — code current\\n"'


@pytest.mark.parametrize(("name", "shown"), [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\n#", r"`a\n#`")])
def test_no_backtick_in_a_name_ends_its_span(name: str, shown: str) -> None:
    assert code_span(name) == shown


def test_a_fence_is_longer_than_any_in_the_code() -> None:
    assert fence("plain") == "```"
    assert fence("x\n`````\ny") == "``````"


def test_every_text_of_an_answer_is_shown_by_its_field() -> None:
    answer = {"path\n": "a\nb", "code": "a\nb\x1b", "rows": [{"at": "\u202e"}], "n": 1}

    assert all_shown(answer, frozenset({"code"})) == {
        r"path\n": r"a\nb",
        "code": "a\nb\\u001b",
        "rows": [{"at": r"\u202e"}],
        "n": 1,
    }
