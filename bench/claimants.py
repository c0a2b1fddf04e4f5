"""One process that claims and releases at random until its time is over or it is killed, and logs every call.

Started as `python -m bench.claimants` with a JSON object that holds a `Claimant`.
"""

import json
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Protocol

FOLDERS, FILES, TARGETS = 8, 6, 200
MOST_HELD = 4  # claims at once
HOLD_SECONDS = 0.02
TAKEOVERS = 0.3  # of all wishes
RETRY_SECONDS = 0.1
PATIENCE_SECONDS = 30.0  # before a call is given up

# What a client meets of servers that are killed; a call that met it may or may not have been done.
LOST = frozenset(
    {"ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected", "BrokenPipeError", "IncompleteRead",
     "CLEW_E_STORE_LOST"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claimant:
    """`ports` are those of servers; without any, the project's own file is used.

    Who is ready has a log; all begin when the file `go` is there, which says until when.
    """

    agent: str
    session: str
    root: str
    log: str
    go: str
    seed: int
    ports: tuple[int, ...] = ()


def targets() -> list[str]:
    """Folders, files in them, and functions in these: 200 that contain each other."""
    folders = [f"src/part{n}" for n in range(FOLDERS)]
    files = [f"{folder}/file{n}.py" for folder in folders for n in range(FILES)]
    functions = [f"{file}::function{n}" for n in range(3) for file in files]
    return [*folders, *files, *functions][:TARGETS]


class Door(Protocol):
    """How a claimant reaches the desk: the answer's data, or what went wrong."""

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]: ...


class FileDoor:
    """The project's own file, by the library's code."""

    def __init__(self, me: Claimant) -> None:
        from clew.surfaces.identity import of_process
        from clew.tools.answer import Caller
        from clew.workspaces import Workspaces

        self._caller = Caller(Workspaces(Path(me.root)), identity=of_process({}, me.agent, me.session))
        self.ask("agent_status", {})  # what a process loads at first is no call of the fight

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from clew.tools.answer import answer

        return dict(json.loads(answer(self._caller, tool, arguments).body))


class ServerDoor:
    """One of several servers, by chance. Who gets no answer asks the next one the same: a claim of one's own comes
    back as it is, and one that has ended as it ended, so that no call is worse for being made twice."""

    def __init__(self, me: Claimant, chance: random.Random) -> None:
        self._ports = me.ports
        self._chance = chance
        self._who = {"agent_id": me.agent, "session_id": me.session}

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps({**self._who, **arguments, "profile": "debug"})
        at, met = self._chance.randrange(len(self._ports)), list[str]()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            reply = self._ask(self._ports[(at + len(met)) % len(self._ports)], tool, body)
            if reply["ok"] or reply["errorCode"] not in LOST or time.monotonic() > deadline:
                return {**reply, "met": met}
            met.append(reply["errorCode"])
            if len(met) >= len(self._ports):  # all have been asked
                time.sleep(RETRY_SECONDS)

    def _ask(self, port: int, tool: str, body: str) -> dict[str, Any]:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("POST", f"/tools/{tool}", body, {"content-type": "application/json"})
            return dict(json.loads(connection.getresponse().read()))
        except (OSError, HTTPException, ValueError) as error:
            return {"ok": False, "errorCode": type(error).__name__}
        finally:
            connection.close()


class Diary:
    """A line before each call and one after it; a kill loses neither that was written."""

    def __init__(self, me: Claimant) -> None:
        self._who = f"{me.agent}/{me.session}"
        self._file = os.open(me.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    @contextmanager
    def call(self, op: str, target: str, **more: str) -> Iterator[dict[str, Any]]:
        self._write({"op": op, "who": self._who, "target": target, "begin": time.monotonic()} | more)
        told: dict[str, Any] = {}
        yield told
        self._write({"end": time.monotonic(), **told})

    def _write(self, entry: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(entry) + "\n").encode())


def live(me: Claimant) -> None:
    chance = random.Random(me.seed)
    door: Door = ServerDoor(me, chance) if me.ports else FileDoor(me)
    diary, held, all_targets = Diary(me), dict[str, str](), targets()
    until = _told_to_go(Path(me.go))
    while time.monotonic() < until:
        if held and (len(held) >= MOST_HELD or chance.random() < 0.5):
            target = chance.choice(sorted(held))
            if release(door, diary, target, held[target]):
                del held[target]
        else:
            claim(door, diary, chance.choice(all_targets), held, takeover=chance.random() < TAKEOVERS)
        time.sleep(chance.random() * HOLD_SECONDS)


def _told_to_go(go: Path) -> float:
    while not go.exists():
        time.sleep(RETRY_SECONDS)
    return float(go.read_text("ascii"))


def claim(door: Door, diary: Diary, target: str, held: dict[str, str], *, takeover: bool) -> None:
    with diary.call("claim", target) as told:
        reply = door.ask("agent_claim", {"target_id": target, "intent": "to fight for it", "takeover": takeover})
        told["met"] = reply.get("met", ())
        if not reply["ok"]:
            told["error"] = reply["errorCode"]
        else:
            data = reply["data"]
            told |= {"status": data["status"], "claim": data["claim_id"], "fence": data["fence"]}
            told["taken_over"] = data.get("taken_over", ())
    if told.get("status") == "ok":
        held[target] = told["claim"]
    elif "error" in told:
        time.sleep(RETRY_SECONDS)


def release(door: Door, diary: Diary, target: str, id: str) -> bool:
    """Whether it has ended; one that was taken over had."""
    with diary.call("release", target, claim=id) as told:
        reply = door.ask("agent_release", {"claim_id": id, "outcome": "fought for"})
        told |= {"status": "ok"} if reply["ok"] else {"error": reply["errorCode"]}
        told["met"] = reply.get("met", ())
    if "error" in told:
        time.sleep(RETRY_SECONDS)
    return bool(reply["ok"])


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    live(Claimant(**{**given, "ports": tuple(given["ports"])}))
