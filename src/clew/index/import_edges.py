"""From imports as written to edges: to files of this tree, or to external modules."""

from collections.abc import Callable, Sequence

from clew.index.modules import MODULES, SourceTree, files_of, full_name
from clew.model.code import EXTERNAL, Import
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge

# Where a name that is taken from a module may be a module itself.
_JOINTS = {"python": ".", "jupyter": ".", "rust": "::", "php": "\\"}
FilesSeen = Callable[[str, str], Sequence[str]]  # those that a module's name stands for, seen from a path
LONGEST_OUTSIDE = 300  # characters of a name outside; a longer one is data, and no store could key by it


def import_edges(
    path: str, language: str, imports: tuple[Import, ...], world: SourceTree, files: FilesSeen | None = None
) -> set[FileEdge]:
    """The targets of a file's imports; pure, so that the order of files does not matter.

    `files` holds the results of earlier module lookups.
    """
    if language not in MODULES:
        return set()
    return {
        FileEdge("", EdgeKind.IMPORTS, target, one.line, EvidenceKind.IMPORT, 1.0)
        for one in imports
        for target in _targets(world, path, language, one, files)
    }


def _targets(world: SourceTree, path: str, language: str, one: Import, files: FilesSeen | None) -> list[str]:
    """A name that is taken from a module may be a module itself; else it lives in the one it is taken from."""
    modules = files(path, one.module) if files else files_of(world, language, path, one.module)
    found: Sequence[str]
    if one.names and (joint := _JOINTS.get(language)):
        members = [_member(one.module, joint, name) for name in one.names]
        inner = [files(path, each) if files else files_of(world, language, path, each) for each in members]
        found = [target for some in inner for target in some]
        is_file = language != "php"  # where a module is one; of a namespace, no file stands for the others
        if is_file and modules and len(found) < len(one.names):  # some names live in the module itself
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
