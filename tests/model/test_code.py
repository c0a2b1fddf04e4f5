"""Ids: readable, unique by construction, and told apart again."""

from hypothesis import given
from hypothesis import strategies as st

from clew.model.code import chunk_uid, split_id, symbol_id, without_numbers
from clew.model.run import FileFailure, Mode, RunReport
from clew.model.search import Coverage
from clew.model.words import KIND_WORDS, Kind, kinds_named

paths = st.from_regex(r"[a-z_]{1,8}(/[a-z_]{1,8}){0,3}\.py", fullmatch=True)
scopes = st.from_regex(r"([A-Za-z_]{1,8}(::[A-Za-z_]{1,8}(#2)?){0,3})?", fullmatch=True)


@given(paths, scopes)
def test_an_id_comes_apart_into_its_path_and_scope(path: str, scope: str) -> None:
    assert split_id(symbol_id(path, scope)) == (path, scope)


def test_a_files_id_is_its_path() -> None:
    assert symbol_id("src/app.py", "") == "src/app.py"
    assert symbol_id("src/pay/card.py", "Card::charge") == "src/pay/card.py::Card::charge"


def test_only_what_tells_one_name_from_another_is_no_part_of_it() -> None:
    assert without_numbers("src/pay.py::Card#2::charge#3") == "src/pay.py::Card::charge"
    for named in ("src/hash#1.py::f", "log.md::Fix #12 in the parser"):
        assert without_numbers(named) == named


def test_a_chunks_uid_tells_its_place_and_its_text() -> None:
    assert chunk_uid("app.py", 3, b"\x01\xff") == "app.py#3@01ff"


def test_filters_accept_the_documents_words_in_any_case() -> None:
    assert kinds_named("CODE_FUNCTION") == (Kind.FUNCTION, Kind.METHOD)
    assert kinds_named("Class") == (Kind.CLASS,)
    assert kinds_named("nonsense") == ()
    assert all(kinds_named(kind.value) for kind in Kind)
    assert set(KIND_WORDS) == {word.lower() for word in KIND_WORDS}


def test_an_answer_is_partial_while_files_are_read_for_the_first_time() -> None:
    assert not Coverage(indexed=5, seen=5, indexing=True).partial
    assert not Coverage(indexed=5, seen=9, indexing=False).partial
    assert Coverage(indexed=5, seen=9, indexing=True).partial
    assert Coverage(indexed=0, seen=0, indexing=True).partial


def test_the_line_at_the_end_is_honest() -> None:
    report = RunReport(
        "tx", Mode.FULL, files=3, symbols=9, chunks=5, read=2, unchanged=1, deleted=4, seconds=1.234,
        skipped={"too_large": 2, "binary": 1}, failed=(FileFailure("a.py", "crash"),),
    )  # fmt: skip

    assert report.summary == (
        "3 files, 9 symbols, 5 chunks in the index; 2 read, 1 unchanged, 4 deleted, "
        "3 skipped (1 binary, 2 too_large), 1 failed; 1.23 s"
    )
