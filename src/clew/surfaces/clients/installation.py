"""Plans and performs an installation: atomic writes, a backup of each file, and a journal by which it is undone.

A file that did not change since is restored byte for byte from its backup. In one that did, only Clew's parts go.
"""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from clew.model.errors import InvalidInput, Unavailable
from clew.surfaces.clients.catalog import CLIENTS, Client, InstallScope, InstallSite
from clew.surfaces.clients.edits import ConfigEdit, Edited, EditState

JOURNAL = "clients.json"
_BACKUPS = "client-backups"
MOST_BYTES = 20_000_000  # of a configuration file
_FAILED = (EditState.BROKEN, EditState.KEPT)


class ConfigChange(Struct, frozen=True):
    """A file as it is and as it is to be; None: no file. `refused` says why it stays as it is."""

    path: Path
    before: bytes | None
    after: bytes | None
    clients: tuple[str, ...]
    state: EditState
    refused: str = ""

    @property
    def is_change(self) -> bool:
        return self.before != self.after and not self.refused


class JournalEntry(Struct, frozen=True, omit_defaults=True):
    """What an installation did to a file: the digest of what it wrote, and the name of the backup; "": no file."""

    after: str
    clients: tuple[str, ...]
    backup: str = ""
    folders: tuple[str, ...] = ()  # that were made for it


class InstallJournal:
    """The files that installations changed, by path, kept with the user's own data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.entries: dict[str, JournalEntry] = {}
        with suppress(OSError, msgspec.MsgspecError):
            self.entries = msgspec.json.decode((folder / JOURNAL).read_bytes(), type=dict[str, JournalEntry])

    def original(self, path: Path, current: bytes | None) -> tuple[bool, bytes | None]:
        """Whether the file is as an installation left it, and its content before that."""
        entry = self.entries.get(str(path))
        if entry is None or current is None or sha256(current).hexdigest() != entry.after:
            return False, None
        if not entry.backup:
            return True, None
        try:
            return True, (self._folder / _BACKUPS / entry.backup).read_bytes()
        except OSError:
            return False, None

    def note(self, path: Path, entry: JournalEntry, original: bytes | None) -> None:
        if original is not None:
            name = f"{sha256(str(path).encode()).hexdigest()[:16]}-{path.name}"
            self._folder.joinpath(_BACKUPS).mkdir(parents=True, exist_ok=True, mode=0o700)
            write_file(self._folder / _BACKUPS / name, original, 0o600)
            entry = structs.replace(entry, backup=name)
        self.entries[str(path)] = entry
        self._save()

    def forget(self, path: Path) -> None:
        entry = self.entries.pop(str(path), None)
        if entry is None:
            return
        if entry.backup:
            (self._folder / _BACKUPS / entry.backup).unlink(missing_ok=True)
        self._save()

    def _save(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.entries:
            write_file(self._folder / JOURNAL, msgspec.json.format(msgspec.json.encode(self.entries)), 0o600)
            return
        (self._folder / JOURNAL).unlink(missing_ok=True)
        for folder in (self._folder / _BACKUPS, self._folder):
            with suppress(OSError):  # other things are kept there
                folder.rmdir()


def choose(targets: Sequence[str], site: InstallSite) -> list[Client]:
    """The named clients; `all`; by default (`auto`) those that are used here."""
    names = [one.name for one in CLIENTS]
    if wrong := [one for one in targets if one not in (*names, "auto", "all")]:
        raise InvalidInput(f"no client {wrong[0]!r}", f"Clients: {', '.join(names)}; or auto, all.")
    if "all" in targets:
        return list(CLIENTS)
    detected = [one.name for one in CLIENTS if one.is_used(site)] if not targets or "auto" in targets else []
    return [one for one in CLIENTS if one.name in (*targets, *detected)]


def plan_install(clients: Iterable[Client], site: InstallSite) -> list[ConfigChange]:
    """Each file once, with the parts of all clients that share it."""
    changes = []
    for path, (parts, names) in _parts_by_file(clients, site).items():
        current, refused = _read(path, site)
        state, text, why = EditState.UNCHANGED, _decode(current), refused
        for part in () if refused else parts:
            done = part.install(text)
            text, state = done.text, _worst_state(state, done)
            why = "; ".join(filter(None, (why, done.why if done.state in _FAILED else "")))
        broken = refused or state is EditState.BROKEN
        after = current if broken else _encode(text)
        refused = why if broken or (why and after == current) else ""
        changes.append(
            ConfigChange(path, current, after, tuple(names), state, refused or _why_unwritable(path, current, after))
        )
    return changes


def plan_removal(
    clients: Iterable[Client], site: InstallSite, journal: InstallJournal, *, partly: bool
) -> list[ConfigChange]:
    """`partly`: other clients stay, so that a file which they share stays as well."""
    chosen, changes = list(clients), []
    going = {one.name for one in chosen}
    for path, (parts, names) in _parts_by_file(chosen, site).items():
        entry = journal.entries.get(str(path))
        if partly and entry and (staying := set(entry.clients) - going):
            changes.append(_stay(path, names, f"shared with {', '.join(sorted(staying))}"))
            continue
        changes.append(_plan_removal(path, parts, tuple(names), site, journal))
    return changes


def _stay(path: Path, names: Sequence[str], why: str) -> ConfigChange:
    return ConfigChange(path, None, None, tuple(names), EditState.UNCHANGED, why)


def _plan_removal(
    path: Path, parts: Sequence[ConfigEdit], names: tuple[str, ...], site: InstallSite, journal: InstallJournal
) -> ConfigChange:
    current, refused = _read(path, site)
    if refused:
        return ConfigChange(path, current, current, names, EditState.BROKEN, refused)
    is_ours, original = journal.original(path, current)
    if is_ours:
        return ConfigChange(path, current, original, names, EditState.REMOVED, _why_unwritable(path, current, original))
    state, text, why = EditState.UNCHANGED, _decode(current), ""
    for part in parts:
        done = part.remove(text)
        text, state = done.text, _worst_state(state, done)
        why = "; ".join(filter(None, (why, done.why)))
    after = _encode(text)
    refused = why if after == current else ""
    return ConfigChange(path, current, after, names, state, refused or _why_unwritable(path, current, after))


def install(plan: Iterable[ConfigChange], site: InstallSite, journal: InstallJournal) -> None:
    """Write the files; the backup and the journal come first, so that a crash leaves nothing that cannot be undone."""
    for change in plan:
        if not change.is_change or change.after is None:
            continue
        known, original = journal.original(change.path, change.before)
        entry = journal.entries.get(str(change.path))
        folders = entry.folders if entry and known else tuple(str(one) for one in _missing_folders(change.path))
        written = sha256(change.after).hexdigest()
        journal.note(
            change.path,
            JournalEntry(written, change.clients, "", folders),
            original if known else _clean_before(change, site),
        )
        with _reporting_errors(change.path):
            change.path.parent.mkdir(parents=True, exist_ok=True)
            write_file(change.path, change.after)


def _clean_before(change: ConfigChange, site: InstallSite) -> bytes | None:
    """The file without what an older Clew left in it: an uninstallation restores it like this."""
    text = _decode(change.before)
    for part in _parts_by_file(CLIENTS, site).get(change.path, ([], []))[0]:
        text = part.remove(text).text
    return _encode(text)


def undo(plan: Iterable[ConfigChange], journal: InstallJournal) -> None:
    """Write or delete the files, then the folders that were made for them and are empty."""
    folders = set[str]()
    for change in plan:
        if not change.is_change:
            continue
        if entry := journal.entries.get(str(change.path)):
            folders.update(entry.folders)
        with _reporting_errors(change.path):
            if change.after is None:
                change.path.unlink(missing_ok=True)
            else:
                write_file(change.path, change.after)
        journal.forget(change.path)
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):  # somebody else keeps files in it
            Path(folder).rmdir()


@contextmanager
def _reporting_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}", "Make it writable.") from error


def _parts_by_file(clients: Iterable[Client], site: InstallSite) -> dict[Path, tuple[list[ConfigEdit], list[str]]]:
    """By the file that a path leads to: CLAUDE.md may be a link to AGENTS.md."""
    files: dict[Path, tuple[list[ConfigEdit], list[str]]] = {}
    for client in clients:
        for named, part in client.parts(site):
            parts, names = files.setdefault(_target(named), ([], []))
            if part not in parts:
                parts.append(part)
            if client.name not in names:
                names.append(client.name)
    return files


def _target(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path


def leads_out(resolved: Path, site: InstallSite) -> bool:
    """Whether a file of a project lies elsewhere: its path without links is given."""
    return site.scope is InstallScope.PROJECT and not resolved.is_relative_to(site.project.resolve())


def _read(path: Path, site: InstallSite) -> tuple[bytes | None, str]:
    """The content, and why the file is left alone."""
    if leads_out(path, site):
        return None, "it is a link that leads out of the project"
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            return None, "it is not a file"
        if found.st_size > MOST_BYTES:
            return None, "it is too large"
        content = path.read_bytes()
        content.decode()
    except FileNotFoundError:
        return None, ""
    except NotADirectoryError:
        return None, "a folder of its path is a file"
    except UnicodeDecodeError:
        return None, "it is not UTF-8"
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    return content, ""


def _why_unwritable(path: Path, before: bytes | None, after: bytes | None) -> str:
    """An owner that has made a file or folder read-only means it, even where root could write."""
    if before == after:
        return ""
    existing = next((one for one in (path, *path.parents) if one.exists()), path)
    try:
        mode = existing.stat().st_mode
        folder = existing if stat.S_ISDIR(mode) else existing.parent
        is_writable = all(one.stat().st_mode & stat.S_IWUSR and os.access(one, os.W_OK) for one in (existing, folder))
    except OSError as error:
        return f"it cannot be written: {error.strerror}"
    return "" if is_writable else f"{existing.name} is read-only"


def _missing_folders(path: Path) -> list[Path]:
    return [one for one in path.parents if not one.exists()]


def _worst_state(state: EditState, done: Edited) -> EditState:
    """Of several parts of a file, the state to report."""
    order = [
        EditState.BROKEN, EditState.KEPT, EditState.REMOVED, EditState.UPDATED, EditState.ADDED, EditState.UNCHANGED,
    ]  # fmt: skip
    return min(state, done.state, key=order.index)


def _decode(content: bytes | None) -> str | None:
    return None if content is None else content.decode()


def _encode(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def write_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """As a whole or not at all; an existing file keeps its permissions."""
    new = 0o755 if content.startswith(b"#!") else 0o644
    kept = mode if mode is not None else stat.S_IMODE(path.stat().st_mode) if path.exists() else new
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(kept)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
