"""Objects that a repository takes from other ones (`objects/info/alternates`), and the user's consent to that.

Its author may name the objects of any project of the user. The consent is a mark beside the list: a digest of the
place and of the list, with a key that never leaves the user's data folder.
"""

import os
from contextlib import suppress
from pathlib import Path

from clew.model.errors import ClewError
from clew.runtime import paths
from clew.runtime.plain import open_own, read_plain
from clew.runtime.user_key import keyed_digest, made_key, read_key, write_refusal

MARK = "clew-permitted"
_LIST = "alternates"
_MOST_LIST = 64 * 1024  # bytes
_MOST_MARK = 256

_own: set[tuple[str, bytes]] = set()  # lists that this process wrote itself


def lenders(repository: Path) -> tuple[str, ...]:
    """The folders of objects that a repository names, as written. An `OSError` if the list cannot be read."""
    text = _list(repository).decode("utf-8", "surrogateescape")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def is_permitted(repository: Path) -> bool:
    """Whether the list is the one that the user accepted, or that this user's Clew wrote."""
    known = _key_of(repository)
    if known in _own:
        return True
    from hmac import compare_digest  # few repositories have lenders

    key = read_key(paths.user_data(os.environ))
    try:
        mark = read_plain(_folder(repository) / MARK, _MOST_MARK) if key else b""
    except OSError:
        return False
    return bool(mark) and compare_digest(mark.strip(), _digest(key, known))


def permit(repository: Path) -> None:
    """Accept the list as it is; raises if that cannot be kept."""
    key = made_key(paths.user_data(os.environ))
    file = _folder(repository) / MARK
    try:
        with open_own(file, "wb") as opened:
            opened.write(_digest(key, _key_of(repository)) + b"\n")
    except OSError as error:
        raise write_refusal(file.parent, error) from error


def permit_own(repository: Path) -> None:
    """Likewise for a repository that Clew makes itself; without a mark, it is valid in this process."""
    _own.add(_key_of(repository))
    with suppress(ClewError):
        permit(repository)


def withdraw(repository: Path) -> bool:
    """Whether there was a consent."""
    try:
        (_folder(repository) / MARK).unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise write_refusal(_folder(repository), error) from error
    return True


def _key_of(repository: Path) -> tuple[str, bytes]:
    return os.path.realpath(repository), _list(repository)


def _digest(key: bytes, known: tuple[str, bytes]) -> bytes:
    return keyed_digest(key, b"lenders", b"\0".join((os.fsencode(known[0]), known[1]))).encode("ascii")


def _folder(repository: Path) -> Path:
    return repository / "objects" / "info"


def _list(repository: Path) -> bytes:
    try:
        return read_plain(_folder(repository) / _LIST, _MOST_LIST)
    except (FileNotFoundError, NotADirectoryError):
        return b""
