"""The answer of `arch_validate`: violations of architecture rules with their chains, and proposed rules."""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.model.architecture import ArchitectureRule, RuleViolation
from clew.model.errors import ConfigError, InvalidInput, NotFound
from clew.runtime.plain import open_inside
from clew.text.paths import Among, lies_among
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of

if TYPE_CHECKING:
    from clew.graph.architecture import Groups
    from clew.graph.file_graph import FileGraph

MOST_FILE = 1_000_000  # bytes of a file of contracts, or of a baseline
MOST_PROPOSED = 20  # layers
BACKWARD = 0.1  # share of references that may lead upwards in proposed layers


class BaselineEntry(Struct, frozen=True, order=True):
    """An accepted violation: any dependency of a rule from one file to another, whatever its line."""

    rule: str
    source: str
    target: str


class ProposedRule(Struct, frozen=True):
    """A rule that the graph nearly keeps, as text for context.toml; `violations` is how many break it now."""

    name: str
    toml: str
    violations: int
    why: str


class ArchValidate(Struct, frozen=True, omit_defaults=True):
    """`ignored` counts dependencies that rules exempt, `baselined` violations that the baseline accepts, and `fixed`
    its entries that no longer exist. `problems` name selectors without files and contracts that cannot be checked."""

    violations: tuple[RuleViolation, ...]
    rules: int
    checked_files: int
    ignored: int = 0
    baselined: int = 0
    fixed: int = 0
    problems: tuple[str, ...] = ()
    proposed: tuple[ProposedRule, ...] = ()
    freshness: FreshnessState = NOTHING_TO_TELL

    @property
    def errors(self) -> int:
        return sum(one.severity == "error" for one in self.violations)

    def summary(self) -> str:
        if not self.rules:
            said = "No architecture rules are configured."
            said += f" {count_of(len(self.proposed), 'rule is', 'rules are')} proposed." if self.proposed else ""
            return f"{said} {self.freshness.unseen()}".rstrip()
        kept = "are kept" if self.rules > 1 else "is kept"
        rules = count_of(self.rules, "rule", "rules")
        said = (
            f"{count_of(len(self.violations), 'violation', 'violations')} of {rules}."
            if self.violations
            else f"{rules} {kept}."
        )
        notes = [
            f"{self.ignored} ignored by rules." if self.ignored else "",
            f"{self.baselined} in the baseline." if self.baselined else "",
            f"{self.fixed} of the baseline fixed." if self.fixed else "",
            f"{count_of(len(self.problems), 'problem', 'problems')}: {self.problems[0]}." if self.problems else "",
        ]
        return " ".join([said, *filter(None, notes), self.freshness.unseen()]).rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells lines of."""
        return dict.fromkeys(step.source for one in self.violations for step in one.chain)


ARCH_SHAPE = Shape(
    {
        "problems": Priority.HIGH,
        "proposed": Priority.HIGH,
        "ignored": Priority.MEDIUM,
        "baselined": Priority.MEDIUM,
        "fixed": Priority.LOW,
        "freshness": Priority.LOW,
    },
    grow_lists("violations", forms={"violations": (only("rule", "said"), only("rule", "said", "message", "chain"))}),
    pages=("violations",),
)


def validate(engine: Engine, only_rules: Sequence[str] = (), *, baseline: bool = True) -> ArchValidate:
    """Check the configured rules, and contracts of other tools."""
    from clew.graph.architecture import (
        ExternalTypes,
        check_rules,  # numpy is heavy
    )
    from clew.graph.file_graph import file_graph_of

    engine.require_index()
    rules, problems = configured_rules(engine)
    if only_rules:
        names = {rule.name for rule in rules}
        if strange := [one for one in only_rules if one not in names]:
            raise NotFound(f"no rule {strange[0]!r}", f"Rules: {', '.join(sorted(names)) or 'none'}.")
        rules = [rule for rule in rules if rule.name in only_rules]
    graph = file_graph_of(engine.graph())
    if not rules:
        return ArchValidate((), 0, len(graph.paths), problems=tuple(problems), proposed=proposals(graph))
    groups = groups_of(engine, rules)
    types = ExternalTypes(lambda path: _text(engine, path)).of
    found = check_rules(graph, rules, groups, lambda: _type_checking_lines(engine, graph), types)
    accepted = read_baseline(engine) if baseline else frozenset()
    keys = {BaselineEntry(*one.key) for one in found.violations}
    left = tuple(one for one in found.violations if BaselineEntry(*one.key) not in accepted)
    checked = {rule.name for rule in rules}
    return ArchValidate(
        left,
        len(rules),
        len(graph.paths),
        found.ignored,
        len(found.violations) - len(left),
        sum(one not in keys for one in accepted if one.rule in checked),
        (*problems, *found.problems),
    )


def configured_rules(engine: Engine) -> tuple[list[ArchitectureRule], list[str]]:
    """The project's rules, and problems of contracts that cannot be checked as a whole."""
    from clew.graph.architecture_contracts import FILES, read_contracts

    settings = engine.config.architecture
    rules, problems = [_rule(number, text) for number, text in enumerate(settings.rules, 1)], list[str]()
    names = [rule.name for rule in rules]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ConfigError(f"two architecture rules are called {twice!r}", "Give each rule its own name.")
    for name in FILES if settings.contracts else ():
        if text := _read(engine, name):
            contracts = read_contracts(name, text)
            rules += [one for one in contracts.rules if one.name not in names]
            problems += contracts.problems
    return rules, problems


def _rule(number: int, text: str) -> ArchitectureRule:
    try:
        rule = msgspec.json.decode(text, type=ArchitectureRule)
    except msgspec.ValidationError as error:
        name = json.loads(text).get("name", number)
        raise ConfigError(
            f"architecture rule {name!r}: {error}", "docs/analysis.md lists the kinds of rules and their keys."
        ) from None
    needs = {
        "layers": ("layers",), "independence": ("modules",), "forbidden": ("sources", "targets"),
        "allowed": () if rule.permits else ("sources",), "required": ("sources", "targets"), "surface": ("modules",),
        "acyclic": (), "acyclic_siblings": ("modules",), "orphan": (),
    }[rule.kind]  # fmt: skip
    if lacks := [one for one in needs if not getattr(rule, one)]:
        word = {"sources": "from", "targets": "to"}.get(lacks[0], lacks[0])
        raise ConfigError(f"architecture rule {rule.name!r} has no `{word}`", f"A rule of kind {rule.kind} needs it.")
    return rule


def _text(engine: Engine, path: str) -> str:
    elements = Elements(engine.files)
    page = elements.page(path)
    return elements.text(page).decode("utf-8", "replace") if page else ""


def _read(engine: Engine, name: str) -> str:
    try:
        with open_inside(engine.place.root, name) as file:
            return file.read(MOST_FILE).decode("utf-8", "replace")
    except OSError:
        return ""


def groups_of(engine: Engine, rules: Iterable[ArchitectureRule]) -> "Groups":
    """Communities, services and packages by name, as far as rules name any."""
    selectors = [
        one
        for rule in rules
        for one in chain(rule.layers, rule.sources, rule.targets, rule.modules, rule.surface, rule.ignore)
    ]
    groups: dict[str, dict[str, frozenset[str]]] = {}
    if any("community:" in one for one in selectors):
        groups["community"] = {one.label: frozenset(one.files) for one in engine.communities().all}
    if any("service:" in one for one in selectors):
        owners = engine.services.current().owner
        services: dict[str, set[str]] = {}
        for path, name in owners.items():
            services.setdefault(name, set()).add(path)
        groups["service"] = {name: frozenset(paths) for name, paths in services.items()}
    if any("package:" in one for one in selectors):
        groups["package"] = _packages(engine)
    return groups


_MANIFESTS = frozenset(
    {"package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
     "build.gradle.kts", "composer.json", "Package.swift", "build.sbt"}
)  # fmt: skip


def _packages(engine: Engine) -> dict[str, frozenset[str]]:
    """By the name of its folder, the files of each folder with a manifest, without those of packages inside of it."""
    paths = [one.path for one in engine.files.contents()]
    folders = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in _MANIFESTS}
    folders |= {path.rpartition("/")[0] for path in paths if path.endswith((".csproj", ".fsproj", ".gemspec"))}
    found: dict[str, set[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folder = folder.rpartition("/")[0]
        if folder:
            found.setdefault(folder.rpartition("/")[2], set()).add(path)
    return {name: frozenset(some) for name, some in found.items()}


def _type_checking_lines(engine: Engine, graph: "FileGraph") -> Mapping[str, frozenset[int]]:
    """By path of a Python file, the lines below `if TYPE_CHECKING:`."""
    elements, found = Elements(engine.files), dict[str, frozenset[int]]()
    for path in graph.paths:
        page = elements.page(path) if path.endswith(".py") else None
        text = elements.text(page) if page else b""
        if b"TYPE_CHECKING" not in text:
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = set[int]()
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
                lines.update(range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1))
        found[path] = frozenset(lines)
    return found


# The baseline


def read_baseline(engine: Engine) -> frozenset[BaselineEntry]:
    text = _read(engine, engine.config.architecture.baseline)
    if not text:
        return frozenset()
    try:
        return frozenset(msgspec.json.decode(text, type=list[BaselineEntry]))
    except msgspec.MsgspecError as error:
        name = engine.config.architecture.baseline
        raise InvalidInput(f"{name} is no baseline: {error}", f"Remove {name}, or restore it from git.") from None


def shrunk_baseline(engine: Engine) -> tuple[str, int, int]:
    """The text of the new baseline, and how many entries it has and had. A baseline that exists only shrinks."""
    before = read_baseline(engine)
    exists = bool(_read(engine, engine.config.architecture.baseline))
    now = {BaselineEntry(*one.key) for one in validate(engine, baseline=False).violations}
    after = sorted(now & before if exists else now)
    body = ",\n".join(f"  {msgspec.json.encode(one).decode()}" for one in after)
    return (f"[\n{body}\n]\n" if after else "[]\n"), len(after), len(before)


# Proposals


def proposals(graph: "FileGraph") -> tuple[ProposedRule, ...]:
    """Layers of the folders of the main source folder, if nearly all references lead one way; and no cycles."""
    from clew.graph.architecture import check_rules  # numpy is heavy

    units = unit_folders(graph)
    if len(units) < 2:
        return ()
    order = layer_order(graph, units)
    rule = ArchitectureRule("layers", "layers", layers=tuple(order), direct=True)
    uses = _between(graph, units)
    rank = {unit: place for place, unit in enumerate(order)}
    backward = sum(count for (one, other), count in uses.items() if rank[one] > rank[other])
    total = sum(uses.values())
    if not total:
        return ()
    found = []
    violations = len(check_rules(graph, [rule], {}).violations)
    if backward <= BACKWARD * total:
        why = f"{total - backward} of {total} references between these folders lead downwards"
        found.append(ProposedRule("layers", _as_toml(rule), violations, why))
    cycles = ArchitectureRule("no cycles between folders", "acyclic", modules=tuple(sorted(units)))
    count = len(check_rules(graph, [cycles], {}).violations)
    if not count:
        found.append(ProposedRule(cycles.name, _as_toml(cycles), 0, "there are none now"))
    return tuple(found)


def unit_folders(graph: "FileGraph") -> list[str]:
    """The folders inside of the innermost folder that holds at least 60 % of the code."""
    code = [path for path in graph.paths if lies_among(path) is Among.CODE and graph.places[path] in graph.neighbors]
    folder = ""
    while True:
        inside = [path for path in code if path.startswith(folder)]
        children: dict[str, int] = {}
        for path in inside:
            child = path[len(folder) :].partition("/")
            if child[1]:
                children[f"{folder}{child[0]}/"] = children.get(f"{folder}{child[0]}/", 0) + 1
        best = max(children, key=lambda one: (children[one], one), default="")
        if not best or children[best] < 0.6 * len(code):
            return sorted(one.rstrip("/") for one, count in children.items() if count > 1)[:MOST_PROPOSED]
        folder = best


def layer_order(graph: "FileGraph", units: Sequence[str]) -> list[str]:
    """Units from the top: those that use others before those that are used, with as few references upwards as a greedy
    choice finds."""
    uses = _between(graph, units)
    left, top, bottom = set(units), list[str](), list[str]()

    def out(unit: str) -> int:
        return sum(count for (one, other), count in uses.items() if one == unit and other in left)

    def into(unit: str) -> int:
        return sum(count for (one, other), count in uses.items() if other == unit and one in left)

    while left:
        if sinks := sorted(one for one in left if not out(one)):
            chosen = sinks[-1]
            bottom.insert(0, chosen)
        else:
            chosen = max(sorted(left), key=lambda one: out(one) - into(one))
            top.append(chosen)
        left.discard(chosen)
    return [*top, *bottom]


def _between(graph: "FileGraph", units: Sequence[str]) -> dict[tuple[str, str], int]:
    unit = {place: one for place, path in enumerate(graph.paths) for one in units if path.startswith(f"{one}/")}
    found: dict[tuple[str, str], int] = {}
    for (source, target), count in graph.counts.items():
        pair = unit.get(source, ""), unit.get(target, "")
        if all(pair) and pair[0] != pair[1]:
            found[pair] = found.get(pair, 0) + count
    return found


def _as_toml(rule: ArchitectureRule) -> str:
    rows = [f"name = {json.dumps(rule.name)}", f'kind = "{rule.kind}"']
    lists = ((name, list(getattr(rule, name))) for name in ("layers", "modules"))
    rows += [f"{name} = {json.dumps(some)}" for name, some in lists if some]
    if rule.direct:
        rows.append("direct = true")
    return "\n".join(["[[architecture.rules]]", *rows])
