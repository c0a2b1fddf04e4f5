"""Notes: an agent's own, those of the project, and the user's preferences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from clew.engine import Engine, now
from clew.model.agents import Identity
from clew.model.errors import InvalidInput
from clew.model.memory import AgentNote, NoteScope, Subject
from clew.model.time import NOW, AsOf, to_iso
from clew.pack.items import Fate
from clew.tools.budget import Priority, Shape, grow_rows
from clew.tools.drift import moved_on, seen_now, states, viewpoint
from clew.tools.fleet_views import describe_redaction
from clew.tools.freshness import count_of
from clew.tools.naming import ids_of
from clew.tools.params import AgentId, Ids, KnownMoment, Limit, Moment, SessionId
from clew.tools.registry import Effect, tool

if TYPE_CHECKING:
    from clew.memory.notes import Fitting

MOST_CONTENT = 4000  # characters: what is longer is an episode, or a file

Change = Literal["keep", "end", "page_out"]
ScopeName = Literal["working", "shared", "user"]


class NoteView(Struct, frozen=True, omit_defaults=True):
    """`project` is where a preference was told; `score` the share of the question's words that it has."""

    id: str
    scope: str
    content: str
    name: str = ""
    score: float = 0.0
    agent_id: str = ""
    session_id: str = ""
    task_id: str = ""
    project: str = ""
    noted_at: str = ""
    revision: int = 1
    entities: tuple[Fate, ...] = ()


class NotesAnswer(Struct, frozen=True, omit_defaults=True):
    """`paged_out` are the ids of episodes that working notes became."""

    notes: tuple[NoteView, ...]
    paged_out: tuple[str, ...] = ()
    ended: str = ""
    scrubbed: int = 0

    def summary(self) -> str:
        if self.ended:
            return f"{self.ended} has ended."
        scopes = [one.scope for one in self.notes]
        told = ", ".join(f"{scopes.count(scope)} {scope}" for scope in NoteScope if scope in scopes)
        out = f" {count_of(len(self.paged_out), 'note', 'notes')} paged out to episodes." if self.paged_out else ""
        notes = f"{count_of(len(self.notes), 'note', 'notes')}: {told}." if told else "No notes."
        return f"{notes}{moved_on(one.entities for one in self.notes)}{out}{describe_redaction(self.scrubbed)}"


_SHAPE = Shape({"paged_out": Priority.MEDIUM}, grow_rows(("id", "scope", "content"), "notes"), pages=("notes",))


@tool(
    Effect.READ,
    toolset="episodes",
    shape=_SHAPE,
    writes_if="change",
    also="remember preference todo scratch memo style delete forget",
)
def notes(
    engine: Engine,
    change: Annotated[Change | None, Meta(description="page_out: your working notes become episodes.")] = None,
    content: Annotated[str, Meta(max_length=MOST_CONTENT, description="What to keep.")] = "",
    scope: Annotated[
        ScopeName | None,
        Meta(description="working: yours, this session's; shared: the project's; user: preferences, in all projects."),
    ] = None,
    name: Annotated[str, Meta(max_length=200, description="Keeping the same name replaces it; what to end.")] = "",
    task_id: Annotated[str, Meta(max_length=200, description="The task that a working note is for.")] = "",
    entities: Ids = (),
    limit: Limit = 50,
    agent_id: AgentId = "",
    session_id: SessionId = "",
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    *,
    who: Identity,
) -> NotesAnswer:
    """Read the notes that are yours to read, or keep one: your own, the project's, or a user's preference."""
    speaking = who.with_ids(agent_id, session_id)
    if change is None and (content or name or entities):
        raise InvalidInput("content, name and entities are for a change", 'Say change="keep", or "end" with a name.')
    if change is None:
        scopes, at = (NoteScope(scope),) if scope else tuple(NoteScope), viewpoint(engine, as_of, known_as_of)
        return NotesAnswer(note_views(engine, engine.memory.notebook.readable(speaking, scopes, at)[:limit], at))
    if change == "keep":
        entities = ids_of(engine, entities)
        seen_now(engine, entities)
        about = engine.memory.code.subjects(entities)
        draft = AgentNote(
            "", NoteScope(scope or NoteScope.WORKING), speaking, content, name, task_id, engine.project_id
        )
        return _keep_note(engine, replace(draft, subjects=about))
    if change == "end":
        ended = engine.memory.notebook.end(name, NoteScope(scope) if scope else None, speaking, now())
        return NotesAnswer((), ended=ended.name or ended.id)
    return NotesAnswer((), engine.memory.notebook.page_out(speaking, now()))


def _keep_note(engine: Engine, draft: AgentNote) -> NotesAnswer:
    engine.page_out_gone()
    clean = engine.new_scrubbing()
    note, paged_out = engine.memory.notebook.keep(replace(draft, content=clean.text(draft.content)), now())
    return NotesAnswer(note_views(engine, [note]), paged_out, scrubbed=clean.count)


def note_views(engine: Engine, found: Sequence[AgentNote], at: AsOf = NOW) -> tuple[NoteView, ...]:
    known = _states_of_code(engine, found, at)
    return tuple(_view(one, 0.0, known) for one in found)


def matching_notes(engine: Engine, found: "Sequence[Fitting]", at: AsOf = NOW) -> tuple[NoteView, ...]:
    known = _states_of_code(engine, [one.note for one in found], at)
    return tuple(_view(one.note, one.score, known) for one in found)


def _states_of_code(engine: Engine, notes: Sequence[AgentNote], at: AsOf) -> Mapping[Subject, Fate]:
    """The state of the code that the notes refer to, as it is or was at a time."""
    subjects = list(dict.fromkeys(subject for note in notes for subject in note.subjects))
    if at == NOW:
        seen_now(engine, [one.id for one in subjects])
    return dict(zip(subjects, states(engine, subjects, at), strict=True))


def _view(note: AgentNote, score: float, known: Mapping[Subject, Fate]) -> NoteView:
    return NoteView(
        id=note.id,
        scope=note.scope,
        content=note.content,
        name=note.name,
        score=score,
        agent_id=note.who.agent_id,
        session_id=note.who.session_id,
        task_id=note.task,
        project=note.origin if note.scope is NoteScope.USER else "",
        noted_at=to_iso(note.known_from),
        revision=note.revision,
        entities=tuple(known[subject] for subject in note.subjects),
    )
