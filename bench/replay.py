"""Measures the cost of `clew index` commit by commit: `python -m bench.replay --repo PATH`.

A clone goes through the last commits of the first-parent history, oldest first, with `clew index` after each. CPU
seconds include worker processes and are compared with a full index of the last commit. Every few commits, and at the
end, the graph hash (with candidate edges) is compared with that of an index made from nothing.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from bench.clones import Clone, IndexRun, clone, plain_environment
from bench.measure import median, percentile

MEAN, P90 = 0.05, 0.12  # the targets: shares of a full index


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.replay", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A repository; it is cloned, never touched.")
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--check-every", type=int, default=0, help="Compare hashes after so many commits, too.")
    parser.add_argument("--json", type=Path, help="Where to write the figures.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-replay-") as scratch:
        return _replay(Path(scratch), options)


def _replay(scratch: Path, options: argparse.Namespace) -> int:
    tree = clone(options.repo, scratch / "tree", plain_environment())
    commits = tree.commits(options.commits + 1)[::-1]
    tree.check_out(commits[0])
    first = tree.index()
    steps, wrong = list[tuple[str, IndexRun]](), 0
    for number, commit in enumerate(commits[1:], 1):
        tree.check_out(commit)
        steps.append((commit, tree.index()))
        if options.check_every and number % options.check_every == 0:
            equal = full_index(scratch, tree)[1] == tree.graph_hash()
            wrong += not equal
            if not equal:
                print(f"differs from a full index after {commit}", flush=True)
    full, expected = full_index(scratch, tree)
    equal = tree.graph_hash() == expected
    wrong += not equal
    _print(options.repo.name, first, steps, full.cpu, equal=equal)
    if options.json:
        figures = [(commit, step.cpu, dict(step.stages)) for commit, step in steps]
        options.json.write_text(json.dumps({"full": full.cpu, "equal": not wrong, "steps": figures}), "utf-8")
    return int(bool(wrong))


def _print(name: str, first: IndexRun, steps: list[tuple[str, IndexRun]], full: float, *, equal: bool) -> None:
    cpu = [step.cpu for _, step in steps]
    for commit, step in sorted(steps, key=lambda pair: -pair[1].cpu)[:5]:
        counts = f"{step.read} read, {step.deleted} deleted"
        print(f"  {commit[:10]} {step.cpu:7.2f} CPU s  {counts}  ({step.longest_stages()})")
    mean = sum(cpu) / len(cpu)
    print(
        f"{name}: {len(cpu)} commits; full {full:.1f} CPU s (the first {first.cpu:.1f}); mean {mean:.2f} "
        f"({mean / full:.1%}, target {MEAN:.0%}), median {median(cpu):.2f} ({median(cpu) / full:.1%}), "
        f"p90 {percentile(cpu, 0.9):.2f} ({percentile(cpu, 0.9) / full:.1%}, target {P90:.0%}); "
        f"graphs {'equal' if equal else 'DIFFER'}",
        flush=True,
    )


def full_index(scratch: Path, tree: Clone) -> tuple[IndexRun, str]:
    """An index of the same files from nothing, and its graph hash."""
    root = scratch / "full"
    shutil.rmtree(root, ignore_errors=True)
    other = clone(tree.root, root, tree.environ)
    other.check_out(tree.git("rev-parse", "HEAD").strip())
    return other.index(), other.graph_hash()


if __name__ == "__main__":
    sys.exit(main())
