"""The inputs of an index beside its files: if they change, the files are read or searched again."""

import re
from functools import cache
from pathlib import Path

import msgspec
from blake3 import blake3

from clew.model.errors import IndexOutdated, StoreNewer
from clew.runtime import plugins
from clew.runtime.settings import Config
from clew.store.checkouts import CheckoutState

FORMAT = "read-64"  # of what a reading holds: a change here re-reads every file
BEGUN = f"{FORMAT} ".encode()  # rules of an index that is being made anew: neither the old nor the new can be opened
_NUMBERS = re.compile(rb"\d+")
_NAME, _, _NUMBER = FORMAT.partition("-")
_WRITTEN = re.compile(rb"%b-(\d+) " % _NAME.encode())
# What parses files: another version of one may read them otherwise. Their order is that in which versions are compared.
PARSERS = (
    "tree-sitter", "tree-sitter-bash", "tree-sitter-c", "tree-sitter-c-sharp", "tree-sitter-containerfile",
    "tree-sitter-cpp", "tree-sitter-dart", "tree-sitter-elixir", "tree-sitter-go", "tree-sitter-haskell",
    "tree-sitter-hcl", "tree-sitter-java", "tree-sitter-javascript", "tree-sitter-json", "tree-sitter-julia",
    "tree-sitter-kotlin", "tree-sitter-lua", "tree-sitter-markdown", "tree-sitter-php", "tree-sitter-python",
    "tree-sitter-ruby", "tree-sitter-rust", "tree-sitter-scala", "tree-sitter-swift", "tree-sitter-typescript",
    "tree-sitter-zig",
)  # fmt: skip
_DIGEST = 32  # bytes of the digest in rules; the versions of the parsers follow it


def rules_of(config: Config) -> bytes:
    """Inputs of an index's content: a change re-reads every file. The format comes first, so that it can be read, and
    the versions of the parsers come last, so that newer ones can be told from older ones.
    """
    brought = [(one.package, one.version, one.name, one.value) for one in plugins.find_offers(plugins.LANGUAGES)]
    formats = (FORMAT, config.indexing, config.chunking, config.security.scrub_rules, brought)
    return BEGUN + blake3(msgspec.msgpack.encode(formats)).digest() + parser_versions()


@cache  # one that is upgraded while this process runs is not loaded again
def parser_versions() -> bytes:
    """The versions of PARSERS that this process has."""
    found = plugins.installed_versions(PARSERS)
    return ",".join(found.get(name, "") for name in PARSERS).encode("ascii", "replace")


def are_foreign(rules: bytes) -> bool:
    """Whether an index has another format: it cannot be opened."""
    return rules == BEGUN or (bool(rules) and _format_of(rules) != int(_NUMBER))


def is_taken_over(state: CheckoutState) -> bool:
    """By a newer Clew, while this one still runs."""
    return state.newer or _format_of(state.rules) > int(_NUMBER)


def has_newer_parsers(rules: bytes) -> bool:
    """Whether files were read by newer parsers than this process has: it answers from it and leaves it alone."""
    return _versions_in(_parsers_of(rules)) > _versions_in(parser_versions())


def is_current(rules: bytes, config: Config) -> bool:
    """Whether an index is one that this process would make, or one of newer parsers by the same settings."""
    ours = rules_of(config)
    settings = len(BEGUN) + _DIGEST
    return rules == ours or (rules[:settings] == ours[:settings] and has_newer_parsers(rules))


def refuse_newer(rules: bytes) -> None:
    """Two releases on one index, or two versions of a parser, would else take turns in making it anew."""
    _refuse_newer_format(rules)
    if has_newer_parsers(rules):
        theirs, ours = _parsers_of(rules).decode().split(","), parser_versions().decode().split(",")
        name, their, our = next(one for one in zip(PARSERS, theirs, ours, strict=False) if one[1] != one[2])
        raise StoreNewer(
            f"the index was read with newer parsers: {name} {their}, and this process has {our or 'none'}",
            "Upgrade the package and restart processes that have the older one; after a downgrade: `clew rebuild`.",
        )


def refuse_foreign(rules: bytes) -> None:
    _refuse_newer_format(rules)
    if are_foreign(rules):
        raise IndexOutdated("the index was made by an older release of Clew")


def _refuse_newer_format(rules: bytes) -> None:
    if _format_of(rules) > int(_NUMBER):
        raise StoreNewer("the index was made by a newer release of Clew")


def _parsers_of(rules: bytes) -> bytes:
    """Empty of rules that have another format, or were written before versions were kept."""
    return rules[len(BEGUN) + _DIGEST :] if rules.startswith(BEGUN) else b""


def _versions_in(versions: bytes) -> list[tuple[int, ...]]:
    return [tuple(map(int, _NUMBERS.findall(one))) for one in versions.split(b",")] if versions else []


def _format_of(rules: bytes) -> int:
    """Zero of the oldest, which did not tell."""
    told = _WRITTEN.match(rules)
    return int(told[1]) if told else 0


def boundary_of(root: Path, config: Config) -> bytes:
    """The root and the settings that decide which files belong: a change walks the tree again."""
    return blake3(
        msgspec.msgpack.encode((FORMAT, str(root), config.watcher, config.indexing, config.storage.db_path))
    ).digest()
