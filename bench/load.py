"""Many clients on one `clew serve`: throughput, latencies and errors.

python -m bench.load --repo PATH [--clients 64] [--seconds 120]
"""

import argparse
import itertools
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

QUESTIONS = (
    "parse options",
    "handle errors",
    "read the configuration",
    "write to a file",
    "test a command",
    "open a url",
)
START_SECONDS = 120.0


def requests(seed: int) -> "itertools.cycle[tuple[str, dict[str, object]]]":
    """What one client asks, over and over: mostly questions, some memory, some writes."""
    order = list(QUESTIONS)
    random.Random(seed).shuffle(order)
    asked: list[tuple[str, dict[str, object]]] = []
    for question in order:
        asked.append(("query_context", {"query": question, "k": 8}))
        asked.append(("graph_health", {}))
        asked.append(("episode_recall", {"query": question}))
        asked.append(("episode_add", {"type": "OBSERVATION", "content": f"{seed}: {question}", "agent_id": f"a{seed}"}))
    return itertools.cycle(asked)


def client(url: str, seed: int, until: float, found: list[tuple[str, int, float]]) -> None:
    for tool, arguments in requests(seed):
        if time.monotonic() > until:
            return
        body = json.dumps(arguments).encode()
        request = urllib.request.Request(f"{url}/tools/{tool}", body, {"Content-Type": "application/json"})
        started, status = time.monotonic(), 0
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                response.read()
                status = response.status
        except urllib.error.HTTPError as error:
            status = error.code
        except OSError:
            pass
        found.append((tool, status, time.monotonic() - started))


def run(repository: Path, clients: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory(prefix="clew-load-") as folder:
        root = Path(folder) / "project"
        shutil.copytree(repository, root, ignore=shutil.ignore_patterns(".clew", ".venv"), symlinks=True)
        subprocess.run([sys.executable, "-m", "clew", "-C", str(root), "index", "--quiet"], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        server = subprocess.Popen(
            [sys.executable, "-m", "clew", "-C", str(root), "serve", "--port", str(port), "--quiet"]
        )
        try:
            _wait(url)
            _report(_load(url, clients, seconds), clients, seconds)
        finally:
            server.terminate()
            server.wait(20)


def _wait(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


def _load(url: str, clients: int, seconds: float) -> list[tuple[str, int, float]]:
    found: list[tuple[str, int, float]] = []
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=client, args=(url, seed, until, found)) for seed in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _report(found: list[tuple[str, int, float]], clients: int, seconds: float) -> None:
    print(f"{clients} clients, {seconds:.0f} s: {len(found)} requests, {len(found) / seconds:.0f} per second")
    print(f"statuses: {dict(Counter(status for _, status, _ in found))}")
    for tool in sorted({tool for tool, _, _ in found}):
        times = sorted(took for name, _, took in found if name == tool)
        shares = [1000 * times[min(int(share * len(times)), len(times) - 1)] for share in (0.5, 0.95, 0.99)]
        print(f"{tool:16} {len(times):6}  p50 {shares[0]:.0f} ms  p95 {shares[1]:.0f} ms  p99 {shares[2]:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120.0)
    given = parser.parse_args()
    run(given.repo, given.clients, given.seconds)
