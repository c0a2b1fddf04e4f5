"""How a run and its reading processes talk: frames of msgpack, each behind its length."""

import struct
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import msgspec

from clew.index.file_reader import FileToRead, PastFile, UnreadFile
from clew.model.code import Reading
from clew.runtime.plugins import LANGUAGES, Offer, find_offers
from clew.runtime.settings import Config

LONGEST = 15.0  # seconds of processor time for a batch; one that takes more is taken to have no end

T = TypeVar("T")
_LENGTH = struct.Struct("<Q")
_encoder = msgspec.msgpack.Encoder()


class Setup(NamedTuple):
    root: str
    config: Config
    plugins: tuple[Offer, ...] = ()  # of the process that asks: all read by the same languages
    longest: float = LONGEST

    @classmethod
    def of(cls, root: Path, config: Config) -> "Setup":
        return cls(str(root), config, find_offers(LANGUAGES))


class Batch(NamedTuple):
    """Files of the tree to read, or contents that git kept."""

    wanted: list[FileToRead]
    past: list[PastFile] = []  # noqa: RUF012 - never changed

    @property
    def paths(self) -> list[str]:
        return [*(one.path for one in self.wanted), *(one.path for one in self.past)]


class Answer(NamedTuple):
    readings: list[Reading]
    unread: list[UnreadFile]


def send(pipe: IO[bytes], message: object) -> None:
    data = _encoder.encode(message)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes], kind: type[T]) -> T | None:
    """The next message; None once the other side has gone."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    data = pipe.read(length)
    return msgspec.msgpack.decode(data, type=kind) if len(data) == length else None
