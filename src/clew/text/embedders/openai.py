"""Vectors from any server that answers `/embeddings` as OpenAI's does. The only code that sends texts anywhere."""

import http.client
import json
import logging
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from clew.model.errors import ConfigError, EmbedderFailed
from clew.runtime.settings import Embedding
from clew.text.embedders import Floats, unit

FIRST_PAUSE = 0.5  # seconds before the first repetition; each further one takes twice as long
LONGEST_PAUSE = 60.0  # also if the server asks for more
MOST_BYTES = 256 * 1024 * 1024  # of an answer
SHOWN = 200  # characters of what a server says

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # statuses that may be another in a moment
_HINTS = {
    401: "Put a valid key into the variable that embedding.api_key_variable names.",
    403: "Check what the key in embedding.api_key_variable may do.",
    404: "Check embedding.base_url, which mostly ends in /v1, and embedding.remote_model.",
    429: "Set embedding.requests_per_minute to what the server allows.",
}

log = logging.getLogger(__name__)


def make(settings: Embedding, environ: Mapping[str, str] = os.environ) -> "OpenAI":
    if not settings.base_url:
        raise ConfigError(
            "embedding.model = openai, but nothing says where texts may be sent",
            "Set base_url under [embedding], such as https://host/v1.",
        )
    key = environ.get(settings.api_key_variable, "") if settings.api_key_variable else ""
    return OpenAI(settings, key)


class OpenAI:
    def __init__(self, settings: Embedding, key: str, pause: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._key = key
        self._pause = pause
        self._limit = _Limit(settings.requests_per_minute, pause)
        self._opener = urllib.request.build_opener(_Stay)

    @property
    def name(self) -> str:
        """Hosts may call different models alike, so theirs is part of it."""
        asked = f":{self._settings.dimension}" if self._settings.dimension else ""
        return (
            f"openai:{self._settings.remote_model}{asked}@{urlsplit(self._settings.base_url).netloc.rpartition('@')[2]}"
        )

    def embed(self, texts: Sequence[str]) -> Floats:
        size = self._settings.batch_size
        batches = [self._batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        if len({batch.shape[1] for batch in batches}) > 1:
            raise self._failure("the server changed the number of dimensions")
        return unit(np.concatenate(batches)) if batches else np.empty((0, self._settings.dimension), np.float32)

    def _batch(self, texts: Sequence[str]) -> Floats:
        asked: dict[str, Any] = {"model": self._settings.remote_model, "encoding_format": "float"}
        asked["input"] = [text or " " for text in texts]  # an empty one is refused
        if self._settings.dimension:
            asked["dimensions"] = self._settings.dimension
        body = json.dumps(asked).encode()
        for attempt in range(self._settings.retry_attempts + 1):
            try:
                return self._vectors(self._send(body), len(texts))
            except _Passing as problem:
                if attempt == self._settings.retry_attempts:
                    hint = _HINTS.get(problem.status, "")
                    raise self._failure(f"{problem} ({attempt + 1} attempts)", hint) from problem
                wait = min(max(problem.after, FIRST_PAUSE * 2**attempt), LONGEST_PAUSE)
                log.info("embedding: %s; again in %.1f s", problem, wait)
                self._pause(wait)
        raise AssertionError("the last attempt returns or raises")

    def _send(self, body: bytes) -> bytes:
        self._limit.wait()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        url = f"{self._settings.base_url.rstrip('/')}/embeddings"
        request = urllib.request.Request(url, body, headers)  # noqa: S310 - the setting allows http and https alone
        try:
            with self._opener.open(request, timeout=self._settings.timeout_ms / 1000) as response:
                return bytes(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                said = f"status {error.code}: {_message(error.read(64 * 1024))}"
            if error.code in _PASSING:
                raise _Passing(said, error.code, _after(error.headers)) from error
            raise self._failure(said, _HINTS.get(error.code, "")) from error
        except (OSError, http.client.HTTPException) as error:  # refused, reset, cut short, too slow
            raise _Passing(f"{type(error).__name__}: {error}") from error

    def _vectors(self, answer: bytes, count: int) -> Floats:
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise _Passing("the answer is no whole JSON") from error
        try:
            rows = sorted(found["data"], key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (LookupError, TypeError, ValueError) as error:
            raise self._failure("the answer holds no vectors of one length") from error
        if [row["index"] for row in rows] != list(range(count)) or vectors.ndim != 2:
            raise self._failure(f"{len(rows)} vectors came for {count} texts")
        return self._check(vectors)

    def _check(self, vectors: Floats) -> Floats:
        wanted = self._settings.dimension
        if wanted and vectors.shape[1] != wanted:
            raise self._failure(
                f"the vectors have {vectors.shape[1]} numbers, not {wanted}",
                "Set embedding.dimension to what the model has, or to 0.",
            )
        if not np.isfinite(vectors).all() or not np.abs(vectors).max(axis=1, initial=0).all():
            raise self._failure("a vector came that has no direction")
        return vectors

    def _failure(self, problem: str, hint: str = "") -> EmbedderFailed:
        return EmbedderFailed(f"{self.name}: {problem}", hint)


class _Passing(Exception):
    """A transient failure; `after` is the number of seconds that the server asks to wait."""

    def __init__(self, said: str, status: int = 0, after: float = 0.0) -> None:
        super().__init__(said)
        self.status = status
        self.after = after


class _Stay(urllib.request.HTTPRedirectHandler):
    """Texts and key go where the configuration says, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Limit:
    """Requests come no closer to each other than so many in a minute allow."""

    def __init__(self, per_minute: int, pause: Callable[[float], None]) -> None:
        self._apart = 60 / per_minute if per_minute else 0.0
        self._pause = pause
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._apart
        if turn > now:
            self._pause(turn - now)


def _after(headers: Message) -> float:
    """The seconds of `Retry-After`: given as a number, or as a time."""
    said = headers.get("Retry-After", "")
    try:
        return max(float(said), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(said).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return 0.0


def _message(body: bytes) -> str:
    """The server's error message, in a line."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)["error"]
        text = found["message"] if isinstance(found, dict) else str(found)
    except (LookupError, TypeError, ValueError):
        pass
    return " ".join(text.split())[:SHOWN]
