"""A user's preferences, taken to another store: merged with those that are there, so that it may be done again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import Struct

from clew.memory.notes import CHANGED
from clew.model.memory import AgentNote, NoteScope
from clew.model.time import FOREVER
from clew.store.notes import Notes

_Mark = tuple[str, int, int]


class Taken(Struct, frozen=True):
    """Revisions that were added, that were there already, and, of these, that ended there as they had here."""

    added: int = 0
    known: int = 0
    ended: int = 0


def take(source: Notes, target: Notes) -> Taken:
    """Copy all preferences with their history. Where both sides changed one, the latest revision is current."""
    return merge(list(source.every(NoteScope.USER)), target)


def merge(found: Sequence[AgentNote], target: Notes) -> Taken:
    """Merge revisions read from another store."""
    return target.at_once(lambda: _Merge(target).run(found))


class _Merge:
    def __init__(self, target: Notes) -> None:
        self._target = target
        self._there = {_mark(one): one for one in target.every(NoteScope.USER)}

    def run(self, notes: Iterable[AgentNote]) -> Taken:
        added = known = ended = 0
        for note in notes:
            found = self._there.get(_mark(note))
            if found is None:
                self._add(note)
                added += 1
                continue
            known += 1
            if found.known_to == FOREVER and note.known_to < FOREVER:
                self._end(found, note.known_to, note.became)
                ended += 1
        return Taken(added, known, ended)

    def _add(self, note: AgentNote) -> None:
        rivals = [one for one in self._there.values() if _are_one(one, note)] if note.known_to == FOREVER else []
        later = max((one.known_from for one in rivals), default=-1)
        if later >= note.known_from:
            note = replace(note, known_to=later, became=CHANGED)
        else:
            for one in rivals:
                self._end(one, note.known_from, CHANGED)
        self._there[_mark(note)] = self._target.put(note)

    def _end(self, note: AgentNote, at: int, became: str) -> None:
        self._target.end(note, at, became)
        self._there[_mark(note)] = replace(note, known_to=at, became=became)


def _mark(note: AgentNote) -> _Mark:
    """The identity of a revision across stores."""
    return note.id, note.revision, note.known_from


def _are_one(there: AgentNote, note: AgentNote) -> bool:
    """Whether only one of the two can hold."""
    return there.known_to == FOREVER and (there.id == note.id or bool(note.name and there.name == note.name))
