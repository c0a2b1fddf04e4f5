"""Every error a caller can meet, in one tree.

ClewError
├── InvalidInput            the request itself is wrong
│   ├── ConfigError         context.toml, the user's config.toml or a CLEW_ variable is wrong
│   │   └── NotOurDatabase  storage.db_path names a file that Clew did not make
│   ├── MalformedBody       the body is not the JSON that was expected
│   ├── WrongType           the body is not sent as JSON
│   ├── WrongMethod         the address is served, by another method of HTTP
│   ├── TooLarge            the body is larger than the server accepts
│   ├── RateLimited         the client calls more often than the server accepts
│   ├── BudgetExceeded      what must be in the answer does not fit the budget
│   └── NotSupported        it cannot be had in this project as it is configured
├── NotFound                the id, symbol, path or tool is unknown here
│   └── IndexMissing        the project has not been indexed yet
├── Interrupted             Ctrl-C or a termination signal; what was done is kept
├── Conflict                the row moved on since it was read
├── Denied                  the guard refused: outside the project, a system directory, read-only
│   └── Unauthorized        the bearer token is missing or wrong
└── Unavailable             the index, the store or a plug-in cannot answer now
    ├── TimedOut            the request took longer than one may
    ├── Busy                another process holds what is needed
    ├── StoreCorrupt        the database cannot be read
    ├── SnapshotDamaged     a snapshot is not as it was written
    ├── MemoryMissing       the database is empty, though agents had written into it
    ├── IndexOutdated       the index was made by an older Clew, and must be made anew
    ├── StoreNewer          the database, the index or a pack was written by a newer Clew
    ├── Locked              the database is encrypted, and its key was not given
    ├── Unreachable         a server of Clew does not answer
    ├── StoreReadOnly       the disk, the file or the server cannot be written
    ├── StoreDenied         the database refuses this user or what it may do
    ├── StoreLost           the database server cannot be reached, or went away
    ├── PluginFailed        a plug-in cannot be loaded, or wants what is taken
    ├── EmbedderFailed      what makes vectors of texts lacks something, or refuses
    └── DiskFull            the disk ran out of space; the last transaction was rolled back

Each class carries the code, HTTP status and exit code that surfaces report; each error carries the hint:
what to do next. Surfaces add nothing.
"""

from typing import ClassVar

_LONGEST = 600  # characters of a message or a hint: it may quote what was asked, whose length nobody bounds


class ClewError(Exception):
    code: ClassVar[str] = "CLEW_E_INTERNAL"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    default_hint: ClassVar[str] = (
        "Run `clew index` and try again; if it still fails, run it with --log-level debug and report the output."
    )

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = _shorten(message)
        self.hint = _shorten(hint or self.default_hint)
        super().__init__(self.message)


def _shorten(text: str) -> str:
    """Both ends stay: the wrong value stands first, the known ones last."""
    end = _LONGEST // 3
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - end]} … {text[-end:]}"


class InvalidInput(ClewError):
    code, status, exit_code = "CLEW_E_INVALID_INPUT", 422, 2
    default_hint = "Correct the argument named in the message and call again."


class ConfigError(InvalidInput):
    code = "CLEW_E_CONFIG"
    default_hint = (
        "Correct the key in context.toml or the environment variable; `clew config` shows the source of each value."
    )


class NotOurDatabase(ConfigError):
    code = "CLEW_E_NOT_A_DATABASE"
    default_hint = (
        "Set storage.db_path to a file that does not exist yet: Clew never changes a file that it did not make."
    )


class MalformedBody(InvalidInput):
    code, status = "CLEW_E_MALFORMED", 400
    default_hint = "Send one JSON object that holds the tool's arguments."


class WrongMethod(InvalidInput):
    code, status = "CLEW_E_METHOD", 405
    default_hint = "GET /tools lists the tools; POST /tools/{name} calls one; MCP uses POST /mcp."


class WrongType(InvalidInput):
    code, status = "CLEW_E_CONTENT_TYPE", 415
    default_hint = "Send the header `Content-Type: application/json`."


class TooLarge(InvalidInput):
    code, status = "CLEW_E_TOO_LARGE", 413
    default_hint = "Send a smaller request."


class RateLimited(InvalidInput):
    code, status = "CLEW_E_RATE_LIMITED", 429
    default_hint = "Wait a moment, then call again."


class BudgetExceeded(InvalidInput):
    code = "CLEW_E_BUDGET_EXCEEDED"
    default_hint = "Ask for profile 'balanced', or a larger max_tokens."

    @classmethod
    def of(cls, what: str, limit: int, least: int) -> "BudgetExceeded":
        """For an answer that takes so many tokens with its mandatory parts alone."""
        return cls(f"what must be in {what} does not fit {limit} tokens", f"Ask for max_tokens={least} at least.")


class NotSupported(InvalidInput):
    code, status = "CLEW_E_NOT_SUPPORTED", 501
    default_hint = "Use another option, or configure what this one needs."


class NotFound(ClewError):
    code, status, exit_code = "CLEW_E_NOT_FOUND", 404, 3
    default_hint = "Check the spelling."


class IndexMissing(NotFound):
    code = "CLEW_E_INDEX_MISSING"
    default_hint = "Run `clew index` in the project first."


class Conflict(ClewError):
    code, status, exit_code = "CLEW_E_CONFLICT", 409, 4
    default_hint = "Read the current state and try again."


class Denied(ClewError):
    code, status, exit_code = "CLEW_E_DENIED", 403, 5
    default_hint = "Name a path inside the project."


class Unauthorized(Denied):
    code, status = "CLEW_E_UNAUTHORIZED", 401
    default_hint = "Send the header `Authorization: Bearer <token>` with the token the server was started with."


class Unavailable(ClewError):
    code, status, exit_code = "CLEW_E_UNAVAILABLE", 503, 6
    default_hint = "Try again."


class Unreachable(Unavailable):
    code = "CLEW_E_UNREACHABLE"
    default_hint = "Check that `clew serve` runs at this address, or connect with fallback=True."


class TimedOut(Unavailable):
    code, status = "CLEW_E_TIMEOUT", 504
    default_hint = "Narrow the request by naming files or a symbol, or raise server.request_seconds."


class Busy(Unavailable):
    code = "CLEW_E_BUSY"
    default_hint = "Wait for the other process to finish, then try again."


class StoreCorrupt(Unavailable):
    code = "CLEW_E_STORE_CORRUPT"
    default_hint = "Run `clew rebuild`: it recovers all readable agent records, and keeps the damaged file."


class SnapshotDamaged(Unavailable):
    code = "CLEW_E_SNAPSHOT_DAMAGED"
    default_hint = "Ask again: the damaged snapshot is no longer used. `clew index` rebuilds it."


class MemoryMissing(Unavailable):
    code = "CLEW_E_MEMORY_MISSING"
    default_hint = "Restore the database from a backup."


class IndexOutdated(Unavailable):
    code = "CLEW_E_INDEX_OUTDATED"
    default_hint = "Run `clew index`. If background runs are enabled, one has started: ask again when it is done."


class StoreNewer(Unavailable):
    code = "CLEW_E_CONTRACT_VERSION"
    default_hint = "Upgrade Clew: pip install --upgrade clew. Restart processes that were started before the upgrade."


class Locked(Unavailable):
    code = "CLEW_E_LOCKED"
    default_hint = (
        "Provide the key: CLEW_SECURITY_ENCRYPTION_KEY, encryption_key_file under [security], or the system's keyring."
    )


class StoreReadOnly(Unavailable):
    code = "CLEW_E_STORE_READ_ONLY"
    default_hint = "Make the .clew directory writable, or set storage.db_path to a writable location."


class StoreDenied(Unavailable):
    code = "CLEW_E_STORE_DENIED"
    default_hint = "Check the user and password in storage.url, and the user's privileges in the database."


class StoreLost(Unavailable):
    code = "CLEW_E_STORE_LOST"
    default_hint = "Check that the server in storage.url is running and reachable, then try again."


class PluginFailed(Unavailable):
    code = "CLEW_E_PLUGIN"
    default_hint = "Repair or uninstall that package, then run `clew rebuild`."


class EmbedderFailed(Unavailable):
    code = "CLEW_E_EMBEDDER"
    default_hint = (
        "Correct the [embedding] settings (`clew config embedding` shows their sources), or set the model to none."
    )


class DiskFull(Unavailable):
    code = "CLEW_E_DISK_FULL"
    default_hint = "Free some space and run the command again; acknowledged writes are safe."


class Interrupted(ClewError):
    """Ctrl-C or a termination signal: not a failure, but not an answer either."""

    code, status, exit_code = "CLEW_E_INTERRUPTED", 503, 130
    default_hint = "Run the command again: it resumes where it stopped."
