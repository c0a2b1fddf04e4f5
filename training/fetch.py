"""Brings what `sources.txt` names, but for what is there: `python -m training.fetch CLONES WHEELS [--small]`."""

import argparse
import subprocess
import sys
from pathlib import Path

from training.join import chosen
from training.listed import Source, listed

ORIGIN = "https://github.com"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--origin", default=ORIGIN, help="where repositories are cloned from")
    options = parser.parse_args()
    options.wheels.mkdir(parents=True, exist_ok=True)
    for source in chosen(listed()) if options.small else listed():
        if source.is_repository:
            _clone(source, options.clones / source.file_name / "repo", options.origin)
        else:
            _download(source, options.wheels)


def _clone(source: Source, into: Path, origin: str) -> None:
    if not into.exists():
        subprocess.run(["git", "clone", "-q", "--bare", f"{origin}/{source.name}.git", str(into)], check=True)


def _download(source: Source, into: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "-d", str(into), f"{source.name}=={source.version}"], check=True)


if __name__ == "__main__":
    main()
