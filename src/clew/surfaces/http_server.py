"""The HTTP server: it waits for slow clients only so long, and stops in time."""

import asyncio
import socket
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from clew.surfaces.calls import PATIENCE, end_in_time

HEAD_SECONDS = 10.0  # for all headers of a request, from the connection or the last answer on


class _Impatient(H11Protocol):
    """A connection that sends no whole request in time is closed: each would hold a place in the server."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # asyncio passes no other
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._cancel()

    def _expect(self) -> None:
        """The clock runs from the first byte of nothing to the last of the headers; it is not set again by others."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.abort()

    def _cancel(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            end_in_time()
        super().handle_exit(sig, frame)


def run(app: Any, bound: socket.socket) -> None:
    """Serve until the process is asked to stop."""
    settings = uvicorn.Config(
        app,
        http=_Impatient,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    _Server(settings).run(sockets=[bound])
