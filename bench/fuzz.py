"""Fuzz every route of `clew serve` with schemathesis: no 5xx, no undocumented status.

python -m bench.fuzz [--examples 20] [--schemathesis COMMAND]
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

TOKEN = "f" * 40
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def run(schemathesis: str, examples: int) -> int:
    with tempfile.TemporaryDirectory(prefix="clew-fuzz-") as folder:
        root = Path(folder) / "project"
        root.mkdir()
        (root / "tokens.py").write_text("def validate_token(token: str) -> bool:\n    return bool(token)\n", "utf-8")
        (root / "guide.md").write_text("# Guide\n\nTokens are validated.\n", "utf-8")
        git = ("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b")
        for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "begin")):
            subprocess.run([*git, *arguments], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        environ = {**os.environ, "CLEW_SERVER_TOKEN": TOKEN, "CLEW_TESTS_COMMAND": "true {tests}"}
        command = [sys.executable, "-m", "clew", "-C", str(root), "serve", "--port", str(port), "--no-watch"]
        server = subprocess.Popen(command, env=environ)
        try:
            _wait(url)
            return subprocess.run(
                [
                    schemathesis, "run", f"{url}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}",
                    "--checks", CHECKS, "--max-examples", str(examples), "--phases", "examples,fuzzing",
                    "--request-timeout", "60", "--seed", "1", "--suppress-health-check", "all",
                ],
                cwd=folder,
                check=False,
            ).returncode  # fmt: skip
        finally:
            server.terminate()
            server.wait(20)


def _wait(url: str) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemathesis", default=str(Path(sys.executable).with_name("schemathesis")))
    parser.add_argument("--examples", type=int, default=20)
    given = parser.parse_args()
    sys.exit(run(given.schemathesis, given.examples))
