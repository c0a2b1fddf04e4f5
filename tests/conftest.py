"""One fixture per thing, the smallest world that can hold it."""

import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from clew.engine import Engine
from clew.model.time import from_iso
from clew.runtime import user_key
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from tests.cluster import HAS_POSTGRESQL
from tests.forking import zygote
from tests.store.engines import opened
from tests.trusting import accept

DAY = 86_400_000_000  # microseconds
DAY_1 = from_iso("2026-01-01")
DAY_2, DAY_3, DAY_4 = DAY_1 + DAY, DAY_1 + 2 * DAY, DAY_1 + 3 * DAY
LONG_AGO_NS = DAY_1 * 1000

# A new backend is named here, and every test of the store runs on it.
POSTGRES = pytest.param("postgres", marks=pytest.mark.needs(postgresql=HAS_POSTGRESQL))
BACKENDS = ["sqlite", POSTGRES]
PROJECT = "a-project"
PATIENCE = 300.0  # seconds until a command that does not end is killed


def seeds(count: int) -> pytest.MarkDecorator:
    """What chance does by a seed, on the backends in turn: none of them changes what it does."""
    backends = [pytest.param("sqlite"), POSTGRES]
    chosen = [(backends[seed % len(backends)], seed) for seed in range(count)]
    return pytest.mark.parametrize(
        ("backend", "seed"),
        [pytest.param(*on.values, seed, marks=on.marks) for on, seed in chosen],
        indirect=["backend"],
    )


settings.register_profile("clew", deadline=None)  # a slow machine is no failure
settings.load_profile("clew")


@pytest.fixture(scope="session", autouse=True)
def one_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    """What is indexed once for several tests belongs to the user of each: all have the same key."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
        yield user_key.made_key(home / ".local" / "share" / "clew")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new home for each test, in one folder: pytest lists all of its own for each that it numbers."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def nobodys_settings(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch, one_key: bytes) -> None:
    """No setting of the person who runs the tests counts."""
    home = next(homes)
    for name in [name for name in os.environ if name.startswith(("CLEW_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    data = home / ".local" / "share"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (data / "clew").mkdir(parents=True)
    (data / "clew" / user_key.KEY).write_bytes(one_key)
    (data / "clew" / user_key.KEY).chmod(0o600)


@dataclass(frozen=True, slots=True)
class Repository:
    """A real git repository. What is written looks old, and other content has another time: no run need doubt it."""

    root: Path

    def write(self, path: str, content: str | bytes, *, mtime_ns: int = 0) -> Path:
        file = self.root / path
        data = content.encode() if isinstance(content, str) else content
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        moment = mtime_ns or LONG_AGO_NS + zlib.crc32(data) * 1000
        os.utime(file, ns=(moment, moment))
        return file

    def configure(self, text: str) -> None:
        """Write context.toml, and trust what it says, as its author would."""
        self.write("context.toml", text)
        accept(self.root)

    def delete(self, path: str) -> None:
        (self.root / path).unlink()

    def commit(self, at: int = DAY_1, message: str = "work") -> str:
        """Commit everything as of `at`, whole seconds; returns the hash."""
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty", at=at)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, at: int = DAY_1) -> str:
        moment = f"@{at // 1_000_000} +0000"
        identity = {"NAME": "T", "EMAIL": "t@example.org", "DATE": moment}
        people = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in identity.items()}
        command = ["git", "-C", str(self.root), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **people})
        return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    return made


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where packages can be installed that this process finds; their modules go with it."""
    site = tmp_path / "site"
    site.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(site))
    yield site
    for name in set(sys.modules) - before:
        if name.startswith("clew_"):
            del sys.modules[name]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every project that is opened, here or by a child, lies on this backend."""
    if request.param == "postgres":
        monkeypatch.setenv("CLEW_STORAGE_URL", request.getfixturevalue("ready_url"))
        monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    return str(request.param)


@pytest.fixture
def engine(repository: Repository, backend: str) -> Iterator[Engine]:
    with Engine.open(repository.root) as engine:
        yield engine


@pytest.fixture(params=BACKENDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new database of each backend is: a URL with the schema in place, or the path of a file yet to be made."""
    return request.getfixturevalue("ready_url") if request.param == "postgres" else str(tmp_path / "clew.db")


@pytest.fixture
def reopened(address: str) -> Iterator[Callable[[str], Database]]:
    """Each call opens the database once more, on behalf of a project."""
    with ExitStack() as stack:

        def open_for(project: str) -> Database:
            db = opened(address, project)
            stack.callback(db.close)
            return db

        yield open_for


@pytest.fixture
def db(reopened: Callable[[str], Database]) -> Database:
    db = reopened(PROJECT)
    migrations.migrate(db, migrations.all_migrations(), DAY_1)
    return db


@pytest.fixture
def where(db: Database) -> Where:
    return Checkouts(db).ensure("", PROJECT, "main", DAY_1).where


def clew(*arguments: str, root: Path) -> "subprocess.CompletedProcess[str]":
    """A real `clew` process, run to its end."""
    arguments = ("-C", str(root), *arguments)
    if zygote().can(arguments, os.environ):
        return zygote().run(arguments, Path.cwd(), os.environ, "", PATIENCE)
    return subprocess.run([sys.executable, "-m", "clew", *arguments], capture_output=True, text=True, check=False)


def powerless(*command: str) -> "subprocess.CompletedProcess[str]":
    """A process that permissions bind, even where the tests run as the super-user."""
    bound = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    return subprocess.run([*bound, *command], capture_output=True, text=True, check=False)
