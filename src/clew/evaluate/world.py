"""The ranked items: the source files of a checkout and their functions, with their texts."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from clew.evaluate import functions
from clew.evaluate.functions import Function
from clew.languages.detection import LanguageTable
from clew.model.code import split_id
from clew.text.encodings import as_utf8
from clew.text.paths import is_test_path

# Which files count: code that is neither test, documentation nor configuration.

_DOCUMENTS = re.compile(r"(?:^|/)(?:docs?|documentation)/", re.IGNORECASE)
# Code that only tools run: it changes along, and is not what a task asks for.
_SETTINGS = re.compile(
    r"(?:^|/)\.|(?:^|/)(?:setup|noxfile)\.py$|(?:^|/)(?:grunt|gulp)file\.\w+$|\.gradle(?:\.kts)?$|\.config\.[cm]?[jt]s$",
    re.I,
)


class SourceFiles:
    """The files of a repository that are asked for, by their paths alone."""

    def __init__(self, known: LanguageTable) -> None:
        self._known = known

    def __contains__(self, path: str) -> bool:
        language = self._known.by_name.get(self._known.language_of(path))
        if language is None or not language.is_code:
            return False
        return not (is_test_path(path) or _DOCUMENTS.search(path) or _SETTINGS.search(path))


@dataclass(frozen=True, slots=True)
class World:
    """Texts by path and by id; `outer` leads from every function to the one that it is part of."""

    root: Path
    files: Mapping[str, bytes]
    functions: Mapping[str, Function]
    outer: Mapping[str, str]

    @property
    def function_texts(self) -> dict[str, bytes]:
        return {one.id: self.files[split_id(one.id)[0]][slice(*one.span)] for one in self.functions.values()}


def read(root: Path, paths: Iterable[str], known: LanguageTable, report: Callable[[int], None]) -> World:
    """The source files among some paths of a checkout; only regular files."""
    sources = SourceFiles(known)
    files: dict[str, bytes] = {}
    found: dict[str, Function] = {}
    for path in sorted(path for path in paths if path in sources):
        file = root / path
        if file.is_symlink() or not file.is_file():
            continue
        text = as_utf8(file.read_bytes())
        files[path] = text
        found.update((one.id, one) for one in functions.read(path, text, known))
        report(len(files))
    return World(root, files, found, {inner: one.id for one in found.values() for inner in one.inner})
