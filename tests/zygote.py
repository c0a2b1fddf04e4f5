"""Forks commands that are ready to run: most of what a `clew` takes in a test is loading it. Started by path.

Whoever asks sends what to run as JSON and four files: the three standard ones, and where the end is told. Each command
is a process of its own from the first line of `clew/__main__.py` on.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

LONGEST = 1 << 18
OF_SERVERS = (  # what a server loads when it starts: more than a second
    "mcp.server.lowlevel",
    "mcp.server.stdio",
    "mcp.server.streamable_http_manager",
    "rich.console",
    "starlette.applications",
    "uvicorn.main",
    "watchfiles",
)


def load() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command says itself, before it loads numpy
    import clew

    for module in pkgutil.walk_packages(clew.__path__, "clew."):
        if not module.name.endswith("__main__") and not module.name.startswith("clew.adapters."):
            importlib.import_module(module.name)
    for name in OF_SERVERS:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what all of them share is copied by none


def next_command(asked: socket.socket) -> dict[str, Any]:
    """Returns in a new process, once for each that is asked for; ends with whoever asks."""
    while True:
        message, files, _, _ = socket.recv_fds(asked, LONGEST, 4)
        if not message:
            sys.exit()
        if os.fork() == 0:
            asked.close()
            keep(files.pop())
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            command: dict[str, Any] = json.loads(message)
            return command
        for file in files:
            os.close(file)


def keep(told: int) -> None:
    """Returns in a child; what it leaves is told by its parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid:
        os.write(told, f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    os.close(told)


def leave(code: int) -> None:
    """As Python ends, but for taking apart all that it loaded."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    command = next_command(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(command["environ"])
    time.tzset()
    os.chdir(command["cwd"])
    sys.path[0] = str(Path.cwd())
    if added := command["environ"].get("PYTHONPATH"):
        sys.path[1:1] = [folder for folder in added.split(os.pathsep) if folder not in sys.path]
    sys.argv[1:] = command["arguments"]
    try:
        if code := command["code"]:
            exec(code, {"__name__": "__main__"})
        else:
            runpy.run_module("clew", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, int):
            leave(end.code)
        raise
