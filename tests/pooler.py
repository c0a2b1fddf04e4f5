"""A private PgBouncer in front of a server."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from tests.cluster import free_port

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
HAS_POOLER = PROGRAM is not None


@contextmanager
def pooled(url: str, mode: str, **settings: object) -> Iterator[str]:
    """The URL by way of a pooler that has one connection to the server for all its clients, unless told otherwise."""
    assert PROGRAM
    there, port = urlsplit(url), free_port()
    password = unquote(there.password or "")
    given = {
        "listen_addr": "127.0.0.1", "listen_port": port, "unix_socket_dir": "", "auth_type": "trust",
        "auth_file": "users", "pool_mode": mode, "default_pool_size": 1, "logfile": "log", "server_login_retry": 1,
        **settings,
    }  # fmt: skip
    home = Path(tempfile.mkdtemp())
    (home / "users").write_text(f'"{there.username}" "{password}"\n')
    lines = [f"{name} = {value}" for name, value in given.items()]
    quoted = password.replace("'", "''")
    behind = f"* = host={there.hostname} port={there.port} password='{quoted}'"
    (home / "settings.ini").write_text("\n".join(["[databases]", behind, "[pgbouncer]", *lines, ""]))
    command = [PROGRAM, "settings.ini"]
    if os.getuid() == 0:  # as whom it refuses to run
        nobody = pwd.getpwnam("nobody")
        for path in (home, *home.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        command = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", *command]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(port, process)
        yield urlunsplit(there._replace(netloc=f"{there.username}@127.0.0.1:{port}"))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        shutil.rmtree(home)


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise AssertionError("the pooler did not start")
