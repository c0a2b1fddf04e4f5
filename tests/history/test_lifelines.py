"""The commits that changed a symbol: through renames, moves, extractions, overloads and merges."""

from pathlib import Path

import pytest

from clew.history.lifelines import Life, Lifelines
from clew.index.history import objects
from tests.conftest import DAY_1, Repository
from tests.history.versions import reader

DAY = 86_400_000_000
BODY = """    if amount <= 0:
        raise ValueError("nothing to charge")
    balance = balance_of(card) - amount
    store(card, balance)
    return balance >= 0
"""
OTHER = "def other(rows):\n    return [row.strip() for row in rows if row]\n\n\n"


class Past:
    """Writes commits, and follows symbols back through them."""

    def __init__(self, root: Path) -> None:
        self.repository = Repository(root)
        self.repository.git("init", "-q", "-b", "main")
        self._day = 0
        self.named: dict[str, str] = {}

    def commit(self, name: str, **files: str | None) -> str:
        for key, text in files.items():
            path = f"{key.replace('__', '/')}.py"
            if text is None:
                self.repository.delete(path)
            else:
                self.repository.write(path, text)
        self._day += 1
        sha = self.repository.commit(DAY_1 + self._day * DAY, name)
        self.named[sha] = name
        return sha

    def life(self, path: str, scope: str, at: str = "HEAD", *, formatting: bool = True) -> Life:
        root = self.repository.root
        lifelines = Lifelines(root, reader())
        commit = objects.commit_named(root, at)
        file = lifelines.definitions(commit, path)
        assert file is not None
        return lifelines.follow(commit, file.by_scope[scope] if scope else file.whole, formatting=formatting)

    def told(self, path: str, scope: str, at: str = "HEAD") -> list[tuple[str, tuple[str, ...]]]:
        return [(self.named.get(one.commit, one.commit), one.kinds) for one in self.life(path, scope, at).changes]


@pytest.fixture
def past(tmp_path: Path) -> Past:
    return Past(tmp_path)


def charge(name: str = "charge", body: str = BODY, doc: str = "") -> str:
    return f"def {name}(card, amount):\n{doc}{body}"


def test_only_commits_that_changed_it_are_told(past: Past) -> None:
    past.commit("begin", pay=charge())
    past.commit("beside", pay=OTHER + charge())
    past.commit("body", pay=OTHER + charge(body=BODY.replace("balance >= 0", "balance > 0")))
    past.commit("again beside", pay=OTHER.replace("strip", "lstrip") + charge(body=BODY.replace(">= 0", "> 0")))

    assert past.told("pay.py", "charge") == [("body", ("body",)), ("begin", ("added",))]


def test_it_is_followed_through_a_rename_a_move_and_a_moved_file(past: Past) -> None:
    past.commit("begin", pay=OTHER + charge("debit"))
    past.commit("rename", pay=OTHER + charge())
    past.commit("move", pay=OTHER, cards=charge())
    past.commit("folder", cards=None, billing__cards=charge())

    life = past.life("billing/cards.py", "charge")
    assert [(past.named[one.commit], one.kinds) for one in life.changes] == [
        ("folder", ("moved",)),
        ("move", ("moved",)),
        ("rename", ("renamed",)),
        ("begin", ("added",)),
    ]
    assert [one.from_symbol for one in life.changes] == [
        "cards.py::charge", "pay.py::charge", "pay.py::debit", "",
    ]  # fmt: skip
    assert life.changes[0].from_path == "cards.py"


def test_an_older_commit_may_be_where_it_starts(past: Past) -> None:
    begun = past.commit("begin", pay=charge())
    past.commit("later", pay=charge(body=BODY.replace(">= 0", "> 0")))
    assert past.told("pay.py", "charge", at=begun) == [("begin", ("added",))]


def test_in_python_commits_of_formatting_alone_are_counted_and_left_out(past: Past) -> None:
    past.commit("begin", pay=charge())
    past.commit("comment", pay=charge(body=BODY.replace("    store(", "    # kept at once\n    store(")))
    life = past.life("pay.py", "charge", formatting=False)
    assert [past.named[one.commit] for one in life.changes] == ["begin"]
    assert life.formatting_left_out == 1


def test_parts_are_told_apart(past: Past) -> None:
    past.commit("begin", pay=charge())
    past.commit("doc", pay=charge(doc='    """Take money."""\n'))
    past.commit("signature", pay=charge(doc='    """Take money."""\n').replace("amount)", "amount, when=None)"))
    commented = BODY.replace("    store(", "    # kept at once\n    store(")
    past.commit(
        "comment", pay=charge(doc='    """Take money."""\n', body=commented).replace("amount)", "amount, when=None)")
    )
    assert past.told("pay.py", "charge") == [
        ("comment", ("comments",)),
        ("signature", ("signature",)),
        ("doc", ("documentation",)),
        ("begin", ("added",)),
    ]


def test_what_was_extracted_names_its_origin(past: Past) -> None:
    told = "    notify(card, balance, amount, reason)\n    log(card.holder.name, balance)\n"
    past.commit("begin", pay=charge(body=BODY.replace("    store", f"{told}    store")))
    called = charge(body=BODY.replace("    store", "    tell(card, balance, amount)\n    store"))
    past.commit("extract", pay=f"{called}\n\ndef tell(card, balance, amount):\n{told}")
    (change,) = past.life("pay.py", "tell").changes
    assert (change.kinds, change.from_symbol) == (("added", "extracted"), "pay.py::charge")


def test_a_merge_leads_to_the_side_that_changed_it(past: Past) -> None:
    past.commit("begin", pay=charge() + "\n\n" + OTHER)
    git = past.repository.git
    git("checkout", "-qb", "side")
    past.commit("on the side", pay=charge(body=BODY.replace(">= 0", "> 0")) + "\n\n" + OTHER)
    git("checkout", "-q", "main")
    past.commit("on main", pay=charge() + "\n\n" + OTHER.replace("strip", "lstrip"))
    git("merge", "-q", "--no-edit", "side", at=DAY_1 + 9 * DAY)
    assert past.told("pay.py", "charge") == [("on the side", ("body",)), ("begin", ("added",))]
    assert past.told("pay.py", "other") == [("on main", ("body",)), ("begin", ("added",))]


def test_each_line_has_the_commit_that_it_came_with(past: Past) -> None:
    past.commit("begin", pay=charge("debit"))
    past.commit("rename", pay=charge())
    past.commit("body", pay=charge(body=BODY.replace(">= 0", "> 0")))
    lines = [(one.number, past.named[one.commit]) for one in past.life("pay.py", "charge").lines]
    assert lines == [(1, "rename"), (2, "begin"), (3, "begin"), (4, "begin"), (5, "begin"), (6, "body")]


def test_a_file_has_a_life_too(past: Past) -> None:
    past.commit("begin", pay=charge())
    past.commit("edit", pay=charge(body=BODY.replace(">= 0", "> 0")))
    past.commit("folder", pay=None, billing__pay=charge(body=BODY.replace(">= 0", "> 0")))
    assert past.told("billing/pay.py", "") == [
        ("folder", ("moved",)), ("edit", ("body",)), ("begin", ("added",)),
    ]  # fmt: skip


def test_overloads_are_not_taken_for_each_other(past: Past) -> None:
    first = "  int f(int a) { return a + 1; }\n"
    second = "  int f(String s) { return s.length() + offset; }\n"
    root = past.repository
    root.write("A.java", f"class A {{\n{second}}}\n")
    begun = root.commit(DAY_1, "begin")
    root.write("A.java", f"class A {{\n{first}{second}}}\n")
    added = root.commit(DAY_1 + DAY, "another")
    assert [one.commit for one in past.life("A.java", "A::f#2").changes] == [begun]
    assert [one.commit for one in past.life("A.java", "A::f").changes] == [added]
