"""Fetches the missing sources of `sources.txt`: `python -m research.training.fetch CLONES WHEELS [--small]`."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from research.training.join import chosen
from research.training.listed import Source, listed

ORIGIN = "https://github.com"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--origin", default=ORIGIN, help="where repositories are cloned from")
    options = parser.parse_args()
    options.wheels.mkdir(parents=True, exist_ok=True)
    sources = chosen(listed()) if options.small else listed()
    for source in (one for one in sources if one.is_repository):
        _clone(source, options.clones / source.file_name / "repo", options.origin)
    _download([one for one in sources if not one.is_repository], options.wheels)


def _clone(source: Source, into: Path, origin: str) -> None:
    if into.exists():
        return
    part = into.with_name("part")
    shutil.rmtree(part, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--bare", f"{origin}/{source.name}.git", str(part)], check=True)
    part.rename(into)


def _download(packages: list[Source], into: Path) -> None:
    """In one go: most of the time is pip's own beginning."""
    lacking = [f"{one.name}=={one.version}" for one in packages if one.wheel(into) is None]
    if lacking:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "-d", str(into), *lacking], check=True)


if __name__ == "__main__":
    main()
