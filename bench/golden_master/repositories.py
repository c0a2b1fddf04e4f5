"""The repositories that are recorded, each at a fixed commit."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("repositories.tsv")


class Repository(NamedTuple):
    language: str
    address: str
    commit: str
    lines: int
    quick: bool

    @property
    def name(self) -> str:
        return self.address.partition("/")[2]


def repositories(*, quick: bool) -> list[Repository]:
    rows = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:]]
    every = [Repository(row[0], row[1], row[2], int(row[3]), row[4] == "quick") for row in rows]
    return [one for one in every if one.quick or not quick]


def without_commit(checkouts: Path, chosen: Iterable[Repository]) -> list[str]:
    """How to get each repository that is missing, or is there without its commit."""
    return [
        f"  git clone https://github.com/{one.address} {checkouts / one.name}  # needs {one.commit[:12]}"
        for one in chosen
        if _git(checkouts / one.name, "cat-file", "-e", f"{one.commit}^{{commit}}") is None
    ]


def check_out(checkouts: Path, repository: Repository, target: Path) -> None:
    """A clone at the fixed commit with its history, and nothing that another branch or the checkout adds."""
    source = checkouts / repository.name
    subprocess.run(["git", "clone", "-q", "--no-checkout", "--no-tags", source, target], check=True)
    subprocess.run(["git", "-C", target, "checkout", "-q", "-B", "recorded", repository.commit], check=True)


def subjects(checkout: Path) -> list[str]:
    """First lines of the messages of all commits that are no merges, newest first."""
    return (_git(checkout, "log", "--no-merges", "--format=%s") or "").splitlines()


def _git(where: Path, *arguments: str) -> str | None:
    if not where.is_dir():
        return None
    done = subprocess.run(["git", "-C", where, *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
