"""The archive is the same however its episodes came: one by one, or many at once."""

from hypothesis import given
from hypothesis import strategies as st

from clew.memory.archive import COLUMNS, NAMES, Archive
from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Subject
from tests.conftest import DAY_1

WORDS = st.sampled_from(["login", "Login", "logOut", "slow", "users_table", "Übung", "a", "42", "é\ud800"])
TEXTS = st.lists(WORDS, max_size=300).map(" ".join)
ABOUT = st.lists(st.sampled_from(["a.py::login", "b/c.py", "b/c.py::Card::pay"]), unique=True, max_size=2)
TOLD = st.lists(st.tuples(TEXTS, st.sampled_from(["", "s1", "s2"]), ABOUT), max_size=12)


def episodes(told: list[tuple[str, str, list[str]]]) -> list[Episode]:
    made: list[Episode] = []
    for number, (text, session, about) in enumerate(told, 1):
        previous = max((one.number for one in made if session and one.who.session_id == session), default=0)
        draft = EpisodeDraft(EpisodeType.OBSERVATION, text, sensitive=number % 3 == 0, occurred_at=DAY_1 + number)
        subjects = tuple(map(Subject, about))
        made.append(Episode(number, f"e{number}", Identity("ann", session), draft, DAY_1, previous, subjects))
    return made


def held(archive: Archive) -> dict[str, object]:
    words = archive.words()
    postings = {term: tuple(part.tolist() for part in archive.postings_of(term)) for term in words.numbers}
    columns = {name: getattr(archive, name).all.tolist() for name in COLUMNS}
    names = {name: list(getattr(archive, name)) for name in NAMES}
    involved = {node: archive.rows_about(node) for node in ("a.py", "b", "b/c.py", "b/c.py::Card")}
    return {"postings": postings, **columns, **names, "involved": involved, "new": archive.laid_over}


@given(TOLD, st.integers(0, 12), st.integers(0, 12))
def test_many_at_once_are_as_one_by_one(told: list[tuple[str, str, list[str]]], first: int, last: int) -> None:
    made = episodes(told)
    one_by_one, at_once = Archive(), Archive()

    for episode in made:
        one_by_one.take(episode)
    for episode in made[:first]:
        at_once.take(episode)
    at_once.take_many(made[first:last])
    for episode in made[max(first, last) :]:
        at_once.take(episode)

    assert held(at_once) == held(one_by_one)


def test_a_term_is_counted_no_higher_than_a_byte_holds() -> None:
    archive = Archive()

    archive.take_many(episodes([("slow " * 300, "s1", [])]))

    assert archive.postings_of("slow")[1].tolist() == [255]
    assert archive.length.all.tolist() == [300]
