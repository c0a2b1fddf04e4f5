"""From sources to bags: `python -m research.training.gather CLONES WHEELS OUT`.

CLONES holds a bare repository per source as `owner+name`, WHEELS the packages. Each source in
`research/training/sources.txt` is read and written to one file in OUT; existing files are kept.
"""

import argparse
import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from blake3 import blake3

from clew.evaluate.world import SourceFiles
from clew.languages.plugins import load_languages
from research.training import code, commits, prose
from research.training.bags import Bagger, Pair
from research.training.join import chosen
from research.training.listed import Source, listed

MOST_FILES = 900  # of code, of one source
MOST_PROSE = 200
LARGEST = 200_000  # bytes of a file


def main() -> None:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = chosen(listed()) if options.small else listed()
    todo = [one for one in wanted if not (options.out / f"{one.file_name}.npz").exists()]
    with ProcessPoolExecutor(options.jobs) as pool:
        for line in pool.map(
            _gather, todo, *([each] * len(todo) for each in (options.clones, options.wheels, options.out))
        ):
            print(line, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("clones", "wheels", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def _gather(source: Source, clones: Path, wheels: Path, out: Path) -> str:
    started = time.process_time()
    bagger = Bagger()
    if source.is_repository:
        with tempfile.TemporaryDirectory() as scratch:
            for pair in commits.read(
                _repo(source, clones), SourceFiles(load_languages(()).known), Path(scratch), source.version
            ):
                bagger.add(pair)
    for pair in files(source, clones, wheels):
        bagger.add(pair)
    part = out / f"{source.file_name}.part.npz"
    count = bagger.save(part)
    part.replace(out / f"{source.file_name}.npz")
    return f"{source.name}: {count} pairs, {time.process_time() - started:.0f} CPU-s"


def files(
    source: Source, clones: Path, wheels: Path, most: int = MOST_FILES, most_prose: int = MOST_PROSE
) -> Iterator[Pair]:
    """Chunks of a sample of the source's files."""
    if source.is_repository:
        repo = _repo(source, clones)
        yield from _read(_blobs(repo, source.version, _chosen(_paths(repo, source.version), most, most_prose)))
    else:
        yield from _read(_packed(source, wheels, most, most_prose))


def _repo(source: Source, clones: Path) -> Path:
    return clones / source.file_name / "repo"


def _paths(repo: Path, revision: str) -> list[str]:
    command = ["git", "-C", str(repo), "ls-tree", "-r", "-z", "--name-only", revision]
    names = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.split(b"\0")
    return [name.decode() for name in names if name and b"\n" not in name and not any(byte > 126 for byte in name)]


def _blobs(repo: Path, revision: str, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    asked = "".join(f"{revision}:{path}\n" for path in paths).encode()
    command = ["git", "-C", str(repo), "cat-file", "--batch"]
    answer = subprocess.run(command, check=True, input=asked, stdout=subprocess.PIPE).stdout
    at = 0
    for path in paths:
        end = answer.index(b"\n", at)
        told = answer[at:end].split()
        size = -1 if told[-1] == b"missing" else int(told[2])  # what is missing has neither text nor line end
        yield path, answer[end + 1 : end + 1 + max(size, 0)]
        at = end + size + 2


def _packed(source: Source, wheels: Path, most: int, most_prose: int) -> Iterator[tuple[str, bytes]]:
    file = source.wheel(wheels)
    if file is None:
        raise FileNotFoundError(f"{wheels} has no {source.name} {source.version}")
    with zipfile.ZipFile(file) as archive:
        sizes = {one.filename: one.file_size for one in archive.infolist()}
        for path in _chosen([*sizes], most, most_prose):
            if sizes[path] <= LARGEST:
                yield path, archive.read(path)


def _chosen(paths: list[str], most: int, most_prose: int) -> list[str]:
    """A sample, the same each time."""
    sources = SourceFiles(load_languages(()).known)
    ordered = sorted(paths, key=lambda path: blake3(path.encode()).digest())
    return [
        *[path for path in ordered if path in sources][:most],
        *[path for path in ordered if prose.is_prose(path)][:most_prose],
    ]


def _read(files: Iterator[tuple[str, bytes]]) -> Iterator[Pair]:
    known = load_languages(()).known
    for path, content in files:
        if len(content) > LARGEST:
            continue
        if prose.is_prose(path):
            yield from prose.read(path, content.decode("utf-8", "replace"))
        else:
            yield from code.read(path, content.decode("utf-8", "replace").encode(), known)


if __name__ == "__main__":
    main()
