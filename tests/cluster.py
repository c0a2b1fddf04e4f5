"""A private PostgreSQL server: one for all the tests of a run, or one of their own for those that break it.

A test asks for `database_url`, or for `new_database` where it needs several; most need the schema in it, too, and ask
for `ready_url`. What restarts or crashes
a server, and what measures one, opens its own with `temporary_cluster`.
"""

import fcntl
import itertools
import json
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from psycopg.abc import Query

ADMIN = "admin"
DEBIAN = Path("/usr/lib/postgresql")
OLDEST = 15  # the first that sorts by ICU where nothing else is said
PORTS = range(20_000, 32_000)  # below those the system lends to outgoing connections: none is taken during a restart
HOME_PREFIX = "clew-cluster-"
HOME = pytest.StashKey[Path]()

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
}
# Nothing waits for the disk: what is written is lost with the machine, not with the server. When autovacuum comes is
# no test's business.
CARELESS = {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}

StopMode = Literal["smart", "fast", "immediate"]


class ServerFailed(Exception):
    """A program of the server's ended badly; holds what it said."""


@cache
def programs() -> Path | None:
    """Where the newest server's programs lie, if one is installed that is new enough."""
    places = set(DEBIAN.glob("*/bin"))
    if on_path := shutil.which("postgres"):
        places.add(Path(on_path).resolve().parent)
    complete = {place for place in places if all((place / name).exists() for name in ("initdb", "pg_ctl", "postgres"))}
    newest = max(complete, key=_version, default=None)
    return newest if newest is not None and _version(newest) >= OLDEST else None


def _version(place: Path) -> int:
    said = subprocess.run([place / "postgres", "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"\d+", said)
    return int(number[0]) if number else 0


HAS_POSTGRESQL = programs() is not None


@dataclass(frozen=True, slots=True)
class Cluster:
    """One server with all it owns in one directory. Its own `admin` may do everything."""

    directory: Path
    port: int
    password: str = field(repr=False)

    @classmethod
    def create(cls, directory: Path, *, durable: bool = False) -> Self:
        """A new server, not yet started. One that is not durable outlives its own crash, not the machine's."""
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _hand_over(directory)
        password = secrets.token_urlsafe()
        password_file = directory / "password"
        password_file.touch(mode=0o600)
        password_file.write_text(password)
        _hand_over(password_file)
        # Most servers sort by language, not by byte: so does this, and code that leans on an order has to say which.
        sorting = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]
        access = [f"--username={ADMIN}", "--auth=scram-sha-256", f"--pwfile={password_file}"]
        _run(directory, "initdb", *sorting, *access, *([] if durable else ["--no-sync"]))
        password_file.unlink()
        cluster = cls(directory, free_port(), password)
        settings = {**SETTINGS, "port": str(cluster.port), **({} if durable else CARELESS)}
        with (directory / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        return cluster

    def start(self) -> None:
        _run(self.directory, "pg_ctl", "start", "--wait", f"--log={self.directory / 'log'}")

    def stop(self, mode: StopMode = "fast") -> None:
        _run(self.directory, "pg_ctl", "stop", "--wait", f"--mode={mode}")

    def restart(self, mode: StopMode = "fast") -> None:
        self.stop(mode)
        self.start()

    def crash(self) -> None:
        """Stop with nothing put in order: the next start has to recover."""
        self.stop("immediate")

    def destroy(self) -> None:
        with suppress(ServerFailed):  # it may be down already
            self.crash()
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str, user: str = ADMIN, password: str | None = None) -> str:
        """Where any process finds the database; the admin's own password where none is given."""
        words = (quote(word, safe="") for word in (user, self.password if password is None else password, database))
        return "postgresql://{}:{}@127.0.0.1:{port}/{}".format(*words, port=self.port)

    def sql(self, statement: Query, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What a statement of the admin's answers; it is committed by itself."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            answer = connection.execute(statement)
            return answer.fetchall() if answer.description else []

    def create_role(self, name: str, password: str) -> None:
        """An ordinary user, who may log in and has no other right."""
        self.sql(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), password))

    def create_database(self, name: str, owner: str) -> None:
        # Copied files, about a quarter quicker than the default, which writes every page into the log.
        statement = sql.SQL("CREATE DATABASE {} OWNER {} STRATEGY FILE_COPY")
        self.sql(statement.format(sql.Identifier(name), sql.Identifier(owner)))

    def drop_database(self, name: str) -> None:
        """Also where it is in use, or is not there."""
        self.sql(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _run(directory: Path, program: str, *arguments: str) -> None:
    place = programs()
    if place is None:
        raise ServerFailed(f"no PostgreSQL {OLDEST} or newer is installed (Debian: apt-get install postgresql)")
    user = _server_user()
    demoted = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
    command = [*demoted, str(place / program), f"--pgdata={directory / 'data'}", *arguments]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    done = subprocess.run(command, cwd=directory, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        log = directory / "log"
        logged = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        raise ServerFailed(f"{' '.join(command)}\n{done.stdout}{done.stderr}{logged}")


@cache
def _server_user() -> pwd.struct_passwd | None:
    """Whom the server runs as where we are root, as whom it refuses to."""
    if os.getuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def _hand_over(path: Path) -> None:
    if user := _server_user():
        os.chown(path, user.pw_uid, user.pw_gid)


def free_port() -> int:
    while True:
        port = secrets.choice(PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def temporary_cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """A running server of the caller's own, gone afterwards."""
    _sweep()
    home = _home()
    try:
        cluster = Cluster.create(home, durable=durable)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.destroy()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def standby_of(primary: Cluster) -> Iterator[Cluster]:
    """A running server that follows a durable one, from a copy of it."""
    home = _home()
    home.mkdir(mode=0o700)
    _hand_over(home)
    copy = replace(primary, directory=home, port=free_port())
    try:
        _run(home, "pg_basebackup", f"--dbname={primary.url('postgres')}", "--write-recovery-conf", "--checkpoint=fast")
        with (home / "data" / "postgresql.conf").open("a") as file:
            file.write(f"port = '{copy.port}'\n")
        copy.start()
        yield copy
    finally:
        copy.destroy()


def _home() -> Path:
    """A name no one has used or can guess; it says whose process must live for it to stay.

    Not below pytest's own folders: they are closed to the server's user.
    """
    return Path(tempfile.gettempdir()) / f"{HOME_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"


def _sweep() -> None:
    """Remove what runs that were killed have left. A server that misses its directory ends within a minute."""
    user = _server_user()
    ours = {os.getuid(), user.pw_uid if user else os.getuid()}
    for home in Path(tempfile.gettempdir()).glob(f"{HOME_PREFIX}*-*"):
        with suppress(OSError, ValueError):
            owner = int(home.name.removeprefix(HOME_PREFIX).partition("-")[0])
            if home.stat().st_uid in ours and not _is_alive(owner):
                shutil.rmtree(home, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get("cluster_home")
    config.stash[HOME] = Path(given) if given else _home()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist's hook, before it starts a worker; it has no types."""
    node.workerinput["cluster_home"] = str(node.config.stash[HOME])


def pytest_unconfigure(config: pytest.Config) -> None:
    home = config.stash[HOME]
    if not hasattr(config, "workerinput") and home.exists():
        with _locked(home):
            _known(home).destroy()


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Cluster:
    """The server of this run. All workers share it: leave it up, and leave others' databases alone."""
    home = pytestconfig.stash[HOME]
    home.mkdir(mode=0o700, exist_ok=True)
    with _locked(home):
        if not (home / "note.json").exists():
            _sweep()
            started = Cluster.create(home)
            started.start()
            (home / "note.json").write_text(json.dumps({"port": started.port, "password": started.password}))
        return _known(home)


def _known(home: Path) -> Cluster:
    note = home / "note.json"
    return Cluster(home, **json.loads(note.read_text())) if note.exists() else Cluster(home, 0, "")


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    with (home / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class Sandbox:
    """This process's own database and the ordinary role that owns it.

    Within it a new schema stands for a new database, at about a quarter of the cost; the advisory locks
    and channels of all that one test asks for are common to them.
    """

    cluster: Cluster
    name: str
    password: str
    admin: psycopg.Connection[tuple[Any, ...]]
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def fresh(self) -> str:
        """Where a new, empty schema is the only one in sight."""
        schema = self.unused()
        self.admin.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {self.name}")
        return self.url(schema)

    def unused(self) -> str:
        return f"world_{next(self.numbers)}"

    def url(self, schema: str) -> str:
        return f"{self.cluster.url(self.name, self.name, self.password)}?options=-csearch_path%3D{schema}"

    def clear(self) -> None:
        """End every session but ours, then drop all that the role has made."""
        self.end_sessions()
        self.admin.execute(f"DROP OWNED BY {self.name} CASCADE")

    def end_sessions(self) -> None:
        self.admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(scope="session")
def sandbox(cluster: Cluster) -> Iterator[Sandbox]:
    name, password = f"tester_{os.getpid()}", secrets.token_urlsafe()
    cluster.create_role(name, password)
    cluster.create_database(name, name)
    with psycopg.connect(cluster.url(name), autocommit=True) as admin:
        admin.execute("SET lock_timeout = '20s'")  # a test that never lets go fails, and does not hang
        yield Sandbox(cluster, name, password, admin)


@pytest.fixture
def new_database(sandbox: Sandbox) -> Iterator[Callable[[], str]]:
    """Each call makes a new, empty database and returns its URL; all are gone after the test."""
    yield sandbox.fresh
    sandbox.clear()


@pytest.fixture
def database_url(new_database: Callable[[], str]) -> str:
    """A new, empty database of an ordinary role's, which any process can open."""
    return new_database()
