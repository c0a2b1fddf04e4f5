"""What each agent session was already sent: code that has not changed since is named instead of being sent again.

A session that lost its context (a compaction, which a hook notes) is sent everything again.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from clew.model.agents import Identity
from clew.runtime.place import ProjectPaths
from clew.text.tokens import estimate
from clew.tools.budget import render

COMPACTED = "compacted"  # a file of the project's folder, whose time is that of the last compaction
MOST_SESSIONS = 256
MOST_LINES = 400_000  # of one session, that are remembered
LEAST_LINES = 3  # shorter code costs no more than saying that it was sent
SEEN = "sent before and unchanged; repeat=true sends it again"
_QUOTING = ("context_pack", "query_context", "semantic_slice")
_FENCED = re.compile(
    r"^\*\*(?P<path>[^*\n]+):(?P<first>\d+)-(?P<last>\d+)\*\*(?P<rest>[^\n]*)\n(?P<fence>`{3,})[^\n]*\n(?P<code>.*?)\n(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


class Quote(NamedTuple):
    """Lines of code in an answer."""

    path: str
    first: int
    last: int
    code: str

    @property
    def marks(self) -> set[int]:
        """Each line with its number; of code with lines left out, the whole."""
        lines = self.code.rstrip("\n").split("\n")
        if len(lines) != self.last - self.first + 1:
            return {hash((self.path, self.first, self.last, self.code))}
        return {hash((self.path, number, line)) for number, line in enumerate(lines, self.first)}


class _SessionState:
    def __init__(self) -> None:
        self.marks: set[int] = set()
        self.compacted = 0


class Deliveries:
    """Per agent session and project, for as long as the server runs. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[Identity, str], _SessionState] = OrderedDict()

    def refer(self, body: bytes, tool: str, who: Identity, place: ProjectPaths) -> tuple[bytes, int]:
        """The answer with what the session already has by name alone, and the tokens that this spared."""
        if tool not in _QUOTING:
            return body, 0
        envelope = msgspec.json.decode(body)
        with self._lock:
            state = self._state(who, place)
            changed = _refer(envelope, state.marks)
            state.marks |= set().union(*(one.marks for one in quotes_in(msgspec.json.decode(body))))
            if len(state.marks) > MOST_LINES:
                state.marks.clear()
        if not changed:
            return body, 0
        shorter, _ = render(envelope)
        return shorter, max(0, estimate(body.decode()) - estimate(shorter.decode()))

    def note(self, body: bytes, tool: str, who: Identity, place: ProjectPaths) -> None:
        """The session was sent this, and asked for all of it."""
        if tool in _QUOTING:
            with self._lock:
                state = self._state(who, place)
                state.marks |= set().union(*(one.marks for one in quotes_in(msgspec.json.decode(body))))

    def _state(self, who: Identity, place: ProjectPaths) -> _SessionState:
        key = who, str(place.root)
        state = self._sessions.setdefault(key, _SessionState())
        self._sessions.move_to_end(key)
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        compacted = last_compaction(place.folder)
        if compacted != state.compacted:
            state.marks.clear()
            state.compacted = compacted
        return state


def note_compaction(folder: Path) -> None:
    """Sessions of this project start anew: some client has thrown away what it was sent."""
    with suppress(OSError):
        (folder / COMPACTED).touch()


def last_compaction(folder: Path) -> int:
    try:
        return (folder / COMPACTED).stat().st_mtime_ns
    except OSError:
        return 0


def quotes_in(envelope: dict[str, Any]) -> Iterator[Quote]:
    """All code that an answer quotes."""
    data = envelope.get("data") or {}
    for hit in data.get("hits", ()):
        if hit.get("snippet") and "file_path" in hit:
            yield _of_hit(hit)
    if isinstance(data.get("text"), str):
        yield from map(_of_fence, _FENCED.finditer(data["text"]))
    if isinstance(data.get("code"), str) and data["code"] and "start_line" in data:
        yield _of_slice(data)


def _of_hit(hit: dict[str, Any]) -> Quote:
    return Quote(hit["file_path"], hit.get("first_line", 0), hit.get("last_line", 0), hit["snippet"])


def _of_slice(data: dict[str, Any]) -> Quote:
    return Quote(str(data.get("id", "")).partition("::")[0], data["start_line"], data.get("end_line", 0), data["code"])


def _of_fence(found: "re.Match[str]") -> Quote:
    return Quote(found["path"], int(found["first"]), int(found["last"]), found["code"])


def _refer(envelope: dict[str, Any], known: set[int]) -> bool:
    """Replace known code by a remark; whether there was any."""
    data, count = envelope.get("data") or {}, 0

    def is_known(quote: Quote) -> bool:
        return quote.code.count("\n") + 1 >= LEAST_LINES and quote.marks <= known

    for hit in data.get("hits", ()):
        if hit.get("snippet") and "file_path" in hit and is_known(_of_hit(hit)):
            hit["snippet"], hit["seen"], count = "", True, count + 1

    def shorten_quote(found: "re.Match[str]") -> str:
        nonlocal count
        if not is_known(_of_fence(found)):
            return found[0]
        count += 1
        return f"**{found['path']}:{found['first']}-{found['last']}**{found['rest']} (seen)"

    if isinstance(data.get("text"), str):
        data["text"] = _FENCED.sub(shorten_quote, data["text"])
    if data.get("code") and "start_line" in data and is_known(_of_slice(data)):
        data["code"], count = "", count + 1
    if count:
        data["seen"] = f"{count} {SEEN}"
    return count > 0
