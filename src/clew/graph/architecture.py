"""Checking architecture rules on the graph of files. Pure: the same graph and rules give the same violations."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cache, cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from clew.graph.file_graph import FileGraph
from clew.model.architecture import ArchitectureRule, ChainStep, Permission, RuleCheck, RuleViolation
from clew.model.words import EdgeKind
from clew.runtime.values import slow_part

MOST_VIOLATIONS = 1000  # of one rule
IMPORTS = frozenset({EdgeKind.IMPORTS, EdgeKind.EXPORTS})
_GROUP = re.compile(r"\$(\d)")
SEPARATORS = re.compile(r"\s*[|:]\s*")
_OUTSIDE = "external:"
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


class ExternalType(NamedTuple):
    """The package that an external name belongs to, and its kinds as dependency-cruiser names them."""

    package: str
    types: frozenset[str]


NO_TYPE = ExternalType("", frozenset())


def _dotted_pattern(module: str) -> str:
    """A dotted module as an expression of paths; `*` is one part, `**` any."""
    return re.escape(module).replace(r"\*\*", r"[\w/]+").replace(r"\*", r"\w+").replace(r"\.", "/")


class Selectors:
    """Finds the files that selectors name; `problems` collects those that name none."""

    def __init__(
        self,
        paths: Sequence[str],
        groups: Groups,
        types_of: Callable[[str, str], ExternalType] = lambda path, name: NO_TYPE,
    ) -> None:
        self.types_of = types_of
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
        if not found and not selector.startswith(_OUTSIDE):
            said = f"{rule}: {selector!r} names no file"
            if said not in self.problems:
                self.problems.append(said)
        return found

    def has_file(self, path: str) -> bool:
        return path in self._places

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
            if re.fullmatch(r"[\w*]+(?:\.[\w*]+)+", selector):
                return self._by_pattern(rf"(?:^|/){_dotted_pattern(selector)}(?:\.pyi?$|/)")
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
    types_of: Callable[[str, str], ExternalType] = lambda path, name: NO_TYPE,
) -> RuleCheck:
    """Check all rules. `type_checking` gives the lines, by path, that only type checkers see; `types_of` the kinds of
    an external name that a file refers to."""
    select = Selectors(graph.paths, groups, types_of)
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
            if outside := _external_exemptions(rule, select):
                outer = _external_uses(check, select.files(rule.sources, rule.name))
                ignored += sum(_is_exempt_outside(outside, place, name) for place, name, _ in outer)
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
            sides = (_exempt_files(check.select, side.strip(), check.rule.name) for side in (source, target))
            found.append((next(sides), next(sides)))
        else:
            check.select.problems.append(f"{check.rule.name}: ignore {text!r} is not of the form 'a -> b'")
    return found


def _exempt_files(select: Selectors, name: str, rule: str) -> frozenset[int]:
    """A dotted module means it alone, without the modules below; in its name, `*` is one part and `**` any."""
    if "/" in name or _MARKED.fullmatch(name) or select.has_file(name):
        return select.find(name, rule)
    pattern = rf"re:(?:^|/){_dotted_pattern(name)}(?:/__init__)?\.pyi?$"
    return select.find(pattern if select.matches(pattern) else name, rule)


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
    if rule.types or rule.except_types:
        yield from _forbidden_by_type(check, sources)
        return
    if any(_GROUP.search(one) for one in (*rule.targets, *rule.except_targets)):
        yield from _forbidden_by_groups(check, sources)
        return
    targets = check.select.files(rule.targets, rule.name) - check.select.files(rule.except_targets, rule.name)
    for chain in _chains(check, sources - targets, targets - sources):
        yield check.violation(
            chain[0], chain[-1], chain, f"{' and '.join(rule.sources)} must not use {check.paths[chain[-1]]}"
        )
    exempt = _external_exemptions(rule, check.select)
    for place, wanted, line in _external_uses(check, sources):
        if not _is_exempt_outside(exempt, place, wanted):
            path = check.paths[place]
            step = ChainStep(path, f"{_OUTSIDE}{wanted}", line)
            said = f"{path} must not use {wanted}"
            yield RuleViolation(rule.name, path, step.target, said, rule.severity, rule.message, (step,))


def _external_uses(check: _Check, sources: Iterable[int]) -> Iterator[tuple[int, str, int]]:
    """Files that use a forbidden external module, with its name and the first line."""
    names = [one.removeprefix(_OUTSIDE) for one in check.rule.targets if one.startswith(_OUTSIDE)]
    for place in sorted(sources) if names else ():
        outside = check.graph.graph.externals.get(place, ())
        for wanted in names:
            lines = [line for name, line in outside if name == wanted or re.match(rf"{re.escape(wanted)}\W", name)]
            if lines:
                yield place, wanted, min(lines)


def _external_exemptions(rule: ArchitectureRule, select: Selectors) -> list[tuple[frozenset[int], re.Pattern[str]]]:
    """External modules that a rule lets some files use: `a -> external:b`; in a name, `*` is one part and `**` any."""
    found = []
    for text in rule.ignore:
        source, _, target = (part.strip() for part in text.partition("->"))
        if target.startswith(_OUTSIDE):
            name = re.escape(target.removeprefix(_OUTSIDE)).replace(r"\*\*", ".+").replace(r"\*", r"\w+")
            found.append((_exempt_files(select, source, rule.name), re.compile(rf"{name}(?:\W.*)?")))
    return found


def _is_exempt_outside(exempt: Sequence[tuple[frozenset[int], re.Pattern[str]]], place: int, name: str) -> bool:
    return any(place in files and pattern.fullmatch(name) for files, pattern in exempt)


def _forbidden_by_type(check: _Check, sources: Iterable[int]) -> Iterator[RuleViolation]:
    """External dependencies of some kinds, by the manifests of their packages."""
    rule = check.rule
    for place in sorted(sources):
        path, first = check.paths[place], dict[str, tuple[int, ExternalType]]()
        for name, line in check.graph.graph.externals.get(place, ()):
            found = check.select.types_of(path, name)
            if found.package and (found.package not in first or line < first[found.package][0]):
                first[found.package] = line, found
        for package, (line, found) in sorted(first.items()):
            named = (package, f"node_modules/{package}")
            is_meant = bool(found.types & set(rule.types)) if rule.types else bool(found.types)
            is_meant = is_meant and found.types.isdisjoint(rule.except_types)
            is_named = any(_matches(rule.targets, one) for one in named) and not any(
                _matches(rule.except_targets, one) for one in named
            )
            if is_meant and is_named:
                step = ChainStep(path, f"external:{package}", line)
                kinds = ", ".join(sorted(found.types))
                said = f"{path} must not use {package} ({kinds})"
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


def _check_allowed(check: _Check) -> Iterator[RuleViolation]:
    rule = check.rule
    if rule.permits:
        yield from _not_permitted(check)
        return
    sources = check.select.files(rule.sources, rule.name)
    targets = check.select.files(rule.targets, rule.name)
    for source in sorted(sources):
        for target in check.graph.uses.get(source, ()):
            if target not in targets and target not in sources:
                allowed = ", ".join(rule.targets) or "nothing else"
                yield check.violation(source, target, (source, target), f"{check.paths[source]} may only use {allowed}")


def _not_permitted(check: _Check) -> Iterator[RuleViolation]:
    """Dependencies that no pair of ends permits."""
    rule, select, every = check.rule, check.select, frozenset(range(len(check.paths)))
    repeats = any(_GROUP.search(one) for pair in rule.permits for one in (*pair.targets, *pair.except_targets))
    ends = [
        (
            (select.files(pair.sources, rule.name) if pair.sources else every)
            - select.files(pair.except_sources, rule.name),
            frozenset[int]()
            if repeats
            else (select.files(pair.targets, rule.name) if pair.targets else every)
            - select.files(pair.except_targets, rule.name),
        )
        for pair in rule.permits
    ]
    for source, targets in sorted(check.graph.uses.items()):
        for target in targets:
            pairs = zip(rule.permits, ends, strict=True)
            if not any(
                source in sources and (_is_repeated(check, pair, source, target) if repeats else target in permitted)
                for pair, (sources, permitted) in pairs
            ):
                said = f"{check.paths[source]} may not use {check.paths[target]}: no permission names both"
                yield check.violation(source, target, (source, target), said)


def _is_repeated(check: _Check, pair: Permission, source: int, target: int) -> bool:
    """Whether a target fits expressions that repeat groups of the source's."""
    found = (re.search(one.removeprefix("re:"), check.paths[source]) for one in pair.sources if one.startswith("re:"))
    match = next(filter(None, found), None)
    groups = match.groups("") if match else ()
    wanted, except_ = (
        [_GROUP.sub(partial(_group, groups), one) for one in some] for some in (pair.targets, pair.except_targets)
    )
    path = check.paths[target]
    return (not wanted or _matches(wanted, path)) and not _matches(except_, path)


def _orphan(check: _Check) -> Iterator[RuleViolation]:
    """Files of code that use nothing and that nothing uses."""
    rule, graph = check.rule, check.graph
    sources = check.select.files(rule.sources, rule.name) if rule.sources else frozenset(range(len(check.paths)))
    used = {target for targets in graph.uses.values() for target in targets}
    for place in sorted(sources - check.select.files(rule.except_sources, rule.name)):
        outside = (name for name, _ in graph.graph.externals.get(place, ()) if not name.startswith("builtins."))
        is_tied = place in used or graph.uses.get(place) or next(outside, "")
        if place in graph.graph.modules and not is_tied:
            yield check.violation(place, place, (), f"{check.paths[place]} uses nothing, and nothing uses it")


def _check_required(check: _Check) -> Iterator[RuleViolation]:
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
    if len(rule.modules) < 2:
        inside = check.select.files(rule.modules, rule.name) if rule.modules else frozenset(range(len(check.paths)))
        unit = {place: place for place in inside}
    else:
        unit = {
            place: number for number, name in enumerate(rule.modules) for place in check.select.find(name, rule.name)
        }
    yield from _cycles(check, unit, rule.modules if len(rule.modules) > 1 else check.paths)


def _cycles(check: _Check, unit: Mapping[int, int], names: Sequence[str], where: str = "") -> Iterator[RuleViolation]:
    """Cycles between units, which are named by their numbers; `unit` gives the one of each file."""
    rule, uses = check.rule, check.graph.uses
    edges: dict[int, dict[int, tuple[int, int]]] = {}
    for source in sorted(unit):
        for target in uses.get(source, ()):
            if target in unit and unit[source] != unit[target]:
                edges.setdefault(unit[source], {}).setdefault(unit[target], (source, target))
    between = {one: tuple(others) for one, others in edges.items()}
    for group in components(between):
        if len(group) > 1:
            cycle = shortest_cycle(between, group)
            pairs = [edges[one][other] for one, other in pairwise(cycle)]
            steps = tuple(step for pair in pairs for step in check.graph.steps(pair))
            said = f"cycle of {len(group)}{where}: {' → '.join(names[one] for one in cycle)}"
            first, last = pairs[0][0], pairs[-1][0]
            yield RuleViolation(
                rule.name, check.paths[first], check.paths[last], said, rule.severity, rule.message, steps
            )


def _acyclic_siblings(check: _Check) -> Iterator[RuleViolation]:
    """Cycles between the parts of a package and, down to a depth, of the packages in it."""
    rule = check.rule
    skipped = {folder for name in rule.skip for folder in _packages(check, name)}
    seen = set[str]()
    waiting = deque((folder, rule.depth) for name in rule.modules for folder in _packages(check, name))
    while waiting:
        folder, depth = waiting.popleft()
        if folder in seen:
            continue
        seen.add(folder)
        start = f"{folder}/" if folder else ""
        inside = {place: path[len(start) :] for place, path in enumerate(check.paths) if path.startswith(start)}
        parts = {place: _part_of_package(rest) for place, rest in inside.items()}
        names = sorted({part for part in parts.values() if part})
        numbers = {name: number for number, name in enumerate(names)}
        unit = {place: numbers[part] for place, part in parts.items() if part}
        yield from _cycles(check, unit, names, f" in {folder or 'the project'}")
        below = sorted({rest.partition("/")[0] for rest in inside.values() if "/" in rest})
        if depth:
            waiting.extend((f"{start}{one}", depth - 1) for one in below if f"{start}{one}" not in skipped)


def _part_of_package(rest: str) -> str:
    """The part of a package that a path below its folder belongs to; none for the package's own code."""
    first, inner, _ = rest.partition("/")
    stem = first.removesuffix(".pyi").removesuffix(".py")
    return "" if not inner and stem == "__init__" else first if inner else stem


def _packages(check: _Check, name: str) -> list[str]:
    """The folders of a name: a folder, a dotted package, or one whose name has `*` (one part) or `**` (any)."""
    folders = sorted({path[:at] for path in check.paths for at, sign in enumerate(path) if sign == "/"})
    bare = name.strip().rstrip("/")
    if bare in folders:
        return [bare]
    dotted = re.escape(bare).replace(r"\*\*", r"[\w/]+").replace(r"\*", r"\w+").replace(r"\.", "/")
    roots = "|".join(map(re.escape, filter(None, _ROOTS)))
    pattern = re.compile(rf"(?:{roots})?{dotted}")
    found = [one for one in folders if pattern.fullmatch(one)]
    if not found:
        check.select.problems.append(f"{check.rule.name}: {name!r} names no package")
    return found


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
    "allowed": _check_allowed,
    "required": _check_required,
    "independence": _independence,
    "acyclic": _acyclic,
    "acyclic_siblings": _acyclic_siblings,
    "orphan": _orphan,
    "surface": _surface,
}


_MODULES = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"})
_KINDS = {
    "dependencies": "npm",
    "devDependencies": "npm-dev",
    "optionalDependencies": "npm-optional",
    "peerDependencies": "npm-peer",
    "bundledDependencies": "npm-bundled",
}
_CORE = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain "
    "events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl "
    "stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)


class ExternalTypes:
    """`text_of` gives the text of a file of the project, empty if there is none."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._declared = cache(self._read)

    def of(self, path: str, name: str) -> ExternalType:
        """The package and kinds of an external name, as a file refers to it; none for globals and other languages."""
        if path.rpartition(".")[2] not in _MODULES or name.startswith(("builtins.", ".", "/")):
            return NO_TYPE
        if name.startswith("node:"):
            return ExternalType(_first(name.removeprefix("node:")), frozenset({"core"}))
        folder = path.rpartition("/")[0]
        while True:
            declared = self._declared(folder)
            fitting = [one for one in declared if name == one or name.startswith((f"{one}/", f"{one}."))]
            if fitting:
                package = max(fitting, key=len)
                return ExternalType(package, declared[package])
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        package = "/".join(name.split("/")[:2]) if name.startswith("@") else _first(name)
        return ExternalType(package, frozenset({"core"} if package in _CORE else {"npm-no-pkg", "npm-unknown"}))

    def _read(self, folder: str) -> Mapping[str, frozenset[str]]:
        """The packages that the manifest of a folder declares."""
        try:
            found = json.loads(self._text_of(f"{folder}/package.json" if folder else "package.json") or "{}")
        except (ValueError, RecursionError):
            return {}
        declared: dict[str, set[str]] = {}
        for section, kind in _KINDS.items() if isinstance(found, dict) else ():
            for name in found.get(section) or ():
                declared.setdefault(str(name), set()).add(kind)
        return {name: frozenset(kinds) for name, kinds in declared.items()}


def _first(name: str) -> str:
    return name.partition("/")[0].partition(".")[0]
