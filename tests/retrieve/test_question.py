"""What is recognised in a question: words and how much they count, names, places, quoted messages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.search import MOST_READ
from clew.retrieve.question import (
    BODY,
    BODY_TERMS,
    HEADLINE,
    PART,
    TASK_WORDS_SHARE,
    Frame,
    Question,
    understand,
)

PYTHON = """Traceback (most recent call last):
  File "/srv/app/shop/cart.py", line 18, in total
    return plain - discount(customer)
  File "C:\\app\\shop\\rebates.py", line 7, in <lambda>
ValueError: max() arg is an empty sequence
"""
JAVASCRIPT = """TypeError: x is not a function
    at fetchJson (/app/src/api/client.ts:11:23)
    at async CartStore.restoreCart (/app/src/state/cartStore.ts:12:18)
    at new Basket (webpack/basket.js:3:1)
    at /app/src/index.js:1:1
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no card
    at com.acme.pay.Card.charge(Card.java:12)
    at com.acme.Main$1.run(Main.kt:3)
"""
GO = """panic: runtime error

goroutine 1 [running]:
main.pay(0xc000012345)
    /app/pay/card.go:12 +0x1d
acme.org/pay.(*Till).Open.func1({0x1, 0x2})
\t/app/pay/till.go:7 +0x2e
"""
RUST = """thread 'main' panicked at src/main.rs:4:5:
   1: demo::pay::{{closure}}
             at ./src/pay.rs:12:9
"""
CSHARP = r"""System.InvalidOperationException: no
   at System.Linq.Enumerable.First[T](IEnumerable`1 source)
   at Acme.Pay.Card.ChargeAsync[T](Money money, String to) in /_/Pay/Card.Async.cs:line 41
   at Acme.Program.Main() in C:\src\app\Program.cs:line 12
"""
RUBY = """lib/pay/card.rb:55:in `block in charge': bad (RuntimeError)
\tfrom /gems/pay/lib/pay.rb:12:in 'Pay::Till#open'
"""


def weights(text: str) -> dict[str, float]:
    return {word.text: word.weight for word in understand(text).terms.values()}


def places(text: str) -> list[Frame]:
    return [frame for frame in understand(text).frames if frame.line]


def paths(text: str) -> list[str]:
    return [frame.path for frame in understand(text).frames]


def test_words_are_stemmed_and_told_as_written() -> None:
    terms = understand("Where are Tokens validated?").terms

    assert {term: word.text for term, word in terms.items()} == {"token": "Tokens", "valid": "validated"}


def test_a_question_of_nothing_but_small_words_has_those() -> None:
    assert {*understand("what is it").terms} == {"what", "is", "it"}


def test_the_first_line_counts_more_than_the_rest() -> None:
    assert weights("parser crashes\n\nempty input") == {
        "parser": HEADLINE, "crashes": HEADLINE, "empty": BODY, "input": BODY,
    }  # fmt: skip


def test_a_long_report_counts_no_more_than_a_short_one_all_together() -> None:
    said = [f"{first}{second}" for first in ("red", "blue", "green") for second in ("wood", "stone", "bird", "fish")]
    long = " ".join(f"{one} {one}house {one}water {one}field" for one in said)

    found = weights(f"parser crashes\n\n{long}")

    assert len(found) > 2 * BODY_TERMS
    assert found.pop("parser") == found.pop("crashes") == HEADLINE
    assert sum(found.values()) == pytest.approx(BODY_TERMS * BODY)


def test_what_is_to_be_done_counts_less_than_to_what() -> None:
    assert weights("add retries") == {"add": HEADLINE * TASK_WORDS_SHARE, "retries": HEADLINE}


def test_a_word_counts_as_in_the_best_of_its_places() -> None:
    assert weights("parser\n\nparser input")["parser"] == HEADLINE


@pytest.mark.parametrize("headline", ["fix(parser): empty input", "Feat(parser)!: empty input"])
def test_the_part_that_a_conventional_headline_names_counts_most(headline: str) -> None:
    assert weights(headline) == {"parser": PART, "empty": HEADLINE, "input": HEADLINE}


def test_trailers_numbers_and_addresses_say_nothing() -> None:
    text = "parser: empty input (#12)\n\nSee https://example.org/x\nSigned-off-by: Ann <ann@example.org>\nCc: Bob"

    assert {*weights(text)} == {"parser", "empty", "input", "See"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does `Op` fail", [("Op",)]),
        ("call at() twice", [("at",)]),
        ("`g` and setup.py and fs.ls()", []),
        ("validate_token fails", [("validate_token",)]),
        ("validateToken and ValidateToken", [("validateToken",), ("ValidateToken",)]),
        ("call charge() twice", [("charge",)]),
        ("Card.charge Card::charge Card#charge card->charge", [("Card", "charge"), ("card", "charge")]),
        ("the `total` of it", [("total",)]),
        ("__init__ of Cart", [("__init__",)]),
        ("plain words, and ab.c", []),
    ],
)
def test_names_of_code_are_told_apart_from_words(text: str, names: list[tuple[str, ...]]) -> None:
    assert list(understand(text).names) == names


def test_a_python_trace_points_at_files_lines_and_functions() -> None:
    assert places(PYTHON) == [
        Frame("/srv/app/shop/cart.py", 18, "total"),
        Frame("C:/app/shop/rebates.py", 7, "<lambda>"),
    ]


def test_a_javascript_trace_too() -> None:
    assert places(JAVASCRIPT) == [
        Frame("/app/src/api/client.ts", 11, "fetchJson"),
        Frame("/app/src/state/cartStore.ts", 12, "CartStore.restoreCart"),
        Frame("webpack/basket.js", 3, "new Basket"),
        Frame("/app/src/index.js", 1, ""),
    ]


def test_a_java_trace_names_files_without_folders() -> None:
    assert places(JAVA) == [
        Frame("Card.java", 12, "com.acme.pay.Card.charge"),
        Frame("Main.kt", 3, "com.acme.Main$1.run"),
    ]


def test_a_trace_of_csharp_has_its_lines_in_words() -> None:
    assert places(CSHARP) == [
        Frame("/_/Pay/Card.Async.cs", 41, "Acme.Pay.Card.ChargeAsync[T]"),
        Frame("C:/src/app/Program.cs", 12, "Acme.Program.Main"),
    ]


def test_ruby_names_what_a_line_is_in() -> None:
    assert places(RUBY) == [
        Frame("lib/pay/card.rb", 55, "block in charge"),
        Frame("/gems/pay/lib/pay.rb", 12, "Pay::Till#open"),
    ]


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("#0 /var/www/src/Card.php(45): Acme\\Card->charge('a')", "/var/www/src/Card.php", 45),
        ("  thrown in /var/www/src/Card.php on line 123", "/var/www/src/Card.php", 123),
        ("Fatal error: found nil: file Pay/Card.swift, line 120", "Pay/Card.swift", 120),
        ("c:\\src\\pay\\card.cpp(9): error C2065: 'x'", "/src/pay/card.cpp", 9),
        ("src/card.ts(12,5): error TS2322: no", "src/card.ts", 12),
        ("./deploy.sh: line 12: foo: command not found", "./deploy.sh", 12),
        ("it breaks in pay/card.py line 7", "pay/card.py", 7),
    ],
)
def test_lines_are_told_in_many_ways(text: str, path: str, line: int) -> None:
    assert places(text) == [Frame(path, line, "")]


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("see https://github.com/acme/pay/blob/d032ed/lib/card.js#L36-L51.", "lib/card.js", 36),
        ("[here](https://gitlab.com/acme/pay/-/blob/main/src/card.py#L12)", "src/card.py", 12),
        ("<https://git.acme.org/acme/pay/blob/fix/x/src/card.py?plain=1#L5>", "x/src/card.py", 5),
        ("https://bitbucket.org/acme/pay/src/ab12/src/card.py#lines-7", "src/card.py", 7),
    ],
)
def test_links_to_code_are_places(text: str, path: str, line: int) -> None:
    assert places(text) == [Frame(path, line, "")]


def test_other_links_are_none() -> None:
    assert places("https://github.com/acme/pay/issues/12#issuecomment-3 https://acme.org/a/b/c.html#L3") == []


def test_what_is_called_with_a_number_is_no_place() -> None:
    assert places("card.charge(12) and then cart.total(3, 4)") == []


def test_traces_of_go_and_rust_and_what_compilers_say() -> None:
    assert places(GO) == [
        Frame("/app/pay/card.go", 12, "main.pay"),
        Frame("/app/pay/till.go", 7, "acme.org/pay.(*Till).Open"),
    ]
    assert places(RUST) == [Frame("src/main.rs", 4, ""), Frame("./src/pay.rs", 12, "demo::pay")]
    assert places("src/pay.c:12:9: error: expected ';'") == [Frame("src/pay.c", 12, "")]


def test_colours_of_a_terminal_and_signs_without_a_form_are_no_words() -> None:
    question = understand("\x1b[1;31mError\x1b[0m in \u202echarge\u200b_card\x1b]8;;file://x\x07: refused")

    assert question.text == "Error in charge_card: refused"
    assert question.names == (("charge_card",),)


def test_a_place_is_told_once() -> None:
    assert len(places(PYTHON + PYTHON)) == 2


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("look into shop/cart.py please", "shop/cart.py"),
        ("cart.py", "cart.py"),
        ("(see ../lib/x.ts)", "../lib/x.ts"),
        (".github/workflows/ci.yml fails", ".github/workflows/ci.yml"),
        ("rules in .eslintrc.json", ".eslintrc.json"),
        ("a@b/c-d.e2e.spec.ts", "a@b/c-d.e2e.spec.ts"),
        ("as in https://github.com/acme/pay/blame/main/pay/card.go, which", "pay/card.go"),
    ],
)
def test_paths_are_recognised(text: str, path: str) -> None:
    assert paths(text) == [path]


@pytest.mark.parametrize("text", ["version 1.5.2", "the end.", "a / b", "https://example.org/a/b"])
def test_what_is_no_path_is_none(text: str) -> None:
    assert paths(text) == []


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ('it says "no such page" again', ["no such page"]),
        ("it says 'no such page' again", ["no such page"]),
        ("it says “no such page” again", ["no such page"]),
        ('"no such page" and "no such page"', ["no such page"]),
        ("the user's name isn't shown, it's gone", []),
        ('set "on" and then "off" again', []),
        ("thread 'main' panicked at 'index out of bounds', twice", ["index out of bounds"]),
        ('"longer_than_a_word"', []),
    ],
)
def test_messages_are_what_is_quoted_and_longer_than_a_word(text: str, strings: list[str]) -> None:
    assert list(understand(text).strings) == strings


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("where is best_rebate defined?", [("best_rebate",)]),
        ("Where is the `total` method?", [("total",)]),
        ("who calls Cart.total", [("Cart", "total")]),
        ("class Cart", [("Cart",)]),
        ("Cart class", [("Cart",)]),
        ("what's Cart?", [("Cart",)]),
        ("how does CartStore work, and who uses it", [("CartStore",)]),
        ("function load", [("load",)]),
        ("how does CartStore call best_rebate", []),
        ("how do CartStore and best_rebate work", [("CartStore",), ("best_rebate",)]),
        ("how does loading work?", []),
        ("what breaks if I change CartStore", [("CartStore",)]),
        ("impact of renaming Cart.total", [("Cart", "total")]),
        ("is CartStore safe to delete?", [("CartStore",)]),
        ("what depends on the Cart class", [("Cart",)]),
        ("what does the cart do", []),
        ("fix best_rebate", []),
        ("best_rebate is wrong for members", []),
        ("function that renders a bill", []),
        ("Loading", []),
        ("", []),
    ],
)
def test_a_question_about_a_name_says_nothing_else(text: str, subjects: list[tuple[str, ...]]) -> None:
    assert [*understand(text).subjects] == subjects


def test_what_is_too_long_is_read_at_its_beginning_and_its_end() -> None:
    around = "x" * MOST_READ
    question = understand(f"start {around} middle {around} end")

    assert {"start", "end"} <= question.terms.keys()
    assert "middl" not in question.terms


pastes = [
    "a",
    "a.",
    "a/",
    "a-",
    "a_",
    "'a ",
    "at ",
    "at a",
    'File "',
    "QWxhZGRp",
    "<!--",
    "a/b",
    "aA",
    ".",
    "a::",
    "x#",
]


@pytest.mark.parametrize("unit", pastes)
def test_a_long_paste_is_read_at_once(unit: str) -> None:
    text = unit * (MOST_READ // len(unit))
    started = time.process_time()
    understand(text)

    assert time.process_time() - started < 1.0


@given(st.text(max_size=300) | st.text(alphabet="aA_.:/\\#'\"`()<>-@ \n1", max_size=300))
def test_anything_can_be_asked(text: str) -> None:
    question = understand(text)

    assert isinstance(question, Question)
    assert list(question.terms) == sorted(question.terms)
    assert all(0 < word.weight <= PART for word in question.terms.values())
    assert all(frame.line >= 0 for frame in question.frames)
    assert understand(text) == question


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("where is it decided whether a request is tried again?", True),
        ("Is there anything that keeps a card from being charged twice", True),
        ("the same card is charged a second time, who keeps that from happening?", True),
        ("I was charged twice although nothing went wrong the first time", True),
        ("after the second failure my card is not charged any more", True),
        ("My card was charged twice although nothing went wrong", True),
        ("nobody can tell why the same receipt is sent to me.", True),
        ("it says that the card (I think) has expired already", True),
        ("add a folder for my-app to the build", False),
        ("read and write of I/O errors is told apart", False),
        ("add an option to the command that lists cards", False),  # what is to be done says more of the code's words
        ("where cards are charged", False),  # may well be a name
        ("where does Card.charge decide whether to try again?", False),
        ("where does charge_card decide whether to try again?", False),
        ("where in pay/card.py is it decided to try again?", False),
        ("fix(pay): do not charge cards twice if asked again", False),
        ("cards are charged twice if asked again\n\nThe second time, nothing is told.", False),
        ("please show me where the class Card is defined", False),
    ],
)
def test_a_question_that_names_nothing_is_plain(text: str, is_plain: bool) -> None:
    assert understand(text).is_plain is is_plain


@pytest.mark.parametrize(
    ("text", "asks_how"),
    [
        ("where is it decided whether a request is tried again?", True),
        ("where are cards charged?", True),
        ("how does charging work", False),  # which may be a name
        ("what breaks if I change charging", False),
        ("what is a card?", False),  # may well be a type
        ("how does Card work", False),
        ("where is charge_card", False),
        ("where is the function charge", False),
        ("how it was\n\nThe second time, nothing is told.", False),
        ("charge cards", False),
    ],
)
def test_a_short_question_asks_how_if_it_names_nothing(text: str, asks_how: bool) -> None:
    assert understand(text).asks_how is asks_how
