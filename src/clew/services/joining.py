"""The services of several repositories as those of one system.

A deployment in one repository may run the source of another: both are then one service. Services of the same name that
are not the same get the name of their repository behind an `@`.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from clew.model.services import Sighting
from clew.services.discovery import ROOT, DeclaredService, Discovery, Found, Variable


class SourceFile(NamedTuple):
    """An indexed file."""

    path: str
    language: str


class RepositoryFiles(NamedTuple):
    """The files of one repository, each path with its prefix; the project's own has none. `root` is on the disk."""

    name: str
    prefix: str
    root: str
    files: Sequence[SourceFile]


class DiscoveredServices(NamedTuple):
    """All services, the repository of each by its prefix, read problems, and how configuration is read."""

    found: list[Found]
    repository: Mapping[str, str]
    problems: list[str]
    settings: Callable[[str], list[tuple[str, str, int]]]


def discover_services(
    repositories: Sequence[RepositoryFiles],
    read: Callable[[str], str],
    declared: Sequence[DeclaredService],
    programs: Iterable[tuple[str, int]],
) -> DiscoveredServices:
    started = tuple(programs)
    parts: list[tuple[str, list[Found]]] = []
    readers: list[tuple[str, Discovery]] = []
    problems: list[str] = []
    for one in repositories:
        before = f"{one.prefix}/" if one.prefix else ""
        discovery = Discovery(
            [(file.path.removeprefix(before), file.language) for file in one.files],
            partial(_read_below, read, before),
            one.name,
            partial(_sibling_repository, one, repositories),
        )
        own = {file.path for file in one.files}
        inside = [(path.removeprefix(before), line) for path, line in started if path in own]
        found = discovery.discover(() if before else declared, inside)
        parts.append((one.prefix, [_move_below(service, one.prefix) for service in found] if before else found))
        readers.append((before, discovery))
        problems += [f"{before}{problem}" for problem in discovery.problems]

    def settings(path: str) -> list[tuple[str, str, int]]:
        before, discovery = next(one for one in reversed(readers) if path.startswith(one[0]))
        return discovery.settings(path.removeprefix(before))

    joined, repository = (parts[0][1], {}) if len(parts) == 1 else _join_services(parts)
    return DiscoveredServices(joined, repository, problems, settings)


def _read_below(read: Callable[[str], str], before: str, path: str) -> str:
    return read(f"{before}{path}")


def _sibling_repository(here: RepositoryFiles, repositories: Sequence[RepositoryFiles], path: str) -> str:
    """The name of the repository, or of the folder in one, that a path leads to out of another."""
    target = posixpath.normpath(posixpath.join(here.root, path))
    for one in repositories:
        if one.prefix != here.prefix and (target == one.root or target.startswith(f"{one.root}/")):
            return one.name if target == one.root else target.rpartition("/")[2]
    return ""


def _move_below(found: Found, prefix: str) -> Found:
    """A service with every path below its repository."""

    def place(one: Sighting) -> Sighting:
        return replace(one, path=f"{prefix}/{one.path}")

    def variables(some: Sequence[Variable]) -> tuple[Variable, ...]:
        return tuple(replace(one, evidence=place(one.evidence)) for one in some)

    folder = found.service.path
    path = prefix if folder == ROOT else f"{prefix}/{folder}" if folder else ""
    return Found(
        replace(found.service, path=path, evidence=place(found.service.evidence)),
        variables(found.environment),
        variables(found.properties),
        tuple((name, place(one)) for name, one in found.needs),
        tuple(f"{prefix}/{one}" for one in found.files),
        tuple((name, place(one)) for name, one in found.dependencies),
    )


def _join_services(parts: Sequence[tuple[str, list[Found]]]) -> tuple[list[Found], dict[str, str]]:
    """A service that is deployed in one repository and has its source in another becomes one."""
    found: dict[str, Found] = {}
    repository: dict[str, str] = {}
    called: dict[tuple[str, str], str] = {}  # the name of what a repository calls so
    with_source = [(prefix, one) for prefix, some in parts for one in some if one.service.path]
    without = [(prefix, one) for prefix, some in parts for one in some if not one.service.path]
    for prefix, one in with_source:
        name = _free_name(one.service.name, prefix, found)
        found[name] = replace(one, service=replace(one.service, name=name))
        repository[name] = prefix
        called[prefix, one.service.name] = name
    for prefix, one in without:
        wanted = {_plain(one.service.name), *(_plain(word) for word in one.service.stack)}
        same = [
            name
            for name, other in found.items()
            if other.service.path
            and repository[name] != prefix
            and wanted & {_plain(name), *map(_plain, other.service.aliases)}
        ]
        if len(same) == 1 and one.service.role in ("service", found[same[0]].service.role):
            found[same[0]] = _add_deployment(found[same[0]], one)
            called[prefix, one.service.name] = same[0]
            continue
        name = _free_name(one.service.name, prefix, found)
        found[name] = replace(one, service=replace(one.service, name=name))
        repository[name] = prefix
        called[prefix, one.service.name] = name
    for name, one in found.items():
        needs = tuple((called.get((_repository(place), other), other), place) for other, place in one.needs)
        found[name] = replace(one, needs=needs)
    return [found[name] for name in sorted(found)], repository


def _repository(place: Sighting) -> str:
    return place.path.partition("/")[0] if place.path.startswith("@") else ""


def _add_deployment(source: Found, deployment: Found) -> Found:
    """The source of a service, extended by its deployment elsewhere."""
    one, other = source.service, deployment.service
    service = replace(
        one,
        aliases=tuple(dict.fromkeys((*one.aliases, other.name, *other.aliases))),
        ports=tuple(dict.fromkeys((*one.ports, *other.ports))),
    )
    return replace(
        source,
        service=service,
        environment=(*source.environment, *deployment.environment),
        needs=(*source.needs, *deployment.needs),
        files=(*source.files, *deployment.files),
    )


def _free_name(name: str, prefix: str, taken: Mapping[str, Found]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate = f"{name}{prefix}" if number == 2 and prefix else f"{name}{prefix}-{number}"
        number += 1
    return candidate


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
