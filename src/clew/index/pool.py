"""Reading many files at once: as many processes as are worth starting, or none."""

import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import IO

from clew.index.file_reader import FileReader, FileToRead, PastFile, UnreadFile
from clew.index.worker import answer
from clew.index.worker_protocol import Answer, Batch, Setup, receive, send
from clew.runtime.deadline import check
from clew.runtime.plain import read_plain

MOST_FILES, MOST_BYTES = 32, 512 * 1024  # of one batch: stored in one transaction, in about 50 ms
DEEP = 500  # brackets inside of each other; with three thousand, a grammar's reader took minutes
LOOK_SECONDS = 0.2  # between two looks at whether the request is over
_WAITING = 4  # answers per worker that may wait to be stored, so that memory stays bounded

_PAIRS = (b"()", b"[]", b"{}")
_BRACKET = re.compile(rb"[()\[\]{}]")


def read_in_process(setup: Setup, batches: list[Batch]) -> Generator[Answer]:
    """Read in this process, where that is safe: for a few files, starting others would take longer than the work."""
    root = Path(setup.root)
    reader = FileReader(root, setup.config, setup.plugins)
    for batch in batches:
        apart = [wanted for wanted in batch.wanted if _may_have_no_end(root / wanted.path)]
        if apart:
            yield from read_in_workers(setup, [Batch(apart)], 1)
        yield answer(reader, Batch([wanted for wanted in batch.wanted if wanted not in apart]) if apart else batch)


def _may_have_no_end(path: Path) -> bool:
    """Whether parsing may not terminate: for very deep nesting, and some grammars with unclosed brackets."""
    try:
        source = read_plain(path)
    except OSError:  # who reads it will say so
        return False
    return may_have_no_end(path.name, source)


def may_have_no_end(path: str, source: bytes) -> bool:
    """The same of a content that is at hand."""
    if path.endswith((".kt", ".kts")) and any(source.count(pair[:1]) != source.count(pair[1:]) for pair in _PAIRS):
        return True
    return _is_deep(source)


def _is_deep(source: bytes) -> bool:
    if sum(source.count(pair[:1]) for pair in _PAIRS) < DEEP:
        return False
    steps = (1 if bracket.group() in b"([{" else -1 for bracket in _BRACKET.finditer(source))
    return max(accumulate(steps)) >= DEEP


def read_in_workers(setup: Setup, batches: list[Batch], workers: int) -> Generator[Answer]:
    """Read in `workers` processes; answers come in any order. Closing the iterator ends them."""
    crew = _WorkerPool(setup, batches, workers)
    try:
        yield from crew.answers()
    finally:
        crew.stop()


class _WorkerPool:
    def __init__(self, setup: Setup, batches: list[Batch], workers: int) -> None:
        self._setup = setup
        self._todo: queue.SimpleQueue[Batch] = queue.SimpleQueue()
        for batch in batches:
            self._todo.put(batch)
        self._count = len(batches)
        # Both are simple queues: the locks of the other kind, in Python, are left locked by an unlucky Ctrl-C.
        self._done: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        self._room: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(workers * _WAITING):
            self._room.put(None)
        self._stopped = threading.Event()
        self._workers = [_Worker(setup) for _ in range(min(workers, len(batches)))]
        self._threads = [threading.Thread(target=self._drive, args=(w,), daemon=True) for w in self._workers]
        for thread in self._threads:
            thread.start()

    def answers(self) -> Iterator[Answer]:
        for _ in range(self._count):
            answered = self._next()
            self._room.put(None)
            if isinstance(answered, BaseException):
                raise answered
            yield answered

    def _next(self) -> Answer | BaseException:
        while True:
            check()
            with suppress(queue.Empty):
                return self._done.get(timeout=LOOK_SECONDS)

    def stop(self) -> None:
        self._stopped.set()
        for worker in self._workers:
            worker.kill()
            self._room.put(None)  # its thread may wait for room that nobody would make any more
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.kill()  # once more: it may have been started again in between

    def _drive(self, worker: "_Worker") -> None:
        try:
            while True:
                self._room.get()
                if self._stopped.is_set():
                    return
                try:
                    batch = self._todo.get_nowait()
                except queue.Empty:
                    return
                self._done.put(self._ask(worker, batch))
        except BaseException as error:  # noqa: BLE001 - whatever ends this thread, the run must not wait for it
            self._done.put(error)

    def _ask(self, worker: "_Worker", batch: Batch) -> Answer:
        """A batch that kills its process is asked again file by file, to find the one that does."""
        answered = worker.ask(batch)
        if answered is not None or self._stopped.is_set():
            return answered or Answer([], [])
        why = worker.restart()
        if len(batch.paths) == 1:
            return Answer([], [UnreadFile(path, "failed", why) for path in batch.paths])
        answers = [self._ask(worker, Batch([wanted])) for wanted in batch.wanted]
        answers += [self._ask(worker, Batch([], [past])) for past in batch.past]
        return Answer([r for a in answers for r in a.readings], [u for a in answers for u in a.unread])


class _Worker:
    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process = self._start()

    def ask(self, batch: Batch) -> Answer | None:
        """The answer; None if the process died over it."""
        try:
            send(self._pipe(self._process.stdin), batch)
            return receive(self._pipe(self._process.stdout), Answer)
        except (BrokenPipeError, ValueError):
            return None

    def restart(self) -> str:
        """Why the last one ended."""
        self.kill()
        was_ended = self._process.returncode == -getattr(signal, "SIGVTALRM", 0)
        self._process = self._start()
        return f"reading it took more than {self._setup.longest:g} s" if was_ended else "the parser crashed"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):
                self._pipe(pipe).close()

    def _start(self) -> "subprocess.Popen[bytes]":
        # -P: the directory we stand in may be the repository, and its modules must never be taken for ours.
        command = [sys.executable, "-P", "-m", "clew.index.worker"]
        # A group of its own: Ctrl-C is for the run, which ends us; who is just starting would print where it stands.
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        with suppress(BrokenPipeError):  # it died at once; the first question will tell
            send(self._pipe(process.stdin), self._setup)
        return process

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def batches(wanted: list[tuple[FileToRead, int]]) -> list[Batch]:
    """Files in the order given, a transaction's worth together."""
    made: list[Batch] = []
    room = 0
    for one, size in wanted:
        if not made or len(made[-1].wanted) >= MOST_FILES or room < size:
            made.append(Batch([]))
            room = MOST_BYTES
        made[-1].wanted.append(one)
        room -= size
    return made


def past_batches(wanted: Iterable[PastFile]) -> list[Batch]:
    """Contents that git kept, as many together as files of the tree."""
    made: list[Batch] = []
    room = 0
    for one in wanted:
        if not made or len(made[-1].past) >= MOST_FILES or room < len(one.content):
            made.append(Batch([], []))
            room = MOST_BYTES
        made[-1].past.append(one)
        room -= len(one.content)
    return made
