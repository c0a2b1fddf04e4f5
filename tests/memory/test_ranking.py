"""What speaks for an episode; all of it pure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.archive import Archive
from clew.memory.ranking import DAY, best, evidence, parse, proximity, recency

from .telling import a_draft, an_episode


def an_archive(*contents: str, session: str = "s1", agents: tuple[str, ...] = ("ann",)) -> Archive:
    """One session, in which agents take turns."""
    archive = Archive()
    for n, content in enumerate(contents, 1):
        draft = a_draft(content, occurred_at=n * DAY)
        archive.take(an_episode(n, draft, agent=agents[n % len(agents)], session=session, previous=n - 1))
    return archive


def order(archive: Archive, question: str) -> list[int]:
    seen = np.ones(len(archive), np.bool_)
    scores = evidence(archive, parse(archive, question), seen)
    return [int(row) for row in best(scores, scores > 0, len(archive))]


def test_words_are_found_stemmed_and_split() -> None:
    archive = an_archive("nothing here", "the token was expired", "unrelated", "quite other", "refreshToken fails")

    assert order(archive, "expiring")[0] == 1
    assert order(archive, "refresh")[0] == 4


def test_an_answer_is_found_by_the_question_before_it() -> None:
    archive = an_archive("a", "b", "where do you keep the sessions?", "in Redis", "c", "d", "e")

    assert order(archive, "where are sessions kept")[:2] == [2, 3]


def test_who_is_asked_about_speaks() -> None:
    archive = an_archive("I like tea", "I like tea", "x", "y", agents=("Bob", "Ann"))

    assert parse(archive, "What does Ann like?").agent == archive.agents.find("Ann")
    assert order(archive, "Does Ann like tea?")[0] == 0
    assert order(archive, "Does Bob like tea?")[0] == 1


def test_only_what_is_written_as_a_name_is_one() -> None:
    archive = an_archive("the cursor blinks", "x", agents=("cursor",))

    assert parse(archive, "where is the cursor").agent == -1
    assert order(archive, "where is the cursor")[0] == 0


def test_what_is_not_seen_has_no_say() -> None:
    archive = an_archive("the secret word", "next to it", "far", "farther", "off")
    seen = np.array([False, True, True, True, True])

    assert not evidence(archive, parse(archive, "secret word"), seen).any()


def test_how_common_a_word_is_among_what_is_not_seen_has_no_say() -> None:
    told = ("the red door", "a green gate", "a blue fence and more words than that")
    secret = ("red red red red", "the red key of a door that is long enough to change what is average")
    without, archive = an_archive(*told), Archive()
    for n, content in enumerate([*told, *secret], 1):  # the secret ones in a session of their own
        hidden = n > len(told)
        draft = a_draft(content, occurred_at=n * DAY)
        archive.take(an_episode(n, draft, session="s2" if hidden else "s1", previous=0 if hidden else n - 1))
    seen = np.array([True, True, True, False, False])

    for question in ("red", "red door", "key", "green red"):
        alone = evidence(without, parse(without, question), np.ones(3, np.bool_))
        assert evidence(archive, parse(archive, question), seen)[:3].tolist() == alone.tolist()


def test_half_is_left_after_two_weeks() -> None:
    archive = an_archive("x", "y")

    old = recency(archive, 2 * DAY + 14 * DAY)
    assert 0.49 < old[1] < 0.5
    assert old[0] < old[1]


def test_proximity_is_jaccards_and_a_file_holds_what_is_in_it() -> None:
    archive = Archive()
    for n, entities in enumerate([("a.py::f", "b.py"), ("c.py",), ("a.pyx",)], 1):
        archive.take(an_episode(n, a_draft("x", entities=entities)))

    assert list(proximity(archive, ["a.py::f"])) == [0.5, 0, 0]
    assert list(proximity(archive, ["a.py"])) == [0.5, 0, 0]
    assert list(proximity(archive, ["c.py", "d.py"])) == [0, 0.5, 0]


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 10))
def test_the_best_are_the_best_and_ties_go_to_the_earlier(scores: list[int], limit: int) -> None:
    values = np.array(scores, float)

    chosen = best(values, values > 0, limit)

    expected = sorted((row for row, score in enumerate(scores) if score), key=lambda row: (-scores[row], row))
    assert [int(row) for row in chosen] == expected[:limit]


@given(st.lists(st.sampled_from(["red", "green", "blue", "red green", "blue red"]), min_size=1, max_size=12))
def test_an_archive_that_grew_ranks_as_one_made_at_once(contents: list[str]) -> None:
    grown = an_archive(*contents[:-1])
    order(grown, "red")
    n = len(contents)
    grown.take(an_episode(n, a_draft(contents[-1], occurred_at=n * DAY), previous=n - 1))

    assert order(grown, "red blue") == order(an_archive(*contents), "red blue")
