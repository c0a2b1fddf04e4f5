"""Work on many items by copies of this process, which have all that it computed so far without being sent it.

Only where a process may be copied safely: on Linux, with no other threads but those of `thread_at_times`. A copy
computes and sends bytes; it must use no database, and never returns to the code that started it.
"""

import fcntl
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Generic, NamedTuple, TypeVar

import msgspec

from clew.runtime.deadline import check
from clew.runtime.plain import read_plain

LOOK_SECONDS = 0.2  # between two looks at whether the request is over
TOGETHER = 16  # items that follow each other and are done by the same copy: neighbours share what is remembered
MOST_MEMORY = 1 << 20  # kilobytes, for this process and all copies; each of them may become as large
SHARE_OF_MEMORY = 0.5  # of what the machine has left, for the copies
MOST_WAITING = 16 << 20  # bytes of results that came before those of earlier items
_NOTE = -1  # the place of what a copy notes at its end
_LENGTH = 8  # bytes that say how long a message is
_PART = 1 << 20
_PIPE = 1 << 20  # bytes that a copy may be ahead of its reader

T = TypeVar("T")
R = TypeVar("R")
N = TypeVar("N")


class _Result(NamedTuple):
    place: int
    value: msgspec.Raw


_idle = threading.Lock()  # held by threads beside the main one while they work
_occasional: set[threading.Thread] = set()


@contextmanager
def thread_at_times(run: Callable[[AbstractContextManager[object]], None]) -> Iterator[None]:
    """A thread for the time of the body; it does all its work in the context it is given, in which no copy is made."""
    thread = threading.Thread(target=run, args=(_idle,), daemon=True)
    _occasional.add(thread)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        _occasional.discard(thread)


def possible_copies(workers: int) -> int:
    """How many copies may be started beside this process, which works too."""
    if sys.platform != "linux" or workers < 2 or _status("Threads") != 1 + len(_occasional):
        return 0
    mine, free = _status("VmRSS"), _number("/proc/meminfo", "MemAvailable")
    room = min(MOST_MEMORY - mine, int(free * SHARE_OF_MEMORY))
    return min(workers - 1, max(room, 0) // mine) if mine else 0


class CopyReport(NamedTuple, Generic[N]):
    """`report` makes the report of a copy after its share; `take` receives it in this process."""

    kind: type[N]
    report: Callable[[], N]
    take: Callable[[N], None]


def forked_results(
    items: Sequence[T], work: Callable[[T], R], kind: type[R], notes: CopyReport[N], copies: int
) -> Generator[R]:
    """The results in the order of the items, of which this process does its share too, and that of copies that died.

    Closing the generator ends the copies.
    """
    shares = [[n for n in range(len(items)) if n // TOGETHER % (copies + 1) == number] for number in range(copies)]
    crew = _Crew(shares, lambda place: work(items[place]), notes.report)
    try:
        for place, item in enumerate(items):
            data = crew.result(place)
            yield work(item) if data is None else msgspec.msgpack.decode(data, type=kind)
        for data in crew.notes():
            notes.take(msgspec.msgpack.decode(data, type=notes.kind))
    finally:
        crew.stop()


class _Crew:
    def __init__(self, shares: list[list[int]], work: Callable[[int], object], note: Callable[[], object]) -> None:
        self._children: list[int] = []
        self._pipes: dict[int, int] = {}  # those that may still send, by the number of the copy
        self._buffers = [bytearray() for _ in shares]
        self._owner = {place: number for number, share in enumerate(shares) for place in share}
        self._found: dict[int, bytes] = {}
        self._size = 0  # of what was found
        self._notes: list[bytes] = []
        with _idle, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of Python warn of any other thread
            for number, share in enumerate(shares):
                self._start(number, share, work, note)

    def _start(self, number: int, share: list[int], work: Callable[[int], object], note: Callable[[], object]) -> None:
        reading, writing = os.pipe()
        with suppress(OSError):
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
        child = os.fork()
        if child == 0:
            _work_and_exit(writing, share, work, note)
        os.close(writing)
        self._children.append(child)
        self._pipes[number] = reading

    def result(self, place: int) -> bytes | None:
        """The result of one item; None if it belongs to no copy, or its copy died before it was done."""
        owner = self._owner.get(place)
        self._receive(owner, 0)
        while place not in self._found and owner in self._pipes:
            self._receive(owner, LOOK_SECONDS)
        found = self._found.pop(place, None)
        self._size -= len(found or b"")
        return found

    def notes(self) -> list[bytes]:
        while self._pipes:
            self._receive(next(iter(self._pipes)), LOOK_SECONDS)
        return self._notes

    def _receive(self, owner: int | None, seconds: float) -> None:
        """From the copy that is waited for, and from the others while there is room: else they wait."""
        check()
        numbers = {self._pipes[one]: one for one in self._pipes if one == owner or self._size < MOST_WAITING}
        ready = select.poll()
        for pipe in numbers:
            ready.register(pipe, select.POLLIN)
        for pipe, _ in ready.poll(seconds * 1000):
            part = os.read(pipe, _PART)
            if part:
                self._buffers[numbers[pipe]] += part
                self._take(self._buffers[numbers[pipe]])
            else:
                os.close(self._pipes.pop(numbers[pipe]))

    def _take(self, buffer: bytearray) -> None:
        """The messages of a copy that are there in full."""
        start = 0
        while len(buffer) - start >= _LENGTH:
            end = start + _LENGTH + int.from_bytes(buffer[start : start + _LENGTH], "little")
            if len(buffer) < end:
                break
            found = msgspec.msgpack.decode(buffer[start + _LENGTH : end], type=_Result)
            value = bytes(found.value)
            if found.place == _NOTE:
                self._notes.append(value)
            else:
                self._found[found.place] = value
                self._size += len(value)
            start = end
        del buffer[:start]

    def stop(self) -> None:
        for child in self._children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)
        for pipe in self._pipes.values():
            os.close(pipe)


def _work_and_exit(pipe: int, share: list[int], work: Callable[[int], object], note: Callable[[], object]) -> None:
    """In a copy: nothing else of the program may run there, whatever happens."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the original, which ends its copies
        for place in share:
            _send(pipe, place, work(place))
        _send(pipe, _NOTE, note())
        code = 0
    finally:
        os._exit(code)


def _send(pipe: int, place: int, value: object) -> None:
    data = msgspec.msgpack.encode((place, value))
    left = memoryview(len(data).to_bytes(_LENGTH, "little") + data)
    while left:
        left = left[os.write(pipe, left) :]


def _status(name: str) -> int:
    """A number of the system's report about this process; 0 if there is none."""
    return _number("/proc/self/status", name)


def _number(path: str, name: str) -> int:
    with suppress(OSError):
        for line in read_plain(path).decode("ascii", "replace").splitlines():
            key, _, value = line.partition(":")
            if key == name:
                return int(value.split()[0])
    return 0
