"""Definitions that stand in a file and not in the index: `python -m research.rulers.unseen --repo PATH...`.

A plain pattern finds most names that a text defines (`research.rulers.plain_names`). Reports those that are missing
from the index, where they are, and how many files a grammar cannot parse to the end. A repository may be a checkout or
a bare one.
"""

import argparse
import random
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.index.syntax.parse import outline
from clew.index.syntax.ranges import LineIndex
from clew.languages import language_in, language_named, language_of
from research.rulers.plain_names import LANGUAGES, names_in

SEED = 5
LARGEST = 400_000  # bytes of a file


@dataclass(slots=True)
class Tally:
    """Of one language."""

    files: int = 0
    names: int = 0
    broken: list[str] = field(default_factory=list)  # files with syntax errors, and where
    unseen: list[str] = field(default_factory=list)

    def add(self, language: str, path: str, source: bytes) -> None:
        known = language_named(language)
        assert known is not None
        seen, lines = outline(known, source), LineIndex(source)
        places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for one in seen.definitions:
            name = one.name.rpartition(".")[2].rpartition("::")[2]
            name = name.removesuffix("!") if language == "rust" else name  # of a macro
            places[name].append((lines.at(one.named), lines.at(max(one.head[1] - 1, one.named))))
        self.files += 1
        self.broken += [f"{path}: {problem}" for problem in seen.problems]
        for line, name, written in names_in(language, source.decode("utf-8", "replace")):
            self.names += 1
            if not any(first <= line <= last for first, last in places[name]):
                self.unseen.append(f"{path}:{line}: {written}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.unseen", description=__doc__)
    parser.add_argument("--repo", type=Path, nargs="+", required=True, help="Checkouts or bare repositories.")
    parser.add_argument("--files", type=int, default=200, help="Of a language and repository, drawn at random.")
    parser.add_argument("--only", nargs="+", default=sorted(LANGUAGES), help="Languages.")
    parser.add_argument("--show", type=int, default=10, help="How many places, of errors and of names.")
    parser.add_argument("--each", action="store_true", help="A line for each repository, too.")
    options = parser.parse_args()
    tallies: dict[str, Tally] = defaultdict(Tally)
    for repo in options.repo:
        own: dict[str, Tally] = defaultdict(Tally)
        for language, path, source in sources(repo, set(options.only), options.files):
            for tally in (own[language], tallies[language]):
                tally.add(language, f"{_name(repo)}/{path}", source)
        for language, tally in sorted(own.items()) if options.each else ():
            print(f"{_name(repo)} {_line(language, tally)}", flush=True)
    for language, tally in sorted(tallies.items()):
        _report(language, tally, options.show)


def _name(repo: Path) -> str:
    """What it is called; of a bare repository, by the folder that it lies in."""
    return repo.parent.name if (repo / "HEAD").exists() else repo.name


def _line(language: str, tally: Tally) -> str:
    return (
        f"{language}: {tally.files} files, {len(tally.broken)} with syntax errors; "
        f"{len(tally.unseen)} of {tally.names} names unseen"
    )


def _report(language: str, tally: Tally, most: int) -> None:
    print(f"== {_line(language, tally)}")
    for places in (tally.broken, tally.unseen):
        random.Random(SEED).shuffle(places)
        for place in sorted(places[:most]):
            print(f"   {place}")


def sources(repo: Path, languages: set[str], most: int) -> Iterator[tuple[str, str, bytes]]:
    """Files of the newest commit, by language."""
    listed = subprocess.run(["git", "-C", repo, "ls-tree", "-rz", "HEAD"], check=True, capture_output=True).stdout
    entries = [entry.partition("\t") for entry in listed.decode("utf-8", "replace").split("\0") if entry]
    by_language: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for meta, _, path in entries:
        by_language[language_of(path)].append((meta.split()[2], path))
    for language, files in sorted(by_language.items()):
        if language in languages or (language == "c" and "cpp" in languages):
            random.Random(SEED).shuffle(files)
            for path, source in _contents(repo, files[:most]):
                if (told := language_in(path, source)) in languages:
                    yield told, path, source


def _contents(repo: Path, files: list[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    asked = "".join(f"{sha}\n" for sha, _ in files).encode()
    command = ["git", "-C", str(repo), "cat-file", "--batch"]
    text, at = subprocess.run(command, input=asked, check=True, capture_output=True).stdout, 0
    for _, path in files:
        end = text.index(b"\n", at)
        _, _, size = text[at:end].decode().rpartition(" ")
        at = end + 1
        if size.isdigit():  # and not `missing`
            source, at = text[at : at + int(size)], at + int(size) + 1
            if len(source) <= LARGEST:
                yield path, source


if __name__ == "__main__":
    main()
