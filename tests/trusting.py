"""A user's trust in what a test writes into a repository."""

import os
from collections.abc import Mapping
from pathlib import Path

from clew.runtime import context_file, paths
from clew.runtime.trust import Acceptances


def accept(root: Path, environ: Mapping[str, str] | None = None) -> None:
    """What `clew trust` does once the person has agreed."""
    environ = os.environ if environ is None else environ
    settings = context_file.reaching_outside(root, environ)
    Acceptances(paths.user_data(environ)).accept(root, settings)
