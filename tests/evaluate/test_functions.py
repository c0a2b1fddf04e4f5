import pytest

from clew.evaluate.functions import Function, changed_functions, read
from clew.evaluate.history import Hunk
from clew.languages import BUILT_IN

from .conftest import CARD, INVOICE


def functions(path: str, source: str) -> dict[str, Function]:
    return {one.id.partition("::")[2]: one for one in read(path, source.encode(), BUILT_IN)}


def touched(source: str, *hunks: tuple[int, int]) -> list[str]:
    found = functions("a.py", source)
    return [name.partition("::")[2] for name in changed_functions(found.values(), [Hunk(*one) for one in hunks])]


def line_of(text: str, source: str) -> int:
    return source[: source.index(text)].count("\n") + 1


def test_functions_and_methods_are_read_and_classes_are_not() -> None:
    assert list(functions("card.py", CARD)) == ["Card::charge", "Card::refund"]


def test_a_function_inside_of_another_is_part_of_it() -> None:
    found = functions("invoice.py", INVOICE)

    assert list(found) == ["render", "total"]
    assert found["render"].inner == ("invoice.py::render", "invoice.py::render::one")


def test_tests_inside_of_a_source_file_are_left_out() -> None:
    source = "fn charge() {}\n\nmod tests {\n    fn charges() { charge(); }\n}\n"

    assert list(functions("card.rs", source)) == ["charge"]


def test_what_is_no_code_has_no_functions() -> None:
    assert functions("notes.txt", "def charge(): ...") == {}


@pytest.mark.parametrize(("text", "names"), [
    ("raise ValueError", ["Card::charge"]),
    ("return -amount", ["Card::refund"]),
    ("def charge", ["Card::charge"]),
    ("limit = 100", []),
    ('"""Cards', []),
])  # fmt: skip
def test_a_changed_line_belongs_to_the_function_around_it(text: str, names: list[str]) -> None:
    assert touched(CARD, (line_of(text, CARD), 1)) == names


def test_lines_of_two_functions_change_both() -> None:
    first, last = line_of("return amount", CARD), line_of("def refund", CARD)

    assert touched(CARD, (first, last - first + 1)) == ["Card::charge", "Card::refund"]


def test_what_is_added_between_lines_of_a_function_changes_it() -> None:
    assert touched(CARD, (line_of("if amount", CARD), 0)) == ["Card::charge"]


def test_what_is_added_behind_a_function_does_not() -> None:
    assert touched(CARD, (line_of("return amount", CARD), 0)) == []


def test_a_decorator_belongs_to_its_function() -> None:
    assert touched("@cached\ndef load():\n    return 1\n", (1, 1)) == ["load"]
