"""Embedders: the protocol, and the registry of built-in ones and plug-ins."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.model.errors import ClewError, ConfigError
from clew.runtime import plugins
from clew.runtime.plugins import Offer
from clew.runtime.settings import NO_MODEL, OWN, Embedding

Floats = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Thread-safe. A text's vector depends on the text alone, not on others of the batch."""

    @property
    def name(self) -> str:
        """The key stored with each vector: it changes with the version or number of dimensions."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text, of unit length; EmbedderFailed if that cannot be done now."""
        ...


def is_quick(embedder: Embedder) -> bool:
    """Whether to make a vector takes no longer than to keep it and look it up."""
    return bool(getattr(embedder, "quick", False))


Maker = Callable[[Embedding], Embedder]  # what an entry point of the group `clew.embedders` names

_MODULES = {OWN: "own", "minilm": "minilm", "openai": "openai"}
BUILT_IN = tuple(Offer(name, f"clew.text.embedders.{file}:make", "clew", "", "") for name, file in _MODULES.items())
OTHER_NAMES = {"sentence-transformers/all-MiniLM-L6-v2": "minilm", "all-MiniLM-L6-v2": "minilm"}


def embedder(settings: Embedding) -> Embedder | None:
    """The one that is configured, ready for use; None if none is."""
    if settings.model in (NO_MODEL, ""):
        return None
    offer = _offer(settings.model)
    make: Maker = plugins.load(plugins.EMBEDDERS, offer)
    try:
        made = make(settings)
    except ClewError:
        raise
    except Exception as error:
        raise plugins.failure(plugins.EMBEDDERS, offer, plugins.describe(error)) from error
    if not isinstance(getattr(made, "name", None), str) or not callable(getattr(made, "embed", None)):
        raise plugins.failure(plugins.EMBEDDERS, offer, f"{offer.value} makes no embedder")
    return made


def unit(vectors: npt.ArrayLike) -> Floats:
    """The rows, each of length one; one that is all zero stays so."""
    rows: Floats = np.asarray(vectors, np.float32)
    lengths: Floats = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    return rows / lengths


def _offer(model: str) -> Offer:
    """A built-in embedder has precedence over a plug-in of its name; among packages, the first by name."""
    name = OTHER_NAMES.get(model, model)
    known = (*BUILT_IN, *plugins.find_offers(plugins.EMBEDDERS))
    for offer in known:
        if offer.name == name:
            return offer
    names = ", ".join(dict.fromkeys([NO_MODEL, *(offer.name for offer in known)]))
    raise ConfigError(f"embedding.model = {model!r}: no package brings such an embedder", f"There are: {names}.")
