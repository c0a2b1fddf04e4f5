"""Two records side by side: which rows only one of them has."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.golden_master.rows import read

DIFFERENCES = "differences"
PLACE = re.compile(r"\[\d+\](?=\t)")  # of an element in a list; where one is inserted, all behind it move


def compare(before: Path, after: Path, shown: int) -> tuple[list[str], bool]:
    """What to print, and whether anything differs; all rows of a difference lie in `after/differences`."""
    lines: list[str] = []
    earlier, later = (_manifest(folder)["digests"] for folder in (before, after))
    for name in sorted(later):  # a quick run is compared with the same part of a whole one
        for part in sorted({*earlier.get(name, {}), *later[name]}):
            if earlier.get(name, {}).get(part) != later[name].get(part):
                file = Path(name) / f"{part}.jsonl.gz"
                changed = [*_changed(read(before / file), read(after / file))]
                kept = _keep(after / DIFFERENCES / f"{name}.{part}.diff", changed)
                lines.append(f"{name} {part}: {_counted(changed)}; all in {kept}")
                lines += [f"  {row}" for row in changed[:shown]]
    same = sum(earlier.get(name) == later[name] for name in later)
    return [*lines, f"{same} of {len(later)} equal"], same != len(later)


def _changed(before: list[str], after: list[str]) -> Iterator[str]:
    """What is gone before what is new, whatever its place in a list; `~` where only the order of lists changed."""
    had, have = (Counter(PLACE.sub("[]", row) for row in rows) for rows in (before, after))
    gone = [f"- {row}" for row in (had - have).elements()]
    new = [f"+ {row}" for row in (have - had).elements()]
    settled = {row[2:].partition("\t")[0] for row in (*gone, *new)}
    moved = {row.partition("\t")[0] for row in {*before} ^ {*after}} - settled
    order = [f"~ {asked}\tanother order" for asked in moved]
    return iter(sorted([*gone, *new, *order], key=lambda row: (row[2:].partition("\t")[0], row[2:], row[0])))


def _counted(changed: list[str]) -> str:
    by_sort = Counter((_sort(row[2:]), row[0]) for row in changed)
    return ", ".join(f"{sign}{count} {sort}" for (sort, sign), count in sorted(by_sort.items()))


def _sort(row: str) -> str:
    """The kind of an edge or node, or the tool that was asked."""
    found = json.loads(row.partition("\t")[0])
    return f"{found['type']} {found['kind']}" if "kind" in found else str(found.get("type") or found.get("tool"))


def _keep(file: Path, changed: list[str]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{row}\n" for row in changed), "utf-8")
    return file


def _manifest(folder: Path) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return found
