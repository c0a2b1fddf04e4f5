"""Secret detection measured: `python -m bench.secrets --gitleaks PATH --trufflehog PATH --on REPOSITORY …`.

Recall and precision by kind on the public rule tests of two scanners, which are read in place; findings per 100,000
lines on repositories; and the speed of the scrubber. `--findings FILE` lists each finding for a person to read.
"""

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from bench.go_tests import RuleExample, RuleTests, gitleaks_tests, trufflehog_tests
from clew.text.secrets import Scrubber

SCRUBBER = Scrubber(True)
LARGEST = 5_000_000  # bytes of a file that is measured


@dataclass(slots=True)
class Score:
    """Counts for one kind: positive examples, found ones, negative examples, and unchanged ones."""

    wanted: int = 0
    found: int = 0
    clean: int = 0
    quiet: int = 0
    missed: list[RuleExample] = field(default_factory=list)
    loud: list[RuleExample] = field(default_factory=list)

    def add(self, example: RuleExample) -> None:
        if example.positive:
            hit = is_found(example)
            self.wanted += 1
            self.found += hit
            if not hit:
                self.missed.append(example)
        else:
            changed = bool(SCRUBBER.scrub(example.text, example.path or "a.txt")[1])
            self.clean += 1
            self.quiet += not changed
            if changed:
                self.loud.append(example)


def is_found(example: RuleExample) -> bool:
    """Whether no secret of the example is left. One that is put together from several places is found in its parts."""
    data = example.text.encode("utf-8", "surrogatepass")
    clean, redactions = SCRUBBER.scrub_bytes(data, example.path or "a.txt")
    replaced = [data[one.start : one.end] for one in redactions]
    if not example.secrets:
        return bool(replaced)
    for secret in example.secrets:
        wanted = secret.encode("utf-8", "surrogatepass")
        if wanted in data and wanted in clean:
            return False
        if wanted not in data and not any(one in wanted for one in replaced):
            return False
    return True


def show(name: str, tests: RuleTests, scores: dict[str, Score]) -> None:
    wanted, found = sum(one.wanted for one in scores.values()), sum(one.found for one in scores.values())
    clean, quiet = sum(one.clean for one in scores.values()), sum(one.quiet for one in scores.values())
    wrong = clean - quiet
    print(f"\n{name}: {len(scores)} kinds, {wanted + clean} examples, {tests.unread} could not be read")
    print(f"recall {found / max(1, wanted):.3f} ({found} of {wanted})", end="; ")
    print(f"left alone {quiet / max(1, clean):.3f} ({quiet} of {clean})", end="; ")
    print(f"precision {found / max(1, found + wrong):.3f}")
    full = [kind for kind, one in scores.items() if one.found == one.wanted and one.quiet == one.clean]
    print(f"{len(full)} kinds without an error; the others:")
    for kind, one in sorted(scores.items()):
        if kind not in full:
            precision = one.found / max(1, one.found + one.clean - one.quiet)
            recall = f"{one.found / one.wanted:.2f}" if one.wanted else "-"
            print(f"| {kind} | {recall} | {precision:.2f} | {one.found}/{one.wanted} | {one.quiet}/{one.clean} |")


def measured(tests: RuleTests) -> dict[str, Score]:
    scores: defaultdict[str, Score] = defaultdict(Score)
    for example in tests.examples:
        scores[example.kind].add(example)
    return scores


def files_of(repository: Path) -> list[tuple[str, bytes]]:
    listed = subprocess.run(["git", "-C", str(repository), "ls-files", "-z"], capture_output=True, check=True)
    found = []
    for name in listed.stdout.decode("utf-8", "replace").split("\0"):
        path = repository / name
        if name and path.is_file() and not path.is_symlink() and path.stat().st_size < LARGEST:
            content = path.read_bytes()
            if b"\0" not in content[:8000]:
                found.append((name, content))
    return found


def survey(repository: Path, report: list[str]) -> None:
    files = files_of(repository)
    size, lines = sum(len(content) for _, content in files), sum(content.count(b"\n") for _, content in files)
    findings = 0
    began = time.process_time()
    for name, content in files:
        redactions = SCRUBBER.scrub_bytes(content, name)[1]
        findings += len(redactions)
        for one in redactions:
            begin, end = content.rfind(b"\n", 0, one.start) + 1, content.find(b"\n", one.end)
            shown = b"".join(
                (
                    content[max(begin, one.start - 80) : one.start], b"[[", content[one.start : one.end], b"]]",
                    content[one.end : min(end, one.end + 40)],
                )
            )  # fmt: skip
            line = content.count(b"\n", 0, one.start) + 1
            report.append(f"{repository.name}/{name}:{line}\t{shown.decode('utf-8', 'replace')!r}")
    seconds = time.process_time() - began
    per = findings * 100_000 / max(1, lines)
    print(f"| {repository.name} | {lines:,} | {findings} | {per:.1f} | {size / 1e6 / seconds:.0f} |")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.secrets", description=__doc__)
    parser.add_argument("--gitleaks", type=Path, help="a checkout of gitleaks/gitleaks")
    parser.add_argument("--trufflehog", type=Path, help="a checkout of trufflesecurity/trufflehog")
    parser.add_argument("--on", type=Path, nargs="*", default=[], help="checkouts to count findings in")
    parser.add_argument("--findings", type=Path, help="write each finding and each error to this file")
    options = parser.parse_args()
    report: list[str] = []
    for name, checkout, read in (
        ("gitleaks", options.gitleaks, gitleaks_tests), ("trufflehog", options.trufflehog, trufflehog_tests),
    ):  # fmt: skip
        if checkout:
            tests = read(checkout)
            scores = measured(tests)
            show(name, tests, scores)
            for kind, score in scores.items():
                report += [f"missed\t{name} {kind}\t{one.secrets!r}\t{one.text!r}" for one in score.missed]
                report += [f"loud\t{name} {kind}\t{SCRUBBER.scrub(one.text, one.path)[0]!r}" for one in score.loud]
    if options.on:
        print("\n| repository | lines | findings | per 100,000 lines | MB/s |\n|---|---|---|---|---|")
        for repository in options.on:
            survey(repository, report)
    if options.findings:
        options.findings.write_text("\n".join(report) + "\n", "utf-8", "surrogateescape")
        print(f"{len(report)} lines in {options.findings}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
