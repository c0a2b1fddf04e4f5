"""Checking architecture rules on the graph of files. Pure: the same graph and rules give the same violations."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from clew.graph.file_graph import FileGraph
from clew.model.architecture import ArchitectureRule, ChainStep, RuleCheck, RuleViolation
from clew.model.words import EdgeKind
from clew.runtime.values import slow_part

MOST_VIOLATIONS = 1000  # of one rule
IMPORTS = frozenset({EdgeKind.IMPORTS, EdgeKind.EXPORTS})
_GROUP = re.compile(r"\$(\d)")
SEPARATORS = re.compile(r"\s*[|:]\s*")
_MARKED = re.compile(r"(package|community|service|external|re):(.*)", re.DOTALL)
_ROOTS = ("", "src/", "lib/", "python/")

# From the names of communities, services and packages to their files.
Groups = Mapping[str, Mapping[str, frozenset[str]]]


class DependencyGraph:
    """The files that each file depends on, by all uses or by those of some kinds; without the lines `hidden` by path,
    and without `ignored` pairs."""

    def __init__(
        self,
        graph: FileGraph,
        kinds: frozenset[EdgeKind] | None = None,
        hidden: Mapping[str, frozenset[int]] = MappingProxyType({}),
        ignored: Callable[[int, int], bool] | None = None,
    ) -> None:
        self.graph = graph
        self._kinds = kinds
        self._hidden = hidden
        self._ignored = ignored

    @cached_property
    def uses(self) -> dict[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        pairs = sorted(self.graph.counts) if self._kinds is None else self.graph.pairs(self._kinds)
        for source, target in pairs:
            if self._hidden.get(self.graph.paths[source]) and self.line(source, target) < 0:
                continue
            if self._ignored is None or not self._ignored(source, target):
                found.setdefault(source, []).append(target)
        return {source: tuple(targets) for source, targets in found.items()}

    def line(self, source: int, target: int) -> int:
        """The first line that shows a dependency; 0 if none is known, -1 if all are hidden."""
        hidden = self._hidden.get(self.graph.paths[source], frozenset())
        lines = (
            one.line
            for one in self.graph.references(source, target)
            if (self._kinds is None or one.kind in self._kinds) and one.line not in hidden
        )
        return next(lines, -1)

    def steps(self, chain: Sequence[int]) -> tuple[ChainStep, ...]:
        paths = self.graph.paths
        return tuple(
            ChainStep(paths[one], paths[other], max(0, self.line(one, other))) for one, other in pairwise(chain)
        )

    def without(self, ignored: Callable[[int, int], bool]) -> "DependencyGraph":
        return DependencyGraph(self.graph, self._kinds, self._hidden, ignored)


class Selectors:
    """Finds the files that selectors name; `problems` collects those that name none."""

    def __init__(self, paths: Sequence[str], groups: Groups) -> None:
        self._paths = paths
        self._places = {path: place for place, path in enumerate(paths)}
        self._groups = groups
        self.problems: list[str] = []
        self._kept: dict[str, frozenset[int]] = {}

    def files(self, selectors: Iterable[str], rule: str) -> frozenset[int]:
        return frozenset().union(*(self.find(one, rule) for one in selectors))

    def find(self, selector: str, rule: str = "") -> frozenset[int]:
        if selector not in self._kept:
            self._kept[selector] = frozenset(self._find(selector.strip()))
        found = self._kept[selector]
        if not found and not selector.startswith("external:"):
            said = f"{rule}: {selector!r} names no file"
            if said not in self.problems:
                self.problems.append(said)
        return found

    def matches(self, selector: str) -> bool:
        """Whether it names any file; without a report."""
        return bool(frozenset(self._find(selector.strip())))

    def _find(self, selector: str) -> Iterable[int]:
        if marked := _MARKED.fullmatch(selector):
            kind, name = marked.groups()
            if kind == "re":
                return self._by_pattern(name)
            return self._by_group(kind, name)
        if any(sign in selector for sign in "*?["):
            pattern = re.compile(translate(selector.replace("**/", "*")))
            return (place for place, path in enumerate(self._paths) if pattern.match(path))
        folder = selector.rstrip("/")
        if folder in self._places:
            return (self._places[folder],)
        if inside := [place for place, path in enumerate(self._paths) if path.startswith(f"{folder}/")]:
            return inside
        return self._by_module(selector) if "/" not in selector else ()

    def _by_pattern(self, text: str) -> Iterable[int]:
        try:
            pattern = re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            self.problems.append(f"{text!r} is no regular expression: {error}")
            return ()
        if slow := slow_part(text):
            self.problems.append(f"{text!r} may take very long: {slow}")
            return ()
        return (place for place, path in enumerate(self._paths) if pattern.search(path))

    def _by_group(self, kind: str, name: str) -> Iterable[int]:
        found = self._groups.get(kind, {}).get(name.strip(), frozenset())
        return (self._places[path] for path in found if path in self._places)

    def _by_module(self, dotted: str) -> Iterable[int]:
        """A Python module or package, below the root or a usual folder of sources."""
        inner = dotted.replace(".", "/")
        for root in _ROOTS:
            start = f"{root}{inner}"
            found = [
                place
                for place, path in enumerate(self._paths)
                if path.startswith(f"{start}/") or path in (f"{start}.py", f"{start}.pyi")
            ]
            if found:
                return found
        return ()


class _Check(NamedTuple):
    rule: ArchitectureRule
    graph: DependencyGraph
    select: Selectors

    @property
    def paths(self) -> Sequence[str]:
        return self.graph.graph.paths

    def violation(self, source: int, target: int, chain: Sequence[int], said: str) -> RuleViolation:
        rule, paths = self.rule, self.paths
        return RuleViolation(
            rule.name, paths[source], paths[target], said, rule.severity, rule.message, self.graph.steps(chain)
        )


def check_rules(
    graph: FileGraph,
    rules: Iterable[ArchitectureRule],
    groups: Groups,
    type_checking: Callable[[], Mapping[str, frozenset[int]]] = dict,
) -> RuleCheck:
    """Check all rules. `type_checking` gives the lines, by path, that only type checkers see."""
    select = Selectors(graph.paths, groups)
    kept: dict[tuple[bool, bool], DependencyGraph] = {}
    violations, ignored = list[RuleViolation](), 0
    for rule in rules:
        key = rule.imports_only, rule.skip_type_checking
        if key not in kept:
            hidden = type_checking() if rule.skip_type_checking else {}
            kept[key] = DependencyGraph(graph, IMPORTS if rule.imports_only else None, hidden)
        check = _Check(rule, kept[key], select)
        if exempt := _exemptions(check):
            check = check._replace(graph=kept[key].without(partial(_is_exempt, exempt)))
            uses = kept[key].uses.items()
            ignored += sum(_is_exempt(exempt, source, target) for source, targets in uses for target in targets)
        found = sorted(_CHECKS[rule.kind](check), key=lambda one: (one.source, one.target, len(one.chain), one.said))
        unique = {one.key: one for one in reversed(found)}
        violations += sorted(unique.values(), key=lambda one: one.key)[:MOST_VIOLATIONS]
    return RuleCheck(tuple(violations), ignored, tuple(select.problems))


Exemption = tuple[frozenset[int], frozenset[int]]


def _is_exempt(exempt: Sequence[Exemption], source: int, target: int) -> bool:
    return any(source in sources and target in targets for sources, targets in exempt)


def _exemptions(check: _Check) -> list[Exemption]:
    """Dependencies that a rule ignores, each as `source -> target`."""
    found = []
    for text in check.rule.ignore:
        source, arrow, target = text.partition("->")
        if arrow:
            found.append((_exempt_side(check, source.strip()), _exempt_side(check, target.strip())))
        else:
            check.select.problems.append(f"{check.rule.name}: ignore {text!r} is not of the form 'a -> b'")
    return found


def _exempt_side(check: _Check, name: str) -> frozenset[int]:
    """A dotted module means it alone, without the modules below; in its name, `*` is one part and `**` any."""
    if "/" in name or _MARKED.fullmatch(name) or name in check.paths:
        return check.select.find(name, check.rule.name)
    dotted = re.escape(name).replace(r"\*\*", r"[\w/]+").replace(r"\*", r"\w+").replace(r"\.", "/")
    pattern = rf"re:(?:^|/){dotted}(?:/__init__)?\.pyi?$"
    return check.select.find(pattern if check.select.matches(pattern) else name, check.rule.name)


def _chains(
    check: _Check, sources: frozenset[int], targets: frozenset[int], closed: frozenset[int] = frozenset()
) -> Iterator[list[int]]:
    """From each source that leads to a target, the shortest chain to each target that it reaches first, through files
    that are neither and not closed."""
    uses = check.graph.uses
    blocked = sources | targets | closed
    for source in sorted(sources):
        seen, waiting = {source}, deque([[source]])
        while waiting:
            chain = waiting.popleft()
            for target in uses.get(chain[-1], ()):
                if target in seen:
                    continue
                seen.add(target)
                if target in targets:
                    yield [*chain, target]
                elif target not in blocked and not check.rule.direct:
                    waiting.append([*chain, target])


def _layers(check: _Check) -> Iterator[RuleViolation]:
    for container in check.rule.containers or ("",):
        yield from _layers_in(check, container)


def _layers_in(check: _Check, container: str) -> Iterator[RuleViolation]:
    rule = check.rule
    levels = [_siblings(text, container) for text in rule.layers]
    files = {name: _part(check, name, optional) for level in levels for name, optional in level.names}
    every = frozenset().union(*files.values())
    order = [name for level in levels for name, _ in level.names]
    rank = {name: place for place, level in enumerate(levels) for name, _ in level.names}
    independent = {place for place, level in enumerate(levels) if level.independent}
    for lower in order:
        for upper in order:
            if lower == upper or rank[lower] < rank[upper]:
                continue
            if rank[lower] == rank[upper] and rank[lower] not in independent:
                continue
            others = every - files[lower] - files[upper]
            how = "is above" if rank[lower] > rank[upper] else "is beside"
            for chain in _chains(check, files[lower], files[upper], others):
                yield check.violation(chain[0], chain[-1], chain, f"{lower} uses {upper}, which {how} it")
    if rule.exhaustive and container:
        yield from _outside_of_layers(check, container, every)


class _Level(NamedTuple):
    names: tuple[tuple[str, bool], ...]  # and whether the part may be missing
    independent: bool


def _siblings(text: str, container: str) -> _Level:
    """`a | b` are independent, `a : b` are not; `(a)` may be missing."""
    marked = _MARKED.fullmatch(text.strip()) and "|" not in text
    parts = [text.strip()] if marked else [one for one in SEPARATORS.split(text) if one]
    names = []
    for part in parts:
        optional = part.startswith("(") and part.endswith(")")
        bare = part.strip("() ")
        names.append((_below(container, bare), optional))
    return _Level(tuple(names), "|" in text)


def _below(container: str, name: str) -> str:
    if not container:
        return name
    return f"{container}{'/' if '/' in container else '.'}{name}"


def _part(check: _Check, name: str, optional: bool) -> frozenset[int]:
    return frozenset() if optional and not check.select.matches(name) else check.select.find(name, check.rule.name)


def _outside_of_layers(check: _Check, container: str, every: frozenset[int]) -> Iterator[RuleViolation]:
    ignored = check.select.files(
        [one for name in check.rule.exhaustive_ignores if check.select.matches(one := _below(container, name))],
        check.rule.name,
    )
    for place in sorted(check.select.find(container, check.rule.name) - every - ignored):
        if not check.paths[place].endswith("/__init__.py") and place in check.graph.graph.modules:
            yield check.violation(place, place, (), f"{check.paths[place]} is in no layer of {container}")


def _forbidden(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    sources = check.select.files(rule.sources, rule.name) - check.select.files(rule.except_sources, rule.name)
    if any(_GROUP.search(one) for one in (*rule.targets, *rule.except_targets)):
        yield from _forbidden_by_groups(check, sources)
        return
    targets = check.select.files(rule.targets, rule.name) - check.select.files(rule.except_targets, rule.name)
    for chain in _chains(check, sources - targets, targets - sources):
        yield check.violation(
            chain[0], chain[-1], chain, f"{' and '.join(rule.sources)} must not use {check.paths[chain[-1]]}"
        )
    names = [one.removeprefix("external:") for one in rule.targets if one.startswith("external:")]
    for place in sorted(sources) if names else ():
        path, outside = check.paths[place], check.graph.graph.externals.get(place, ())
        for wanted in names:
            lines = [line for name, line in outside if name == wanted or re.match(rf"{re.escape(wanted)}\W", name)]
            if lines:
                step = ChainStep(path, f"external:{wanted}", min(lines))
                said = f"{path} must not use {wanted}"
                yield RuleViolation(rule.name, path, step.target, said, rule.severity, rule.message, (step,))


def _forbidden_by_groups(check: _Check, sources: Iterable[int]) -> Iterator[RuleViolation]:
    """Targets whose expressions repeat a group of the source's: `$1`."""
    rule = check.rule
    patterns = [re.compile(one.removeprefix("re:")) for one in rule.sources if one.startswith("re:")]
    for one in (*rule.targets, *rule.except_targets):
        if slow := slow_part(_GROUP.sub("x", one.removeprefix("re:"))):
            check.select.problems.append(f"{rule.name}: {one!r} may take very long: {slow}")
            return
    for source in sorted(sources):
        match = next((found for one in patterns if (found := one.search(check.paths[source]))), None)
        groups = match.groups("") if match else ()
        wanted, except_ = (
            [_GROUP.sub(partial(_group, groups), one) for one in some] for some in (rule.targets, rule.except_targets)
        )
        for target in check.graph.uses.get(source, ()):
            path = check.paths[target]
            if _matches(wanted, path) and not _matches(except_, path):
                yield check.violation(source, target, (source, target), f"{check.paths[source]} must not use {path}")


def _group(groups: Sequence[str], match: re.Match[str]) -> str:
    number = int(match[1])
    return re.escape(groups[number - 1]) if 0 < number <= len(groups) else ""


def _matches(selectors: Iterable[str], path: str) -> bool:
    return any(re.search(one.removeprefix("re:"), path) for one in selectors)


def _allowed(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    sources = check.select.files(rule.sources, rule.name)
    targets = check.select.files(rule.targets, rule.name)
    for source in sorted(sources):
        for target in check.graph.uses.get(source, ()):
            if target not in targets and target not in sources:
                allowed = ", ".join(rule.targets) or "nothing else"
                yield check.violation(source, target, (source, target), f"{check.paths[source]} may only use {allowed}")


def _required(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    sources = check.select.files(rule.sources, rule.name) - check.select.files(rule.except_sources, rule.name)
    targets = check.select.files(rule.targets, rule.name)
    for source in sorted(sources - targets):
        if targets.isdisjoint(check.graph.uses.get(source, ())):
            yield check.violation(source, source, (), f"{check.paths[source]} must use {' or '.join(rule.targets)}")


def _independence(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    files = {name: check.select.find(name, rule.name) for name in rule.modules}
    every = frozenset().union(*files.values())
    for name, own in files.items():
        for other, there in files.items():
            if name != other:
                for chain in _chains(check, own - there, there - own, every - own - there):
                    yield check.violation(chain[0], chain[-1], chain, f"{name} must not use {other}")


def _surface(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    inside = check.select.files(rule.modules, rule.name)
    surface = check.select.files(rule.surface, rule.name)
    exempt = check.select.files(rule.sources, rule.name) if rule.sources else frozenset[int]()
    for source, targets in sorted(check.graph.uses.items()):
        if source in inside or source in exempt:
            continue
        for target in targets:
            if target in inside and target not in surface:
                instead = f"must use {' or '.join(rule.surface)} instead" if rule.surface else "may not use it"
                said = f"{check.paths[source]} {instead}"
                yield check.violation(source, target, (source, target), said)


def _acyclic(check: _Check) -> Iterator[RuleViolation]:
    """Cycles between modules or, with one module or none, between the files in it."""
    rule = check.rule
    uses = check.graph.uses
    if len(rule.modules) < 2:
        inside = check.select.files(rule.modules, rule.name) if rule.modules else frozenset(range(len(check.paths)))
        unit = {place: place for place in inside}
    else:
        unit = {
            place: number for number, name in enumerate(rule.modules) for place in check.select.find(name, rule.name)
        }
    edges: dict[int, dict[int, tuple[int, int]]] = {}
    for source in sorted(unit):
        for target in uses.get(source, ()):
            if target in unit and unit[source] != unit[target]:
                edges.setdefault(unit[source], {}).setdefault(unit[target], (source, target))
    for group in components({one: tuple(others) for one, others in edges.items()}):
        if len(group) > 1:
            cycle = shortest_cycle({one: tuple(others) for one, others in edges.items()}, group)
            pairs = [edges[one][other] for one, other in pairwise(cycle)]
            steps = tuple(step for pair in pairs for step in check.graph.steps(pair))
            names = [rule.modules[one] if len(rule.modules) > 1 else check.paths[one] for one in cycle]
            said = f"cycle of {len(group)}: {' → '.join(names)}"
            first, last = pairs[0][0], pairs[-1][0]
            yield RuleViolation(
                rule.name, check.paths[first], check.paths[last], said, rule.severity, rule.message, steps
            )


def components(uses: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, each sorted, in the order of their first nodes."""
    index, low, on, stack = dict[int, int](), dict[int, int](), set[int](), list[int]()
    found = list[list[int]]()
    for root in sorted(uses):
        if root in index:
            continue
        work = [(root, iter(uses.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(uses.get(other, ()))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        one = stack.pop()
                        on.discard(one)
                        group.append(one)
                        if one == node:
                            break
                    found.append(sorted(group))
    return sorted(found)


def shortest_cycle(uses: Mapping[int, Sequence[int]], group: Sequence[int]) -> list[int]:
    """The shortest cycle through the first node of a component; the first node is repeated at the end."""
    inside, start = set(group), group[0]
    waiting, seen = deque([[start]]), set[int]()
    while waiting:
        chain = waiting.popleft()
        for other in sorted(uses.get(chain[-1], ())):
            if other == start:
                return [*chain, start]
            if other in inside and other not in seen:
                seen.add(other)
                waiting.append([*chain, other])
    return [start, start]


_CHECKS: Mapping[str, Callable[[_Check], Iterator[RuleViolation]]] = {
    "layers": _layers,
    "forbidden": _forbidden,
    "allowed": _allowed,
    "required": _required,
    "independence": _independence,
    "acyclic": _acyclic,
    "surface": _surface,
}
