"""The baselines for Clew: counts of the words in a text, and plain BM25. Pure, except for ripgrep itself."""

import math
import re
import shutil
import subprocess
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.rankers import RankedNames
from clew.evaluate.world import World
from clew.model.errors import Unavailable
from clew.text.terms import FILLERS, count_words

SATURATION, LENGTH_DISCOUNT = 1.2, 0.75  # k1 and b, as textbooks have them
SHORTEST_TERM = 3  # that is looked for inside of words: shorter ones are everywhere

IN_PROCESS = "ripgrep is not on PATH: its counts were made in process"

_NONE = 1  # how ripgrep says that nothing matched


class TextCorpus:
    """Texts by id, and which of them hold which words: as written, in small letters."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self.ids = sorted(texts)
        self._places: dict[bytes, tuple[array[int], array[int]]] = {}
        lengths = []
        for number, name in enumerate(self.ids):
            counts = count_words(texts[name].lower())
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                where, often = self._places.setdefault(word, (array("l"), array("l")))
                where.append(number)
                often.append(count)
        self.lengths = np.array(lengths, np.float64)
        self.words = tuple(self._places)

    def find_word(self, word: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the texts that hold a word, and how often."""
        where, often = self._places.get(word, (array("l"), array("l")))
        return np.array(where, np.int64), np.array(often, np.int64)

    def best(self, scores: NDArray[np.float64]) -> list[str]:
        """The ids that scored, best first; of equals, the first by name."""
        order = np.argsort(-scores, kind="stable")
        return [self.ids[number] for number in order if scores[number] > 0]


class BM25:
    def __init__(self, texts: TextCorpus) -> None:
        self._texts = texts
        average = texts.lengths.mean() if len(texts.ids) else 1.0
        self._room = SATURATION * (1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * texts.lengths / max(average, 1.0))

    def __call__(self, query: str) -> list[str]:
        return self._texts.best(self.scores(query))

    def scores(self, query: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self._texts.ids))
        for word in sorted(count_words(query.lower().encode("utf-8", "replace"))):
            where, often = self._texts.find_word(word)
            rarity = math.log(1 + (len(scores) - len(where) + 0.5) / (len(where) + 0.5))
            scores[where] += rarity * often * (SATURATION + 1) / (often + self._room[where])
        return scores


class TermCounts:
    """How often any of the terms stands in a text, inside of words too, as `rg --count-matches -i -F` counts."""

    def __init__(self, texts: TextCorpus) -> None:
        self._texts = texts
        self._joined = b"\n".join(texts.words)
        self._ends = np.cumsum([len(word) + 1 for word in texts.words])

    def __call__(self, query: str) -> list[str]:
        scores = np.zeros(len(self._texts.ids))
        terms = terms_of(query)
        if not terms:
            return []
        any_term = re.compile(b"|".join(re.escape(term.encode("utf-8", "replace")) for term in terms))
        starts = [match.start() for match in any_term.finditer(self._joined)]
        for number, count in Counter(np.searchsorted(self._ends, starts, side="right").tolist()).items():
            where, often = self._texts.find_word(self._texts.words[number])
            scores[where] += count * often
        return self._texts.best(scores)


class Ripgrep:
    """The same of files, by ripgrep."""

    def __init__(self, program: str, root: Path, paths: frozenset[str]) -> None:
        self._command = [program, "--count-matches", "--no-ignore", "-i", "-F", "--null"]
        self._root = root
        self._paths = paths

    def __call__(self, query: str) -> list[str]:
        terms = [part for term in terms_of(query) for part in ("-e", term)]
        if not terms:
            return []
        command = [*self._command, *terms, "--", "."]
        done = subprocess.run(command, cwd=self._root, capture_output=True, text=True, errors="surrogateescape")
        if done.returncode > _NONE and not done.stdout:
            why = done.stderr.strip() or f"exit {done.returncode}"
            raise Unavailable(
                f"ripgrep failed: {why}", "Repair it, or take it from PATH: the same is counted without it."
            )
        pairs = (line.rpartition("\0")[::2] for line in done.stdout.splitlines())
        counted = {path.removeprefix("./"): int(count) for path, count in pairs}
        found = [path for path in counted if path in self._paths]
        return sorted(found, key=lambda path: (-counted[path], path))


class Baseline:
    """Asked for files, like a user of grep; judged by functions too."""

    def __init__(self, name: str, files: Callable[[str], list[str]], functions: Callable[[str], list[str]]) -> None:
        self.name = name
        self._files = files
        self._functions = functions

    def ask(self, query: str) -> None:
        self._files(query)

    def rank(self, query: str) -> RankedNames:
        return RankedNames(self._files(query), self._functions(query))


def terms_of(query: str) -> list[str]:
    """The words of a query that somebody would grep for."""
    words = dict.fromkeys(word.decode() for word in count_words(query.lower().encode("utf-8", "replace")))
    return sorted(word for word in words if len(word) >= SHORTEST_TERM and word not in FILLERS)


def baselines(world: World) -> tuple[list[Baseline], tuple[str, ...]]:
    """The baseline rankers, and the notes about them."""
    files, functions = TextCorpus(world.files), TextCorpus(world.function_texts)
    program = shutil.which("rg")
    by_count = Ripgrep(program, world.root, frozenset(world.files)) if program else TermCounts(files)
    notes = () if program else (IN_PROCESS,)
    made = [Baseline("ripgrep", by_count, TermCounts(functions)), Baseline("bm25", BM25(files), BM25(functions))]
    return made, notes
