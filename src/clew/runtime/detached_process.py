"""A process of our own that outlives us: nobody waits for it, and nobody is warned that nobody does."""

import subprocess
import sys
from pathlib import Path


class Apart(subprocess.Popen[bytes]):
    """`clew` with some arguments on a project, without our standard streams, in a session of its own."""

    def __init__(self, root: Path, *command: str) -> None:
        # -P: the directory we stand in may be the repository, and its modules must never be taken for ours.
        arguments = [sys.executable, "-P", "-m", "clew", "-C", str(root), *command, "--quiet"]
        quiet = subprocess.DEVNULL
        super().__init__(arguments, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)

    def __del__(self) -> None:
        """It goes on on purpose."""
