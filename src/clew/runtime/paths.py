"""The root of a project, and the folders outside of it that Clew uses."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath

from clew.model.errors import Denied, InvalidInput, NotFound
from clew.runtime.plain import read_plain

HOME = ".clew"  # the folder that holds what Clew keeps of a project
WHOLE = "*"  # names the whole workspace, where `[projects]` names projects in it
PART_VARIABLE = "CLEW_PROJECT_PART"  # names one of them

_LINK = "file://"
_MOST_POINTER = 64 * 1024  # bytes of a file of git's that names another
_OWN = (".git", HOME, "context.toml")
_PACKAGES = (
    *("package.json", "pom.xml", "build.gradle", "build.gradle.kts"),
    *("Cargo.toml", "pyproject.toml", "setup.py", "go.mod"),
)
_SYSTEM = frozenset(map(PurePath, ("/usr", "/var", "/private", "/private/var")))
_SYSTEM_AND_BELOW = tuple(
    PurePath(path)
    for path in (
        *("/etc", "/sys", "/proc", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
        *("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/sbin"),
        *("/System", "/Library", "/private/etc"),
    )
)
_WINDOWS_AND_BELOW = frozenset({"windows", "program files", "program files (x86)"})
_SHELVES = frozenset(map(PurePath, ("/home", "/Users", "/opt", "/srv", "/mnt", "/media")))


def find_root(start: Path) -> Path:
    """The project that holds `start`: the nearest folder with a mark, the strongest kind of mark first."""
    here = _folder(start)
    if _has_repository_or_index(here):  # mostly; what is above need not be looked at then
        return here
    folders = [here, *(parent for parent in here.parents if not _holds_projects(parent))]
    for is_root in (_has_repository_or_index, _has_package, _looks_like_a_project):
        for folder in folders:
            if is_root(folder):
                return folder
    return here


def user_cache() -> Path:
    """The folder for data that can be recreated, by the conventions of each system."""
    home = _home_named()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "clew"
    if sys.platform == "win32":
        return _folder_of(os.environ, "LOCALAPPDATA", home / "AppData" / "Local") / "clew" / "cache"
    return _folder_of(os.environ, "XDG_CACHE_HOME", home / ".cache") / "clew"


def user_data(environ: Mapping[str, str]) -> Path:
    """The folder for data that must not be lost, by the conventions of each system."""
    home = _home_named()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "clew"
    if sys.platform == "win32":
        return _folder_of(environ, "LOCALAPPDATA", home / "AppData" / "Local") / "clew" / "data"
    return _folder_of(environ, "XDG_DATA_HOME", home / ".local" / "share") / "clew"


def user_configuration(environ: Mapping[str, str]) -> Path:
    """Where this user's programs are configured, likewise."""
    home = _home_named()
    if sys.platform == "win32":
        return _folder_of(environ, "APPDATA", home / "AppData" / "Roaming") / "clew"
    if sys.platform == "darwin" and not environ.get("XDG_CONFIG_HOME"):
        return home / "Library" / "Application Support" / "clew"
    return _folder_of(environ, "XDG_CONFIG_HOME", home / ".config") / "clew"


def _folder_of(environ: Mapping[str, str], variable: str, otherwise: Path) -> Path:
    """A relative one does not count: it would name a place in the repository that Clew is started in."""
    named = environ.get(variable, "")
    return Path(named) if Path(named).is_absolute() else otherwise


def _home_named() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no home directory is known
        return Path("/nonexistent")


def parse_path(text: str) -> Path:
    """A path as a user writes it, with `~` for a home."""
    try:
        path = Path(text).expanduser()
        path.resolve()
        is_there(path)
    except (RuntimeError, ValueError, OSError) as error:  # no such user; a NUL; too long, or behind a locked door
        why = (isinstance(error, OSError) and error.strerror) or error
        raise NotFound(f"{text!r} cannot be reached: {why}", "Name a directory that exists.") from error
    return path


def guard(root: Path, *, named: bool = False) -> str:
    """Refuse a root that is no project. The home directory passes if the user named it: then a warning returns."""
    for path in (root.absolute(), root.resolve()):
        if _is_system(path):
            raise Denied(f"{path} belongs to the system", "Name the directory of one project.")
    if all(_exists(root / part) for part in ("HEAD", "objects", "refs")):
        raise Denied(f"{root} is a bare git repository: it has no files", "Name the directory of a checkout.")
    if root.resolve() != _home():
        return ""
    if not named:
        raise Denied(f"{root} is your home directory", "Go into a project, or name the directory explicitly.")
    return f"{root} is your home directory: everything in it that no pattern ignores will be indexed"


def is_served(start: Path, roots: Iterable[Path], path: Path) -> bool:
    """Whether a server that was started at `start` may open a path: it is in that project, in a worktree that git has
    linked to it, or in a directory that the user has allowed."""
    try:
        real = Path(os.path.realpath(path))
        if any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            return True
        own = find_root(start)
        if _is_system(own) or own == _home():
            return real == own
        return (
            real.is_relative_to(own) or worktree_home(find_root(real))[0].resolve() == worktree_home(own)[0].resolve()
        )
    except (OSError, ValueError, NotFound):
        return False


def inside(root: Path, path: Path | str) -> Path:
    """The canonical form of a path that a user gave, relative to the root; refused where it leads out of it."""
    top = root.resolve()
    try:
        real = Path(os.path.realpath(top / path))
    except ValueError as error:
        raise InvalidInput(f"{str(path)!r} is not a path: {error}") from error
    if not real.is_relative_to(top):
        raise Denied(f"{path} lies outside of {top}", "Name a path inside the project.")
    return real


def from_root(root: Path, text: str) -> str:
    """A path relative to the root, from an absolute path of the project or an editor's link."""
    if text.startswith(_LINK):
        from urllib.parse import unquote  # hardly anybody needs it

        text = unquote(text.removeprefix(_LINK))
    for top in (root.as_posix(), root.resolve().as_posix()):
        if text.rstrip("/") == top:
            return "."
        if text.startswith(f"{top}/"):
            return text.removeprefix(f"{top}/")
    return text


def worktree_home(root: Path) -> tuple[Path, str]:
    """The main worktree and the name of this one, if git linked it; else the root itself and no name.

    Both sides must say so: a folder that only points at another project's repository has no part in it.
    """
    try:
        entry = root / _pointer(root / ".git").removeprefix("gitdir:").strip()
        shared = (entry / _pointer(entry / "commondir")).resolve()
        # A submodule's gitdir has no commondir; a bare repository has no main worktree.
        is_linked = entry.parent.name == "worktrees" and shared.name == ".git"
        if not is_linked or entry.parent.resolve() != shared / "worktrees":
            return root, ""
        back = Path(_pointer(entry / "gitdir"))
    except (OSError, ValueError):
        return root, ""
    return (shared.parent, entry.name) if os.path.realpath(back.parent) == os.path.realpath(root) else (root, "")


def linked_worktrees(home: Path) -> dict[str, Path]:
    """The worktrees that git has linked to a main one, by name."""
    found = {}
    for entry in sorted((home / ".git" / "worktrees").glob("*")):
        try:
            found[entry.name] = Path(_pointer(entry / "gitdir")).parent
        except (OSError, ValueError):
            continue
    return found


def _pointer(file: Path) -> str:
    """The path in one of git's pointer files."""
    return read_plain(file, _MOST_POINTER).decode("utf-8").strip()


def _folder(start: Path) -> Path:
    here = start.resolve()
    if not is_there(here):
        raise NotFound(f"{start} does not exist", "Name a directory that exists.")
    return here if here.is_dir() else here.parent


def is_there(path: Path) -> bool:
    """Whether something is there; an `OSError` where that cannot be seen, which `exists` tells until Python 3.13."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _has_any(names: tuple[str, ...]) -> Callable[[Path], bool]:
    return lambda folder: any(_exists(folder / name) for name in names)


_has_repository_or_index = _has_any(_OWN)
_has_package = _has_any(_PACKAGES)


def _looks_like_a_project(folder: Path) -> bool:
    has_sources = _exists(folder / "src") and _exists(folder / "tests")
    return has_sources or any(_exists(folder / name) for name in ("build", "target", "README.md"))


def _exists(path: Path) -> bool:
    """A folder above that may not be searched holds no mark that we could use."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _holds_projects(folder: Path) -> bool:
    """Places where projects lie side by side: a mark there says nothing about the ones below."""
    import tempfile  # takes as long to load as the rest of this package

    shared = (_home(), Path(tempfile.gettempdir()).resolve())
    return folder in _SHELVES or folder in shared or _is_system(folder)


def _home() -> Path:
    return _home_named().resolve()


def _is_system(path: PurePath) -> bool:
    if path == path.parent or path in _SYSTEM:
        return True
    if path.drive:
        return path.parts[1].lower() in _WINDOWS_AND_BELOW
    return any(path.is_relative_to(place) for place in _SYSTEM_AND_BELOW)
