"""Which other files' names a file sees without importing them, language by language."""

from collections.abc import Callable, Mapping, Sequence

from clew.index.facts import Facts
from clew.index.modules import World
from clew.index.modules.world import folder_of

Sharing = Callable[[World, str, Facts], Sequence[str]]


def shared(world: World, language: str, path: str, facts: Facts) -> Sequence[str]:
    rule = SHARING.get(language)
    return [file for file in rule(world, path, facts) if file != path] if rule else ()


def _folder(world: World, path: str, facts: Facts) -> Sequence[str]:
    return world.folders.get(folder_of(path), ())


def _package(language: str) -> Sharing:
    return lambda world, path, facts: world.packages.get((language, facts.package), ())


SHARING: Mapping[str, Sharing] = {
    "go": _folder,
    "java": _package("java"),
    "kotlin": _package("kotlin"),
    "scala": _package("scala"),
    "csharp": _package("csharp"),
}
