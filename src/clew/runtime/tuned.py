"""Weights that were fitted to a project's own history: a small file in .clew, read as a layer of the configuration."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.model.errors import ConfigError, DiskFull, StoreReadOnly
from clew.runtime.keys import KEYS, Given, SettingsLayer
from clew.runtime.paths import HOME
from clew.runtime.plain import open_own, read_own
from clew.runtime.settings import RETRIEVERS

FILE_NAME = "weights.json"
FORMAT = 1  # of the file; another one is not read
ORIGIN = "tuned weights"
SHOWN = f"{HOME}/{FILE_NAME}"

_MOST_BYTES = 1024 * 1024
_HINT = "Run `clew eval --tune` again, or remove it with `clew eval --untune`."


class Gain(Struct, frozen=True):
    """A mean difference, and its interval."""

    mean: float
    low: float
    high: float


class Fitted(Struct, frozen=True):
    """The data behind fitted weights: the earlier cases behind a base, and the gain on the later ones."""

    base: str
    cases: int
    newest: str  # when the last of these cases was committed
    held_out: Gain  # of the objective, on each third of these cases by weights fitted to the others
    later_cases: int
    later_files_mrr: Gain
    later_functions_mrr: Gain | None


class Tuned(Struct, frozen=True, forbid_unknown_fields=True):
    """The weights that moved, by retriever."""

    format: int
    weights: dict[str, float]
    fitted: Fitted


def key_of(retriever: str) -> str:
    return f"providers.{retriever}.weight"


def read(folder: Path) -> SettingsLayer:
    """Tuned weights; empty if there is no file, or, with a warning, no usable one."""
    try:
        given = _parse(read_own(folder / FILE_NAME, _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return SettingsLayer((), ())
    except OSError as error:
        return _unusable(error.strerror or str(error))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return _unusable(f"it is not what `clew eval --tune` writes ({error})")
    except ConfigError as error:
        return _unusable(error.message)
    return SettingsLayer(given, ())


def write(folder: Path, tuned: Tuned) -> Path:
    """Whole or not at all; `folder` is where Clew keeps its files."""
    file = folder / FILE_NAME
    part = file.with_name(f"{FILE_NAME}.{os.getpid()}.part")
    try:
        with open_own(part, "wb") as opened:
            opened.write(msgspec.json.format(msgspec.json.encode(tuned), indent=2) + b"\n")
        part.replace(file)
    except OSError as error:
        raise _write_refusal(file, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return file


def remove(folder: Path) -> bool:
    """Whether there was anything to remove."""
    file = folder / FILE_NAME
    try:
        file.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _write_refusal(file, error) from error
    return True


def _parse(content: bytes) -> tuple[Given, ...]:
    tuned = msgspec.json.decode(content, type=Tuned)
    if tuned.format != FORMAT:
        raise ConfigError(f"its format is {tuned.format}, not {FORMAT}")
    if unknown := sorted(tuned.weights.keys() - set(RETRIEVERS)):
        raise ConfigError(f"it has a weight of {unknown[0]!r}, which is no retriever")
    return tuple(KEYS[key_of(name)].accept(weight, ORIGIN) for name, weight in tuned.weights.items())


def _unusable(why: str) -> SettingsLayer:
    return SettingsLayer((), (f"{SHOWN} is left out, and the default weights are used: {why}. {_HINT}",))


def _write_refusal(file: Path, error: OSError) -> DiskFull | StoreReadOnly:
    if error.errno == errno.ENOSPC:
        return DiskFull(f"the disk that holds {file} is full")
    return StoreReadOnly(f"{file} cannot be changed: {error.strerror}", f"Make {file.parent} writable.")
