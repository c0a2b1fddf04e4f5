"""Notes by scope: an agent's own at hand, those a project shares, and the user's preferences."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from clew.memory.episodes import Journal
from clew.model.agents import Identity
from clew.model.errors import ClewError, InvalidInput, NotFound
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, NoteScope, owner
from clew.model.time import NOW, AsOf, to_iso
from clew.store.claims import Sessions
from clew.store.notes import Notes
from clew.store.personal import Personal
from clew.text.terms import Lexicon, count_words

CHANGED, ENDED = "changed", "ended"
TELLING = 0.2  # of a question's words: a note that has fewer is not about it

log = logging.getLogger(__name__)


class SavedNote(NamedTuple):
    """The note as it is now, and the ids of the episodes that others became to make room for it."""

    note: AgentNote
    paged_out: tuple[str, ...] = ()


class Fitting(NamedTuple):
    """`score` is the share of the question's words that it has."""

    note: AgentNote
    score: float


class Books(NamedTuple):
    """The project's notes, and the user's."""

    project: Notes
    personal: Personal
    sessions: Sessions


class Notebook:
    def __init__(self, books: Books, journal: Callable[[], Journal], new_id: Callable[[], str], room: int) -> None:
        """`room` is how many working notes one holder has at hand."""
        self._books = books
        self._journal = journal
        self._new_id = new_id
        self._room = room

    def keep(self, draft: AgentNote, now: int) -> SavedNote:
        """Note it; under a name that is there already, in place of that one. Too many working notes are paged out."""
        if not draft.content.strip():
            raise InvalidInput("a note needs content, a text", "To be rid of a note, end it.")
        if draft.scope is NoteScope.USER and draft.subjects:
            raise InvalidInput("a preference holds in all projects, and is about the code of none", "Share it instead.")
        notes = (
            self._books.personal.writable_notes(draft.who.user)
            if draft.scope is NoteScope.USER
            else self._books.project
        )
        note = replace(draft, id=draft.id or self._new_id(), known_from=now)
        return notes.at_once(lambda: self._keep(notes, note, now))

    def _keep(self, notes: Notes, note: AgentNote, now: int) -> SavedNote:
        old = notes.find(note.scope, note.owner, note.name or note.id)
        if old and (old.content, old.task, old.subjects) == (note.content, note.task, note.subjects):
            return SavedNote(old)
        if old:
            notes.end(old, now, CHANGED)
            note = replace(note, id=old.id, revision=old.revision + 1)
        kept = notes.put(note)
        if note.scope is not NoteScope.WORKING:
            return SavedNote(kept)
        sessions = self._books.sessions
        sessions.mark_seen(note.who, sessions.time(now))
        surplus = notes.open(NoteScope.WORKING, note.owner)[self._room :]
        return SavedNote(kept, self._out(reversed(surplus), now))

    def end(self, name: str, scope: NoteScope | None, who: Identity, now: int) -> AgentNote:
        """Be rid of a note, by its name or id: one's own, the project's or the user's."""
        for one in (scope,) if scope else NoteScope:
            notes = self._books.personal.notes(who.user) if one is NoteScope.USER else self._books.project
            if notes and (found := notes.find(one, owner(one, who), name)):
                notes.at_once(partial(notes.end, found, now, ENDED))
                return replace(found, known_to=now, became=ENDED)
        raise NotFound(f"no note {name!r}", "List them; working notes can only be ended by who wrote them.")

    def page_out(self, who: Identity, now: int) -> tuple[str, ...]:
        """Make episodes of all that one has at hand, oldest first."""
        notes = self._books.project
        return notes.at_once(
            lambda: self._out(reversed(notes.open(NoteScope.WORKING, owner(NoteScope.WORKING, who))), now)
        )

    def page_out_task(self, task: str, now: int) -> tuple[str, ...]:
        """The same for all working notes of a task that is done."""
        notes = self._books.project
        return notes.at_once(lambda: self._out(notes.of_task(task), now))

    def holders(self) -> list[Identity]:
        """The sessions that have working notes."""
        return self._books.project.holders()

    def readable(
        self, who: Identity, scopes: Sequence[NoteScope] = tuple(NoteScope), at: AsOf = NOW
    ) -> list[AgentNote]:
        """All notes that the agent may read: its own working notes, then shared ones, then preferences; each newest
        first."""
        return [note for scope in scopes for note in self._of(scope, who, at)]

    def find(self, question: str, who: Identity, limit: int, at: AsOf = NOW) -> list[Fitting]:
        """Readable notes about a question; if the user's store fails, without preferences."""
        try:
            notes = self.readable(who, at=at)
        except ClewError as error:
            log.warning("preferences are left out: %s", error.message)
            notes = self.readable(who, (NoteScope.WORKING, NoteScope.SHARED), at)
        return rank_notes(notes, question, limit)

    def _of(self, scope: NoteScope, who: Identity, at: AsOf) -> list[AgentNote]:
        notes = self._books.personal.notes(who.user) if scope is NoteScope.USER else self._books.project
        return notes.open(scope, owner(scope, who), at) if notes else []

    def _out(self, notes: Iterable[AgentNote], now: int) -> tuple[str, ...]:
        """Turn each into an episode of its author, at the time of its writing; only inside of `at_once`."""
        made = []
        for note in notes:
            told = {"note_id": note.id, "note_name": note.name, "noted_at": to_iso(note.known_from)}
            draft = EpisodeDraft(
                EpisodeType.OBSERVATION, note.content, tuple(one.id for one in note.subjects), note.task, metadata=told,
                occurred_at=note.known_from, key=f"note-{note.id}-{note.revision}",
            )  # fmt: skip
            episode = self._journal().add(draft, note.who, now, note.subjects)
            self._books.project.end(note, now, episode.id)
            made.append(episode.id)
        return tuple(made)


def rank_notes(notes: Sequence[AgentNote], question: str, limit: int) -> list[Fitting]:
    """Best first; of equal ones, as they came."""
    if not notes:
        return []
    lexicon = Lexicon()
    asked = set(lexicon.question(question))
    scored = [Fitting(note, _share(asked, _terms(lexicon, f"{note.name} {note.content}"))) for note in notes]
    return sorted((one for one in scored if one.score >= TELLING), key=lambda one: -one.score)[:limit]


def _terms(lexicon: Lexicon, text: str) -> set[str]:
    words = count_words(text.encode("utf-8", "replace"))
    return {term for word in words for term in lexicon.terms(word.decode("utf-8", "replace"))}


def _share(asked: set[str], held: set[str]) -> float:
    return round(len(asked & held) / len(asked), 6) if asked else 0.0
