"""Languages of installed packages: entry points of the group `clew.languages`, each a `Language` or several.

Built-in languages keep their names and files, regardless of plug-ins; then the first package by name. A failing
plug-in is reported, and the others are used.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from clew.languages import BUILT_IN, LANGUAGES
from clew.languages.detection import PLAIN, LanguageTable
from clew.languages.grammars import compile_query, query_text
from clew.languages.profile import Language
from clew.model.errors import PluginFailed
from clew.runtime import plugins
from clew.runtime.plugins import Offer

log = logging.getLogger(__name__)
_versions: dict[str, str] = {}  # of packages that were loaded; a process keeps what it has loaded


class LoadedLanguages(NamedTuple):
    known: LanguageTable
    added: tuple[Language, ...]
    problems: tuple[PluginFailed, ...]


def offered_languages() -> tuple[Offer, ...]:
    return plugins.find_offers(plugins.LANGUAGES)


@lru_cache(maxsize=4)
def load_languages(offers: tuple[Offer, ...]) -> LoadedLanguages:
    """All languages: the built-in ones, and those of the packages."""
    added: list[Language] = []
    problems: list[PluginFailed] = []
    for offer in offers:
        try:
            for language in _load_offer(offer):
                known = LanguageTable.of((*LANGUAGES, *added))
                added.append(_without_taken_files(offer, language, known))
                problems += filter(None, [_refuse_name(offer, language, added[-1])])
        except PluginFailed as problem:
            problems.append(problem)
            log.info("%s", problem.message, exc_info=True)
    return LoadedLanguages(LanguageTable.of((*LANGUAGES, *added)) if added else BUILT_IN, tuple(added), tuple(problems))


def language_of_name(name: str) -> Language | None:
    """The profile of a language, built in or of an installed package; none for text and for unknown names."""
    if (known := BUILT_IN.by_name.get(name)) is not None or not name:
        return known
    return load_languages(offered_languages()).known.by_name.get(name)


def profile_of(name: str) -> Language:
    """The profile of a language; one that says nothing, of any other name."""
    return language_of_name(name) or Language(name, ())


@lru_cache(maxsize=4)
def warnings(offers: tuple[Offer, ...]) -> tuple[str, ...]:
    """The problems of plug-ins, in words: those that cannot be loaded, and those that can read nothing."""
    loaded = load_languages(offers)
    problems = [*loaded.problems, *filter(None, map(_try_language, loaded.added))]
    return tuple(f"{problem.code}: {problem.message}. {problem.hint}" for problem in problems)


def is_outdated(offers: tuple[Offer, ...]) -> bool:
    """Whether this process has loaded another version of a package: then only a new process can read by it."""
    return any(_versions.get(offer.package, offer.version) != offer.version for offer in offers)


def _load_offer(offer: Offer) -> list[Language]:
    found = _object(offer)
    languages = [found] if isinstance(found, Language) else list(found) if isinstance(found, Iterable) else []
    if not languages or not all(isinstance(one, Language) for one in languages):
        raise _plugin_failure(offer, f"{offer.value} is no Language")
    return [_check_language(offer, one) for one in languages]


def _object(offer: Offer) -> Any:
    _versions.setdefault(offer.package, offer.version)
    return plugins.load(plugins.LANGUAGES, offer)


def _check_language(offer: Offer, language: Language) -> Language:
    texts = (language.name, *language.extensions, *language.filenames, *language.queries)
    if not all(isinstance(text, str) for text in texts) or not language.name:
        raise _plugin_failure(offer, "a language must have a name, extensions, filenames and queries that are texts")
    if not (language.splitter or (language.grammar and language.queries)):
        raise _plugin_failure(offer, f"{language.name} has neither a grammar with queries nor a splitter")
    return replace(
        language,
        extensions=tuple(extension.lower() for extension in language.extensions),
        filenames=tuple(name.lower() for name in language.filenames),
        plugin=f"{offer.package} {offer.version}",
    )


def _without_taken_files(offer: Offer, language: Language, known: LanguageTable) -> Language:
    """The language with the files that no other has."""
    if language.name in (PLAIN, *known.by_name):
        raise _plugin_failure(offer, f"there is a language {language.name} already")
    return replace(
        language,
        extensions=tuple(one for one in language.extensions if one not in known.by_extension),
        filenames=tuple(one for one in language.filenames if one not in known.by_filename),
    )


def _refuse_name(offer: Offer, wanted: Language, given: Language) -> PluginFailed | None:
    has = {*given.extensions, *given.filenames}
    taken = [one for one in (*wanted.extensions, *wanted.filenames) if one not in has]
    problem = _plugin_failure(offer, f"another language has {', '.join(taken)}")
    return PluginFailed(problem.message, "Such files are read as before.") if taken else None


def _try_language(language: Language) -> PluginFailed | None:
    """Whether its parts are there and fit each other."""
    try:
        if language.splitter:
            import_module(language.splitter).outline  # noqa: B018 - whether there is one
        else:
            compile_query(language, query_text(language))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: whatever it raises, we go on
        return PluginFailed(f"{language.plugin} cannot read {language.name}: {plugins.describe(error)}")
    return None


def _plugin_failure(offer: Offer, reason: str) -> PluginFailed:
    return plugins.failure(plugins.LANGUAGES, offer, reason)
