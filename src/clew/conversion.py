"""Encrypts the files of a project that was not encrypted, and decrypts them again."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from clew.history.kept_differences import FOLDER as DIFFERENCES
from clew.history.views import FOLDER as VIEWS
from clew.model.errors import Busy, Conflict, InvalidInput
from clew.runtime import encryption
from clew.runtime.encryption import Cipher
from clew.runtime.place import MARK, ProjectPaths, find_place
from clew.store.sqlite import SIDES, is_plain_database

_DERIVED = (VIEWS, DIFFERENCES)
_PLAIN = frozenset({MARK, encryption.MARK, ".gitignore", "owner"})  # hold nothing of the project
_HINT = "Set encrypt_db = true under [security], and give the key."


class Conversion(Struct, frozen=True):
    files: int


def encrypt(start: Path, environ: Mapping[str, str] = os.environ) -> Conversion:
    """Encrypt everything; raises if it is encrypted already, or in use."""
    place, cipher = _locate(start, environ)
    if place.database.exists() and not is_plain_database(place.database):
        raise Conflict(f"{place.database} is encrypted already", "Nothing to do.")
    _drop_derived(place)
    if place.database.exists():
        _convert_database(place.database, "", cipher.database_key)
    done = 0
    for file in _files(place):
        content = file.read_bytes()
        if content and not content.startswith(encryption.MAGIC):
            _replace(file, encryption.seal(cipher, content))
            done += 1
    encryption.write_mark(place.folder)
    return Conversion(done)


def decrypt(start: Path, environ: Mapping[str, str] = os.environ) -> Conversion:
    """Write everything as it was before it was encrypted."""
    place, cipher = _locate(start, environ)
    if is_plain_database(place.database):
        raise Conflict(f"{place.database} is not encrypted", "Nothing to do.")
    _drop_derived(place)
    if place.database.exists():
        _convert_database(place.database, cipher.database_key, "")
    done = 0
    for file in _files(place):
        content = file.read_bytes()
        if content.startswith(encryption.MAGIC):
            _replace(file, encryption.unseal(cipher, content))
            done += 1
    encryption.forget(place.folder)
    return Conversion(done)


def _locate(start: Path, environ: Mapping[str, str]) -> tuple[ProjectPaths, Cipher]:
    place = find_place(start, environ)
    cipher = encryption.cipher_of(place.folder)
    if cipher is None:
        raise InvalidInput("security.encrypt_db is not set", _HINT)
    return place, cipher


def _drop_derived(place: ProjectPaths) -> None:
    for folder in (place.snapshots, *(place.database.parent / name for name in _DERIVED)):
        for file in folder.rglob("*") if folder.is_dir() else ():
            if file.is_file() and not file.is_symlink():
                _overwrite(file)
        shutil.rmtree(folder, ignore_errors=True)


def _files(place: ProjectPaths) -> Iterator[Path]:
    names = {place.database.name, *(f"{place.database.name}{side}" for side in (*SIDES, "-turn"))}
    for file in sorted(place.folder.rglob("*")):
        if file.is_file() and not file.is_symlink() and file.name not in _PLAIN | names:
            yield file


def _convert_database(database: Path, old_key: str, new_key: str) -> None:
    """Into a new file, while nobody else may write; it takes the old one's place as a whole."""
    from sqlcipher3 import dbapi2  # an extra

    part = database.with_name(f"{database.name}.converted")
    part.unlink(missing_ok=True)
    try:
        with closing(dbapi2.connect(str(database), isolation_level=None, timeout=5.0)) as db:
            if old_key:
                db.execute(f"PRAGMA key = \"x'{old_key}'\"")
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")  # the lock stays
            spelled = f"x'{new_key}'" if new_key else ""
            db.execute("ATTACH DATABASE ? AS converted KEY ?", (str(part), spelled))
            db.execute("SELECT sqlcipher_export('converted')")
            db.execute("DETACH DATABASE converted")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            old = database.open("r+b")
            part.replace(database)
    except dbapi2.OperationalError as error:
        part.unlink(missing_ok=True)
        raise Busy(f"{database} is in use: {error}", "Stop everything that uses the project.") from error
    with old:
        _zero(old.fileno())
    for side in SIDES:
        database.with_name(f"{database.name}{side}").unlink(missing_ok=True)


def _replace(file: Path, content: bytes) -> None:
    part = file.with_name(f"{file.name}.converted")
    part.write_bytes(content)
    shutil.copymode(file, part)
    with file.open("r+b") as old:
        part.replace(file)
        _zero(old.fileno())


def _overwrite(file: Path) -> None:
    with file.open("r+b") as old:
        _zero(old.fileno())


def _zero(descriptor: int) -> None:
    """Overwrite a file before removal; older copies on the disk itself cannot be reached."""
    left = os.fstat(descriptor).st_size
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left > 0:
        left -= os.write(descriptor, bytes(min(left, 1 << 20)))
    os.fsync(descriptor)
