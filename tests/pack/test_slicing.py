"""Slices: exact lines of symbols, in forms that are cut only between whole parts, with who calls them."""

from collections.abc import Iterator

import pytest

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.view import period
from clew.model.time import FOREVER, NOW
from clew.pack.slicing import CodeSlice, Context, Sliced, SliceRequest, Sources, slices
from clew.store.database import Row
from tests.conftest import DAY_1, DAY_2, Repository
from tests.worlds import call, loose, show

CARD = '''"""Cards."""


class Card:
    """Plastic."""

    @property
    def owner(self) -> str:
        """Whose it is."""
        return self._owner

    def charge(
        self, amount: int
    ) -> bool:
        key = "AKIAZ7VRKQ2M5LXNW3TB"
        return self.check(amount, key)


LIMIT = 3
'''
OWNER, CHARGE = "pay/card.py::Card::owner", "pay/card.py::Card::charge"
LONG = "def long(x):\n" + "".join(f"    if x == {n}:\n        print({n})\n        return {n}\n\n" for n in range(60))


@pytest.fixture
def sources(repository: Repository, engine: Engine) -> Sources:
    repository.write("pay/card.py", CARD)
    repository.write("pay/shop.py", "def buy(card): ...\n\n\ndef sell(card): ...\n")
    repository.write("tests/test_card.py", "def test_charge(): ...\n")
    repository.write("long.py", LONG)
    repository.write("notes.txt", "First line.\n\nSecond paragraph.\n")
    repository.write("empty.py", "")
    repository.write(
        "add.js", "function add(a, b) { return a + b }\r\n\r\nfunction sub(a, b) {\r\n  return a - b\r\n}\r\n"
    )
    repository.commit(DAY_1)
    engine.index()
    return Sources(engine.place.root, engine.files, engine.nodes, engine.corpus)


def sliced(sources: Sources, id: str, context: Context = "body") -> Sliced:
    (found,) = slices(sources, [SliceRequest(id)], context)
    return found


def code(sources: Sources, id: str, context: Context = "body") -> tuple[str, int, int]:
    found = sliced(sources, id, context).slice
    return found.code, found.start_line, found.end_line


def test_a_body_is_the_lines_of_the_file(sources: Sources) -> None:
    lines = CARD.splitlines()

    assert code(sources, OWNER) == ("\n".join(lines[6:10]), 7, 10)
    assert code(sources, "pay/card.py::LIMIT") == ("LIMIT = 3", 19, 19)


def test_a_signature_ends_where_the_body_begins(sources: Sources) -> None:
    assert code(sources, OWNER, "signature") == ("    @property\n    def owner(self) -> str:", 7, 8)
    assert code(sources, CHARGE, "signature") == ("    def charge(\n        self, amount: int\n    ) -> bool:", 12, 14)
    assert code(sources, "add.js::add", "signature")[0].startswith("function add(a, b)")
    assert "return" not in code(sources, "add.js::add", "signature")[0]


def test_lines_that_end_in_two_characters_stay_whole(sources: Sources) -> None:
    assert code(sources, "add.js::sub") == ("function sub(a, b) {\r\n  return a - b\r\n}", 3, 5)


def test_of_a_file_in_one_line_only_the_symbol_is_shown(
    sources: Sources, repository: Repository, engine: Engine
) -> None:
    repository.write("min.js", "".join(f"function f{n}(a){{return a+{n}}}" for n in range(99)) + "\n")
    engine.index()

    assert code(sources, "min.js::f50") == ("function f50(a){return a+50}", 1, 1)


def test_what_else_is_known_comes_along(sources: Sources) -> None:
    (found,) = slices(sources, [SliceRequest(OWNER, ppr_score=0.25)])

    assert found.slice == CodeSlice(
        id=OWNER,
        file="pay/card.py",
        start_line=7,
        end_line=10,
        symbol_name="owner",
        kind="method",
        code="\n".join(CARD.splitlines()[6:10]),
        language="python",
        signature="def owner(self) -> str",
        summary_line="Whose it is",
        ppr_score=0.25,
        valid_from=DAY_1,
    )


def test_a_secret_is_replaced_and_that_is_said(sources: Sources) -> None:
    found = sliced(sources, CHARGE).slice

    assert found.redacted
    assert "AKIA" not in found.code
    assert not sliced(sources, OWNER).slice.redacted


def test_it_is_valid_since_it_changed_not_since_its_file_did(
    sources: Sources, repository: Repository, engine: Engine
) -> None:
    repository.write("pay/card.py", CARD.replace("self._owner", "self.owner_"))
    repository.commit(DAY_2)
    engine.index()

    assert sliced(sources, OWNER).slice.valid_from == DAY_2
    assert sliced(sources, CHARGE).slice.valid_from == DAY_1
    assert sliced(sources, "pay/card.py").slice.valid_from == DAY_2


def test_callers_and_callees_come_with_the_best_first_and_the_unsure_are_counted(
    sources: Sources, engine: Engine
) -> None:
    show(engine, "pay/shop.py", call("buy", CHARGE, 1, 0.9), call("sell", CHARGE, 4), loose("sell", "x.charge", 4))
    show(engine, "tests/test_card.py", call("test_charge", CHARGE, 1), call("", CHARGE, 1, 0.3))
    show(
        engine,
        "pay/card.py",
        call("Card::charge", "external::os.urandom", 16),
        call("Card::charge", "pay/shop.py::buy"),
    )

    found = sliced(sources, CHARGE, "with-deps").slice

    assert [(one.id, one.name, one.file, one.line) for one in found.incoming_callers] == [
        ("pay/shop.py::sell", "sell", "pay/shop.py", 4),
        ("pay/shop.py::buy", "buy", "pay/shop.py", 1),
        ("tests/test_card.py::test_charge", "test_charge", "tests/test_card.py", 1),
    ]
    assert (found.callers_total, found.unresolved, found.candidates) == (3, 1, 1)
    assert [(one.name, one.file, one.line) for one in found.outgoing_calls] == [
        ("buy", "pay/shop.py", 1),
        ("os.urandom", "", 0),
    ]
    assert found.calls_total == 2
    assert found.unresolved_calls == 1, "self.check is nowhere"


def test_no_more_than_ten_are_named_and_all_are_counted(sources: Sources, engine: Engine) -> None:
    show(engine, "pay/card.py", *(call("Card::owner", f"external::x.f{n:02}") for n in range(12)))

    found = sliced(sources, OWNER, "full").slice

    assert (len(found.outgoing_calls), found.calls_total) == (10, 12)
    assert (found.incoming_callers, found.callers_total) == ((), 0)


def test_without_calls_nothing_is_said_of_them(sources: Sources) -> None:
    found = sliced(sources, CHARGE).slice

    assert (found.callers_total, found.calls_total) == (None, None)


def test_a_long_function_grows_by_whole_parts(sources: Sources) -> None:
    plain = sliced(sources, "long.py::long")
    shortest, *_, whole = plain.forms()
    lines = {*LONG.splitlines()}

    assert whole == plain.slice.code == LONG.rstrip()
    assert shortest.startswith("def long(x):\n… ")
    assert all(line in lines or line.startswith("… ") for text in plain.forms() for line in text.splitlines())
    assert plain.shown_as(shortest).elided
    assert not plain.shown_as(whole).elided


def test_the_passage_that_answers_is_shown_first(sources: Sources) -> None:
    sheet = sources.files.sheet("long.py")
    assert sheet is not None
    passage = next(one for one in sheet.layout.chunks if one.scope == "long").passages[-1]
    text = sheet.text[passage.start : passage.end].decode()

    (found,) = slices(sources, [SliceRequest("long.py::long", passage=f"def long(x):\n… 99 lines\n{text}")])

    _, second, *_ = found.forms()
    assert text in second


def test_a_class_is_told_by_its_members_before_all_of_it_is(sources: Sources) -> None:
    forms = list(sliced(sources, "pay/card.py::Card").forms())

    assert forms[-1].splitlines()[:6] == CARD.splitlines()[3:9]
    assert any("def charge(" in text and "return" not in text for text in forms)
    assert sorted(forms, key=len) == forms


def test_a_file_is_its_outline(sources: Sources) -> None:
    found = sliced(sources, "pay/card.py")

    assert (found.slice.start_line, found.slice.end_line, found.slice.kind) == (1, 19, "file")
    assert found.slice.elided
    assert "class Card:" in found.slice.code
    assert "return" not in found.slice.code
    assert len(sliced(sources, "pay/card.py", "signature").slice.code) < len(found.slice.code)


def test_a_file_that_declares_nothing_is_whole(sources: Sources) -> None:
    assert sliced(sources, "notes.txt").slice.code == "First line.\n\nSecond paragraph."
    assert sliced(sources, "empty.py").slice.code == ""


def test_a_file_that_has_changed_is_quoted_only_where_the_text_still_stands(
    sources: Sources, repository: Repository
) -> None:
    repository.write("pay/card.py", "# new\n\n" + CARD.replace("self._owner", "self._owner + more"))
    repository.write("add.js", "\n\nfunction add(a, b) { return b }\n")

    limit, owner = (sliced(sources, f"pay/card.py::{scope}").slice for scope in ("LIMIT", "Card::owner"))
    signature = sliced(sources, OWNER, "signature").slice

    assert (limit.code, limit.start_line, limit.end_line, limit.stale) == ("LIMIT = 3", 21, 21, True)
    assert (owner.code, owner.elided, owner.stale) == ("", True, True), "its last line goes on"
    assert (signature.start_line, signature.end_line) == (9, 10)
    assert sliced(sources, "add.js::add", "signature").slice.start_line == 3
    assert sliced(sources, "pay/card.py").slice.code == ""


def test_many_come_in_order_and_what_is_not_there_is_left_out(sources: Sources) -> None:
    ids = [CHARGE, "nowhere.py::x", "pay/shop.py::buy", "pay/card.py::gone", "pay/card.py", OWNER]

    found = [one.slice.id for one in slices(sources, [SliceRequest(one) for one in ids])]

    assert found == [CHARGE, "pay/shop.py::buy", "pay/card.py", OWNER]


class Counted:
    """A database that counts what it is asked."""

    def __init__(self, engine: Engine) -> None:
        self._db = engine.db
        self.asked: list[str] = []

    def query(self, name: str, /, **params: object) -> Iterator[Row]:
        self.asked.append(name)
        return self._db.query(name, **params)


def test_a_file_is_read_once_however_many_slices_are_of_it(
    sources: Sources, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(engine)
    monkeypatch.setattr(engine.files, "_db", counted)
    monkeypatch.setattr(engine.nodes, "_db", counted)

    slices(sources, [SliceRequest(one) for one in (OWNER, CHARGE, "pay/card.py", "pay/shop.py::buy")])

    assert sorted(counted.asked) == ["file_sheet", "file_sheet", "node_since", "node_since"]


def test_what_a_symbol_is_true_since_is_what_its_record_says(sources: Sources, engine: Engine) -> None:
    page = Elements(engine.files).page("pay/card.py")
    assert page is not None
    told = period(engine.files, engine.nodes, page, "Card::charge", NOW)

    assert (told.start, told.end) == (sliced(sources, CHARGE).slice.valid_from, FOREVER)
