"""Rust: a crate is a tree of modules below its root file; the names of crates are in the files of Cargo."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path, tree_cache

_LIBRARY, _BINARY = "src/lib.rs", "src/main.rs"
_LOOSE = ("src/bin", "examples", "tests", "benches")  # folders in which every file is a crate


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """Of a path that leads into a file (to a type, or a module written inside of it), that file."""
    if module.endswith(".rs"):  # as `#[path = "…"]` says
        told = join_path(folder_of(path), module)
        return [told] if told in world.paths else []
    first, *rest = module.split("::")
    if first in ("crate", "self", "super"):
        return _inside(world, path, [first, *rest])
    if below := _below(world, path, [first, *rest]):
        return below
    if library := _crates(world).get(_crate_name(world, path, first)):
        return _deepest(world, library, rest)
    if first[:1].isupper():  # a type, whose names are taken: `use Kind::*`
        return [path]
    return _old_style(world, path, [first, *rest])


def _inside(world: SourceTree, path: str, parts: list[str]) -> list[str]:
    root = _root(world, path)
    here = _module_of(root, path)
    if parts[0] == "crate":
        return _deepest(world, root, parts[1:])
    while parts and parts[0] in ("self", "super"):
        if parts.pop(0) == "super":
            here = here[:-1]
    return [path] if not parts and here == _module_of(root, path) else _deepest(world, root, [*here, *parts])


def _below(world: SourceTree, path: str, parts: list[str]) -> list[str]:
    """By a name that the file itself declares as a module."""
    root = _root(world, path)
    here = _module_of(root, path)
    return _deepest(world, root, [*here, *parts]) if _file(world, root, [*here, parts[0]]) else []


def _old_style(world: SourceTree, path: str, parts: list[str]) -> list[str]:
    """In the edition of 2015, paths of `use` start at the crate's root."""
    root = _root(world, path)
    return _deepest(world, root, parts) if _file(world, root, parts[:1]) else []


def _deepest(world: SourceTree, root: str, parts: list[str]) -> list[str]:
    for end in range(len(parts), -1, -1):
        if found := _file(world, root, parts[:end]):
            return [found]
    return []


def _file(world: SourceTree, root: str, parts: list[str]) -> str:
    if not parts:
        return root if root in world.paths else ""
    stem = "/".join([part for part in (folder_of(root), *parts) if part])
    file, holder = f"{stem}.rs", f"{stem}/mod.rs"
    return file if file in world.paths else holder if holder in world.paths else ""


def _module_of(root: str, path: str) -> list[str]:
    """The parts of a file's own module, below the root of its crate."""
    if path == root:
        return []
    folder = folder_of(root)
    parts = path.removeprefix(f"{folder}/" if folder else "").removesuffix(".rs").split("/")
    return parts[:-1] if parts[-1] == "mod" else parts


@tree_cache(1024)  # all that a file names is asked for in turn
def _root(world: SourceTree, path: str) -> str:
    """The root of the crate that a file is in: itself, or the one that is nearest above it."""
    package = folder_of(world.above(path, "Cargo.toml"))
    roots = _roots(world).get(package, ())
    loose = [join_path(package, folder) for folder in _LOOSE]
    if path in roots or (folder_of(path) in loose and folder_of(path) not in map(folder_of, roots)):
        return path
    above = [root for root in roots if path.startswith(f"{folder_of(root)}/" if folder_of(root) else "")]
    return max(above, key=lambda root: len(folder_of(root)), default=path)  # of two in one folder, the library


@tree_cache(1)
def _roots(world: SourceTree) -> dict[str, tuple[str, ...]]:
    """The root files of each package, by its folder: libraries first."""
    packages = {folder_of(path) for path in world.paths if path.rpartition("/")[2] == "Cargo.toml"}
    found = {package: [join_path(package, name) for name in _declared_targets(world, package)] for package in packages}
    for path in sorted(world.paths):
        holder = folder_of(folder_of(path))
        for folder in _LOOSE:
            if path.endswith("/main.rs") and f"/{holder}".endswith(f"/{folder}"):
                found.setdefault(holder.removesuffix(folder).rstrip("/"), []).append(path)
    return {package: tuple(root for root in roots if root in world.paths) for package, roots in found.items()}


def _declared_targets(world: SourceTree, package: str) -> list[str]:
    said = world.settings.get(f"{package}/Cargo.toml" if package else "Cargo.toml", {})
    others = f"{said.get('bins', '')}\n{said.get('tests', '')}".split("\n")
    return [said.get("lib path", _LIBRARY), _BINARY, *filter(None, others)]


@tree_cache(1)
def _crates(world: SourceTree) -> dict[str, str]:
    """The root file of every library in the tree, by the name that it is used by."""
    found: dict[str, str] = {}
    for path, said in sorted(world.settings.items()):
        if path.rpartition("/")[2] == "Cargo.toml" and (name := said.get("lib", said.get("package", ""))):
            root = join_path(folder_of(path), said.get("lib path", _LIBRARY))
            if root in world.paths:
                found.setdefault(name.replace("-", "_"), root)
                found.setdefault(said.get("package", name).replace("-", "_"), root)
    return found


def _crate_name(world: SourceTree, path: str, name: str) -> str:
    """A dependency may go by another name here than its own."""
    said = world.settings.get(world.above(path, "Cargo.toml"), {})
    wanted = said.get(f"crate {name}") or said.get(f"crate {name.replace('_', '-')}") or name
    return wanted.replace("-", "_")
