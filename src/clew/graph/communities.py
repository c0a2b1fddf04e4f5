"""Communities of files: groups that use each other more than the rest, by Leiden on the file graph. Pure.

Communities are found once after a full rebuild. After other changes only files whose ties changed since then may move:
a small edit does not reshuffle the rest. The result depends on the graph and on what was found after the rebuild alone,
not on states between them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from blake3 import blake3
from msgspec import Struct

from clew.graph.file_graph import FileGraph
from clew.text.paths import Among, is_test_path, lies_among
from clew.text.test_names import words

SEED = 42
RESOLUTION = 1.0
ITERATIONS, TRIALS = 5, 3
SPLIT_FROM = 12  # files from which a community may have communities of its own
LEVELS = 3
MOST_MOVED = (
    0.2  # share of files with changed ties from which communities are found again, beginning from the known ones
)
MOST_ROUNDS = 10
_PROSE = (".md", ".rst", ".txt", ".adoc")
SHARE = 0.5  # of a community's files that must lie below its folder
LABEL_WORDS = 2
_GENERIC = frozenset(
    "src lib libs pkg packages main java kotlin scala python com org io net apps core common internal source "
    "sources index init conftest setup readme utils util helpers helper base types test tests spec specs mod package "
    "module".split()
)


class Membership(Struct, frozen=True):
    """By path, the numbers of a file's communities, the outermost first; and the digest of its ties when that was
    found. `made_by` identifies the full rebuild that they go back to. `refreshed` is how many files have other ties
    than when communities were found from nothing; 0 if this is how they were found."""

    made_by: str
    of: Mapping[str, tuple[int, ...]]
    ties: Mapping[str, str]
    refreshed: int = 0

    @property
    def next_number(self) -> int:
        return 1 + max((number for numbers in self.of.values() for number in numbers), default=-1)


class Community(Struct, frozen=True):
    """A group of files. `parent` is the number of the one that it is part of, -1 for none; `central` are its files by
    how strongly they are tied to the others of it. `uses` are numbers of communities of the same level, with the
    count of references."""

    number: int
    level: int
    parent: int
    label: str
    files: tuple[str, ...]
    central: tuple[str, ...]
    folder: str
    terms: tuple[str, ...]
    uses: Mapping[int, int]
    used_by: Mapping[int, int]


class _Edge(NamedTuple):
    one: str
    other: str
    weight: float


def find_memberships(graph: FileGraph, made_by: str) -> Membership:
    """Communities from nothing."""
    return Membership(made_by, _hierarchy(graph, {}), tie_digests(graph))


def refresh_memberships(graph: FileGraph, base: Membership) -> Membership:
    """Communities of a graph that has changed since some were found from nothing."""
    ties = tie_digests(graph)
    changed = [path for path, digest in ties.items() if base.ties.get(path) != digest]
    count = len(changed) + len(base.ties.keys() - ties.keys())
    if not count:
        return base
    if len(changed) > MOST_MOVED * len(ties):
        return Membership(base.made_by, _renumber(_hierarchy(graph, base.of), base), ties, count)
    return Membership(base.made_by, _move_changed(graph, changed, base), ties, count)


def tie_digests(graph: FileGraph) -> dict[str, str]:
    """By file that has any, a digest of its ties; of weights, whether they grew much, not each further call."""
    found = {}
    for place, others in graph.neighbors.items():
        rows = sorted((graph.paths[other], round(2 * weight)) for other, weight in others.items())
        found[graph.paths[place]] = blake3(repr(rows).encode()).hexdigest(length=8)
    return dict(sorted(found.items()))


def modularity(graph: FileGraph, of: Mapping[str, int]) -> float:
    """How much more weight lies inside of communities than chance would put there."""
    total = sum(graph.weights.values())
    if not total:
        return 0.0
    inside, degree = 0.0, defaultdict[int, float](float)
    for (one, other), weight in graph.weights.items():
        a, b = of.get(graph.paths[one], -1), of.get(graph.paths[other], -2)
        inside += weight if a == b else 0.0
        degree[a] += weight
        degree[b] += weight
    return inside / total - sum((d / (2 * total)) ** 2 for d in degree.values())


def _hierarchy(graph: FileGraph, begin: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    edges = [_Edge(graph.paths[a], graph.paths[b], w) for (a, b), w in sorted(graph.weights.items())]
    found: dict[str, list[int]] = {}
    numbers = iter(range(10 * len(graph.paths) + 10))
    level, waiting = 0, [edges]
    while waiting and level < LEVELS:
        further = []
        for some in waiting:
            groups = _leiden(some, {path: numbers[level] for path, numbers in begin.items() if len(numbers) > level})
            if level and len(groups) < 2:
                continue
            for group in groups:
                number, members = next(numbers), set(group)
                for path in group:
                    found.setdefault(path, []).append(number)
                if len(group) >= SPLIT_FROM:
                    further.append([edge for edge in some if edge.one in members and edge.other in members])
        level, waiting = level + 1, further
    return {path: tuple(numbers) for path, numbers in sorted(found.items())}


def _leiden(edges: Sequence[_Edge], begin: Mapping[str, int]) -> list[list[str]]:
    """Groups of files, the largest first."""
    if not edges:
        return []
    from graspologic_native import leiden  # only few questions need it

    paths = sorted({path for edge in edges for path in (edge.one, edge.other)})
    start = None
    if begin:
        fresh = 1 + max(begin.values())
        start = {path: begin.get(path, fresh + place) for place, path in enumerate(paths)}
        order = {number: place for place, number in enumerate(sorted(set(start.values())))}
        start = {path: order[number] for path, number in start.items()}
    rows = [(edge.one, edge.other, edge.weight) for edge in edges]
    _, found = leiden(rows, start, RESOLUTION, 0.001, ITERATIONS, True, SEED, TRIALS)
    groups: dict[int, list[str]] = defaultdict(list)
    for path in paths:
        groups[found[path]].append(path)
    return sorted(groups.values(), key=lambda one: (-len(one), one))


def _renumber(of: Mapping[str, tuple[int, ...]], known: Membership) -> dict[str, tuple[int, ...]]:
    """Communities under the number of the known one that they share most files with."""
    shared: Counter[tuple[int, int]] = Counter()
    for path, numbers in of.items():
        shared.update(zip(numbers, known.of.get(path, ()), strict=False))
    renamed, taken, fresh = dict[int, int](), set[int](), known.next_number
    for (number, old), _ in sorted(shared.items(), key=lambda one: (-one[1], one[0])):
        if number not in renamed and old not in taken:
            renamed[number] = old
            taken.add(old)
    for number in sorted({number for numbers in of.values() for number in numbers}):
        if number not in renamed:
            renamed[number], fresh = fresh, fresh + 1
    return {path: tuple(renamed[number] for number in numbers) for path, numbers in of.items()}


def _move_changed(graph: FileGraph, changed: Sequence[str], known: Membership) -> dict[str, tuple[int, ...]]:
    """Only changed files move, each where its ties are strongest beyond chance; all others stay."""
    of = {path: numbers for path, numbers in known.of.items() if graph.places.get(path) in graph.neighbors}
    total = sum(graph.weights.values())
    degree = {place: sum(others.values()) for place, others in graph.neighbors.items()}
    whole: dict[tuple[int, ...], float] = defaultdict(float)
    for path, numbers in of.items():
        whole[numbers] += degree[graph.places[path]]
    fresh = known.next_number
    for _ in range(MOST_ROUNDS):
        again = False
        for path in changed:
            place, before = graph.places[path], of.pop(path, None)
            own = degree[place]
            if before is not None:
                whole[before] -= own
            ties: dict[tuple[int, ...], float] = defaultdict(float)
            for other, weight in sorted(graph.neighbors[place].items()):
                if (there := of.get(graph.paths[other])) is not None:
                    ties[there] += weight
            gains = {there: weight - RESOLUTION * own * whole[there] / (2 * total) for there, weight in ties.items()}
            best = max(
                gains, key=lambda one: (round(gains[one], 9), one == before, tuple(-n for n in one)), default=None
            )
            if best is None:
                best, fresh = (before, fresh) if before is not None else ((fresh,), fresh + 1)
            of[path] = best
            whole[best] += own
            again = again or best != before
        if not again:
            break
    return dict(sorted(of.items()))


def describe(graph: FileGraph, membership: Membership, names: Mapping[str, Sequence[str]]) -> tuple[Community, ...]:
    """Communities of all levels, by level, then by size. `names` are, by path, names that a file defines."""
    members: dict[int, list[str]] = defaultdict(list)
    outer: dict[int, tuple[int, int]] = {}
    for path, numbers in membership.of.items():
        for level, number in enumerate(numbers):
            members[number].append(path)
            outer[number] = level, numbers[level - 1] if level else -1
    uses = _uses(graph, membership)
    central = {number: _central(graph, files) for number, files in members.items()}
    terms = _distinctive(members, outer, names, central)
    used: dict[int, Counter[int]] = defaultdict(Counter)
    for number, others in uses.items():
        for other, count in others.items():
            used[other][number] += count
    order = sorted(members, key=lambda one: (outer[one][0], -len(members[one]), one))
    labels = _labels(order, members, terms)
    return tuple(
        Community(
            number,
            *outer[number],
            labels[number],
            tuple(sorted(members[number])),
            central[number],
            _folder(members[number]),
            terms[number],
            dict(uses.get(number, Counter()).most_common()),
            dict(used.get(number, Counter()).most_common()),
        )
        for number in order
    )


def _uses(graph: FileGraph, membership: Membership) -> dict[int, Counter[int]]:
    """References between communities of the same level."""
    found: dict[int, Counter[int]] = defaultdict(Counter)
    for (source, target), count in sorted(graph.counts.items()):
        pair = (membership.of.get(graph.paths[one], ()) for one in (source, target))
        for one, other in zip(*pair, strict=False):
            if one != other:
                found[one][other] += count
    return found


def _central(graph: FileGraph, files: Sequence[str]) -> tuple[str, ...]:
    inside = {graph.places[path] for path in files}
    strength = {
        place: sum(weight for other, weight in graph.neighbors.get(place, {}).items() if other in inside)
        for place in inside
    }
    order = sorted(inside, key=lambda one: (_aside(graph.paths[one]), -strength[one], graph.paths[one]))
    return tuple(graph.paths[place] for place in order[:5])


def _aside(path: str) -> bool:
    return lies_among(path) is not Among.CODE or path.endswith(_PROSE)


def _folder(files: Sequence[str]) -> str:
    """The innermost folder that at least half of the files lie below."""
    counts: Counter[str] = Counter()
    for path in files:
        parts = path.split("/")[:-1]
        counts.update("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    found = [one for one, count in counts.items() if count >= SHARE * len(files)]
    return max(found, key=lambda one: (one.count("/"), counts[one], one), default="")


def _distinctive(
    members: Mapping[int, Sequence[str]],
    outer: Mapping[int, tuple[int, int]],
    names: Mapping[str, Sequence[str]],
    central: Mapping[int, Sequence[str]],
) -> dict[int, tuple[str, ...]]:
    """By community, words that its files and their definitions have and other communities of its level do not."""
    said = {number: _words(files, names, central[number]) for number, files in members.items()}
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for number, found in said.items():
        counts[outer[number][0]].update(found.keys())
    sizes = Counter(level for level, _ in outer.values())
    terms = {}
    for number, found in said.items():
        level = outer[number][0]
        scores = {
            word: count / len(members[number]) * math.log(1 + sizes[level] / counts[level][word])
            for word, count in found.items()
        }
        best = dict[str, str]()  # by stem: singular and plural are one word
        for word in sorted(scores, key=lambda word: (-round(scores[word], 9), word)):
            best.setdefault(word.removesuffix("s"), word)
        terms[number] = tuple(best.values())[:8]
    return terms


def _words(files: Iterable[str], names: Mapping[str, Sequence[str]], central: Sequence[str]) -> Counter[str]:
    """By word, how much it says of some files: most in the name of a central file, least in that of a definition."""
    found: Counter[str] = Counter()
    for path in files:
        is_test = is_test_path(path)
        stem = {word for word in words(path.rpartition("/")[2].partition(".")[0]) if len(word) > 2} - _GENERIC
        inner = {word for name in names.get(path, ()) for word in words(name) if len(word) > 3} - _GENERIC - stem
        for word in sorted(stem):
            found[word] += 12 if path in central[:3] else 1 if is_test or _aside(path) else 4
        for word in sorted(inner):
            found[word] += 0 if is_test else 1
    return +found


def _labels(
    order: Sequence[int], members: Mapping[int, Sequence[str]], terms: Mapping[int, Sequence[str]]
) -> dict[int, str]:
    """Readable and unique: the folder that most files share, and the words that tell it from others of that folder."""
    folders = {number: _folder(members[number]) for number in order}
    sharing = Counter(folders.values())
    labels, taken = dict[int, str](), set[str]()
    for number in order:
        folder = "/".join([one for one in folders[number].split("/") if one not in _GENERIC][-2:])
        own = [word for word in terms[number] if word not in words(folder.rpartition("/")[2])]
        chosen = own[:LABEL_WORDS] if not folder or sharing[folders[number]] > 1 else []
        label = f"{folder}: {' & '.join(chosen)}" if folder and chosen else folder or " & ".join(chosen)
        label = label or folders[number] or members[number][0]
        further = iter(own[LABEL_WORDS:])
        unique = label
        while unique in taken:
            word = next(further, "")
            unique = f"{unique} & {word}" if word else f"{label} #{number}"
            if not word and unique in taken:
                break
        labels[number] = unique
        taken.add(unique)
    return labels
