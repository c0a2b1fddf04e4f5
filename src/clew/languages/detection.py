"""Detects the language of a file by its name, or by its interpreter line."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from clew.languages.profile import Language
from clew.languages.unparsed import WRITTEN_AS

PLAIN = "text"
PROSE = frozenset({"markdown", "restructuredtext", "html", "jupyter", PLAIN})

# Names of text files that have no parser yet, so that filters and statistics can tell them apart.
_TEXTS: Mapping[str, str] = {
    ".txt": PLAIN,
    ".lock": PLAIN,
    ".dockerignore": PLAIN,
    ".css": "css",
    ".xml": "xml",
    ".po": "gettext",
}
_NAMED: Mapping[str, str] = {**WRITTEN_AS, **_TEXTS}
UNPARSED = frozenset({PLAIN, *_NAMED.values()})
_RUN_BY = re.compile(rb"#![ \t]*(?:\S*/)?(?:env(?:[ \t]+(?:-\S+|\w+=\S*))*[ \t]+(?:\S*/)?)?([a-z-]+)[\d.]*(?=\s|$)")


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages that are known. Of two that want the same files, the first one has them."""

    by_extension: Mapping[str, Language]
    by_filename: Mapping[str, Language]
    by_name: Mapping[str, Language]
    by_interpreter: Mapping[str, Language]

    @classmethod
    def of(cls, languages: Iterable[Language]) -> "LanguageTable":
        last_first = tuple(languages)[::-1]
        return cls(
            {extension: language for language in last_first for extension in language.extensions},
            {name: language for language in last_first for name in language.filenames},
            {language.name: language for language in last_first},
            {name: language for language in last_first for name in language.interpreters},
        )

    @property
    def names(self) -> frozenset[str]:
        return UNPARSED | self.by_name.keys()

    def plugin(self, name: str) -> str:
        """The plug-in that brings a language; "" if it is built in, or only a name."""
        language = self.by_name.get(name)
        return language.plugin if language else ""

    def language_of(self, path: str) -> str:
        written, extension = path.rpartition("/")[2], extension_of(path)
        name, first = written.lower(), written.partition(".")[0]
        known = self.by_filename.get(name) or self.by_extension.get(extension)
        is_ordinary = extension in (_NAMED if first.islower() else _TEXTS)  # `dockerfile.scm`, but `Dockerfile.erb`
        if known is None and not is_ordinary:
            known = self.by_filename.get(first.lower())
        return known.name if known else _NAMED.get(extension, PLAIN)

    def language_by_shebang(self, path: str, content: bytes) -> str:
        """Of a script that only its first line tells about: `#!/usr/bin/env bash`."""
        found = _RUN_BY.match(content) if extension_of(path) not in _TEXTS else None
        name = found[1].decode() if found else PLAIN
        language = self.by_interpreter.get(name) or self.by_name.get(name)
        return language.name if language and language.is_code else PLAIN


def extension_of(path: str) -> str:
    name = path.rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return f".{extension.lower()}" if dot else ""
