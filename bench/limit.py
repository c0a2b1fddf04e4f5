"""What others need for the same files: tree-sitter alone, in one process, and universal-ctags."""

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tree_sitter import Parser, Query, QueryCursor, Tree

from bench.measure import median
from clew.index.disk.scan import scan
from clew.languages import language_named, language_of
from clew.languages.grammars import grammar, query_text
from clew.languages.profile import Language
from clew.runtime.config import load


@dataclass(frozen=True, slots=True)
class Work:
    """The files of a tree that have a parser, and the size of it all."""

    root: Path
    files: tuple[tuple[str, Language], ...]
    scanned: int
    bytes: int
    lines: int


def work_of(root: Path) -> Work:
    config = load(root, {}).config
    found = scan(root, config.watcher, config.indexing).files
    files = tuple(
        (one.path, language)
        for one in found
        if (language := language_named(language_of(one.path))) and language.queries
    )
    contents = [(root / path).read_bytes() for path, _ in files]
    return Work(root, files, len(found), sum(map(len, contents)), sum(content.count(b"\n") for content in contents))


def parse_seconds(work: Work, runs: int) -> float:
    """CPU seconds to read and parse every file."""
    return _median_cpu(lambda: _parse_all(work), runs)


def query_seconds(work: Work, runs: int) -> float:
    """CPU seconds to read and parse every file and run its language's query: no index can need less."""
    return _median_cpu(lambda: _query_all(work), runs)


def ctags_seconds(work: Work, runs: int) -> float | None:
    """CPU seconds of universal-ctags, its output thrown away; None where it is not installed."""
    command = shutil.which("ctags")
    if command is None or b"Universal Ctags" not in subprocess.run([command, "--version"], capture_output=True).stdout:
        return None
    paths = "\n".join(path for path, _ in work.files).encode()
    return median([_ctags(command, work.root, paths) for _ in range(runs)])


def _ctags(command: str, root: Path, paths: bytes) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = [command, "--quiet=yes", "-L", "-", "-f", os.devnull]
    subprocess.run(quiet, cwd=root, input=paths, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _median_cpu(pass_over: Callable[[], object], runs: int) -> float:
    pass_over()  # grammars and queries are loaded once, by whoever comes first
    seconds = []
    for _ in range(runs):
        started = time.process_time()
        pass_over()
        seconds.append(time.process_time() - started)
    return median(seconds)


def _parse_all(work: Work) -> None:
    for path, language in work.files:
        _parse(work.root / path, language)


def _query_all(work: Work) -> None:
    for path, language in work.files:
        QueryCursor(_query(language)).matches(_parse(work.root / path, language).root_node)


def _parse(file: Path, language: Language) -> Tree:
    return _parser(language).parse(file.read_bytes())


@cache
def _parser(language: Language) -> Parser:
    return Parser(grammar(language))


@cache
def _query(language: Language) -> Query:
    return Query(grammar(language), query_text(language))
