"""Dart: an address from the folder of the file, or `package:name/…`, which is the folder `lib` of a package."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path

_PACKAGE = "package:"


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    if not module.startswith(_PACKAGE):
        candidate = join_path(folder_of(path), module)
        return [candidate] if candidate in world.paths else []
    name, _, inside = module.removeprefix(_PACKAGE).partition("/")
    folders = [folder_of(one) for one in world.files_named("pubspec.yaml")]
    called = sorted(folders, key=lambda folder: (folder.rpartition("/")[2] != name, len(folder), folder))
    found = [one for folder in called if (one := join_path(folder, f"lib/{inside}")) in world.paths]
    return found[:1]
