"""Answers in JSON from any server that answers `/chat/completions` as OpenAI's does; used only if configured.

What is sent is data with a fixed instruction. An answer counts only if it fits the expected type.
"""

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from clew.model.errors import Unavailable
from clew.text.summarizer import StayPut

T = TypeVar("T")

MOST_BYTES = 4 * 1024 * 1024  # of an answer
ATTEMPTS = 2
_FENCED = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.DOTALL)
_HINT = "Check base_url, model and api_key_variable under [magma]; until then, rules answer instead."


class ChatModel:
    def __init__(
        self, base_url: str, model: str, key_variable: str, timeout_ms: int, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.model = model
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = environ.get(key_variable, "") if key_variable else ""
        self._timeout = timeout_ms / 1000
        self._opener = urllib.request.build_opener(StayPut)

    def ask(self, instruction: str, data: object, expected: type[T]) -> T:
        """The model's answer as a value; raises `Unavailable` if the server fails or answers something else."""
        body = {
            "model": self.model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [
                {"role": "system", "content": instruction},
                {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
            ],
        }
        problem = ""
        for _ in range(ATTEMPTS):
            try:
                return self._read(self._send(json.dumps(body).encode()), expected)
            except urllib.error.HTTPError as error:
                with error:
                    problem = f"status {error.code}"
            except (OSError, http.client.HTTPException) as error:
                problem = f"{type(error).__name__}: {error}"
            except (msgspec.MsgspecError, ValueError, LookupError, TypeError) as error:
                problem = f"an answer that does not fit: {error}"
        raise Unavailable(f"the model {self.model}: {problem[:300]}", _HINT)

    def _send(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 - the setting allows http and https alone
        with self._opener.open(request, timeout=self._timeout) as response:
            return bytes(response.read(MOST_BYTES))

    @staticmethod
    def _read(answer: bytes, expected: type[T]) -> T:
        said = json.loads(answer)["choices"][0]["message"]["content"]
        fenced = _FENCED.match(said.strip())
        return msgspec.json.decode(fenced[1] if fenced else said, type=expected)
