"""The interval algebra of facts: when a fact begins and ends beside others about the same subject and predicate.

Pure. Times are half-open intervals. A predicate is single-valued if its subject has one object at a time.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from clew.model.time import FOREVER


class DatedFact(NamedTuple):
    """`said_by` is the agent that recorded it."""

    id: str
    object: str
    valid_from: int
    valid_to: int
    said_by: str


class FactPlacement(NamedTuple):
    """The end of a new fact; ids of earlier facts with their new ends; facts that contradict it; one that it repeats.

    A fact whose new end is its own start was corrected: it was never true.
    """

    valid_to: int
    ends: tuple[tuple[str, int], ...] = ()
    conflicts: tuple[str, ...] = ()
    repeats: str = ""
    ended_by: str = ""


def place(new: DatedFact, known: Sequence[DatedFact], *, single_valued: bool) -> FactPlacement:
    """Place a new fact among the known ones of its subject and predicate, in whatever order they were recorded."""
    held = [one for one in known if one.valid_from < one.valid_to]
    same = [one for one in held if one.object == new.object and _covers(one, new)]
    if same:
        return FactPlacement(new.valid_to, repeats=min(same, key=lambda one: (one.valid_from, one.id)).id)
    if not single_valued:
        return FactPlacement(new.valid_to)
    others = [one for one in held if one.object != new.object]
    later = [one for one in held if one.valid_from > new.valid_from]
    newer = min(later, key=lambda one: (one.valid_from, one.id), default=None)
    valid_to = min(new.valid_to, newer.valid_from) if newer else new.valid_to
    ends = [(one.id, new.valid_from) for one in held if one.valid_from < new.valid_from < one.valid_to]
    twins = [one for one in others if one.valid_from == new.valid_from]
    corrected = [(one.id, one.valid_from) for one in twins if one.said_by == new.said_by]
    conflicts = [one.id for one in twins if one.said_by != new.said_by]
    ended_by = newer.id if newer and valid_to == newer.valid_from < new.valid_to else ""
    return FactPlacement(valid_to, tuple(sorted([*ends, *corrected])), tuple(sorted(conflicts)), ended_by=ended_by)


def holds(valid_from: int, valid_to: int, at: int) -> bool:
    return valid_from <= at < valid_to


def find_conflicts(facts: Iterable[DatedFact]) -> list[tuple[DatedFact, DatedFact]]:
    """Pairs of facts of one single-valued predicate with different objects at the same time, in order of their ids."""
    held = sorted((one for one in facts if one.valid_from < one.valid_to), key=lambda one: one.id)
    return [
        (one, other)
        for number, one in enumerate(held)
        for other in held[number + 1 :]
        if one.object != other.object and one.valid_from < other.valid_to and other.valid_from < one.valid_to
    ]


class Succession(NamedTuple):
    """A fact as its writer stated it, for learning: `stated_to` is the end that the writer gave."""

    subject: str
    object: str
    valid_from: int
    stated_to: int


LEARNED_FROM = 3  # subjects whose objects succeeded each other, and none whose objects overlapped as stated


def is_learned_single(stated: Iterable[Succession]) -> bool:
    """Whether writers ended each object of a predicate before they began the next."""
    by_subject: dict[str, list[Succession]] = {}
    for one in stated:
        by_subject.setdefault(one.subject, []).append(one)
    succeeded = 0
    for facts in by_subject.values():
        ordered = sorted(facts, key=lambda one: (one.valid_from, one.stated_to, one.object))
        pairs = [(a, b) for a, b in pairwise(ordered) if a.object != b.object]
        if any(a.stated_to > b.valid_from for a, b in pairs):
            return False
        succeeded += bool(pairs)
    return succeeded >= LEARNED_FROM


def _covers(one: DatedFact, new: DatedFact) -> bool:
    """Whether a fact already says all that a new one says; an open end is also covered by a derived end."""
    return one.valid_from <= new.valid_from < one.valid_to and (new.valid_to <= one.valid_to or new.valid_to == FOREVER)
