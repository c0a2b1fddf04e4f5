"""PHP: namespaces as the files declare them; a class is in the file of its name, as PSR-4 has it."""

from pathlib import PurePosixPath

from clew.index.modules.source_tree import SourceTree, folder_of, join_path

_LANGUAGE = "php"


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """The files of a class or a namespace, as written without a leading backslash; or of a path that is required."""
    if module.endswith(".php"):
        return _required_files(world, path, module)
    namespace, _, name = module.strip("\\").rpartition("\\")
    beside = world.packages.get((_LANGUAGE, namespace), ())
    if of_class := [file for file in beside if PurePosixPath(file).stem == name]:
        return of_class
    if inner := world.packages.get((_LANGUAGE, module.strip("\\"))):
        return list(inner)
    # A function or a constant is in a file that no class is named after, and so is written small.
    may_be_one = namespace and (name[:1].islower() or name.isupper())
    return [file for file in beside if PurePosixPath(file).stem[:1].islower()] if may_be_one else []


def _required_files(world: SourceTree, path: str, module: str) -> list[str]:
    name = module.lstrip("/")
    folder = folder_of(path)
    for candidate in (join_path(folder, name), join_path("", name)):
        if candidate in world.paths:
            return [candidate]
    ending = [
        file for file in world.files_named(name.rpartition("/")[2]) if f"/{file}".endswith(f"/{join_path('', name)}")
    ]
    return ending if len(ending) == 1 else []
