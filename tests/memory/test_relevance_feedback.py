"""The second hop: what the first hits say beside the question's words speaks for others that say it too."""

import numpy as np

from clew.memory import recall
from clew.memory.archive import Archive
from clew.memory.ranking import evidence, parse
from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType
from tests.conftest import DAY_1

ANN, BEN = Identity("Ann", "s"), Identity("Ben", "s")


def an_archive(*said: tuple[Identity, str, str]) -> tuple[Archive, list[Episode]]:
    """Of who said what in which session, and of forty others that are about nothing of it."""
    told = [*said, *((BEN, f"alone {n}", f"filler {n} words{n}") for n in range(40))]
    archive, made = Archive(), []
    for number, (who, session, text) in enumerate(told, 1):
        draft = EpisodeDraft(EpisodeType.OBSERVATION, text, occurred_at=DAY_1)
        made.append(Episode(number, f"e{number}", Identity(who.agent_id, session), draft, DAY_1, 0))
        archive.take(made[-1])
    return archive, made


def before_and_after(archive: Archive, made: list[Episode], text: str) -> tuple[list[float], list[float]]:
    question = parse(archive, text)
    seen = np.ones(len(archive), np.bool_)
    first = evidence(archive, question, seen)
    hits = [(row, archive.term_counts(made[row])) for row in recall.first_hits(archive, question, first)]
    return first.tolist(), recall.farther(archive, question, first, hits, seen).tolist()


def test_of_two_that_have_the_same_words_the_one_that_shares_more_with_the_best_comes_first() -> None:
    archive, made = an_archive(
        (ANN, "s1", "the payment gateway fails with a timeout in stripe"),
        (ANN, "s2", "payment was discussed at length today by everyone here"),
        (ANN, "s3", "payment was discussed: stripe gateway timeout is thirty seconds"),
    )

    first, then = before_and_after(archive, made, "why does the payment fail")

    gained = [after - before for before, after in zip(first, then, strict=True)]
    assert gained[2] > gained[1]


def test_what_no_word_of_the_question_speaks_for_is_not_found_by_a_second_hop() -> None:
    archive, made = an_archive(
        (ANN, "s1", "the payment gateway fails with a timeout in stripe"),
        (BEN, "s2", "stripe gateway timeout raised to sixty seconds"),
    )

    first, then = before_and_after(archive, made, "payment")

    assert (first[1], then[1]) == (0.0, 0.0)


def test_only_those_that_are_asked_about_have_a_say_if_any_of_them_is_among_the_best() -> None:
    archive, _ = an_archive((ANN, "s1", "payment by card"), (BEN, "s2", "payment by cheque"))
    said = evidence(archive, parse(archive, "payment"), np.ones(len(archive), np.bool_))

    of_ann = recall.first_hits(archive, parse(archive, "how does Ann make a payment"), said)
    of_all = recall.first_hits(archive, parse(archive, "how is a payment made"), said)

    assert (of_ann, sorted(of_all)) == ([0], [0, 1])


def test_where_nothing_is_found_nothing_changes() -> None:
    archive, made = an_archive((ANN, "s1", "payment by card"))

    first, then = before_and_after(archive, made, "zebra")

    assert first == then
    assert not any(then)
