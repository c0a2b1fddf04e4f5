"""Which files a module's name stands for, language by language: a function each, pure, so that order does not matter.

None found means that the module is outside of the tree.
"""

from collections.abc import Callable, Mapping

from clew.index.modules import bash, c, csharp, ecma, go, jvm, php, python, ruby, rust, source_tree, swift
from clew.index.modules.source_tree import SourceTree, folder_of, join_path

__all__ = ["MODULES", "SourceTree", "files_of", "forget", "full_name"]

Lookup = Callable[[SourceTree, str, str], list[str]]

# By language: given the world, the file that names a module, and the name as written.
MODULES: Mapping[str, Lookup] = {
    "python": python.files_of,
    "javascript": ecma.files_of,
    "typescript": ecma.files_of,
    "tsx": ecma.files_of,
    "go": go.files_of,
    "rust": rust.files_of,
    "java": jvm.files_of,
    "kotlin": jvm.files_of,
    "scala": jvm.files_of,
    "csharp": csharp.files_of,
    "c": c.files_of,
    "cpp": c.files_of,
    "swift": swift.files_of,
    "php": php.files_of,
    "ruby": ruby.files_of,
    "bash": bash.files_of,
    "jupyter": python.files_of,
    "makefile": source_tree.files_of,
    "protobuf": source_tree.files_of,
}


def files_of(world: SourceTree, language: str, path: str, module: str) -> list[str]:
    lookup = MODULES.get(language)
    return lookup(world, path, module) if lookup else []


def full_name(path: str, module: str) -> str:
    """The name of an external module; for a relative path, that path."""
    return join_path(folder_of(path), module) if module.startswith(("./", "../")) else module


def forget() -> None:
    """Drop the caches: small as they are, they keep alive the memory of everything made beside them."""
    jvm.forget()
    python.forget()
    rust.forget()
    swift.forget()
