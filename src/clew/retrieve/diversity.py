"""Diverse answers: near-duplicates collapse, and candidates similar to chosen ones are ranked lower."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush, heapreplace
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from clew.retrieve.retriever import ChunkPlace

SAME_FILE = 0.3  # how much two chunks of one file are alike, whatever they say
NEARLY_THE_SAME = 0.95
LEAST_WORDS = 30  # of what can be a near-duplicate: short functions are alike and yet others
COMPARED = 20  # candidates, the best, whose words are looked at
WIDE = 300  # candidates that files are chosen from, however many are asked for; the rest follow as they are
# What each hit in a file costs the next one there, and a file as a whole after a part of it: times 1 - lambda.
CROWDED = 0.5
REPEATED = 5.0


class DiversityCandidate(Struct, frozen=True, eq=False):
    """`meant` are its cosines to candidates by number, its own is `number`; none where there are no vectors.

    Of a chosen one, `deduction` is what its score lost by hits above it that are like it, or of its file.
    """

    place: ChunkPlace
    score: float
    file: tuple[int, int]  # its part of the corpus, and its number there
    is_file: bool  # and not a part of one
    words: frozenset[bytes]
    number: int = 0
    meant: tuple[float, ...] = ()
    is_named: bool = False  # it is asked for by its name, and may well be like others of that name
    deduction: float = 0.0


def diverse(
    candidates: Iterable[DiversityCandidate], limit: int, relevance: float, *, by_file: bool = True
) -> tuple[list[DiversityCandidate], int]:
    """The best by maximal marginal relevance, best first, and how many near-duplicates of them were left out.

    `candidates` come best first, and no more of them are asked for than may be chosen. `relevance` is MMR's lambda: 1
    leaves the order as it is. Less of it lets files that have answered wait, so that a few hits show more than one or
    two; `by_file`: unless all that answers of a file is wanted. Of near-duplicates the first stays.
    """
    rest = iter(candidates)
    distinct, collapsed = _distinct([*islice(rest, COMPARED)])
    others = chain(distinct, islice(rest, (WIDE if by_file else COMPARED) - COMPARED))
    other = next(others, None)
    seen: list[DiversityCandidate] = []
    nearest, compared = list[float](), list[int]()  # of those that were seen
    chosen: list[DiversityCandidate] = []
    hits: defaultdict[tuple[int, int], int] = defaultdict(int)  # by file
    left: list[tuple[float, int]] = []
    last = float("inf")
    while len(chosen) < limit:
        while other and not (left and left[0][0] < -relevance * other.score):  # it may be better than all that are left
            heappush(left, (-relevance * other.score, len(seen)))
            seen.append(other)
            nearest.append(0.0)
            compared.append(0)
            other = next(others, None)
        if not left:
            break
        key, i = left[0]
        one = seen[i]
        if relevance < 1 and compared[i] < len(chosen):  # it can only fall: who stands behind it need not be compared
            if not one.is_named:
                nearest[i] = _nearest(one, chosen[compared[i] :], nearest[i], hits[one.file])
            compared[i] = len(chosen)
            worth = one.score * left_of(one, hits[one.file] if by_file else 0, 1 - relevance)
            heapreplace(left, ((1 - relevance) * nearest[i] - relevance * worth, i))
        else:
            heappop(left)
            last = min(last, -key / relevance) if relevance else last
            chosen.append(_deduct(one, last))
            hits[one.file] += 1
    return [*chosen, *(_deduct(one, last) for one in islice(rest, limit - len(chosen)))], collapsed


def _deduct(one: DiversityCandidate, left: float) -> DiversityCandidate:
    """With so much of its score left, so that scores never rise from hit to hit."""
    deduction = one.score - max(left, 0.0)
    return replace(one, deduction=deduction) if deduction > 1e-9 else one


def _nearest(one: DiversityCandidate, new: list[DiversityCandidate], so_far: float, of_its_file: int) -> float:
    """The greatest similarity to a chosen candidate; for chunks that were not read, by file alone."""
    if not one.words and not one.meant:
        return SAME_FILE if of_its_file else 0.0
    return max(so_far, *(alike(one, other) for other in new))


def left_of(one: DiversityCandidate, before: int, variety: float) -> float:
    """The share of its score that a chunk keeps after others of its file."""
    repeated = REPEATED * variety if one.is_file and before else 0.0
    return max(1 - CROWDED * variety, 0.0) ** before * max(1 - repeated, 0.0)


def alike(one: DiversityCandidate, other: DiversityCandidate) -> float:
    """From 0 to 1: by meaning where both have a vector, else by the words that both have."""
    shared = max(one.meant[other.number], 0.0) if one.meant and other.meant else _overlap(one.words, other.words)
    return max(shared, SAME_FILE) if one.file == other.file else shared


def _distinct(candidates: Sequence[DiversityCandidate]) -> tuple[list[DiversityCandidate], int]:
    kept: list[DiversityCandidate] = []
    for one in candidates:
        if len(one.words) < LEAST_WORDS or not _has_nearly(kept, one.words):
            kept.append(one)
    return kept, len(candidates) - len(kept)


def _has_nearly(kept: Sequence[DiversityCandidate], words: frozenset[bytes]) -> bool:
    """Sets of very different sizes cannot be nearly the same, and need not be compared."""
    least, most = NEARLY_THE_SAME * len(words), len(words) / NEARLY_THE_SAME
    return any(least <= len(other.words) <= most and _overlap(words, other.words) >= NEARLY_THE_SAME for other in kept)


def _overlap(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    """Jaccard similarity; 0 without words."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
