"""Roles of files by their paths, by conventions that languages share."""

import re
from enum import IntEnum
from functools import lru_cache

_TESTING = ("testing/", "t/")  # at the top, as pytest and Perl have it; further down it is code for tests
_FOLDER = re.compile(r"(?:.*[._-])?(?:tests?|specs?|e2e)$|__(?:tests?|fixtures|mocks|snapshots)__$")
_CAMEL_FOLDER = re.compile(r".*[a-z](?:Tests?|Specs?)$")
_FILE = re.compile(
    r"(?:tests?|conftest)$|tests?_|.*[._-](?:tests?|specs?)$|Test[A-Z]|.*[a-z0-9](?:Tests?|TestCase|Spec|IT)$"
)
# Folders of code that shows or measures something, and logs of changes, by the names that are usual for them.
_SHOWN = re.compile(
    r"(?:.*[._-])?(?:examples?|samples?|demos?|playgrounds?|tutorials?|bench(?:es|marks?)?|docs?[_-]src)$",
    re.IGNORECASE,
)
# Folders of what others wrote and was copied in. `external` and `vendors` are as often one's own code about such.
_COPIED = re.compile(r"_?vendor(?:ed)?$|(?:third|3rd)[-_]?party$|node_modules$|bower_components$", re.IGNORECASE)
_DEPENDENCIES = "deps/"  # at the top; further down it is code about dependencies
_DOCUMENTS = re.compile(r"(?:docs?|documentation|website|www)$", re.IGNORECASE)
_LOG = re.compile(
    r"(?:changes|change[-_]?logs?|history|news|releases?|release[-_]?notes?|whats[-_]?new|newsfragments|upgrading)$",
    re.IGNORECASE,
)
# What package managers write down of what they have chosen.
_LOCKED = re.compile(
    r".*\.lock(?:b|file)?$|(?:conda|package|pnpm|yarn)-lock\.(?:json|ya?ml)$|packages\.lock\.json$|npm-shrinkwrap\.json$"
    r"|\.terraform\.lock\.hcl$|go(?:\.work)?\.sum$|Package\.resolved$"
)


_MAIN = frozenset({"__init__", "index", "mod"})  # names of files that are the module of their folder


@lru_cache(maxsize=1 << 12)
def module_of(path: str) -> str:
    """A file's path without endings, or that of its folder if it is the main file there; modules of a folder `a/b` are
    the submodules of `a/b.py` or `a/b/__init__.py`."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    if stem in _MAIN and folder:
        return folder
    return f"{folder}/{stem}" if folder else stem


def is_locked(path: str) -> bool:
    """Whether a package manager wrote the file: thousands of names and numbers that nobody of the project chose."""
    return _LOCKED.match(path.rpartition("/")[2]) is not None


def is_test_path(path: str) -> bool:
    """Whether a file is a test, or stands among tests to help them."""
    return path.startswith(_TESTING) or any(map(_is_test_folder, path.split("/")[:-1])) or is_test_file(path)


def is_test_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _FILE.match(name.rpartition(".")[0] or name) is not None or name.endswith(".bats")


@lru_cache(maxsize=1 << 12)
def _is_test_folder(name: str) -> bool:
    return _FOLDER.match(name.lower()) is not None or _CAMEL_FOLDER.match(name) is not None


# Names that generators of code give to files; a notice in the text says more, but only once the file is read.
_GENERATED = re.compile(
    r"zz_generated\b|.*(?:\.pb(?:\.gw)?\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.(?:g|freezed)\.dart|\.designer\.cs|\.min\.(?:js|css))$",
    re.IGNORECASE,
)


def is_foreign_path(path: str) -> bool:
    """Whether others wrote a file, or a program did, judged by its path: copied, locked or generated."""
    name = path.rpartition("/")[2]
    return lies_among(path) in (Among.COPIED, Among.LOCKED) or _GENERATED.match(name) is not None


class Among(IntEnum):
    """The role of a file by its path; numbers are stored."""

    CODE = 0
    TESTS = 1
    SHOWN = 2  # examples, benchmarks, documentation
    LOG = 3  # of changes
    LOCKED = 4  # what package managers write
    COPIED = 5  # what others wrote
    MADE = 6  # what a program wrote


def lies_among(path: str, made: bool = False) -> Among:
    """`made`: its text says that a program wrote it."""
    if is_locked(path):
        return Among.LOCKED
    if is_test_path(path):
        return Among.TESTS
    if _is_log(path):
        return Among.LOG
    folders = path.split("/")[:-1]
    if any(map(_is_shown, folders)):
        return Among.SHOWN
    if path.startswith(_DEPENDENCIES) or any(map(_COPIED.match, folders)):
        return Among.COPIED
    return Among.MADE if made else Among.CODE


@lru_cache(maxsize=1 << 12)
def _is_shown(folder: str) -> bool:
    return _SHOWN.match(folder) is not None or _DOCUMENTS.match(folder) is not None


def _is_log(path: str) -> bool:
    """By its name, or its folder's."""
    *folders, name = path.split("/")
    return any(_LOG.match(part) for part in (name.partition(".")[0], *folders[-2:]))
