"""Notes by scope: who may read them, how they change, and what becomes of working notes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.coordinate.tasks import Edit
from clew.engine import Engine
from clew.memory.notes import rank_notes
from clew.model.agents import Identity
from clew.model.errors import NotFound, StoreReadOnly
from clew.model.fleet import TaskStatus
from clew.model.memory import AgentNote, NoteScope
from clew.store.leases import this_process
from clew.store.notes import Notes
from tests.conftest import DAY_1, DAY_2, DAY_3, PROJECT, Repository

ANN, ANN_ELSEWHERE, BEN = Identity("ann", "1"), Identity("ann", "2"), Identity("ben", "1")


def a_note(
    content: str, scope: NoteScope = NoteScope.WORKING, who: Identity = ANN, name: str = "", task: str = ""
) -> AgentNote:
    return AgentNote("", scope, who, content, name, task, "here")


def read(engine: Engine, who: Identity) -> list[tuple[str, str]]:
    return [(one.scope.value, one.content) for one in engine.memory.notebook.readable(who)]


@pytest.fixture
def other(tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Another project of the same user."""
    (tmp_path / "other" / ".git").mkdir(parents=True)
    if backend == "postgres":
        monkeypatch.setenv("CLEW_PROJECT_ID", f"{PROJECT}-2")
    with Engine.open(tmp_path / "other") as engine:
        yield engine


def test_what_one_may_read_is_by_scope(engine: Engine, other: Engine) -> None:
    keep = engine.memory.notebook.keep
    keep(a_note("mine"), DAY_1)
    keep(a_note("ours", NoteScope.SHARED), DAY_1)
    keep(a_note("everywhere", NoteScope.USER), DAY_1)

    assert read(engine, ANN) == [("working", "mine"), ("shared", "ours"), ("user", "everywhere")]
    assert read(engine, ANN_ELSEWHERE) == read(engine, BEN) == [("shared", "ours"), ("user", "everywhere")]
    assert read(other, ANN) == [("user", "everywhere")]


def test_preferences_of_another_user_are_not_told(
    engine: Engine, repository: Repository, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.memory.notebook.keep(a_note("mine", NoteScope.USER), DAY_1)
    monkeypatch.setenv("CLEW_MEMORY_USER" if backend == "postgres" else "XDG_DATA_HOME", str(tmp_path / "bens"))

    with Engine.open(repository.root) as bens:
        assert read(bens, BEN) == []
        bens.memory.notebook.keep(a_note("his", NoteScope.USER, BEN), DAY_1)
        assert read(bens, BEN) == [("user", "his")]
    assert read(engine, ANN) == [("user", "mine")]


def test_a_name_is_replaced_and_the_old_one_stays_on_record(engine: Engine) -> None:
    notebook = engine.memory.notebook
    first = notebook.keep(a_note("use pip", NoteScope.SHARED, name="installer"), DAY_1).note
    second = notebook.keep(a_note("use uv", NoteScope.SHARED, BEN, "installer"), DAY_2).note
    same = notebook.keep(a_note("use uv", NoteScope.SHARED, ANN, "installer"), DAY_3).note
    notebook.end("installer", None, ANN, DAY_3)

    assert (second.id, second.revision, same.number) == (first.id, 2, second.number)
    assert read(engine, ANN) == []
    history = Notes(engine.db, engine.where).history(first.id)
    assert [(one.content, one.known_to, one.became) for one in history] == [
        ("use pip", DAY_2, "changed"),
        ("use uv", DAY_3, "ended"),
    ]


def test_only_its_writer_ends_a_working_note(engine: Engine) -> None:
    note = engine.memory.notebook.keep(a_note("mine", name="n"), DAY_1).note

    for name in ("n", note.id):
        with pytest.raises(NotFound):
            engine.memory.notebook.end(name, None, ANN_ELSEWHERE, DAY_2)
    assert engine.memory.notebook.end("n", None, ANN, DAY_2).became == "ended"


def test_too_many_working_notes_page_out_to_episodes_oldest_first(engine: Engine) -> None:
    room = engine.config.memory.working_notes
    kept = [engine.memory.notebook.keep(a_note(f"note {n}", task="T"), DAY_1 + n) for n in range(room + 2)]

    assert [len(one.paged_out) for one in kept] == [0] * room + [1, 1]
    assert [content for _, content in read(engine, ANN)] == [f"note {n}" for n in range(room + 1, 1, -1)]
    first, second = engine.episodes.latest(9)
    assert (first.draft.content, first.who, first.occurred_at, first.draft.task_id) == ("note 0", ANN, DAY_1, "T")
    assert (second.draft.content, second.previous) == ("note 1", first.number)
    assert first.draft.metadata["note_id"] == kept[0].note.id
    assert Notes(engine.db, engine.where).history(kept[0].note.id)[0].became == first.id


def test_all_notes_of_a_task_page_out_when_it_completes(engine: Engine) -> None:
    for who, task in ((ANN, "T"), (BEN, "T"), (BEN, "U")):
        engine.memory.notebook.keep(a_note(f"for {task}", who=who, task=task), DAY_1)

    engine.fleet.board.update(ANN, "T", Edit(title="Work", status=TaskStatus.COMPLETED))

    told = [(one.who, one.draft.content) for one in engine.episodes.latest(9, task="T")]
    assert told[:2] == [(ANN, "for T"), (BEN, "for T")]
    assert (read(engine, ANN), read(engine, BEN)) == ([], [("working", "for U")])


def test_what_those_who_are_gone_had_at_hand_pages_out(engine: Engine, dead: str) -> None:
    gone, here = Identity("gone", "1", dead), Identity("here", "1", this_process("1"))
    for who in (gone, here):
        engine.memory.notebook.keep(a_note(f"of {who.agent_id}", who=who), DAY_1)

    engine.page_out_gone()

    assert [one.draft.content for one in engine.episodes.latest(9)] == ["of gone"]
    assert engine.memory.notebook.holders() == [here]


def test_notes_survive_a_rebuild(engine: Engine, repository: Repository) -> None:
    engine.memory.notebook.keep(a_note("ours", NoteScope.SHARED), DAY_1)
    repository.write("a.py", "x = 1\n")

    engine.index()
    with Engine.open(repository.root) as later:
        assert read(later, BEN) == [("shared", "ours")]


def test_who_may_only_read_reads_preferences_and_writes_none(engine: Engine, repository: Repository) -> None:
    engine.memory.notebook.keep(a_note("everywhere", NoteScope.USER), DAY_1)

    with Engine.open(repository.root, read_only=True) as reader:
        assert read(reader, BEN) == [("user", "everywhere")]
        with pytest.raises(StoreReadOnly):
            reader.memory.notebook.keep(a_note("x", NoteScope.USER), DAY_1)


def test_a_question_finds_the_notes_that_have_its_words() -> None:
    notes = [a_note("Install packages with uv"), a_note("tabs, never spaces"), a_note("uv pins versions", name="pins")]

    found = rank_notes(notes, "how do I install with uv?", 3)

    assert [(one.note.content, one.score) for one in found] == [
        ("Install packages with uv", 1.0),
        ("uv pins versions", 0.5),
    ]
    assert rank_notes(notes, "", 3) == []
