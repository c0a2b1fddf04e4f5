"""Tokens that stay in an agent's window over three turns of a task, and the share of the needed code among them.

python -m bench.residual --on path/to/flask path/to/httpx path/to/click [--tasks 20]

A task is a commit of the repository. Its needed lines are the old lines that it changes, and its three questions are
fixed: the commit's subject, then the two functions that it changes first ("how does NAME work, and who calls it?"). All
arms answer from one checkout, some commits before; only commits whose files were the same then are used.

Arms: `grep and read`: lines with the three rarest words of the question (at most 50), then the two files with most of
them, at most 500 lines each. `call graph`: names of 20 symbols for the subject, then the function with its callers and
callees as text. `Clew`: a pack of 2,000 tokens, then slices of 1,500; with and without naming what was sent (`seen`).
Each arm has its own commands alone: no arm reads files beside, so that what a pack leaves out counts as not seen.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from clew.text.terms import FILLERS
from clew.text.tokens import estimate
from clew.toolkit import Toolkit
from clew.tools.deliveries import quotes_in

Lines = Mapping[str, set[int]]
COMMITS, WINDOW = 1000, 80
MOST_HITS, FILES_READ, LINES_READ, LISTED = 50, 2, 500, 20
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@ ?(.*)$")
_DEFINED = re.compile(r"^\s*(?:async )?def (\w+)|^\s*class (\w+)")


class ResidualTask(NamedTuple):
    subject: str
    needed: Lines
    names: tuple[str, ...]


class Turn(NamedTuple):
    """The answer of one arm: the text that stays in the window, and the lines of code in it."""

    text: str
    lines: Lines


Arm = Callable[[int, str], Turn]  # by turn and question


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout


def find_tasks(root: Path, most: int) -> Iterator[tuple[str, list[ResidualTask]]]:
    """Revisions to answer from, each with commits after it whose files were the same then."""
    log = git(root, "log", "--no-merges", "--format=%H %s", "-n", str(COMMITS)).splitlines()
    left = most
    for start in range(WINDOW, len(log), WINDOW):
        base = log[start].split(" ", 1)[0]
        found: list[ResidualTask] = []
        for entry in reversed(log[start - WINDOW : start]):
            task = _task_of(root, base, entry)
            if task is not None and len(found) < left:
                found.append(task)
        left -= len(found)
        if found:
            yield base, found
        if not left:
            return


def _task_of(root: Path, base: str, entry: str) -> ResidualTask | None:
    commit, _, subject = entry.partition(" ")
    if len(subject.split()) < 3 or re.match(r"(?i)bump|release|version|merge|update (?:dep|req)|prepare", subject):
        return None
    needed, names = _changed_lines(root, commit)
    if not needed or not names or len(needed) > 4:
        return None
    if any(_blob(root, base, one) != _blob(root, f"{commit}^", one) for one in needed):
        return None
    return ResidualTask(re.sub(r"\s*\(#\d+\)$", "", subject), needed, names)


def _blob(root: Path, revision: str, path: str) -> str:
    return git(root, "ls-tree", revision, path)


def _changed_lines(root: Path, commit: str) -> tuple[dict[str, set[int]], tuple[str, ...]]:
    """Old lines of the package's own Python code that a commit changes, and the functions around them."""
    needed: dict[str, set[int]] = defaultdict(set)
    names: dict[str, None] = {}
    path = ""
    for line in git(root, "diff", "-U0", f"{commit}^", commit, "--", "*.py").splitlines():
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else ""
        elif (hunk := _HUNK.match(line)) and path and not re.search(r"(?:^|/)(?:tests?|docs?|examples)/", path):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            needed[path] |= set(range(first, first + max(count, 1)))
            if named := _DEFINED.match(hunk[3]):
                names.setdefault(named[1] or named[2])
    return {one: lines for one, lines in needed.items() if len(lines) <= 60}, tuple(names)[:2]


def questions(task: ResidualTask) -> list[str]:
    names = task.names if len(task.names) > 1 else (*task.names, *task.names)
    return [task.subject, *(f"how does {name} work, and who calls it?" for name in names[:2])]


def grep_arm(root: Path) -> Arm:
    """`grep -rn`, then the files with most hits; both stay in the window again each time."""
    files = {
        path: (root / path).read_text("utf-8", "replace").split("\n") for path in git(root, "ls-files", "*.py").split()
    }
    counts = Counter(word for lines in files.values() for word in set(re.findall(r"\w+", "\n".join(lines).lower())))

    def answer(turn: int, question: str) -> Turn:
        words = [one for one in re.findall(r"\w+", question.lower()) if one not in FILLERS and counts[one]]
        rare = sorted(dict.fromkeys(words), key=lambda one: (counts[one], one))[:3]
        hits = [
            (path, number, line)
            for path, lines in files.items()
            for number, line in enumerate(lines, 1)
            if any(re.search(rf"\b{re.escape(word)}\b", line, re.IGNORECASE) for word in rare)
        ]
        shown: dict[str, set[int]] = defaultdict(set)
        text = [f"{path}:{number}:{line}" for path, number, line in hits[:MOST_HITS]]
        for path, number, _ in hits[:MOST_HITS]:
            shown[path].add(number)
        for path, _ in Counter(path for path, _, _ in hits).most_common(FILES_READ):
            read = files[path][:LINES_READ]
            text += [f"{number:6}\t{line}" for number, line in enumerate(read, 1)]
            shown[path] |= set(range(1, len(read) + 1))
        return Turn("\n".join(text), shown)

    return answer


def graph_arm(root: Path, kit: Toolkit, task: ResidualTask) -> Arm:
    """Names for a subject; a function with its callers and callees, whole, for a name."""

    def answer(turn: int, question: str) -> Turn:
        if not turn:
            found = _ask(kit, "hybrid_search", {"query": question, "limit": LISTED, "profile": "debug"})
            listed = [
                f"{one.get('label')} {one.get('file_path')}:{one.get('first_line')}" for one in found.get("hits", ())
            ]
            return Turn("\n".join(listed), {})
        name = task.names[min(turn, len(task.names)) - 1]
        found = _ask(kit, "semantic_slice", {"symbol": name, "max_tokens": 20_000, "profile": "debug", "repeat": True})
        around = [found, *found.get("callers", ()), *found.get("callees", ())]
        text, shown = [], defaultdict[str, set[int]](set)
        for one in around:
            path = str(one.get("id") or one.get("path") or "").partition("::")[0]
            first, last = _span(one)
            if (root / path).is_file() and first:
                lines = (root / path).read_text("utf-8", "replace").split("\n")[first - 1 : last]
                text += [f"{path}:{first}", *lines]
                shown[path] |= set(range(first, last + 1))
        return Turn("\n".join(text), shown)

    return answer


def _span(one: Mapping[str, Any]) -> tuple[int, int]:
    first = int(one.get("start_line") or one.get("first_line") or one.get("line") or 0)
    return first, int(one.get("end_line") or one.get("last_line") or first + 20)


def clew_arm(kit: Toolkit, task: ResidualTask, *, repeat: bool) -> Arm:
    def answer(turn: int, question: str) -> Turn:
        if not turn:
            tool, arguments = "context_pack", {"task": question, "max_tokens": 2000, "format": "markdown"}
        else:
            name = task.names[min(turn, len(task.names)) - 1]
            tool, arguments = "semantic_slice", {"symbol": name, "max_tokens": 1500}
        body = kit.call(tool, {**arguments, "repeat": repeat})
        shown: dict[str, set[int]] = defaultdict(set)
        for quote in quotes_in(msgspec.json.decode(body)):
            shown[quote.path] |= set(range(quote.first, quote.last + 1))
        return Turn(body, shown)

    return answer


def _ask(kit: Toolkit, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(kit.call(tool, arguments)).get("data") or {}
    return data


def replay(task: ResidualTask, arm: Arm) -> tuple[int, float]:
    """Tokens in the window after three turns, and the share of the needed lines in it."""
    tokens, seen = 0, defaultdict[str, set[int]](set)
    for turn, question in enumerate(questions(task)):
        answered = arm(turn, question)
        tokens += estimate(answered.text)
        for path, lines in answered.lines.items():
            seen[path] |= lines
    wanted = sum(map(len, task.needed.values()))
    return tokens, sum(len(lines & seen[path]) for path, lines in task.needed.items()) / wanted


def measure(root: Path, most: int) -> Iterator[tuple[str, int, float]]:
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / root.name
        subprocess.run(["git", "clone", "-q", str(root), str(checkout)], check=True)
        for base, tasks in find_tasks(root, most):
            git(checkout, "checkout", "-q", base)
            subprocess.run([sys.executable, "-m", "clew", "-C", str(checkout), "index", "--quiet"], check=True)
            for task in tasks:
                yield from _replay_all(checkout, task)


def _replay_all(checkout: Path, task: ResidualTask) -> Iterator[tuple[str, int, float]]:
    yield "grep and read", *replay(task, grep_arm(checkout))
    for label in ("call graph", "Clew without seen", "Clew"):
        with Toolkit.open(checkout, toolsets=("all",), read_only=True) as kit:  # a session of its own
            if label == "call graph":
                yield label, *replay(task, graph_arm(checkout, kit, task))
            else:
                yield label, *replay(task, clew_arm(kit, task, repeat=label != "Clew"))


def report(rows: Iterable[tuple[str, int, float]]) -> None:
    by_arm: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for label, tokens, share in rows:
        by_arm[label].append((tokens, share))
    for label, found in by_arm.items():
        used = sorted(one[0] for one in found)
        mean, median = sum(used) / len(used), used[len(used) // 2]
        lines = 100 * sum(one[1] for one in found) / len(found)
        print(f"{label:18s} {len(found):3d} tasks  tokens mean {mean:7.0f}  median {median:6d}  lines {lines:.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", type=Path, nargs="+", required=True)
    parser.add_argument("--tasks", type=int, default=20, help="Of each repository.")
    options = parser.parse_args()
    report(row for root in options.on for row in measure(root, options.tasks))


if __name__ == "__main__":
    main()
