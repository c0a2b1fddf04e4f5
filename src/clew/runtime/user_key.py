"""This user's key on this machine, which proves what their Clew made or accepted. It stays in the data folder."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from blake3 import blake3

from clew.model.errors import DiskFull, StoreReadOnly
from clew.runtime.plain import open_own, read_own

KEY = "key"
_KEY_BYTES = 32


def made_key(user_data: Path) -> bytes:
    """This user's key, made when it is first needed; of several concurrent processes, the first one makes it."""
    if key := read_key(user_data):
        return key
    folder = user_data
    part = folder / f"{KEY}.{os.getpid()}.{os.urandom(4).hex()}.part"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_own(part, "xb") as file:
            part.chmod(0o600)
            file.write(os.urandom(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(part, folder / KEY)
    except OSError as error:
        raise write_refusal(folder, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    if key := read_key(user_data):
        return key
    raise StoreReadOnly(f"{folder / KEY} is not a key that this Clew made", f"Move {folder / KEY} aside.")


def read_key(user_data: Path) -> bytes:
    try:
        key = read_own(user_data / KEY, _KEY_BYTES)
    except OSError:
        return b""
    return key if len(key) == _KEY_BYTES else b""


def keyed_digest(key: bytes, what: bytes, value: bytes) -> str:
    return blake3(what + b"\0" + value, key=key).hexdigest()


def write_refusal(folder: Path, error: OSError) -> DiskFull | StoreReadOnly:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the disk that holds {folder} is full")
    hint = (
        "Make it writable: Clew marks its indexes as yours with a key that it keeps in your data folder (see "
        "XDG_DATA_HOME). Where that cannot be, CLEW_STORAGE_TRUST_INDEX=true uses any index that is there."
    )
    return StoreReadOnly(f"{folder} cannot be written: {error.strerror}", hint)
