"""Which files count: code that is neither test, documentation nor configuration."""

import re

from clew.index.languages.detection import LanguageTable
from clew.text.paths import is_test_path

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
