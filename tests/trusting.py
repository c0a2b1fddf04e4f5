"""A user's trust in what a test writes into a repository."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from clew.runtime import context_file, ownership, paths
from clew.runtime.trust import Acceptances


def accept(root: Path, environ: Mapping[str, str] | None = None) -> None:
    """What `clew trust` does once the person has agreed."""
    environ = os.environ if environ is None else environ
    settings = context_file.reaching_outside(root, environ)
    Acceptances(paths.user_data(environ)).accept(root, settings)


def own(root: Path) -> Path:
    """The project, whose `.clew` counts as made by the user who runs the test."""
    folder = root / ".clew"
    folder.mkdir(exist_ok=True)
    ownership.mark(folder, paths.user_data(os.environ))
    return root


def copied(source: Path, target: Path) -> Path:
    """A copy of a project, with its index, for the user who runs the test."""
    shutil.copytree(source, target)
    return own(target) if (target / ".clew").is_dir() else target
