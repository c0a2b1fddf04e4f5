"""From what was learned to what the package holds: `python -m training.export MODEL DATA`."""

import sys
from pathlib import Path

import numpy as np

from clew.text.embedders.own import FOLDER


def main() -> None:
    export(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else FOLDER)


def export(model: Path, data: Path, into: Path) -> None:
    """A row's scale and its term's weight become one factor."""
    learned = np.load(model)
    weights = np.log1p(np.exp(learned["weight"]))
    into.mkdir(parents=True, exist_ok=True)
    np.save(into / "rows.npy", learned["rows"])
    np.save(into / "factors.npy", (weights * learned["scales"]).astype(np.float32))
    (into / "terms.txt").write_text((data / "terms.txt").read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    main()
