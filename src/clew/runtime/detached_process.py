"""A process of our own that outlives us: nobody waits for it, and nobody is warned that nobody does."""

import os
import subprocess
import sys
from pathlib import Path

from clew.runtime.paths import PART_VARIABLE


class Apart(subprocess.Popen[bytes]):
    """`clew` with some arguments on a project, without our standard streams, in a session of its own.

    `part`: the project of `[projects]` that it is for; empty: the whole workspace.
    """

    def __init__(self, root: Path, *command: str, part: str = "") -> None:
        # -P: the directory we stand in may be the repository, and its modules must never be taken for ours.
        arguments = [sys.executable, "-P", "-m", "clew", "-C", str(root), *command, "--quiet"]
        quiet = subprocess.DEVNULL
        environ = {**os.environ, PART_VARIABLE: part}
        super().__init__(arguments, env=environ, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)

    def __del__(self) -> None:
        """It goes on on purpose."""
