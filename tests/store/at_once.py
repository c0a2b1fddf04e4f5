"""Threads and processes that do something at the same time."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

HOME = Path(__file__).parents[2]


def in_threads(count: int, work: Callable[[int], object]) -> list[BaseException]:
    """Run `work` in threads at once; what they raised."""
    raised: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - a thread's error would else be lost
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def in_processes(script: str, arguments: Iterable[list[str]]) -> list[tuple[str, str]]:
    """Run the script once per list of arguments, all from `together` on at once; what each said and complained of."""
    commands = [[sys.executable, "-c", script, *some] for some in arguments]
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen(command, cwd=HOME, text=True, stdin=pipe, stdout=pipe, stderr=pipe) for command in commands
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate() for process in running]


def together() -> None:
    """In a child: wait until all are ready."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
