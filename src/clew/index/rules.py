"""The inputs of an index beside its files: if they change, the files are read or searched again."""

import re
from pathlib import Path

import msgspec
from blake3 import blake3

from clew.model.errors import IndexOutdated, StoreNewer
from clew.runtime import plugins
from clew.runtime.settings import Config
from clew.store.checkouts import CheckoutState

FORMAT = "read-57"  # of what a reading holds: a change here re-reads every file
BEGUN = f"{FORMAT} ".encode()  # rules of an index that is being made anew: neither the old nor the new can be opened
_NAME, _, _NUMBER = FORMAT.partition("-")
_WRITTEN = re.compile(rb"%b-(\d+) " % _NAME.encode())


def rules_of(config: Config) -> bytes:
    """Inputs of an index's content: a change re-reads every file. The format comes first, so that it can be read."""
    brought = [(one.package, one.version, one.name, one.value) for one in plugins.find_offers(plugins.LANGUAGES)]
    formats = (FORMAT, config.indexing, config.chunking, config.security, brought)
    return f"{FORMAT} ".encode() + blake3(msgspec.msgpack.encode(formats)).digest()


def are_foreign(rules: bytes) -> bool:
    """Whether an index has another format: it cannot be opened."""
    return rules == BEGUN or (bool(rules) and _format_of(rules) != int(_NUMBER))


def is_taken_over(state: CheckoutState) -> bool:
    """By a newer Clew, while this one still runs."""
    return state.newer or _format_of(state.rules) > int(_NUMBER)


def refuse_newer(rules: bytes) -> None:
    """Two releases on one index would else take turns in making it anew."""
    if _format_of(rules) > int(_NUMBER):
        raise StoreNewer("the index was made by a newer release of Clew")


def refuse_foreign(rules: bytes) -> None:
    refuse_newer(rules)
    if are_foreign(rules):
        raise IndexOutdated("the index was made by an older release of Clew")


def _format_of(rules: bytes) -> int:
    """Zero of the oldest, which did not tell."""
    told = _WRITTEN.match(rules)
    return int(told[1]) if told else 0


def boundary_of(root: Path, config: Config) -> bytes:
    """The root and the settings that decide which files belong: a change walks the tree again."""
    return blake3(
        msgspec.msgpack.encode((FORMAT, str(root), config.watcher, config.indexing, config.storage.db_path))
    ).digest()
