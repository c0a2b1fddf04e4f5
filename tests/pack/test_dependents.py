"""Where a task asks who depends on a thing, or which tests cover it, these come first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.pack.around import is_asked
from clew.surfaces.library import Workspace

CALLERS = "\n\n".join(f"def use_{n}(word):\n    return fold_word(word) + {n}" for n in range(6))
FILES = {
    "words.py": 'def fold_word(word):\n    """A word without case."""\n    return word.lower()\n\n\n' + CALLERS + "\n",
    "folding.py": "\n\n\n".join(f'def fold_{n}(word):\n    """Fold a word."""\n    return {n}' for n in range(9))
    + "\n",
    "tests/test_words.py": "from words import fold_word\n\n\ndef test_case():\n    assert fold_word('A') == 'a'\n",
}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("words")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


@pytest.mark.parametrize(("task", "intent"), [("fold_word", "impact"), ("what breaks if I change fold_word", "answer")])
def test_who_calls_it_comes_first_with_the_line(words: Workspace, task: str, intent: str) -> None:
    pack = words.context_pack(task=task, intent=intent, max_tokens=500)
    reasons = {item.symbol: item.reason for item in pack.items if item.section == "dependencies"}

    assert {f"words.py::use_{n}" for n in range(6)} <= {item.symbol for item in pack.items}
    assert next(iter(reasons.values())) == "calls fold_word in line 7"


def test_it_says_how_many_there_are_and_how_many_are_here(words: Workspace) -> None:
    small = words.context_pack(task="fold_word", intent="impact", max_tokens=150)
    large = words.context_pack(task="fold_word", intent="impact", max_tokens=4000)

    assert large.notes == "Dependents known: 7, here 7."
    assert small.notes.startswith("Dependents known: 7, here ")
    assert small.notes != large.notes


def test_the_code_around_it_that_is_no_definition_depends_on_it_too(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text("function show_card() {\n  return 1\n}\n\napp.get('/card', show_card)\n", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()

        pack = workspace.context_pack(task="what depends on show_card", max_tokens=400)
    reasons = [item.reason for item in pack.items if item.section == "dependencies"]

    assert (pack.notes, reasons) == ("Dependents known: 1, here 1.", ["uses show_card in line 5"])


def test_tests_are_all_that_depends_where_tests_are_asked_for(words: Workspace) -> None:
    pack = words.context_pack(task="which tests cover fold_word", max_tokens=300)

    assert "tests/test_words.py::test_case" in {item.symbol for item in pack.items}
    assert pack.notes.endswith("Dependents known: 1, here 1.")


def test_what_the_task_names_is_what_they_depend_on_wherever_it_is_ranked(tmp_path: Path) -> None:
    (tmp_path / "shop.ts").write_text(
        "export interface Shop {\n  open(): void\n  close(): void\n}\n\n"
        "export function start(shop: Shop) {\n  shop.open()\n}\n\n"
        "export function stop(shop: Shop) {\n  shop.close()\n}\n",
        "utf-8",
    )
    tests = "".join(f"\n\ndef test_fold_word_{n}():\n    assert fold_word('A') == 'a'\n" for n in range(9))
    (tmp_path / "test_words.py").write_text(f"from words import fold_word\n{tests}", "utf-8")
    (tmp_path / "words.py").write_text("def fold_word(word):\n    return word.lower()\n", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()

        member = workspace.context_pack(task="what breaks if I rename Shop.close", max_tokens=600)
        tested = workspace.context_pack(task="which tests cover fold_word", max_tokens=600)

    assert (member.notes, tested.notes[:20]) == ("Dependents known: 1, here 1.", "Dependents known: 9,")
    assert "calls Shop.close in line 11" in member.text


ASKED = (
    "tests of the parser", "Which tests cover it?", "who calls run", "callers of run", "Impact of renaming run",
    "what happens if I remove run", "what would be affected by run", "is run safe to delete?",
)  # fmt: skip
NOT_ASKED = (
    "fix the tests", "the caller is told", "what does run call", "use what is there", "make run safe to call twice",
    "reduce the impact of collecting garbage", "let users of the API choose",
)  # fmt: skip


@pytest.mark.parametrize("task", ASKED)
def test_a_question_for_what_depends_is_known_by_its_words(task: str) -> None:
    assert is_asked(task, "answer")


@pytest.mark.parametrize("task", NOT_ASKED)
def test_other_tasks_are_not(task: str) -> None:
    assert not is_asked(task, "answer")


USES = "\n\n\n".join(f"def blot_{n}(colour):\n    return mix_ink(colour) + {n}" for n in range(9))
INSIDE = {
    "blots.py": f"from ink import mix_ink\n\n\n{USES}\n",
    "ink.py": "def mix_ink(colour):\n    return colour * 2\n",
    "press.py": "from ink import mix_ink\n\n\nclass Press:  # of paper\n    def run(self, ink):\n"
    "        return mix_ink(ink)\n\n\nFIRST = mix_ink('red')\n",
    "tests/test_ink.py": "from ink import mix_ink\n\n\ndef test_mix_ink():\n    assert mix_ink(1) == 2\n",
}


@pytest.fixture(scope="module")
def inks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("inks")
    for name, text in INSIDE.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


def test_what_depends_is_told_by_its_call_though_it_matches_too(inks: Workspace) -> None:
    pack = inks.context_pack(task="Press of paper", focus="mix_ink", intent="impact", max_tokens=2000)
    found = {item.symbol: item for item in pack.items}

    assert found["press.py::Press::run"].reason == "calls mix_ink in line 6"
    assert "return mix_ink(ink)" in found["press.py::Press::run"].code


def test_a_caller_without_a_chunk_of_its_own_is_told_by_its_line(inks: Workspace) -> None:
    pack = inks.context_pack(task="who calls mix_ink", max_tokens=2000)
    told = [item for item in pack.items if item.section == "dependencies" and item.first_line == 9]

    assert [(item.path, item.signature) for item in told] == [("press.py", "FIRST = mix_ink('red')")]
    assert pack.notes == "Dependents known: 12, here 12."


def test_a_pack_starts_at_what_is_asked_about_and_not_at_its_test(inks: Workspace) -> None:
    pack = inks.context_pack(task="who calls mix_ink in test_mix_ink", max_tokens=2000)

    assert pack.entry_point == "ink.py::mix_ink"


def test_where_nothing_is_known_that_is_said(inks: Workspace) -> None:
    assert inks.context_pack(task="who calls blot_3", max_tokens=2000).notes == "Dependents known: 0, here 0."


def test_dependents_of_one_overload_are_those_of_all(tmp_path: Path) -> None:
    (tmp_path / "Ink.java").write_text(
        "class Ink {\n  int mixInk(int a) { return a; }\n  int mixInk(String a) { return 2; }\n}\n", "utf-8"
    )
    (tmp_path / "Press.java").write_text(
        "class Press {\n  int run(Ink ink) { return ink.mixInk(1); }\n"
        '  int print(Ink ink) { return ink.mixInk("a"); }\n}\n',
        "utf-8",
    )
    with clew.open(tmp_path) as workspace:
        workspace.index()
        pack = workspace.context_pack(task="who calls mixInk", max_tokens=2000)

    assert pack.notes == "Dependents known: 2, here 2."


def test_all_parts_of_a_class_are_asked_about_and_only_the_side_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "card.rb").write_text(
        "class Card\n  def make(n)\n    n + 1\n  end\n\n  def self.make(n)\n    n + 2\n  end\nend\n", "utf-8"
    )
    (tmp_path / "more.rb").write_text("class Card\n  def refund(n)\n    n + 3\n  end\nend\n", "utf-8")
    uses = {"one": "Card.make(1)", "two": "Card.new.make(1)", "three": "Card.new.refund(1)"}
    (tmp_path / "use.rb").write_text("\n".join(f"def {name}\n  {call}\nend\n" for name, call in uses.items()), "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()

        packs = {
            asked: workspace.context_pack(task=f"who calls {asked}") for asked in ("Card", "Card.make", "Card#make")
        }

    assert {asked: pack.notes for asked, pack in packs.items()} == {
        "Card": "It goes on in more.rb:1-5. Dependents known: 3, here 3.",
        "Card.make": "Dependents known: 1, here 1.",
        "Card#make": "Dependents known: 1, here 1.",
    }
    starts = {asked: pack.entry_point for asked, pack in packs.items()}
    assert (starts["Card.make"], starts["Card#make"]) == ("card.rb::Card::make#2", "card.rb::Card::make")


def test_another_of_the_name_is_told_and_can_be_asked_about(tmp_path: Path) -> None:
    for name in ("disk", "tape"):
        (tmp_path / f"{name}.py").write_text("class StoreReader:\n    def read(self): ...\n", "utf-8")
        (tmp_path / f"use_{name}.py").write_text(
            f"from {name} import StoreReader\n\n\ndef use_{name}():\n    return StoreReader()\n", "utf-8"
        )
    with clew.open(tmp_path) as workspace:
        workspace.index()
        task = "what breaks if I rename StoreReader?"
        either = workspace.context_pack(task=task, max_tokens=2000)
        other = "tape.py" if either.entry_point.startswith("disk.py") else "disk.py"
        focused = workspace.context_pack(task=task, focus=f"{other}::StoreReader", max_tokens=2000)

    counts = "Dependents known: 1, here 1."
    told = f"{other}::StoreReader has that name too: as focus, it is asked about instead."
    assert either.notes == f"{counts} {told}"
    assert (focused.entry_point, focused.notes) == (f"{other}::StoreReader", counts)


@pytest.mark.parametrize(
    ("asked", "meant"), [("Till.close!", "close!"), ("Till.close", "close"), ("Till.open", "open")]
)
def test_a_mark_behind_a_name_belongs_to_it_where_something_is_called_so(
    tmp_path: Path, asked: str, meant: str
) -> None:
    text = "class Till\n  def close(a) = a\n\n  def close!(a) = close(a)\n\n  def open = close!(1)\nend\n"
    (tmp_path / "till.rb").write_text(text, "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        for task in (f"who calls {asked} and what breaks", f"what breaks if I change {asked}?"):
            assert workspace.context_pack(task=task, max_tokens=400).entry_point == f"till.rb::Till::{meant}"


def test_of_what_has_no_edges_no_zero_is_told(tmp_path: Path) -> None:
    (tmp_path / "harbour.yaml").write_text("moorings:\n  retries: 3\n  port: 8080\n", "utf-8")
    (tmp_path / "quay.py").write_text('def tie(settings):\n    return settings["moorings"]["retries"]\n', "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        pack = workspace.context_pack(task="what depends on moorings in harbour.yaml", max_tokens=2000)

    assert pack.notes == "Readers of it are found by name only."
    assert [item.path for item in pack.items] == ["harbour.yaml", "quay.py"]
