"""Julia: a package is the folder around `src/Name.jl`; `include` names a file from the folder of its own."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    if module.endswith(".jl"):
        candidate = join_path(folder_of(path), module.removeprefix("./"))
        return [candidate] if candidate in world.paths else []
    name = module.strip(".").rpartition(".")[2]
    if inside := world.packages.get(("julia", name)):
        return sorted({file for one in inside for file in sources_below(world, package_folder(one))})
    main = [one for one in world.files_named(f"{name}.jl") if folder_of(one).endswith("src")]
    return sources_below(world, folder_of(main[0])) if main else list(world.files_named(f"{name}.jl")[:1])


def package_folder(path: str) -> str:
    """The nearest folder named `src` around a file, or its own folder."""
    parts = folder_of(path).split("/")
    places = [place for place, part in enumerate(parts) if part == "src"]
    return "/".join(parts[: places[-1] + 1]) if places else folder_of(path)


def sources_below(world: SourceTree, folder: str) -> list[str]:
    inside = [one for one in world.folders if one == folder or one.startswith(f"{folder}/")]
    return sorted(file for one in inside for file in world.folders[one] if file.endswith(".jl"))
