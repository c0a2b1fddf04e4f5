from dataclasses import replace

import pytest

from clew.evaluate.choosing import Chosen, choose
from clew.evaluate.history import History
from clew.evaluate.report import QuerySource, Request
from clew.evaluate.world import SourceFiles
from clew.languages import BUILT_IN
from clew.model.errors import NotFound

from .conftest import CARD, STORE, Past


def chosen(past: Past, base: str = "", cases: int = 100, asked: QuerySource = QuerySource.MESSAGE) -> Chosen:
    root = past.repository.root
    request = replace(Request(root), base=base, cases=cases, asked=asked)
    return choose(History(root), request, SourceFiles(BUILT_IN))


def first_commit(past: Past) -> str:
    return past.repository.git("rev-list", "--max-parents=0", "HEAD")


def test_commits_that_change_a_few_source_files_of_the_base_are_cases_in_order_of_time(grown: Past) -> None:
    found = chosen(grown, first_commit(grown))

    assert [(one.query, one.files) for one in found.drawn] == [
        ("Refuse a charge that reaches the limit", ("src/card.py",)),
        ("Sum invoice lines from zero", ("src/invoice.py",)),
        ("Print the lines as they are, and keep what is loaded", ("src/invoice.py", "src/store.py")),
    ]


def test_what_is_left_out_is_counted_by_reason(grown: Past) -> None:
    assert chosen(grown, first_commit(grown)).left_out == {
        "release": 1,
        "version bump": 1,
        "revert": 1,
        "typo or format sweep": 1,
        "changes no source file": 1,
        "adds, removes or moves a source file": 1,
        "changes a source file that the base does not have": 1,
    }


def test_too_many_files_repeats_and_wordless_messages_are_left_out(past: Past) -> None:
    many = {f"src__m{number}_py": "A = 1\n" for number in range(6)}
    middle = past.commit("Add six modules", **many)
    past.commit("Change all six modules", **dict.fromkeys(many, "A = 2\n"))
    past.commit("Refuse expired cards", src__card_py=CARD + "\n")
    past.commit("Refuse expired cards", src__card_py=CARD)
    past.commit("(#12)", src__card_py=CARD + "\n")

    assert chosen(past, middle).left_out == {
        "no words to ask by": 1,
        "changes more than 5 source files": 1,
        "same message as another case": 1,
    }


def test_a_message_s_first_line_can_be_asked_alone(past: Past) -> None:
    past.commit("Refuse expired cards\n\nThe clock was wrong.", src__card_py=CARD + "\n")

    assert chosen(past).drawn[0].query == "Refuse expired cards\nThe clock was wrong."
    assert chosen(past, asked=QuerySource.SUBJECT).drawn[0].query == "Refuse expired cards"


def test_behind_a_base_that_is_named_the_nearest_cases_are_taken(grown: Past) -> None:
    found = chosen(grown, first_commit(grown), cases=2)

    assert [one.query.split()[0] for one in found.drawn] == ["Refuse", "Sum"]
    assert found.left_out["more than were asked for"] == 1


def test_else_the_newest_are_and_the_base_is_as_new_as_can_be(grown: Past) -> None:
    found = chosen(grown, cases=2)

    assert [one.query.split()[0] for one in found.drawn] == ["Sum", "Print"]
    assert found.base == grown.repository.git("rev-parse", "HEAD~2")


def test_a_case_that_needs_a_younger_base_counts_once_the_base_is_young_enough(grown: Past) -> None:
    found = chosen(grown, cases=3)

    assert [one.query.split()[0] for one in found.drawn] == ["Change", "Sum", "Print"]


def test_where_there_are_too_few_the_base_is_where_most_are(grown: Past) -> None:
    found = chosen(grown, cases=100)

    assert len(found.drawn) == 3
    assert len(chosen(grown, cases=2).drawn) == 2


def test_merges_are_counted_as_left_out(past: Past) -> None:
    git = past.repository.git
    git("checkout", "-qb", "side")
    past.commit("Refuse expired cards", src__card_py=CARD + "\n")
    git("checkout", "-q", "main")
    past.commit("Keep what is loaded for longer", src__store_py=STORE + "\n")
    git("merge", "-q", "--no-edit", "side")
    found = chosen(past)

    assert [one.query for one in found.drawn] == ["Refuse expired cards", "Keep what is loaded for longer"]
    assert found.left_out == {"merge": 1}


def test_no_case_at_all_is_an_error_that_says_why(past: Past) -> None:
    base = past.repository.git("rev-parse", "HEAD")
    past.commit("Say more in the readme", README_md="# Pay\n")

    with pytest.raises(NotFound, match="1 changes no source file") as caught:
        chosen(past, base)

    assert "--base" in caught.value.hint


def test_without_a_base_it_says_so_of_all_commits(past: Past) -> None:
    past.commit("Say more in the readme", README_md="# Pay\n")

    with pytest.raises(NotFound, match="1 changes no source file"):
        chosen(past)


def test_a_history_of_one_commit_has_no_case(past: Past) -> None:
    with pytest.raises(NotFound, match="makes a case"):
        chosen(past)
