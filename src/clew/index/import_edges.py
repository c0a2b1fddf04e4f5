"""From imports as written to edges: to files of this tree, or to external modules."""

from collections.abc import Callable, Sequence

from clew.index.modules import SourceTree, full_name
from clew.languages.plugins import language_of_name
from clew.languages.profile import Language
from clew.model.code import EXTERNAL, Import
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge

FilesSeen = Callable[[str, str], Sequence[str]]  # those that a module's name stands for, seen from a path
LONGEST_OUTSIDE = 300  # characters of a name outside; a longer one is data, and no store could key by it


def import_edges(
    path: str, language: str, imports: tuple[Import, ...], world: SourceTree, files: FilesSeen | None = None
) -> set[FileEdge]:
    """The targets of a file's imports; pure, so that the order of files does not matter.

    `files` holds the results of earlier module lookups.
    """
    profile = language_of_name(language)
    if profile is None or profile.module_files is None:
        return set()
    return {
        FileEdge("", EdgeKind.IMPORTS, target, one.line, EvidenceKind.IMPORT, 1.0)
        for one in imports
        for target in _targets(world, path, profile, one, files)
    }


def _targets(world: SourceTree, path: str, profile: Language, one: Import, files: FilesSeen | None) -> list[str]:
    """A name that is taken from a module may be a module itself; else it lives in the one it is taken from."""

    def files_of(module: str) -> Sequence[str]:
        if files:
            return files(path, module)
        return profile.module_files(world, path, module) if profile.module_files else ()

    modules = files_of(one.module)
    found: Sequence[str]
    if one.names and (joint := profile.submodules):
        members = [_member(one.module, joint, name) for name in one.names]
        inner = [files_of(each) for each in members]
        found = [target for some in inner for target in some]
        if not profile.namespaces and modules and len(found) < len(one.names):  # some names live in the module itself
            found = [*found, *modules]
    else:
        found = modules
    return (
        [target for target in dict.fromkeys(found) if target != path]
        if found
        else [outside(full_name(path, one.module))]
    )


def outside(name: str) -> str:
    return f"{EXTERNAL}{name[:LONGEST_OUTSIDE]}"


def _member(module: str, joint: str, name: str) -> str:
    return f"{module}{name}" if module.endswith((".", "\\")) else f"{module}{joint}{name}"
