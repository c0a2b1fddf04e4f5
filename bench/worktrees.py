"""The cost of each further worktree of a repository: `python -m bench.worktrees CLONE [--trees 10]`.

Works on a copy. Prints the processor time of `clew index` in each tree and how much `.clew` grew by it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--trees", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-worktrees-") as folder:
        home = Path(folder) / "tree-1"
        subprocess.run(["git", "clone", "-q", str(options.clone), str(home)], check=True)
        before = 0
        for number in range(1, options.trees + 1):
            tree = Path(folder) / f"tree-{number}"
            if number > 1:
                subprocess.run(["git", "-C", str(home), "worktree", "add", "-q", "--detach", str(tree)], check=True)
            cost = measure.run([sys.executable, "-m", "clew", "-C", tree, "index", "--quiet"], tree, os.environ)
            stats = [file.stat() for file in (home / ".clew").rglob("*") if file.is_file()]
            size = 512 * sum({one.st_ino: one.st_blocks for one in stats}.values())  # files of two names count once
            grown, before = (size - before) / 1e6, size
            print(f"tree {number}: {cost.cpu:.1f} s of the processor, {cost.wall:.1f} s; {grown:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
