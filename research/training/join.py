"""From the bags of all sources to one file of numbers: `python -m research.training.join BAGS OUT [--small]`.

A term that few sources know says nothing elsewhere: it shares one of some vectors with others, by its hash.
"""

import argparse
import io
import lzma
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from blake3 import blake3

from research.training.listed import Source, listed

TERMS = 42_000
PARTS = 6  # files, each small enough to be carried to where a GPU is
BUCKETS = 2048  # for all other terms
LEAST_SOURCES = 3
MOST_COMMITS = 5000  # pairs of one source
SMALL = frozenset(
    "psf/requests pallets/click pallets/jinja axios/axios colinhacks/zod labstack/echo spf13/viper hyperium/hyper "
    "serde-rs/json google/gson encode/starlette go-chi/chi sharkdp/fd square/moshi".split()
)  # sources of the small version


Array = npt.NDArray[Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bags", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--small", action="store_true", help="a few sources alone")
    options = parser.parse_args()
    sources = [one for one in listed() if (options.bags / f"{one.file_name}.npz").exists()]
    if options.small:
        sources = chosen(sources)
    files = [np.load(options.bags / f"{one.file_name}.npz") for one in sources]
    terms = vocabulary([file for file, one in zip(files, sources, strict=True) if one.part == "train"])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "terms.txt").write_text("\n".join(terms), "utf-8")
    number = numbered(terms)
    for part in range(PARTS):
        own = slice(part * len(files) // PARTS, (part + 1) * len(files) // PARTS)
        _write(options.out / f"pairs-{part}.npz.xz", sources[own], files[own], number)


def _write(into: Path, sources: list[Source], files: list[np.lib.npyio.NpzFile], number: Callable[[str], int]) -> None:
    ids: list[Array] = []
    counts: list[Array] = []
    lengths: list[Array] = []
    pairs: list[Array] = []
    for source, file in enumerate(files):
        terms = str(file["terms"]).split("\n")
        known = [*map(number, terms)]
        found = _fewer(file["pairs"])
        used, places = np.unique(found[:, 1:3], return_inverse=True)
        sizes = np.diff(file["starts"])
        held = np.isin(np.repeat(np.arange(len(sizes)), sizes), used)
        found[:, 1:3] = places.reshape(-1, 2) + sum(map(len, lengths))
        ids.append(np.array(known, np.uint16)[file["ids"][held]])
        counts.append(file["counts"][held])
        lengths.append(sizes[used].astype(np.uint8))
        pairs.append(np.column_stack([found, np.full(len(found), source, np.int32)]))
    buffer = io.BytesIO()
    np.savez(
        buffer, sources=np.array([f"{one.name} {one.part}" for one in sources]), ids=np.concatenate(ids),
        counts=np.concatenate(counts), lengths=np.concatenate(lengths), pairs=np.concatenate(pairs),
    )  # fmt: skip
    into.write_bytes(lzma.compress(buffer.getbuffer(), preset=1))
    print(
        f"{into.name}: {len(sources)} sources, {sum(map(len, lengths))} texts, {sum(map(len, pairs))} pairs", flush=True
    )


def _fewer(pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Of commits, the newest: they come first."""
    kept: npt.NDArray[np.bool_] = (pairs[:, 0] != 0) | (np.cumsum(pairs[:, 0] == 0) <= MOST_COMMITS)
    return pairs[kept]


def chosen(sources: list[Source]) -> list[Source]:
    """Those of the small version: small repositories."""
    return [one for one in sources if one.name in SMALL]


def vocabulary(files: list[np.lib.npyio.NpzFile]) -> list[str]:
    """The terms that stand in most texts, of those that several sources know."""
    texts: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for file in files:
        names = str(file["terms"]).split("\n")
        known.update(names)
        often = np.bincount(file["ids"], minlength=len(names))
        texts.update(dict(zip(names, often.tolist(), strict=True)))
    shared = [term for term, count in texts.items() if known[term] >= LEAST_SOURCES]
    return sorted(shared, key=lambda term: (-texts[term], term))[:TERMS]


def numbered(terms: Sequence[str]) -> Callable[[str], int]:
    """What gives the number of a term: its own, or the shared one that it falls to."""
    numbers = {term: number for number, term in enumerate(terms)}
    return lambda term: numbers[term] if term in numbers else bucket(term, len(numbers))


def bucket(term: str, known: int) -> int:
    return known + int.from_bytes(blake3(term.encode()).digest()[:4], "little") % BUCKETS


if __name__ == "__main__":
    main()
