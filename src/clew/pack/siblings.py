"""For a task that asks for another unit of a kind ("add a matcher on the TLS version"): the existing one to imitate.

Units of a kind implement the same interface, inherit from the same class, have names that begin or end alike, or stand
in a folder of that name. The most typical one shares most with the others.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from clew.graph.edges import edges_of, edges_to
from clew.model.code import SCOPE, split_id
from clew.model.words import CLASSES, INHERITING, Kind
from clew.pack.matching import Match, Role
from clew.pack.shelf import Shelf, Standing
from clew.store.corpus import Corpus
from clew.text.paths import is_test_path

LEAST = 3  # units that make a kind
MOST_COMPARED = 12  # of a kind
MOST_READ = 60  # matches whose kind is looked at
SHORTEST = 4  # letters that words for one kind have in common: matcher, Match
LONGEST_ENDING = 3  # letters in which they differ at most

_ADDING = re.compile(
    r"(?:\A|[.!?:\n])\s*(?:please |(?:i|we) (?:need|want|should) to |let's )?"
    r"(?:add|adds|adding|create|creates|define|implement|implements|introduce|introduces|provide|support|write)\s+"
    r"(?P<what>[^.!?:;,()\n]{3,100})",
    re.IGNORECASE,
)
_SUPPORT = re.compile(r"\A(?:an? |the )?(?:\w+ )?support (?:for|of)\s+", re.IGNORECASE)
_END = re.compile(
    r"\s+(?:as|at|based|by|called|for|from|if|in|into|like|named|of|on|similar|so|such|that|to|using|when|where|which|with)\b.*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)


class Typical(Struct, frozen=True):
    """The unit to imitate, then its members that half of the others have, too; `reason` names the kind."""

    units: tuple[Standing, ...]
    reason: str


class _Family(Struct, frozen=True):
    """Units of a kind, those that match best first."""

    members: tuple[Standing, ...]
    said: str
    score: float


def find_typical(corpus: Corpus, shelf: Shelf, task: str, best: Sequence[Match]) -> Typical | None:
    """None if the task does not ask for another unit of a kind, or if there are too few of that."""
    kind = asked_kind(task)
    units = [one for one in best[:MOST_READ] if one.role is Role.CODE and one.quoted.symbol] if kind else []
    families = [*_by_base(corpus, shelf, kind, units), *_by_name(kind, units), *_by_folder(kind, units)]
    if not families:
        return None
    family = max(families, key=lambda one: (one.score, len(one.members), one.said))
    members = {one.uid: _members(shelf, one) for one in family.members}
    features = {one.uid: _features(one, members[one.uid]) for one in family.members}
    chosen = max(enumerate(family.members), key=lambda one: (_likeness(one[1], family.members, features), -one[0]))[1]
    others = [features[one.uid] for one in family.members if one.uid != chosen.uid]
    shared = [one for one in members[chosen.uid] if 2 * sum(_name(one) in own for own in others) >= len(others)]
    return Typical((chosen, *shared), f"most typical of {len(family.members)} units that {family.said}")


def asked_kind(task: str) -> str:
    """The word for the kind of unit that a task asks another one of: "matcher"; empty if it asks for none."""
    asked = _ADDING.search(task)
    words = _WORD.findall(_END.sub("", _SUPPORT.sub("", asked["what"]))) if asked else []
    return words[-1].lower() if words and len(words[-1]) >= SHORTEST else ""


def is_of_kind(word: str, kind: str) -> bool:
    """Whether two words are of one family: Match and matcher, validators and validate."""
    word = word.lower()
    differing = (i for i, (a, b) in enumerate(zip(word, kind, strict=False)) if a != b)
    common = next(differing, min(len(word), len(kind)))
    return common >= SHORTEST and max(len(word), len(kind)) - common <= LONGEST_ENDING


def _by_base(corpus: Corpus, shelf: Shelf, kind: str, units: Sequence[Match]) -> Iterator[_Family]:
    """Classes that inherit from a class of the kind, or implement an interface of it."""
    bases: dict[str, list[Match]] = defaultdict(list)
    for match in units:
        if match.quoted.chunk.kind in CLASSES:
            for edge in edges_of(corpus, match.quoted.id, INHERITING):
                if any(is_of_kind(part, kind) for part in _PART.findall(_last(edge.target))):
                    bases[edge.target].append(match)
    for base, matching in bases.items():
        below = [edge.source for edge in edges_to(corpus, base, INHERITING) if not is_test_path(edge.path)]
        ids = [*dict.fromkeys([*(one.quoted.id for one in matching), *below])][:MOST_COMPARED]
        members = tuple(one for one in map(shelf.chunk_of, ids) if one is not None and one.symbol in ids)
        if len(members) >= LEAST:
            yield _Family(members, f"implement or extend {_last(base)}", 2 * _score(matching))


def _by_name(kind: str, units: Sequence[Match]) -> Iterator[_Family]:
    """Classes, or functions, of one folder whose names begin or end with the kind."""
    alike: dict[tuple[str, bool, bool], list[Match]] = defaultdict(list)
    for match in units:
        own = match.quoted
        parts = _PART.findall(_last(own.id))
        is_function = own.chunk.kind in _FUNCTIONS
        if len(parts) > 1 and (is_function or own.chunk.kind in CLASSES):
            for part, is_first in ((parts[0], True), (parts[-1], False)):
                if is_of_kind(part, kind):
                    alike[own.path.rpartition("/")[0], is_function, is_first].append(match)
    for (_, _, is_first), matching in alike.items():
        if len(matching) >= LEAST:
            part = _PART.findall(_last(matching[0].quoted.id))[0 if is_first else -1]
            said = f"have names that {'begin' if is_first else 'end'} with {part}"
            yield _Family(tuple(one.quoted for one in matching[:MOST_COMPARED]), said, _score(matching))


def _by_folder(kind: str, units: Sequence[Match]) -> Iterator[_Family]:
    """Classes, or functions, of different files in a folder that has the name of the kind: `rules/`."""
    alike: dict[tuple[str, bool], dict[str, Match]] = defaultdict(dict)
    for match in units:
        own = match.quoted
        folder = own.path.rpartition("/")[0]
        is_function = own.chunk.kind in _FUNCTIONS
        is_unit = SCOPE not in own.chunk.scope and (is_function or own.chunk.kind in CLASSES)
        if is_unit and is_of_kind(folder.rpartition("/")[2], kind):
            alike[folder, is_function].setdefault(own.path, match)
    for (folder, _), by_file in alike.items():
        matching = [*by_file.values()]
        if len(matching) >= LEAST:
            members = tuple(one.quoted for one in matching[:MOST_COMPARED])
            yield _Family(members, f"are in {folder}", _score(matching))


def _score(matching: Sequence[Match]) -> float:
    return sum(sorted((one.score for one in matching), reverse=True)[:LEAST])


def _members(shelf: Shelf, unit: Standing) -> list[Standing]:
    """The functions directly in a class."""
    inside = f"{unit.chunk.scope}{SCOPE}"
    units = shelf.in_file(unit) if unit.chunk.kind in CLASSES else []
    return [
        one
        for one in units
        if one.chunk.scope.startswith(inside)
        and SCOPE not in one.chunk.scope[len(inside) :]
        and one.chunk.kind in _FUNCTIONS
    ]


def _features(unit: Standing, members: Sequence[Standing]) -> frozenset[str]:
    """Names of a class's members; of a function, the words of its opening."""
    if unit.chunk.kind in CLASSES:
        return frozenset(map(_name, members))
    source = unit.unit().source[unit.chunk.span.start : unit.chunk.span.end]
    return frozenset(
        _WORD.findall(source[: max(unit.chunk.body - unit.chunk.span.start, 0)].decode("utf-8", "replace"))
    )


def _likeness(unit: Standing, family: Sequence[Standing], features: Mapping[str, frozenset[str]]) -> float:
    """The average overlap of its features with the others', less a penalty for the difference in size."""
    own = features[unit.uid]
    total = 0.0
    for other in family:
        if other.uid != unit.uid:
            its = features[other.uid]
            shared = len(own & its) / len(own | its) if own | its else 1.0
            total += shared - abs(math.log((unit.size + 1) / (other.size + 1))) / 4
    return round(total / (len(family) - 1), 9)


def _name(unit: Standing) -> str:
    return _last(unit.id)


def _last(id: str) -> str:
    return split_id(id)[1].rpartition(SCOPE)[2].partition("#")[0]
