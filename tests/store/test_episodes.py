"""Episodes and learnings at rest, on every backend."""

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType, Learning, Subject
from clew.model.time import FOREVER
from clew.runtime.encryption import TextCipher
from clew.store.episodes import ENCRYPTED, Episodes
from tests.conftest import DAY_1, DAY_2, DAY_3

WHO = Identity("planner", "s1")


def seen(content: str, key: str = "", **more: object) -> EpisodeDraft:
    return EpisodeDraft(EpisodeType.OBSERVATION, content, occurred_at=DAY_1, key=key, **more)  # type: ignore[arg-type]  # fields


def test_an_episode_comes_back_as_it_went_in(engine: Engine) -> None:
    draft = seen("login is slow", metadata={"confidence": 0.5}, task_id="T1", entities=("a.py::login", "b.py"))
    subjects = (Subject("a.py::login", b"digest"), Subject("b.py"))

    added = engine.episodes.add("e1", WHO, draft, subjects, DAY_2)

    assert engine.episodes.get("e1") == added
    assert (added.number, added.previous, added.recorded_at, added.occurred_at) == (1, 0, DAY_2, DAY_1)
    assert [subject.is_known for subject in added.subjects] == [True, False]


def test_episodes_of_a_session_are_a_chain_whoever_speaks(engine: Engine) -> None:
    speakers = [WHO, Identity("coder", "s1"), Identity("planner", "s2"), WHO]
    added = [engine.episodes.add(f"e{n}", who, seen(f"{n}"), (), DAY_1) for n, who in enumerate(speakers)]

    assert [one.previous for one in added] == [0, 1, 0, 2]
    assert [one.previous_id for one in added] == ["", "e0", "", "e1"]


def test_episodes_without_a_session_are_no_chain(engine: Engine) -> None:
    added = [engine.episodes.add(f"e{n}", Identity("coder", ""), seen(f"{n}"), (), DAY_1) for n in range(2)]

    assert [(one.previous, one.previous_id) for one in added] == [(0, "")] * 2


def test_the_same_id_is_the_same_episode_as_after_a_commit_whose_answer_was_lost(engine: Engine) -> None:
    first = engine.episodes.add("e1", WHO, seen("once"), (Subject("a.py"),), DAY_1)
    again = engine.episodes.add("e1", WHO, seen("once"), (Subject("a.py"),), DAY_1)

    assert again.number == first.number
    assert engine.episodes.last() == 1
    assert [len(one.subjects) for one in engine.episodes.after(0)] == [1]


def test_the_same_key_is_the_same_episode(engine: Engine) -> None:
    first = engine.episodes.add("e1", WHO, seen("once", "k"), (), DAY_1)
    again = engine.episodes.add("e2", WHO, seen("once", "k"), (), DAY_2)
    others = engine.episodes.add("e3", Identity("coder", "s1"), seen("once", "k"), (), DAY_2)

    assert again == first
    assert others.number == 2
    assert engine.episodes.last() == 2


def test_what_came_since_is_told_in_order(engine: Engine) -> None:
    for n in range(5):
        engine.episodes.add(f"e{n}", WHO, seen(f"{n}"), (Subject(f"{n}.py"),), DAY_1)

    assert [one.id for one in engine.episodes.after(2)] == ["e2", "e3", "e4"]
    assert [one.subjects[0].id for one in engine.episodes.some([5, 1])] == ["0.py", "4.py"]


def test_the_latest_of_a_task_leave_out_what_is_sensitive(engine: Engine) -> None:
    for n, (task, hidden) in enumerate([("T", False), ("T", True), ("U", False), ("T", False)]):
        engine.episodes.add(f"e{n}", WHO, seen(f"{n}", task_id=task, sensitive=hidden), (), DAY_1)

    assert [one.id for one in engine.episodes.latest(9, task="T")] == ["e0", "e3"]
    assert [one.id for one in engine.episodes.latest(9, task="T", sensitive=True)] == ["e0", "e1", "e3"]
    assert [one.id for one in engine.episodes.latest(1)] == ["e3"]


def a_learning(id: str, claim: str, *evidence: str) -> Learning:
    return Learning(id, "a.py", claim, f"a.py is a {claim}", 0.8, evidence, WHO, subjects=(Subject("a.py", b"d"),))


def test_a_repeated_learning_strengthens_the_old_one(engine: Engine) -> None:
    engine.learnings.learn(a_learning("l1", "hotspot", "e1"), DAY_1)
    engine.learnings.learn(a_learning("l2", "hotspot", "e1", "e2"), DAY_2)
    engine.learnings.learn(a_learning("l3", "hotspot", "e2"), DAY_3)

    (held,) = engine.learnings.current(9)
    assert (held.id, held.strength, held.evidence) == ("l1", 2, ("e1", "e2"))
    assert held.confidence > 0.8
    assert [(one.known_from, one.known_to) for one in engine.learnings.history("l1")] == [
        (DAY_1, DAY_2),
        (DAY_2, FOREVER),
    ]


def test_a_contradicted_learning_is_superseded_and_stays(engine: Engine) -> None:
    engine.learnings.learn(a_learning("l1", "hotspot", "e1"), DAY_1)
    engine.learnings.learn(a_learning("l2", "settled", "e2"), DAY_2)

    assert [one.id for one in engine.learnings.current(9)] == ["l2"]
    (old,) = engine.learnings.history("l1")
    assert (old.known_to, old.superseded_by) == (DAY_2, "l2")


def test_a_sensitive_episode_is_encrypted_for_its_agent(engine: Engine) -> None:
    mine, other = TextCipher(bytes(32)), TextCipher(bytes([7] * 32))
    held = [mine]
    episodes = Episodes(engine.db, engine.where, lambda: held[0] if held else None)
    draft = seen("the vault opens at noon", metadata={"confidence": 0.5}, sensitive=True, entities=("a.py",))

    episodes.add("e1", WHO, draft, (Subject("a.py"),), DAY_2)
    (row,) = engine.db.query("episode_by_id", project=engine.where.project, id="e1")
    moved = mine.unseal("e2", str(row["content"]))
    read = {}
    for name, cipher in (("mine", [mine]), ("other", [other]), ("none", [])):
        held[:] = cipher
        (found,) = episodes.some([1])
        read[name] = (found.draft.content, dict(found.draft.metadata))

    assert "vault" not in f"{row['content']}{row['metadata']}"
    assert moved is None
    assert read == {
        "mine": ("the vault opens at noon", {"confidence": 0.5}),
        "other": (ENCRYPTED, {}),
        "none": (ENCRYPTED, {}),
    }
    assert [one.draft.content for one in episodes.after(0)] == [ENCRYPTED]
