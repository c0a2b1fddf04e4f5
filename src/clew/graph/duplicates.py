"""Near-duplicate code: functions whose token sequences share most of their fingerprints. Pure.

Identifiers and literals count as one kind of token each, so that renamed copies are found; comments do not count.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

GRAM = 8  # tokens that make one fingerprint
WINDOW = 4  # fingerprints of which the least is kept
LEAST_TOKENS = 40
LEAST_ALIKE = 0.8
MOST_OWNERS = 50  # of one fingerprint; a more frequent one says nothing
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*|(?m:^[ \t]*#(?!include|define|if|endif|\[)[^\n]*)", re.DOTALL)
_TOKEN = re.compile(
    rb'(?P<text>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`)|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>[^\s\w])'
)
_KEYWORDS = frozenset(
    b"if else elif for while do switch case match return yield break continue try except catch finally raise throw "
    b"with in is not and or new await async def fn func function class let var const null None nil true false "
    b"True False import from self this super lambda".split()
)


class Fingerprints(NamedTuple):
    """The fingerprints of a piece of code, and how many tokens it has."""

    kept: frozenset[int]
    tokens: int


class Alike(NamedTuple):
    one: str
    other: str
    share: float


def fingerprints(text: bytes) -> Fingerprints:
    kinds = [_kind(match) for match in _TOKEN.finditer(_COMMENT.sub(b" ", text))]
    grams = [crc32(b" ".join(kinds[at : at + GRAM])) for at in range(len(kinds) - GRAM + 1)]
    kept = {min(grams[at : at + WINDOW]) for at in range(max(1, len(grams) - WINDOW + 1))} if grams else set()
    return Fingerprints(frozenset(kept), len(kinds))


def _kind(match: re.Match[bytes]) -> bytes:
    if name := match["name"]:
        return name if name in _KEYWORDS else b"n"
    if match["text"]:
        return b"t"
    return b"0" if match["number"] else match["sign"]


def near_duplicates(pieces: Mapping[str, Fingerprints]) -> list[Alike]:
    """Pairs of pieces that share most of their fingerprints, the most alike first."""
    owners: dict[int, list[str]] = defaultdict(list)
    for name, piece in pieces.items():
        if piece.tokens >= LEAST_TOKENS:
            for print_ in piece.kept:
                owners[print_].append(name)
    shared: dict[tuple[str, str], int] = defaultdict(int)
    for some in owners.values():
        if 1 < len(some) <= MOST_OWNERS:
            for at, one in enumerate(some):
                for other in some[at + 1 :]:
                    shared[one, other] += 1
    found = []
    for (one, other), count in shared.items():
        share = count / len(pieces[one].kept | pieces[other].kept)
        if share >= LEAST_ALIKE:
            found.append(Alike(one, other, round(share, 3)))
    return sorted(found, key=lambda pair: (-pair.share, pair.one, pair.other))


def groups(pairs: Iterable[Alike]) -> list[tuple[tuple[str, ...], float]]:
    """Pieces that are alike, directly or through others, each group with the least share of its pairs."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    pairs = list(pairs)
    for pair in pairs:
        one, other = sorted((find(pair.one), find(pair.other)))
        leader[other] = one
    members: dict[str, set[str]] = defaultdict(set)
    least: dict[str, float] = {}
    for pair in pairs:
        root = find(pair.one)
        members[root] |= {pair.one, pair.other}
        least[root] = min(least.get(root, 1.0), pair.share)
    return sorted(
        ((tuple(sorted(some)), least[root]) for root, some in members.items()), key=lambda one: (-len(one[0]), one)
    )


def most_like(piece: Fingerprints, others: Mapping[str, Fingerprints]) -> list[tuple[str, float]]:
    """Pieces by the share of fingerprints that they have in common with one, the most alike first."""
    found = [
        (name, round(len(piece.kept & other.kept) / max(1, len(piece.kept | other.kept)), 3))
        for name, other in others.items()
    ]
    return sorted((one for one in found if one[1] > 0), key=lambda one: (-one[1], one[0]))


def outliers(values: Mapping[str, float], least: float) -> Sequence[str]:
    """Names whose values lie far above the others: beyond the upper quartile by three times the middle half's width."""
    if not values:
        return ()
    ordered = sorted(values.values())
    low, high = ordered[len(ordered) // 4], ordered[(3 * len(ordered)) // 4]
    bound = max(least, high + 3 * (high - low))
    return sorted((name for name, value in values.items() if value > bound), key=lambda name: (-values[name], name))
