"""Encryption at rest: the key of a project, and the files that are sealed with it.

The database is encrypted by SQLCipher; every other file below the project's folder is a row of frames, each encrypted
and authenticated with AES-256-GCM. A frame that was written in part is dropped, as a line without its end would be.
"""

import io
import os
import struct
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from clew.model.errors import ConfigError, Locked
from clew.runtime.settings import Security

MARK = "encrypted"  # the file that says so, with a proof of the key
KEYRING, KEYRING_ENTRY = "clew", "encryption"
MAGIC = b"clew-sealed-1\n"
_FRAME = struct.Struct("<Q")
_NONCE = 12
_MOST_FRAME = 64 * 1024 * 1024
_KEY_DIGITS = 64
_MAKE = "Make one: clew key"
_EXTRA = "pip install 'clew[secure]'"


class Cipher:
    """The keys that are derived from that of the project; each use has its own."""

    def __init__(self, key: bytes) -> None:
        try:
            import sqlcipher3  # noqa: F401  # an extra: whoever wants encryption finds out now that it is not there
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise ConfigError(
                f"security.encrypt_db needs the package {error.name}, which is not installed", _EXTRA
            ) from None
        self._aead = AESGCM(_derive(key, b"files"))
        self.database_key = _derive(key, b"database").hex()
        self.proof = _derive(key, b"proof").hex()

    def seal(self, number: int, data: bytes) -> bytes:
        """A frame; its number keeps frames from being exchanged."""
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._aead.encrypt(nonce, data, _FRAME.pack(number))
        return _FRAME.pack(len(sealed)) + sealed

    def unseal(self, number: int, frame: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._aead.decrypt(frame[:_NONCE], frame[_NONCE:], _FRAME.pack(number))
        except InvalidTag as error:
            raise OSError("a sealed file is damaged, or was sealed with another key") from error


class SealedFile(io.BytesIO):
    """A file of which only sealed bytes reach the disk; otherwise like the file that it stands for."""

    def __init__(self, raw: BinaryIO, cipher: Cipher, mode: str, before: bytes = b"") -> None:
        """`before` is the sealed content that is there."""
        self._raw, self._cipher, self._mode = raw, cipher, mode
        content, self._frames, self._whole = _unseal_frames(cipher, before)
        super().__init__(content)
        self._written = content
        if mode == "ab":
            self.seek(0, os.SEEK_END)

    def fileno(self) -> int:
        return self._raw.fileno()

    def flush(self) -> None:
        if self._mode == "rb" or self.closed:
            return
        content = self.getvalue()
        if content == self._written and (self._frames or not content):
            return
        if self._mode == "ab":
            self._append(content[len(self._written) :])
        else:
            self._raw.seek(0)
            self._raw.truncate()
            self._raw.write(seal(self._cipher, content))
        self._raw.flush()
        self._written = content

    def close(self) -> None:
        if self.closed:
            return
        try:
            self.flush()
        finally:
            self._raw.close()
            super().close()

    def _append(self, added: bytes) -> None:
        os.ftruncate(self._raw.fileno(), self._whole)  # what was written in part goes
        frame = (b"" if self._whole else MAGIC) + self._cipher.seal(self._frames, added)
        try:
            self._raw.write(frame)
            self._raw.flush()
        except OSError:
            os.ftruncate(self._raw.fileno(), self._whole)
            raise
        self._whole += len(frame)
        self._frames += 1


class TextCipher:
    """Encrypts single texts in the store, for the agent that holds the key."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise ConfigError(
                f"an agent's key needs the package {error.name}, which is not installed", _EXTRA
            ) from None
        self._aead = AESGCM(_derive(key, b"agent"))

    def seal(self, about: str, text: str) -> str:
        """`about` says what it belongs to: it cannot be put elsewhere."""
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._aead.encrypt(nonce, text.encode("utf-8", "surrogatepass"), about.encode())
        import base64

        return f"{SEALED}{base64.b64encode(sealed).decode('ascii')}"

    def unseal(self, about: str, text: str) -> str | None:
        """None if it was sealed for another agent."""
        import base64

        from cryptography.exceptions import InvalidTag

        data = base64.b64decode(text.removeprefix(SEALED))
        try:
            return self._aead.decrypt(data[:_NONCE], data[_NONCE:], about.encode()).decode("utf-8", "surrogatepass")
        except InvalidTag:
            return None


SEALED = "clew-sealed:"  # begins a text that is encrypted for its agent
CALLERS_KEY: ContextVar[str | None] = ContextVar("clew_callers_key", default=None)


def agents_cipher(setting: str) -> TextCipher | None:
    """Cipher of the calling agent: by the key of its request, else that of this process."""
    given = CALLERS_KEY.get()
    text = setting if given is None else given
    return TextCipher(_parse(text, "the agent's key")) if text else None


_CIPHERS: dict[Path, Cipher] = {}


def cipher_of(path: str | Path) -> Cipher | None:
    """The cipher of the encrypted folder that a path lies in."""
    if not _CIPHERS:
        return None
    whole = Path(path)
    return next((_CIPHERS[folder] for folder in (whole, *whole.parents) if folder in _CIPHERS), None)


def unlock(folder: Path, security: Security) -> None:
    """Make the files of a project's folder readable; raises if its key is missing or wrong."""
    mark = folder / MARK
    proof = mark.read_text("ascii").strip() if mark.is_file() else ""
    if not security.encrypt_db:
        if proof:
            raise Locked(f"{folder} is encrypted", "Set encrypt_db = true under [security], and give the key.")
        _CIPHERS.pop(folder, None)
        return
    cipher = _CIPHERS.get(folder)
    key = find_key(security)
    if cipher is None or cipher.proof != Cipher(key).proof:
        cipher = Cipher(key)
    import hmac  # loads OpenSSL, which a project without encryption does not need

    if proof and not hmac.compare_digest(proof, cipher.proof):
        raise Locked(f"the key is not the one that {folder} was encrypted with", "Give that key.")
    _CIPHERS[folder] = cipher


def write_mark(folder: Path) -> None:
    """Put on record that the folder is encrypted, with a proof of the key."""
    if (cipher := cipher_of(folder)) and not (folder / MARK).exists():
        part = folder / f"{MARK}.{os.getpid()}.part"
        part.write_text(f"{cipher.proof}\n", "ascii")
        part.replace(folder / MARK)


def forget(folder: Path) -> None:
    """From now on, files of the folder are written as they are."""
    _CIPHERS.pop(folder, None)
    (folder / MARK).unlink(missing_ok=True)


def find_key(security: Security) -> bytes:
    """From the setting or its variable, else from the file, else from the system's keyring."""
    if security.encryption_key:
        return _parse(security.encryption_key, "security.encryption_key")
    if security.encryption_key_file:
        return _parse(_read_key_file(Path(security.encryption_key_file).expanduser()), security.encryption_key_file)
    if found := _from_keyring():
        return _parse(found, "the system's keyring")
    hint = f"Set CLEW_SECURITY_ENCRYPTION_KEY or encryption_key_file, or put it into the keyring. {_MAKE}"
    raise Locked("security.encrypt_db is set, and there is no key", hint)


def put_into_keyring(key: str) -> None:
    keyring = _load_keyring()
    if keyring is None:
        raise ConfigError("there is no keyring on this system", f"{_EXTRA}, or use a key file.")
    keyring.set_password(KEYRING, KEYRING_ENTRY, key)


def seal(cipher: Cipher, content: bytes) -> bytes:
    """A whole file."""
    parts = [content[at : at + _MOST_FRAME] for at in range(0, max(len(content), 1), _MOST_FRAME)]
    return MAGIC + b"".join(cipher.seal(number, part) for number, part in enumerate(parts))


def unseal(cipher: Cipher, data: bytes) -> bytes:
    """The content of a file; one that was never sealed is as it is."""
    return _unseal_frames(cipher, data)[0]


def _unseal_frames(cipher: Cipher, data: bytes) -> tuple[bytes, int, int]:
    """The content, the number of frames, and how many bytes they take."""
    if not data.startswith(MAGIC):
        return data, 0, 0
    view, at, parts = memoryview(data), len(MAGIC), list[bytes]()
    while at + _FRAME.size <= len(data):
        (length,) = _FRAME.unpack_from(view, at)
        end = at + _FRAME.size + length
        if end > len(data):
            break
        parts.append(cipher.unseal(len(parts), bytes(view[at + _FRAME.size : end])))
        at = end
    return (parts[0] if len(parts) == 1 else b"".join(parts)), len(parts), at


def _derive(key: bytes, purpose: bytes) -> bytes:
    import hmac
    from hashlib import sha256

    return hmac.digest(key, b"clew:" + purpose, sha256)


def _parse(text: str, source: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if 2 * len(key) != _KEY_DIGITS:
        raise Locked(f"{source} holds no key of {_KEY_DIGITS} hexadecimal digits", _MAKE)
    return key


def _read_key_file(file: Path) -> str:
    try:
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise Locked(f"other users can read {file}", f"chmod 600 {file}")
        return file.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise Locked(f"the key file {file} cannot be read: {error}", "Correct encryption_key_file.") from error


def _from_keyring() -> str:
    keyring = _load_keyring()
    if keyring is None:
        return ""
    try:
        return keyring.get_password(KEYRING, KEYRING_ENTRY) or ""
    except keyring.errors.KeyringError:  # no service, or it is locked
        return ""


def _load_keyring() -> Any:
    try:
        import keyring  # an extra
        import keyring.errors
    except ImportError:
        return None
    return keyring
