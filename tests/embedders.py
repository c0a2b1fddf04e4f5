"""A small embedder whose vectors anybody can foresee: each word is a direction."""

import re
import zlib
from collections.abc import Sequence

import numpy as np

from clew.text.embedders import Floats, unit

DIMENSIONS = 64

# The same as a package: what `tests.packages.install` takes, for processes of their own.
ENTRIES = {"words": "clew_words:make"}
FILES = {"clew_words.py": "from tests.embedders import Words\n\ndef make(settings):\n    return Words()\n"}
BROKEN = {
    "clew_words.py": """
        class Broken:
            name = "broken"

            def embed(self, texts):
                raise OSError("no line")

        def make(settings):
            return Broken()
    """,
}


class Words:
    """Knows what it has embedded; after `fails_after` texts it is interrupted."""

    def __init__(self, name: str = "words-1", fails_after: int = 1_000_000) -> None:
        self.name = name
        self.texts: list[str] = []
        self._fails_after = fails_after

    def embed(self, texts: Sequence[str]) -> Floats:
        if len(self.texts) + len(texts) > self._fails_after:
            raise KeyboardInterrupt
        self.texts += texts
        rows = np.full((len(texts), DIMENSIONS), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"[a-z]+", text.lower()):
                row[zlib.crc32(word.encode()) % DIMENSIONS] += 1
        return unit(rows)
