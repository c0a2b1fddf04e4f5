"""C#: a namespace is all the files that say so; a type is in those of its namespace that have its name."""

from clew.index.modules.source_tree import SourceTree


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    parts = module.removeprefix("global::").split(".")
    for length in range(len(parts), 0, -1):
        files = world.packages.get(("csharp", ".".join(parts[:length])), ())
        if files:
            return [file for file in files if length == len(parts) or _type_of(file) == parts[length]]
    return []


def _type_of(file: str) -> str:
    """`Card.Charging.cs` is a part of Card."""
    return file.rpartition("/")[2].partition(".")[0]
