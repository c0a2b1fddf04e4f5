"""Where a task asks who depends on a thing, or which tests cover it, these come first."""

from pathlib import Path

import pytest

import clew
from clew.pack.dependents import is_asked
from clew.surfaces.library import Workspace

CALLERS = "\n\n".join(f"def use_{n}(word):\n    return fold_word(word) + {n}" for n in range(6))
FILES = {
    "words.py": 'def fold_word(word):\n    """A word without case."""\n    return word.lower()\n\n\n' + CALLERS + "\n",
    "folding.py": "\n\n\n".join(f'def fold_{n}(word):\n    """Fold a word."""\n    return {n}' for n in range(9))
    + "\n",
    "tests/test_words.py": "from words import fold_word\n\n\ndef test_case():\n    assert fold_word('A') == 'a'\n",
}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root: Path = tmp_path_factory.mktemp("words")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    workspace = clew.open(root)
    workspace.index()
    return workspace


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


def test_tests_are_all_that_depends_where_tests_are_asked_for(words: Workspace) -> None:
    pack = words.context_pack(task="which tests cover fold_word", max_tokens=300)

    assert "tests/test_words.py::test_case" in {item.symbol for item in pack.items}
    assert pack.notes.endswith("Dependents known: 1, here 1.")


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
