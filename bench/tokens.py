"""The estimate of tokens beside real tokenisers: `python -m bench.tokens --on REPOSITORY… --python PYTHON NAME=FILE…`.

PYTHON is an interpreter that has tiktoken, tokenizers or sentencepiece, FILE what a tokeniser was published as;
`bench.counting` says which it knows. Per kind of text and tokeniser: the mean of estimate / real, how many texts of a
hundred cost more than estimated, and the worst of these. Nothing is downloaded.
"""

import argparse
import json
import subprocess
import tempfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from bench.token_texts import ASIDE, FOREIGN, Text, of_repository, random_bytes
from clew.text.tokens import estimate

HERE = Path(__file__).resolve().parents[1]


class Measured(NamedTuple):
    kind: str
    text: str
    counts: dict[str, int]


def main() -> None:
    given = _arguments()
    texts = [text for repository in given.on for text in of_repository(repository)]
    texts += random_bytes("+".join(str(repository) for repository in given.on))
    texts = [text for text in texts if not given.locales or given.locales == _half(text) or not _half(text)]
    counted = _counted(given.python, given.tokeniser, texts)
    measured = [Measured(text.kind, text.text, counts) for text, counts in zip(texts, counted, strict=True)]
    if given.keep:
        given.keep.write_text("".join(json.dumps(one._asdict()) + "\n" for one in measured), "utf-8")
    _report(given, measured)
    _speed([one.text for one in measured if one.kind not in (*ASIDE, *FOREIGN)])


def _half(text: Text) -> str:
    """Which half of the languages a translation is in: the table was fitted on one, and tested on the other."""
    where = Path(text.source).parts
    locale = where[where.index("locale") + 1] if "locale" in where[:-1] else ""
    return ("fit", "test")[zlib.crc32(locale.encode()) % 2] if locale else ""


def _counted(python: Path, tokenisers: Sequence[str], texts: Sequence[Text]) -> list[dict[str, int]]:
    command = [str(python.absolute()), "-m", "bench.counting", *tokenisers]
    with tempfile.TemporaryFile("w+") as asked:
        asked.writelines(json.dumps(text.text) + "\n" for text in texts)
        asked.seek(0)
        done = subprocess.run(command, stdin=asked, stdout=subprocess.PIPE, text=True, cwd=HERE, env={})
    if done.returncode:
        raise SystemExit(f"{python} could not count")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _report(given: argparse.Namespace, measured: Sequence[Measured]) -> None:
    names = [one.partition("=")[0] for one in given.tokeniser]
    print(f"{len(measured)} texts of {', '.join(str(one) for one in given.on)}, and random ones")
    for one in given.tokeniser:
        name, _, file = one.partition("=")
        print(f"- {name}: {file}")
    print("\nmean of estimate / real, texts underestimated, worst of all\n")
    print(f"| kind | texts | {' | '.join(names)} | hungriest |\n|---|---|{'---|' * (len(names) + 1)}")
    for kind in sorted({one.kind for one in measured}):
        _row(kind, names, [one for one in measured if one.kind == kind])
    _row("**all but other languages and random**", names, [m for m in measured if m.kind not in (*ASIDE, *FOREIGN)])


def _row(title: str, names: Sequence[str], measured: Sequence[Measured]) -> None:
    cells = []
    for name in (*names, None):
        ratios = [estimate(one.text) / (one.counts[name] if name else max(one.counts.values())) for one in measured]
        under = sum(ratio < 1 for ratio in ratios) / len(ratios)
        cells.append(f"{fmean(ratios):.2f}, {under:.1%}, {min(ratios):.2f}")
    print(f"| {title} | {len(measured)} | {' | '.join(cells)} |")


def _speed(texts: Sequence[str]) -> None:
    size = sum(len(text) for text in texts) / 1e6
    start = time.process_time()
    for text in texts:
        estimate(text)
    print(f"\n{size / (time.process_time() - start):.0f} million characters a second, of {size:.1f} million")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.tokens", description=__doc__)
    parser.add_argument("--on", type=Path, nargs="+", required=True, help="checkouts, or bare mirrors")
    parser.add_argument("--python", type=Path, required=True, help="an interpreter that has the tokenisers' packages")
    parser.add_argument("--locales", choices=("fit", "test"), help="translations into one half of the languages alone")
    parser.add_argument("--keep", type=Path, help="where to write texts and counts, for bench.token_table")
    parser.add_argument("tokeniser", nargs="+", help="NAME=FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
