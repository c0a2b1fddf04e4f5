"""The base, checked out: a repository of its own that borrows the objects and knows nothing of the future."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.evaluate.history import History
from clew.model.errors import InvalidInput, Unavailable
from clew.runtime import git_process

MARK = "clew-eval"  # in the .git of a checkout that is ours: what it borrows from
ATTEMPTS, PAUSE = 50, 0.1  # seconds

_AS_COMMITTED = ("-c", "core.autocrlf=false")  # files as they are in the repository


@contextmanager
def checkout(history: History, base: str, keep: Path | None) -> Iterator[Path]:
    """The tree of the base; removed at the end in any case, unless it is to be kept. A kept one is used again."""
    if keep is not None:
        root = keep.absolute()
        _adopt(root, history)
        _fill(root, base)
        yield root
        return
    root = Path(tempfile.mkdtemp(prefix="clew-eval-")).resolve()
    try:
        _borrow(root, history)
        _fill(root, base)
        yield root
    finally:
        _remove(root)


def _remove(root: Path) -> None:
    """More than once if need be: a git that Ctrl-C has just ended may still write its last file."""
    for _ in range(ATTEMPTS):
        shutil.rmtree(root, ignore_errors=True)
        if not root.exists():
            return
        time.sleep(PAUSE)


def _adopt(root: Path, history: History) -> None:
    mark = root / ".git" / MARK
    if mark.is_file():
        if mark.read_text("utf-8") != str(history.shared):
            raise InvalidInput(f"{root} was kept of another repository", "Name another directory with --keep.")
    elif root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InvalidInput(f"{root} is not empty, and no evaluation made it", "Name another directory with --keep.")
    else:
        root.mkdir(parents=True, exist_ok=True)
        _borrow(root, history)


def _borrow(root: Path, history: History) -> None:
    """As `git clone --shared` does, but without a branch or a tag: later commits have no name here."""
    _git(root, "init", "--quiet", "--template=", f"--object-format={history.object_format}")
    own = root / ".git"
    (own / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(f"{history.shared / 'objects'}\n", "utf-8")
    (own / MARK).write_text(str(history.shared), "utf-8")


def _fill(root: Path, base: str) -> None:
    _git(root, "checkout", "--quiet", "--force", "--detach", base)


def _git(root: Path, *arguments: str) -> None:
    # Alone: the tree names filters by its attributes, and the configuration of this new repository defines none.
    done = git_process.run(root, *_AS_COMMITTED, *arguments, timeout=None, alone=True)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise Unavailable(f"the base cannot be checked out: {said}", "Free some space, or run `git fsck` there.")
