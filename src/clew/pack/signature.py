"""The state of the index as one SHA-256: besides its request, a context pack depends on nothing else.

It depends neither on where the checkout lies, nor on the machine, on time, or on the order in which files were indexed.
"""

import hashlib
from collections.abc import Callable
from operator import itemgetter

import msgspec

from clew.index import rules
from clew.model.errors import ClewError
from clew.runtime import plugins
from clew.runtime.settings import NO_MODEL, Config
from clew.store.corpus import Corpus
from clew.store.postings import snapshot_name

MADE = "pack-2"  # how packs are made: gathering, scoring, sections; raise it when the same index gives another pack


class Signatures:
    """Of one checkout; files are hashed once for each state of contents."""

    def __init__(self, config: Config, embedder: Callable[[], str]) -> None:
        """`embedder` is called for the name only if one is configured."""
        self._config = config
        self._embedder = embedder
        self._kept: tuple[Corpus, bytes] | None = None

    def index(self, corpus: Corpus, tip: str) -> str:
        """A digest of formats, configuration that affects answers, embedder, contents, and the tip of the history."""
        said = (
            MADE,
            rules.FORMAT,
            snapshot_name(""),
            _settings(self._config),
            self._model(),
            _brought(self._config),
            tip,
        )
        digest = hashlib.sha256(msgspec.msgpack.encode(said))
        digest.update(self._contents(corpus))
        return digest.hexdigest()

    def _contents(self, corpus: Corpus) -> bytes:
        kept = self._kept
        if kept is None or kept[0] is not corpus:
            self._kept = kept = corpus, contents(corpus)
        return kept[1]

    def _model(self) -> str:
        if self._config.embedding.model == NO_MODEL:
            return NO_MODEL
        try:
            return self._embedder()
        except ClewError as problem:  # answers come without it, and are others for that
            return problem.code


def contents(corpus: Corpus) -> bytes:
    """A digest of all paths with their texts, links and languages; it does not depend on the corpus's parts."""
    held: list[tuple[str, bytes, str]] = []
    for part in corpus.parts:
        postings = part.postings
        languages = [postings.languages[i] for i in range(len(postings.languages))]
        rows = zip(postings.paths, postings.digests, postings.language_of.tolist(), part.files.tolist(), strict=True)
        held += [(path, state.tobytes(), languages[spoken]) for path, state, spoken, holds in rows if holds]
    digest = hashlib.sha256()
    for path, state, language in sorted(held, key=itemgetter(0)):
        digest.update(b"\0".join((path.encode(), state, language.encode(), b"")))
    return digest.digest()


def _settings(config: Config) -> tuple[object, ...]:
    """Tuned weights are among the weights. Settings that select files or affect parsing show in the contents."""
    query = config.query.min_score_threshold, config.query.mmr_lambda
    return config.enabled, query, config.providers, config.embedding.dimension, config.embedding.remote_model


def _brought(config: Config) -> list[tuple[str, str, str]]:
    """The retrievers of packages that take part, by version: another one may rank otherwise."""
    named = {one.partition("=")[0] for one in config.providers.plugins}
    offered = plugins.find_offers(plugins.RETRIEVERS) if named else ()
    return sorted((one.name, one.package, one.version) for one in offered if one.name in named)
