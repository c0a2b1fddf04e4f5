"""Terraform: the source of a module is a folder, of which all files belong together."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    if not module.startswith("."):
        return []
    return files_beside(world, join_path(folder_of(path), module))


def files_beside(world: SourceTree, folder: str) -> list[str]:
    return [file for file in world.folders.get(folder, ()) if file.endswith((".tf", ".hcl", ".tfvars"))]
