"""Translates errors of PostgreSQL into Clew's own. Passwords are never repeated."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import PipelineAborted

from clew.model.errors import (
    Busy,
    ClewError,
    ConfigError,
    DiskFull,
    InvalidInput,
    StoreDenied,
    StoreLost,
    StoreReadOnly,
    Unavailable,
)
from clew.runtime.deadline import reason_to_end
from clew.store.database import newer_schema

NOT_BY_CHANCE = 8  # characters; a shorter password may be part of any word, and cutting it out would tell it

# By SQLSTATE, or by its class where it ends there.
_LOST = ("08", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04")
_FULL = ("53100",)
_CANCELLED = "57014"
_CROWDED = ("53300", "53400", "55P03", "57014", "40")
_DENIED = ("42501", "28", "3D000", "3F000")
_READ_ONLY = ("25006",)
_UNFIT = ("22", "54000")
_TROUBLE = ("53", "58", "XX")

_PASSING = re.compile(
    r"database system is (?:starting up|shutting down|in recovery|not yet accepting)|terminating connection|"
    r"canceling authentication|crash of another server process|"
    r"server login has been failing|cannot connect to server|query_wait_timeout|server conn crashed|server down",
    re.IGNORECASE,
)
REFUSED = "clew-refused: "  # how what is insisted on fails
_NEWER = re.compile(r"clew-schema-(\d+)-(\d+)")  # what `schema_guard` fails with
_TOO_MANY = re.compile(r"too many (?:clients|connections)|connection slots|no more connections allowed", re.IGNORECASE)
_NO_OPTIONS = re.compile(r"unsupported startup parameter[^:]*: (?:options|clew\.|default_transaction)")  # PgBouncer
_NO_BLOCKS = "statement pooling mode"  # likewise
_UNPROVEN = re.compile(
    r"certificate verify failed|does not match host name|server does not support SSL|SSL was required"
)
_NONE_GIVEN = "no password supplied"
_MISTAKEN = re.compile(  # what is wrong before anybody is asked
    r"invalid \S+ value|service file|definition of service|"
    r"(?:certificate|private key|revocation list) (?:file|store)|certificate present, but not private key"
)
_HOST = re.compile(r"[\w.:%/-]*")  # a name, an address, or the directory of a socket
_PORT = re.compile(r"\d{0,5}")
_DATABASE = re.compile(r"[^@/:?#]*")


@contextmanager
def translate(url: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise _to_clew(error, url) from error


def check_url(url: str) -> None:
    """Refuse a URL that the driver would reject or misread, without repeating it: an unencoded `@` or `/` in a
    password becomes part of the host or of the database's name."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        given = {"port": "not a number"}
    hosts, ports = (str(given.get(key) or "").split(",") for key in ("host", "port"))
    meant = all(map(_HOST.fullmatch, hosts)) and all(map(_PORT.fullmatch, ports))
    if not (meant and _DATABASE.fullmatch(str(given.get("dbname") or "")) and _timeout(given.get("connect_timeout"))):
        raise ConfigError(
            "storage.url is not a URL that PostgreSQL understands",
            "Write postgresql://user:password@host:port/database, with special characters percent-encoded.",
        )


def to_refusal(error: psycopg.Error, url: str) -> ClewError:
    """A connection that was not made. The driver gives no code for it, so the server's words must do."""
    said = _message(error, url)
    if _NO_BLOCKS in said:
        return StoreDenied(f"the pooler ends every transaction: {said}", "Let it pool transactions, or sessions.")
    if isinstance(error, psycopg.ProgrammingError):
        return ConfigError("storage.url is not a URL that PostgreSQL understands")
    if _TOO_MANY.search(said):
        hint = "Lower storage.pool_size, or raise the server's max_connections."
        return StoreLost(f"{server(url)} accepts no more connections: {said}", hint)
    if _UNPROVEN.search(said):
        hint = "The server shows no certificate that sslrootcert vouches for under the host's name in storage.url."
        return StoreDenied(f"{server(url)} is not proven to be the server that is meant: {said}", hint)
    if _NONE_GIVEN in said:
        hint = "Put it into ~/.pgpass, PGPASSFILE (which nobody else may read), PGPASSWORD or storage.url."
        return StoreDenied(f"{server(url)} wants a password, and none is known: {said}", hint)
    if _MISTAKEN.search(said):
        return ConfigError(f"{server(url)} cannot be asked as storage.url says: {said}")
    if "FATAL" in said and not _PASSING.search(said):
        return StoreDenied(f"{server(url)} refused the connection: {said}")
    return StoreLost(f"{server(url)} cannot be reached: {said}")


def wants_no_options(error: psycopg.Error) -> bool:
    """Whether a pooler answered that does not accept session settings."""
    return bool(_NO_OPTIONS.search(str(error)))


def server(url: str) -> str:
    """The database's address without its secrets."""
    given = conninfo_to_dict(url)
    host, port, database, service = (given.get(key) for key in ("host", "port", "dbname", "service"))
    if service and not host:
        return f"postgresql:///{database or ''}?service={service}"
    return f"postgresql://{host or 'localhost'}{f':{port}' if port else ''}/{database or ''}"


def _to_clew(error: psycopg.Error, url: str) -> ClewError:
    state = error.sqlstate or ""
    said = f"{server(url)}: {_message(error, url)}"
    if state == _CANCELLED and (over := reason_to_end()):
        return over
    if isinstance(error, PipelineAborted):
        raise error  # somebody went on after a failure: a fault of ours
    if state.startswith(_LOST) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreLost(f"the server went away: {said}")
    if state.startswith(_DENIED):
        return StoreDenied(f"the database does not allow it: {said}")
    if state.startswith(_READ_ONLY):
        return StoreReadOnly(f"the database can only be read: {said}", "Name the primary server in storage.url.")
    if state.startswith(_FULL):
        return DiskFull(f"the disk of {server(url)} is full")
    if state.startswith(_CROWDED):
        hint = "Try again; if that does not help, raise the server's statement_timeout for this role."
        return Busy(f"the database is busy: {said}", hint if "statement timeout" in said else "Try again.")
    if state == "22P02" and REFUSED in said:
        return Busy(said.partition(REFUSED)[2].removesuffix('"'))
    if newer := _NEWER.search(said):
        return newer_schema(int(newer[1]), int(newer[2]))
    if state.startswith(_UNFIT) or isinstance(error, psycopg.DataError):
        return InvalidInput(f"the database cannot hold this value: {said}")
    if state.startswith(_TROUBLE):
        return Unavailable(f"the database failed: {said}", "Look into the server's log, then try again.")
    raise error  # a fault of ours, not of the server: the surface reports it as such


def _message(error: psycopg.Error, url: str) -> str:
    """The driver's message, in one line. It never holds the password, as far as we know; if it did, no word of it."""
    text = " ".join(str(error).split())
    password = str(conninfo_to_dict(url).get("password") or "")
    leaks = len(password) >= NOT_BY_CHANCE and password in text
    return "(its words are left out, they hold the password)" if leaks else text


def _timeout(value: object) -> bool:
    return value is None or str(value).lstrip("-").isdigit()
