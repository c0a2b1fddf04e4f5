"""Which files a module's name stands for: each language has a function for it, pure, so that order does not matter.

None found means that the module is outside of the tree.
"""

from clew.index.modules.source_tree import SourceTree, folder_of, forget, join_path
from clew.languages import BUILT_IN
from clew.languages.detection import LanguageTable

__all__ = ["SourceTree", "files_of", "forget", "full_name"]


def files_of(world: SourceTree, language: str, path: str, module: str, known: LanguageTable = BUILT_IN) -> list[str]:
    """The files of a module as a file of a language names it."""
    profile = known.by_name.get(language)
    return profile.module_files(world, path, module) if profile and profile.module_files else []


def full_name(path: str, module: str) -> str:
    """The name of an external module; for a relative path, that path."""
    return join_path(folder_of(path), module) if module.startswith(("./", "../")) else module
