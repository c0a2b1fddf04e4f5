"""What one might ask a repository: names of its own symbols, and the first lines of what documents them."""

import random
from collections.abc import Sequence

from clew.engine import Engine


def of(engine: Engine, count: int, seed: int) -> list[str]:
    """About half of each; the same tree and seed give the same questions."""
    layouts = [engine.files.layout(content.file, content.version) for content in engine.files.contents()]
    symbols = [symbol for layout in layouts for symbol in layout.symbols]
    names = sorted({symbol.name for symbol in symbols})
    docs = sorted({symbol.doc.splitlines()[0] for symbol in symbols if symbol.doc.strip()} - {""})
    chance = random.Random(seed)
    drawn = [*_some(chance, docs, count // 2), *_some(chance, names, count)][:count]
    chance.shuffle(drawn)
    return drawn


def _some(chance: random.Random, texts: Sequence[str], count: int) -> list[str]:
    return chance.sample(texts, min(count, len(texts)))
