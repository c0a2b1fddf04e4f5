"""What the teacher is asked about: `python -m research.training.lessons CLONES WHEELS DATA [--small]`.

Sentences that people wrote and code, of each source that is there: as MiniLM's tokens, and as bags of the terms that
`research.training.join` chose.
"""

import argparse
import io
import lzma
import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.text.embedders.bert import WordPiece
from research.training import gather
from research.training.bags import Terms
from research.training.begin import vocabulary
from research.training.join import chosen, numbered
from research.training.listed import Source, listed

FILES, PROSE = 60, 20  # of one source
SENTENCES, TEXTS = 400, 250  # likewise
SENTENCE_TOKENS, TEXT_TOKENS = 48, 128  # at most


class Lesson(NamedTuple):
    source: str
    is_sentence: bool
    tokens: list[int]
    bag: dict[str, int]


def main() -> None:
    options = _options()
    listing = chosen(listed()) if options.small else listed()
    sources = [one for one in listing if one.is_there(options.clones, options.wheels)]
    with ProcessPoolExecutor(options.jobs) as pool:
        works = [pool.submit(of_source, one, options.clones, options.wheels) for one in sources if one.part == "train"]
        found = [lesson for work in works for lesson in work.result()]
    write(found, options.data)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("clones", "wheels", "data"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def of_source(source: Source, clones: Path, wheels: Path) -> list[Lesson]:
    """A sample of what stands in its files, the same each time."""
    pairs = [one for one in gather.files(source, clones, wheels, FILES, PROSE) if not one.hides]
    drawn = random.Random(source.name)
    sentences, texts = [*dict.fromkeys(one.query for one in pairs)], [*dict.fromkeys(one.text for one in pairs)]
    drawn.shuffle(sentences)
    drawn.shuffle(texts)
    return [
        *(Lesson(source.name, True, *read) for read in _read(sentences[:SENTENCES], SENTENCE_TOKENS)),
        *(Lesson(source.name, False, *read) for read in _read(texts[:TEXTS], TEXT_TOKENS)),
    ]


def _read(texts: list[str], most: int) -> Iterator[tuple[list[int], dict[str, int]]]:
    """Tokens and terms of those that have two terms at least."""
    terms, pieces = Terms(), WordPiece(vocabulary())
    for text in texts:
        bag = terms.counted(text)
        if len(bag) >= 2:
            yield pieces.numbers(text, most), bag


def write(lessons: list[Lesson], data: Path) -> None:
    number = numbered((data / "terms.txt").read_text("utf-8").split("\n"))
    buffer = io.BytesIO()
    np.savez(
        buffer, is_sentence=np.array([one.is_sentence for one in lessons]),
        sources=np.array([one.source for one in lessons]),
        tokens=np.array([token for one in lessons for token in one.tokens], np.uint16),
        token_lengths=np.array([len(one.tokens) for one in lessons], np.uint8),
        ids=np.array([number(term) for one in lessons for term in one.bag], np.uint16),
        counts=np.array([count for one in lessons for count in one.bag.values()], np.uint8),
        lengths=np.array([len(one.bag) for one in lessons], np.uint8),
    )  # fmt: skip
    (data / "lessons.npz.xz").write_bytes(lzma.compress(buffer.getbuffer(), preset=1))
    print(f"{len(lessons)} lessons", flush=True)


if __name__ == "__main__":
    main()
