"""C and C++: an include is a path, from the file that includes it or from a folder that the compiler is told of.

No build file is read: such a folder is one called `include` or `src` above the file, the file's own or one above it;
and where only one file of the tree ends with the path, it is that one.
"""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path

# Of the system, whatever file somewhere in the tree has the same name.
_STANDARD = frozenset(
    f"{name}.h"
    for name in (
        "assert complex ctype dirent dlfcn errno fcntl fenv float getopt glob grp inttypes iso646 limits locale malloc "
        "math memory netdb poll pthread pwd regex sched semaphore setjmp signal stdalign stdarg stdatomic stdbool "
        "stddef stdint stdio stdlib stdnoreturn string strings syslog termios tgmath threads time uchar unistd utime "
        "wchar wctype windows"
    ).split()
)
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".ipp")


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    folders = _above(path)
    roots = [folders[0], *(f"{folder}/{root}" for folder in folders for root in ("include", "src")), *folders[1:]]
    for root in roots:
        if (candidate := join_path(root, module)) in world.paths:
            return [candidate]
    if module in _STANDARD:
        return []
    ending = f"/{join_path('', module)}"
    ending_so = [file for file in world.files_named(ending.rpartition("/")[2]) if f"/{file}".endswith(ending)]
    return ending_so if len(ending_so) == 1 else []


def sources_of(world: SourceTree, path: str) -> list[str]:
    """Where the functions of a header are defined, as far as names tell: files of its stem, its own folder first."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    found = [file for ending in _SOURCES for file in world.files_named(f"{stem}{ending}") if file != path]
    near = [file for file in found if folder_of(file) == folder_of(path)]
    return near or (found if len(found) == 1 else [])


def _above(path: str) -> list[str]:
    """The folder of a file and those above it, the nearest first; the root is ""."""
    folders = [folder_of(path)]
    while folders[-1]:
        folders.append(folder_of(folders[-1]))
    return folders
