"""200 planted secrets, and every byte that Clew keeps or prints: `python -m bench.planted`.

The secrets are of ten kinds in files of eight languages, in what agents write, in commit messages and in diffs. Then
most commands are run, and all files below `.clew/` (with what is compressed in them), exports, backups, reports and
outputs are searched for each secret.
"""

import argparse
import random
import sqlite3
import string
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from clew.store.packing import MAGIC

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COUNT = 200
DIGITS, HEX, ALPHANUMERIC = string.digits, "0123456789abcdef", string.ascii_letters + string.digits


def draw(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


KINDS: dict[str, Callable[[random.Random], str]] = {
    "AWS key id": lambda c: "AKIA" + draw(c, string.ascii_uppercase + "234567", 16),
    "GitHub token": lambda c: "ghp_" + draw(c, ALPHANUMERIC, 36),
    "Slack token": lambda c: f"xoxb-{draw(c, DIGITS, 12)}-{draw(c, DIGITS, 12)}-{draw(c, ALPHANUMERIC, 24)}",
    "Stripe key": lambda c: "sk_live_" + draw(c, ALPHANUMERIC, 24),
    "Google key": lambda c: "AIza" + draw(c, ALPHANUMERIC + "-_", 35),
    "password": lambda c: draw(c, ALPHANUMERIC + "!#%", 16),
    "hexadecimal key": lambda c: draw(c, HEX, 40),
    "database password": lambda c: draw(c, ALPHANUMERIC, 18),
    "bearer token": lambda c: draw(c, ALPHANUMERIC + "-_", 44),
    "private key": lambda c: draw(c, ALPHANUMERIC + "+/", 64),
}  # fmt: skip


def written(kind: str, secret: str, suffix: str) -> str:
    """As people write such a secret into such a file."""
    if kind == "private key":
        lines = f"-----BEGIN RSA PRIVATE KEY-----\n{secret}\n-----END RSA PRIVATE KEY-----"
        return f"'''\n{lines}\n'''" if suffix == ".py" else lines
    if kind == "database password":
        value = f"postgresql://app:{secret}@db.internal:5432/orders"
    elif kind == "bearer token":
        value = f"Authorization: Bearer {secret}"
    else:
        value = secret
    name = {"password": "password", "hexadecimal key": "api_key", "database password": "database_url"}.get(
        kind, "token"
    )
    return {
        ".py": f'{name} = "{value}"',
        ".ts": f'export const {name} = "{value}";',
        ".go": f'var {name} = "{value}"',
        ".java": f'  String {name} = "{value}";',
        ".yaml": f'{name}: "{value}"',
        ".json": f'"{name}": "{value}"',
        ".env": f"{name.upper()}={value}",
        ".md": f"Set `{name} = {value}` first.",
    }[suffix]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=8)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="clew-planted-") as folder:
        root = Path(folder) / "project"
        root.mkdir()
        secrets = _plant(root, chance)
        said = b"".join(_run(root, *command) for command in _commands(root, secrets))
        found: Counter[str] = Counter()
        kept = {"what was printed": said, **dict(_kept(root, Path(folder)))}
        for kind, secret in secrets:
            places = [name for name, content in kept.items() if secret.encode() in content]
            for name in places:
                print(f"  found: {kind} in {name}: {secret}")
            found[kind] += bool(places)
    size = sum(map(len, kept.values()))
    print(f"{len(secrets)} secrets; {size / 1e6:.1f} MB were searched; found again: {found.total()} {dict(+found)}")
    sys.exit(bool(found.total()))


def _plant(root: Path, chance: random.Random) -> list[tuple[str, str]]:
    suffixes = [".py", ".ts", ".go", ".java", ".yaml", ".json", ".env", ".md"]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    secrets = []
    for number in range(COUNT):
        kind = list(KINDS)[number % len(KINDS)]
        secret, suffix = KINDS[kind](chance), suffixes[number // len(KINDS) % len(suffixes)]
        secrets.append((kind, secret))
        line = written(kind, secret, suffix)
        text = f"{{\n  {line}\n}}\n" if suffix == ".json" and kind != "private key" else f"{line}\n"
        (root / f"{kind.replace(' ', '_')}_{number}{suffix}").write_text(f"{text}", "utf-8")
        if number % 20 == 19:
            _git(root, "add", "-A")
            _git(root, "commit", "-qm", f"Set the {kind}: {written(kind, secret, '.env')}")
    return secrets


def _commands(root: Path, secrets: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    yield ("index",)
    for kind, secret in secrets[:40]:
        yield ("tool", "episode_add", "--type", "OBSERVATION", "--content", f"we use {written(kind, secret, '.env')}")
    yield ("history", "import", "--all")
    for question in ("password of the database", "api key", "authorization bearer token", "private key"):
        yield ("search", question, "--limit", "40")
        yield ("pack", question, "--max-tokens", "8000")
        yield ("context-pack", "--query", question, "--write")
        yield ("memory", "recall", question)
    yield ("search", secrets[0][1])
    yield ("diff", "HEAD~5", "HEAD")
    yield ("log", "password_5.py")
    yield ("secrets",)
    yield ("secrets", "--json")
    yield ("status", "--json")
    yield ("report", "--json")
    yield ("graph", "--format", "jsonl", "--history")
    yield ("backup",)
    yield ("export", str(root.parent / "ground.jsonl"))
    yield ("export", "--derived", str(root.parent / "all.jsonl"))


def _run(root: Path, *arguments: str) -> bytes:
    """The output without the arguments, which a message may repeat."""
    command = [sys.executable, "-m", "clew", "--log-level", "debug", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 2, 3):
        print(f"  {arguments[0]} ends with {done.returncode}: {done.stderr[-300:].decode('utf-8', 'replace')}")
    both = done.stdout + done.stderr
    for one in arguments[1:]:
        both = both.replace(one.encode(), b"")
    return both


def _kept(root: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted([*(root / ".clew").rglob("*"), *folder.glob("*.jsonl")]):
        if file.is_file():
            content = file.read_bytes()
            yield file.name, content + _unpacked(content)
    database = root / ".clew" / "clew.db"
    with sqlite3.connect(database) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            cells = [cell for row in db.execute(f'SELECT * FROM "{table}"') for cell in row if isinstance(cell, bytes)]
            yield f"table {table}", b"".join(map(_unpacked, cells))


def _unpacked(content: bytes) -> bytes:
    """The decompressed contents, if the data is one compressed stream."""
    if content.startswith(MAGIC):
        with suppress(zstd.ZstdError):
            return zstd.decompress(content)
    return b""


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


if __name__ == "__main__":
    main()
