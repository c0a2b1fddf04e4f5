"""A reading process: takes batches of paths on standard input and answers on standard output.

It is a process of its own, not a thread, because parsing holds the interpreter; and not a fork, because the
process that indexes may be anything. If a grammar crashes or finds no end, it takes down this process and nothing else.
"""

import gc
import os
import signal
import sys
from pathlib import Path

from clew.index.file_reader import FileReader
from clew.index.worker_protocol import Answer, Batch, Setup, receive, send
from clew.model.code import Reading

BETWEEN_LOOKS = 8  # batches; a look takes a few milliseconds, and finds some hundred kilobytes


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the run, which ends us, whoever sent it to us too
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break a frame
    requests = sys.stdin.buffer
    setup = receive(requests, Setup)
    if setup is None:
        return
    reader = FileReader(Path(setup.root), setup.config, setup.plugins)
    gc.disable()  # a file makes many objects and drops them all; what is left of them is looked for now and then
    gc.freeze()
    done = 0
    try:
        while (batch := receive(requests, Batch)) is not None:
            _watch(setup.longest)
            answered = answer(reader, batch)
            _watch(0)
            send(answers, answered)
            done += 1
            if done % BETWEEN_LOOKS == 0:
                gc.collect()
    except BrokenPipeError:  # the run was killed: nobody waits for this answer
        return


def _watch(seconds: float) -> None:
    """End this process after so much CPU time; 0 cancels that. C code would react to nothing else."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def answer(reader: FileReader, batch: Batch) -> Answer:
    results = [
        *(reader.read_file(wanted) for wanted in batch.wanted),
        *(reader.read_past(past) for past in batch.past),
    ]
    readings = [result for result in results if isinstance(result, Reading)]
    return Answer(readings, [result for result in results if not isinstance(result, Reading)])


if __name__ == "__main__":
    main()
