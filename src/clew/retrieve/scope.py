"""Which chunks a search may return: paths, languages and kinds, as masks over the corpus."""

from fnmatch import fnmatchcase

import numpy as np

from clew.model.search import Scope
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import KIND_CODES
from clew.store.snapshot import Array


def allowed(corpus: Corpus, scope: Scope) -> list[Array]:
    return [_allowed(part, scope) for part in corpus.parts]


def unmet(corpus: Corpus, scope: Scope) -> tuple[str, ...]:
    """The paths and languages of a scope that no file fits: what is not found there was not looked for."""
    there = [part.postings.paths[i] for part in corpus.parts for i in np.flatnonzero(part.files)] if scope.paths else []
    spoken = {language for part in corpus.parts for language in _spoken(part)} if scope.languages else set()
    strange = [pattern for pattern in scope.paths if not any(matches(path, pattern) for path in there)]
    return (*strange, *(language for language in scope.languages if language.lower() not in spoken))


def matches(path: str, pattern: str) -> bool:
    """Whether a path is the file, lies in the folder, or fits the glob."""
    pattern = pattern.removeprefix("./").rstrip("/")
    if path == pattern or path.startswith(f"{pattern}/") or pattern in (".", ""):
        return True
    return fnmatchcase(path, pattern) or fnmatchcase(path, pattern.replace("**/", ""))  # `**` may be no folder at all


def _allowed(part: CorpusPart, scope: Scope) -> Array:
    mask = part.live.copy()
    if scope.paths or scope.exclude:
        mask &= _by_file(part, [_path_passes(path, scope) for path in part.postings.paths])
    if scope.languages:
        wanted = {language.lower() for language in scope.languages}
        spoken = np.array([language in wanted for language in part.postings.languages], np.bool_)
        mask &= _by_file(part, spoken[part.postings.language_of])
    if scope.kinds:
        mask &= np.isin(part.postings.kinds, [KIND_CODES[kind] for kind in scope.kinds])
    return mask


def _spoken(part: CorpusPart) -> set[str]:
    return {part.postings.languages[i] for i in {*part.postings.language_of[part.files].tolist()}}


def _by_file(part: CorpusPart, passes: list[bool] | Array) -> Array:
    by_chunk: Array = np.asarray(passes, np.bool_)[part.postings.file_of]
    return by_chunk


def _path_passes(path: str, scope: Scope) -> bool:
    wanted = not scope.paths or any(matches(path, pattern) for pattern in scope.paths)
    return wanted and not any(matches(path, pattern) for pattern in scope.exclude)
