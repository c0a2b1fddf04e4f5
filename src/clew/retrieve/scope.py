"""Which chunks a search may return: paths, languages and kinds, as masks over the corpus."""

import re
from collections.abc import Callable, Iterable
from fnmatch import translate

import numpy as np

from clew.model.search import Scope
from clew.runtime.deadline import in_time
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import KIND_CODES


def masks(corpus: Corpus, scope: Scope) -> list[Array]:
    return [_mask(part, scope) for part in corpus.parts]


def unmet(corpus: Corpus, scope: Scope) -> tuple[str, ...]:
    """The paths and languages of a scope that match no file: an empty result there means nothing."""
    there = [part.postings.paths[i] for part in corpus.parts for i in np.flatnonzero(part.files)] if scope.paths else []
    spoken = {language for part in corpus.parts for language in _languages(part)} if scope.languages else set()
    strange = [pattern for pattern in scope.paths if not any(map(matcher([pattern]), in_time(there)))]
    return (*strange, *(language for language in scope.languages if language.lower() not in spoken))


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether a path is one of the files, lies in one of the folders, or fits one of the globs.

    Files and folders are looked up, however many they are. A glob takes time in proportion to the path: what stands
    between two of its stars is never tried in a second place.
    """
    named = {pattern.removeprefix("./").rstrip("/") for pattern in patterns}
    if named & {".", ""}:
        return lambda path: True
    globs = [one for pattern in sorted(named) if _SPECIAL.search(pattern) for one in _spellings(pattern)]
    fits = re.compile("|".join(map(translate, globs))).match if globs else None

    def is_among(path: str) -> bool:
        return path in named or any(folder in named for folder in _folders(path)) or bool(fits and fits(path))

    return is_among


_SPECIAL = re.compile(r"[*?\[]")


def _spellings(glob: str) -> set[str]:
    return {glob, glob.replace("**/", "")}  # `**` may be no folder at all


def _folders(path: str) -> list[str]:
    return [path[:at] for at, sign in enumerate(path) if sign == "/"]


def _mask(part: CorpusPart, scope: Scope) -> Array:
    mask = part.live.copy()
    if scope.paths or scope.exclude:
        mask &= _by_file(part, _which_pass(part.postings.paths, scope))
    if scope.languages:
        wanted = {language.lower() for language in scope.languages}
        spoken = np.array([language in wanted for language in part.postings.languages], np.bool_)
        mask &= _by_file(part, spoken[part.postings.language_of])
    if scope.kinds:
        mask &= np.isin(part.postings.kinds, [KIND_CODES[kind] for kind in scope.kinds])
    return mask


def _languages(part: CorpusPart) -> set[str]:
    return {part.postings.languages[i] for i in {*part.postings.language_of[part.files].tolist()}}


def _by_file(part: CorpusPart, passes: list[bool] | Array) -> Array:
    by_chunk: Array = np.asarray(passes, np.bool_)[part.postings.file_of]
    return by_chunk


def _which_pass(paths: Iterable[str], scope: Scope) -> list[bool]:
    wanted = matcher(scope.paths or (".",))
    unwanted = matcher(scope.exclude)
    return [wanted(path) and not unwanted(path) for path in in_time(paths)]
