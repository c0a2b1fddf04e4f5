"""Matches the definitions of two versions: renames, moves, extractions. Pure.

Two definitions with one id are the same one, unless both resemble others much more. For the rest, candidates are
scored by their code, names, signatures and places, and by other names that changed with them, and taken best first.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from re import compile as pattern
from typing import NamedTuple

from clew.history.definitions import ITSELF, FileDefinitions, SymbolVersion
from clew.model.code import SCOPE, without_numbers
from clew.model.words import CLASSES, NAMELESS, Kind

Id = tuple[str, str]  # a path and a scope

_CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
_TYPES = frozenset(CLASSES)
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

RARE = 24  # definitions that a token may be in to speak for a pair
MOST_CANDIDATES = 12  # for one definition, by what they share
MOST_SIBLINGS = 60  # of one container that are compared each with each
UNLIKE = 0.35  # two of one id below this may each be another's successor
TELLING = 8  # tokens; shorter code says little
SURE = 0.8  # alike enough for a second definition that became, or came from, the same one
COVERED = 0.4  # of an extracted function's tokens that its origin lost
SMALL_COVERED = 0.6


class DefinitionMatch(NamedTuple):
    """An old definition and the new one that it became."""

    old: SymbolVersion
    new: SymbolVersion
    confidence: float


class Extraction(NamedTuple):
    """A new function with code from another one, which calls it now."""

    origin: SymbolVersion
    new: SymbolVersion
    confidence: float


class Matching(NamedTuple):
    """`again` are further old or new sides of matched definitions: pulled up from several classes, or copied."""

    matches: tuple[DefinitionMatch, ...]
    again: tuple[DefinitionMatch, ...]
    extracted: tuple[Extraction, ...]


def match(
    old_files: Iterable[FileDefinitions], new_files: Iterable[FileDefinitions], moved: Mapping[str, str]
) -> Matching:
    """Definitions of all files that changed; `moved` gives, by new path, the old path of a renamed file."""
    return _Matcher(list(old_files), list(new_files), moved).run()


def similarity(old: SymbolVersion, new: SymbolVersion) -> float:
    """How alike the code of two definitions is, from 0 to 1; their own names do not count."""
    return _dice(_weights(old), _weights(new))


class _Matcher:
    def __init__(
        self, old_files: list[FileDefinitions], new_files: list[FileDefinitions], moved: Mapping[str, str]
    ) -> None:
        self._old_files = {one.path: one for one in old_files}
        self._new_files = {one.path: one for one in new_files}
        self._moved = dict(moved)
        self._old: dict[Id, SymbolVersion] = {}
        self._new: dict[Id, SymbolVersion] = {}
        self._forward: dict[Id, DefinitionMatch] = {}
        self._backward: dict[Id, DefinitionMatch] = {}
        self._released: list[tuple[SymbolVersion, SymbolVersion, float]] = []
        self._identical: set[tuple[int, Id]] = set()

    def run(self) -> Matching:
        self._take_same_ids()
        self._deltas = self._count_deltas()
        self._take_identical()
        self._take_members()
        self._take_best([Kind.CLASS, Kind.INTERFACE])
        self._take_members()
        self._take_best(list(_CALLABLE | {Kind.VARIABLE}))
        self._take_released()
        self._take_members()
        again = tuple(self._taken_again())
        twice = {one.new.key for one in again}
        matches = tuple(sorted(self._forward.values(), key=lambda one: (one.new.key, one.old.key)))
        return Matching(matches, again, tuple(one for one in self._extractions() if one.new.key not in twice))

    def _take_same_ids(self) -> None:
        old = {one.key: one for file in self._old_files.values() for one in file.definitions}
        new = {one.key: one for file in self._new_files.values() for one in file.definitions}
        self._old, self._new = dict(old), dict(new)
        paths = {path: self._moved.get(path, path) for path in self._new_files}
        overloads = self._overloads(old.values(), new.values(), paths)
        for key, there in new.items():
            was = overloads.get(key) or old.get((paths[key[0]], key[1]))
            if was is None or was.key not in self._old or not _is_same_kind(was, there):
                continue
            if key not in overloads and (paths[key[0]], without_numbers(key[1])) in self._overloaded:
                continue
            if was.is_same(there):
                self._identical |= {(1, key), (-1, was.key)}
                self._take(was, there, 1.0)
            elif (
                was.kind in _CALLABLE | _TYPES
                and not was.shares_most(there)
                and (alike := similarity(was, there)) < UNLIKE
            ):
                self._released.append((was, there, alike))
            else:
                self._take(was, there, 1.0)

    def _overloads(
        self, old: Iterable[SymbolVersion], new: Iterable[SymbolVersion], paths: Mapping[str, str]
    ) -> dict[Id, SymbolVersion]:
        """For new definitions that share their scope with others, but for a number, the old ones that they are."""
        groups: defaultdict[Id, tuple[list[SymbolVersion], list[SymbolVersion]]] = defaultdict(lambda: ([], []))
        for was in old:
            groups[was.path, without_numbers(was.scope)][0].append(was)
        for there in new:
            groups[paths[there.path], without_numbers(there.scope)][1].append(there)
        several = {key: sides for key, sides in groups.items() if all(sides) and max(map(len, sides)) > 1}
        self._overloaded = frozenset(several)
        return {there.key: was for sides in several.values() for was, there in pair_overloads(*sides)}

    def _take_released(self) -> None:
        for old, new, alike in self._released:
            if old.key in self._old and new.key in self._new:
                self._take(old, new, 0.5 + alike)

    def _take(self, old: SymbolVersion, new: SymbolVersion, confidence: float) -> bool:
        if old.key not in self._old or new.key not in self._new:
            return False
        taken = DefinitionMatch(old, new, round(min(confidence, 1.0), 3))
        self._forward[old.key] = self._backward[new.key] = taken
        del self._old[old.key], self._new[new.key]
        return True

    def _take_identical(self) -> None:
        """Pairs with the same name and the same code, wherever they are; the nearest first."""
        by_code: defaultdict[tuple[str, tuple[str, ...]], list[SymbolVersion]] = defaultdict(list)
        for there in self._new.values():
            by_code[there.name, there.tokens].append(there)
        pairs = [
            (was, there) for was in self._old.values() for there in by_code[was.name, was.tokens][:MOST_CANDIDATES]
        ]
        released = {(a.key, b.key) for a, b, _ in self._released}
        telling = [pair for pair in pairs if len(pair[0].tokens) >= TELLING or pair[0].container == pair[1].container]
        telling = [(a, b) for a, b in telling if self._may_be(a, b, self._place_now(a))]
        for was, there in sorted(telling, key=lambda pair: (self._distance(*pair), pair[0].key, pair[1].key)):
            if (was.key, there.key) not in released and was.kind not in NAMELESS:
                self._take(was, there, 0.99)

    def _take_members(self) -> None:
        """Members of a matched definition are at its new place under their own names, if anywhere."""
        for was in sorted(self._old.values(), key=lambda one: (one.scope.count(SCOPE), one.key)):
            there = self._outer(was)
            found = self._new.get((there[0], f"{there[1]}{SCOPE}{was.scope.rpartition(SCOPE)[2]}")) if there else None
            if found and _is_same_kind(was, found):
                alike = similarity(was, found)
                if alike >= UNLIKE or len(was.tokens) < TELLING:
                    self._take(was, found, 0.7 + 0.3 * alike)

    def _outer(self, was: SymbolVersion) -> Id | None:
        """The new place of an old definition's container, if that moved."""
        if not was.container:
            return None
        taken = self._forward.get((was.path, was.container))
        return taken.new.key if taken and taken.new.key != (was.path, was.container) else None

    def _take_best(self, kinds: Sequence[Kind]) -> None:
        scored = []
        for was, there in self._candidates(kinds):
            if (score := self._score(was, there)) > 0:
                scored.append((-round(score, 6), self._distance(was, there), was.key, there.key))
        for score, _, old, new in sorted(scored):
            if old in self._old and new in self._new:
                self._take(self._old[old], self._new[new], -score)

    def _candidates(self, kinds: Sequence[Kind]) -> Iterator[tuple[SymbolVersion, SymbolVersion]]:
        """By name, by container, and by rare tokens that both have."""
        new = [one for one in self._new.values() if one.kind in kinds]
        by_name, by_place, by_token = defaultdict(list), defaultdict(list), defaultdict(list)
        for there in new:
            by_name[there.name].append(there)
            by_place[there.path, without_numbers(there.container)].append(there)
            for token in there.counts:
                by_token[token].append(there)
        for was in [one for one in self._old.values() if one.kind in kinds]:
            place = self._place_now(was)
            found = [*by_name[was.name][:MOST_CANDIDATES], *by_place[place][:MOST_SIBLINGS]]
            shared: Counter[Id] = Counter()
            for token in was.counts:
                if (those := by_token.get(token)) and len(those) <= RARE:
                    shared.update(one.key for one in those)
            near = sorted(shared, key=lambda key: (-shared[key], key))[:MOST_CANDIDATES]
            found += [self._new[key] for key in near]
            for there in {one.key: one for one in found}.values():
                if _is_same_kind(was, there) and self._may_be(was, there, place):
                    yield was, there

    def _may_be(self, was: SymbolVersion, there: SymbolVersion, place: Id) -> bool:
        """Excludes functions that the old definition, still there under its name, calls now; and locals of another
        function."""
        if place != (there.path, without_numbers(there.container)) and (self._is_local(was) or self._is_local(there)):
            return False
        kept = self._new_files.get(place[0])
        same = kept.by_scope.get(f"{place[1]}{SCOPE}{was.name}" if place[1] else was.name) if kept else None
        return same is None or same.key == there.key or there.name not in same.counts

    def _is_local(self, one: SymbolVersion) -> bool:
        """Whether it is inside of a function, where its name says nothing elsewhere."""
        for files in (self._old_files, self._new_files):
            around = files[one.path].by_scope.get(one.container) if one.path in files else None
            if around is not None:
                return around.kind in _CALLABLE
        return False

    def _place_now(self, was: SymbolVersion) -> Id:
        taken = self._forward.get((was.path, was.container)) if was.container else None
        if taken:
            return taken.new.path, without_numbers(taken.new.scope)
        homes = [path for path, before in self._moved.items() if before == was.path]
        return (homes[0] if homes else was.path), without_numbers(was.container)

    def _distance(self, was: SymbolVersion, there: SymbolVersion) -> tuple[bool, bool, bool]:
        """False comes first: in the same place, in the same file, of the same name."""
        place = self._place_now(was)
        here = there.path, without_numbers(there.container)
        return place != here, place[0] != there.path, was.name != there.name

    def _score(self, was: SymbolVersion, there: SymbolVersion) -> float:
        """How sure it is that one became the other; 0 if it is too unsure."""
        elsewhere, other_file, renamed = self._distance(was, there)
        alike = similarity(was, there)
        least = min(len(was.tokens), len(there.tokens))
        if was.kind in _TYPES:
            return self._score_types(was, there, alike, renamed=renamed, elsewhere=elsewhere)
        if was.kind is Kind.VARIABLE and (renamed or least < TELLING):
            return alike if alike >= 0.9 and least >= TELLING and not elsewhere else 0.0
        if not renamed:
            threshold = 0.5 if least >= TELLING else 0.9
            threshold += 0.1 * (other_file and not self._has_gone(was))
            return 0.3 + 0.7 * alike if alike >= threshold else 0.0
        names, signature = (
            _alike_names(was.name, there.name),
            _alike_words(was.symbol.signature, there.symbol.signature),
        )
        referred = self._reference_shift(was.name, there.name)
        score = 0.62 * alike + 0.16 * names + 0.08 * signature + 0.14 * referred
        if not elsewhere:
            score += 0.08
            threshold = 0.56 if least >= TELLING else 0.7
            threshold -= 0.12 * (names >= 0.75)
        else:
            threshold = 0.72 if least >= 2 * TELLING else 0.85
        return score if score >= threshold and (alike >= 0.45 or names >= 0.75 or referred * names > 0.5) else 0.0

    def _score_types(
        self, was: SymbolVersion, there: SymbolVersion, alike: float, *, renamed: bool, elsewhere: bool
    ) -> float:
        members = self._alike_members(was, there)
        best = max(alike, 0.5 * alike + 0.5 * members) if members >= 0 else alike
        if not renamed:
            return 0.3 + 0.7 * best if best >= 0.3 else 0.0
        names, referred = _alike_names(was.name, there.name), self._reference_shift(was.name, there.name)
        score = 0.6 * best + 0.2 * names + 0.2 * referred + 0.06 * (not elsewhere)
        least = min(_size(was), _size(there))
        return score if score >= (0.56 if least >= TELLING else 0.7) and best >= 0.35 else 0.0

    def _alike_members(self, was: SymbolVersion, there: SymbolVersion) -> float:
        """Shared names of members, by Dice; -1 if neither has any."""
        old = {one.name for one in self._old_files[was.path].children.get(was.scope, ())}
        new = {one.name for one in self._new_files[there.path].children.get(there.scope, ())}
        return 2 * len(old & new) / (len(old) + len(new)) if old or new else -1.0

    def _has_gone(self, was: SymbolVersion) -> bool:
        """Whether its file is not there any more, or is another one now."""
        return was.path not in self._new_files

    def _count_deltas(self) -> Counter[str]:
        """How much oftener each name stands in the changed files than before."""
        counts: Counter[str] = Counter()
        for sign, files in ((1, self._new_files), (-1, self._old_files)):
            for file in files.values():
                for one in file.definitions:
                    if (sign, one.key) not in self._identical:
                        for token, times in Counter(_words_of(one)).items():
                            counts[token] += sign * times
        return counts

    def _reference_shift(self, old: str, new: str) -> float:
        """How far references to the new name took the place of those to the old one."""
        lost, gained = -self._deltas.get(old, 0), self._deltas.get(new, 0)
        return min(lost, gained) / max(lost, gained) if lost > 0 and gained > 0 else 0.0

    def _taken_again(self) -> Iterator[DefinitionMatch]:
        """Further definitions of one name that became the same one, or came from one that is gone."""
        gone = {key: one for key, one in self._forward.items() if one.new.key != key}
        by_name = defaultdict(list)
        for one in gone.values():
            by_name[one.new.name].append(one)
        for was in sorted(self._old.values(), key=lambda one: one.key):
            for taken in by_name[was.name]:
                if was.kind in _CALLABLE and self._is_again(was, taken.new):
                    yield DefinitionMatch(was, taken.new, round(similarity(was, taken.new), 3))
                    break
        for there in sorted(self._new.values(), key=lambda one: one.key):
            for taken in by_name[there.name]:
                if there.kind in _CALLABLE and taken.old.name == there.name and self._is_again(taken.old, there):
                    yield DefinitionMatch(taken.old, there, round(similarity(taken.old, there), 3))
                    break

    def _is_again(self, was: SymbolVersion, there: SymbolVersion) -> bool:
        return len(was.tokens) >= TELLING and similarity(was, there) >= SURE and self._distance(was, there)[0]

    def _extractions(self) -> Iterator[Extraction]:
        """New functions that functions call which lost code to them, also as a method of a new class that they name
        now; of several, the one that lost most comes first."""
        callers: defaultdict[str, list[DefinitionMatch]] = defaultdict(list)
        for one in self._forward.values():
            is_same = one.old.own == one.new.own and one.old.name == one.new.name
            if one.new.kind in _CALLABLE and not is_same and one.old.tokens != one.new.tokens:
                for token in one.new.counts.keys() - one.old.counts.keys():
                    callers[token].append(one)
        for there in sorted(self._new.values(), key=lambda one: one.key):
            if there.kind not in _CALLABLE:
                continue
            words = _weights(there)
            total = sum(words.values())
            around = self._new.get((there.path, there.container))
            owner = around.name if around and around.kind in _TYPES else there.name
            calling = {one.new.key: one for name in (there.name, owner) for one in callers[name]}
            scored = [
                (_overlap(words, _subtract(one.old, one.new)) / total if total else 0.0, one)
                for one in calling.values()
            ]
            least = COVERED if len(there.tokens) >= 2 * TELLING else SMALL_COVERED
            for share, one in sorted(scored, key=lambda pair: (pair[0], pair[1].new.key), reverse=True):
                if share >= least:
                    yield Extraction(one.old, there, round(share, 3))


def pair_overloads(
    old: Sequence[SymbolVersion], new: Sequence[SymbolVersion]
) -> list[tuple[SymbolVersion, SymbolVersion]]:
    """Pairs definitions of one scope, as many as both sides have: by their text, their parameters, and their code."""
    scored = []
    for i, was in enumerate(old):
        for j, there in enumerate(new):
            same = (was.own == there.own) + (was.head == there.head) + (was.tokens == there.tokens)
            takes = _alike_words(was.symbol.signature, there.symbol.signature)
            scored.append((-same, -(0.5 * takes + 0.5 * similarity(was, there)), abs(i - j), i, j))
    pairs, left, right = [], set(range(len(old))), set(range(len(new)))
    for same, alike, _, i, j in sorted(scored):
        if i in left and j in right and (same or -alike >= UNLIKE):
            pairs.append((old[i], new[j]))
            left.discard(i)
            right.discard(j)
    return pairs


def _is_same_kind(old: SymbolVersion, new: SymbolVersion) -> bool:
    return old.kind == new.kind or any({old.kind, new.kind} <= kinds for kinds in (_CALLABLE, _TYPES))


def _words_of(one: SymbolVersion) -> Iterator[str]:
    named = (one.name if word == ITSELF else word for word in one.tokens)
    return (word for word in named if word[0].isalpha() or word[0] == "_")


def _weights(one: SymbolVersion) -> Mapping[str, float]:
    return one.weights


def _size(one: SymbolVersion) -> int:
    return sum((one.whole_counts if one.kind in _TYPES else one.counts).values())


def _subtract(old: SymbolVersion, new: SymbolVersion) -> Mapping[str, float]:
    after = _weights(new)
    return {token: weight - after.get(token, 0) for token, weight in _weights(old).items()}


def _overlap(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(max(0.0, min(weight, other.get(token, 0.0))) for token, weight in one.items())


def _dice(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    total = sum(one.values()) + sum(other.values())
    if not total:
        return 1.0
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return 2 * _overlap(small, large) / total


def _alike_names(one: str, other: str) -> float:
    """By the letters, or by the words that both are made of."""
    if one == other:
        return 1.0
    first, second = ([word.lower() for word in _WORD.findall(name)] for name in (one, other))
    shared = sum((Counter(first) & Counter(second)).values())
    words = 2 * shared / (len(first) + len(second)) if first or second else 0.0
    return max(words, SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio())


def _alike_words(one: str, other: str) -> float:
    first, second = Counter(_WORD.findall(one)), Counter(_WORD.findall(other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
