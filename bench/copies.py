"""A copy of a checkout as it stands, uncommitted work included, so that the original is never touched."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.engine import Engine


def copy(checkout: Path, target: Path) -> None:
    """What git would not ignore, with its times; outside of git, everything but an index."""
    top = _git(checkout, "rev-parse", "--show-toplevel")
    if top is None:
        shutil.copytree(checkout, target, symlinks=True, ignore=shutil.ignore_patterns(".clew"))
        return
    source = Path(top.strip())
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", source, target], check=True)
    listed = _git(source, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or ""
    for path in filter(None, listed.split("\0")):
        _copy_file(source / path, target / path)
    subprocess.run(["git", "-C", target, "reset", "--quiet"], check=True)


@contextmanager
def indexed(checkout: Path) -> Iterator[Engine]:
    """A copy of it, indexed; both are gone in the end."""
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as scratch:
        tree = Path(scratch) / "tree"
        copy(checkout, tree)
        with Engine.open(tree) as engine:
            engine.index()
            yield engine


def revision(checkout: Path) -> str:
    return (_git(checkout, "rev-parse", "--short=10", "HEAD") or "no git").strip()


def _copy_file(source: Path, target: Path) -> None:
    if source.is_symlink() or source.is_file():  # a submodule is a folder, a deleted file nothing
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def _git(where: Path, *arguments: str) -> str | None:
    done = subprocess.run(["git", "-C", where, *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None
