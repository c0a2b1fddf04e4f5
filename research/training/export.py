"""From what was learned to what the package holds: `python -m research.training.export MODEL DATA`."""

import sys
from pathlib import Path

import numpy as np

from clew.store.chunk_vectors import Floats, Quantised, quantise
from clew.text.embedders.own import DIMENSIONS, FOLDER


def main() -> None:
    export(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else FOLDER)


def export(model: Path, data: Path, into: Path) -> None:
    learned = np.load(model)
    weights = np.log1p(np.exp(learned["weight"]))
    found = narrowed(learned["rows"] * (weights * learned["scales"])[:, None])
    into.mkdir(parents=True, exist_ok=True)
    np.save(into / "rows.npy", found.rows)
    np.save(into / "factors.npy", found.scales)
    (into / "terms.txt").write_text((data / "terms.txt").read_text("utf-8"), "utf-8")


def narrowed(vectors: Floats) -> Quantised:
    """Along the axes that tell most, heavy terms counting for more; a term's weight goes into its scale."""
    whole = vectors.astype(np.float64)
    _, axes = np.linalg.eigh(whole.T @ whole)
    return quantise((whole @ axes[:, : -DIMENSIONS - 1 : -1]).astype(np.float32))


if __name__ == "__main__":
    main()
