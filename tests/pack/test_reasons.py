"""Reasons in a few words: what says most, in words that need no others to be understood."""

from clew.model.code import Span
from clew.model.search import Reason
from clew.pack.reasons import in_few_words


def test_words_that_are_only_parts_of_others_are_not_told() -> None:
    said = Reason("full_text", "path: config; name: inherit from inherit_from; code: loader", 1.0)

    assert in_few_words([said]) == "matches config, inherit_from, loader"


def test_the_best_two_are_told_without_the_names_of_retrievers() -> None:
    found = [Reason("symbol", "named merge", 0.5), Reason("semantic", "similar in meaning (0.41)", 0.4)]

    assert in_few_words(found) == "named merge; similar in meaning"


def test_whose_file_is_near_is_told_so() -> None:
    assert (
        in_few_words([Reason("semantic", "its file is similar in meaning (0.41)", 0.4)])
        == "its file is similar in meaning"
    )


def test_what_says_little_beside_the_best_is_not_told() -> None:
    found = [Reason("git_history", "3 commits to its file with similar messages", 0.9), Reason("path", "merge", 0.1)]

    assert in_few_words(found) == "3 commits to its file with similar messages"


def test_a_place_of_a_stack_trace_is_told_as_such() -> None:
    pointed = [Reason("symbol", f"/usr/lib/{'long/' * 30}a.ts:10", 1.0)]

    assert in_few_words(pointed, "a", Span(0, 90, 5, 12)) == "the task points at line 10"
    assert in_few_words(pointed, "a", Span(0, 90, 15, 22)) == "the task points at line 10 of another version"


def test_a_plug_in_is_named() -> None:
    assert in_few_words([Reason("own_idea", "it is so", 1.0)]) == "own idea: it is so"


def test_what_has_no_reason_matches_the_task() -> None:
    assert in_few_words([]) == "matches the task"


def test_words_in_a_row_are_those_of_the_task() -> None:
    assert in_few_words([Reason("symbol", "says 6 words of it in a row", 1.0)]) == "says 6 words of the task in a row"


def test_a_name_in_other_letters_is_told_as_both_are_written() -> None:
    found = [Reason("symbol", "named Handler", 1.0)]

    assert in_few_words(found, "handler") == "named handler, the task says Handler"
    assert in_few_words(found, "Handler") == "named Handler"
