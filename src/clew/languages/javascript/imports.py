"""JavaScript and TypeScript modules: relative paths, `tsconfig.json` mappings, and packages of the tree by name."""

from collections.abc import Iterator, Mapping

from clew.index.modules.source_tree import SourceTree, folder_of, join_path, tree_cache

MOST_EXTENDS = 8  # configurations that stand on each other
MOST_WORLDS = 2  # whose packages are kept by name

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
_WRITTEN = {  # the ending that is written, and those of the sources it may stand for
    ".js": (".ts", ".tsx", ".jsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".ts", ".d.mts"),
    ".cjs": (".cts", ".ts", ".d.cts"),
}
_BUILT = ("dist", "lib", "build", "out", "es", "esm", "cjs")  # folders that are made from `src`, and not in the tree
_DECLARING = (".d.ts", ".d.mts", ".d.cts")
_CONFIGS = ("tsconfig.json", "jsconfig.json")
_ENTRIES = ("source", "types", "typings", "module", "main")

Settings = Mapping[str, str]


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    module = module.partition("?")[0]
    if module.startswith("."):
        return _beside(world, path, join_path(folder_of(path), module))
    found = [] if module.startswith("/") else _by_path_mapping(world, path, module)
    return found or _by_package_name(world, path, module) or _by_name(world, module)


def _file(world: SourceTree, stem: str) -> list[str]:
    """A file by its path, with the ending that may be left out or written for another; a folder by its index."""
    return next(([path] for path in _candidates(stem) if path in world.paths), [])


def _candidates(stem: str) -> Iterator[str]:
    yield stem
    dot = stem.rfind(".")
    if dot > stem.rfind("/"):
        yield from (stem[:dot] + ending for ending in _WRITTEN.get(stem[dot:], ()))
    yield from (stem + ending for ending in _ENDINGS)
    yield from (f"{stem}/index{ending}".removeprefix("/") for ending in _ENDINGS)


def _beside(world: SourceTree, path: str, stem: str) -> list[str]:
    """A file by its path; else the entry of a package folder, or the source of a built file of the package."""
    if found := _file(world, stem):
        return found
    if settings := world.settings.get(f"{stem}/package.json".removeprefix("/")):
        return _first(world, stem, _entries(settings))
    package = folder_of(world.above(path, "package.json"))
    within = f"{package}/" if package else ""
    built = [stem.removeprefix(within)] if stem.startswith(within) else []
    return [found for found in _first(world, package, built) if found != path]


def _by_path_mapping(world: SourceTree, path: str, module: str) -> list[str]:
    """By the `paths` and the `baseUrl` of the nearest configuration that has any."""
    folder = folder_of(path)
    while True:
        for name in _CONFIGS:
            config = f"{folder}/{name}" if folder else name
            if found := _by_config(world, config, module):
                return found
        if not folder:
            return []
        folder = folder_of(folder)


def _by_config(world: SourceTree, config: str, module: str) -> list[str]:
    for _ in range(MOST_EXTENDS):
        settings = world.settings.get(config)
        if settings is None:
            return []
        base = join_path(folder_of(config), settings.get("baseUrl", "."))
        for place in _places(settings, "paths ", module):
            if found := _file(world, join_path(base, place)):
                return found
        if "baseUrl" in settings and (found := _file(world, join_path(base, module))):
            return found
        config = _parent_config(world, config, settings)
    return []


def _parent_config(world: SourceTree, config: str, settings: Settings) -> str:
    """The configuration of the tree that one stands on."""
    for named in reversed(settings.get("extends", "").split("\n")):
        if named.startswith("."):
            stem = join_path(folder_of(config), named)
            return next(
                (path for path in (stem, f"{stem}.json", f"{stem}/tsconfig.json") if path in world.settings), ""
            )
    return ""


def _places(settings: Settings, prefix: str, module: str) -> list[str]:
    """Where the best of the patterns that fit a name leads: one without a star, else the one with the longest start."""
    found: tuple[int, list[str]] = (-1, [])
    for key, places in settings.items():
        if not key.startswith(prefix):
            continue
        before, star, after = key[len(prefix) :].partition("*")
        if not star and module == before:
            return places.split("\n")
        if star and module.startswith(before) and module.endswith(after) and len(before) > found[0]:
            taken = module[len(before) : len(module) - len(after)]
            found = len(before), [place.replace("*", taken) for place in places.split("\n")]
    return found[1]


def _by_package_name(world: SourceTree, path: str, module: str) -> list[str]:
    """A package of the tree, or a file of it; `#name` is one that the package around gives to itself."""
    if module.startswith("#"):
        config = world.above(path, "package.json")
        places = _places(world.settings.get(config, {}), "imports ", module)
        return _first(world, folder_of(config), places)
    parts = module.split("/")
    name = "/".join(parts[: 2 if module.startswith("@") else 1])
    below = module[len(name) + 1 :]
    for config in _packages(world).get(name, ()):
        settings, folder = world.settings[config], folder_of(config)
        inner = [*_places(settings, "exports ", f"./{below}"), below, f"src/{below}"] if below else _entries(settings)
        if found := _first(world, folder, inner) or ([] if below else _called_like(world, folder, name)):
            return found
    return []


def _called_like(world: SourceTree, folder: str, name: str) -> list[str]:
    """The source of a package by name, where its entry is built from that: `src/Card.js`."""
    wanted = _plain(name.rpartition("/")[2])
    for place in (join_path(folder, "src"), join_path(folder, "lib"), folder):
        files = [file for file in world.folders.get(place, ()) if file.endswith(_ENDINGS)]
        if found := [file for file in files if _plain(_stem(file)) == wanted]:
            return found[:1]
    return []


def _by_name(world: SourceTree, module: str) -> list[str]:
    """The one file that is called so, wherever it is: packages from outside have no capitals in their names."""
    if "/" in module or module == module.lower():
        return []
    found = [file for ending in _ENDINGS for file in world.names.get(f"{module}{ending}", ())]
    found = [file for file in found if "__mocks__/" not in file]
    return found if len(found) == 1 else []


def _stem(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _entries(settings: Settings) -> list[str]:
    """Where a package as a whole may be."""
    named = [settings.get(entry, "") for entry in _ENTRIES]
    return [*_places(settings, "exports ", "."), *named, "src/index", "index"]


def _first(world: SourceTree, folder: str, places: list[str]) -> list[str]:
    """The first existing place, as written or by its source."""
    for place in filter(None, places):
        for stem in (join_path(folder, place), *_sources(folder, place)):
            if found := _file(world, stem):
                return found
    return []


def _sources(folder: str, place: str) -> Iterator[str]:
    """The possible sources of a built file: `dist/node/cli.js` from `node/cli` or `cli`, in `src` or the package."""
    top, _, rest = place.removeprefix("./").partition("/")
    if top not in _BUILT:
        return
    for ending in _DECLARING:
        rest = rest.removesuffix(ending)
    while rest:
        yield from (join_path(folder, f"src/{rest}"), join_path(folder, rest))
        rest = rest.partition("/")[2]


@tree_cache(MOST_WORLDS)
def _packages(world: SourceTree) -> Mapping[str, tuple[str, ...]]:
    """The packages of the tree by name, those nearest to the root first."""
    found: dict[str, tuple[str, ...]] = {}
    for config in sorted(world.settings, key=lambda path: (path.count("/"), path)):
        if config.rpartition("/")[2] == "package.json" and (name := world.settings[config].get("name")):
            found[name] = (*found.get(name, ()), config)
    return found
