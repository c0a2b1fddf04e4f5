"""The way to a server: how often a client waits for an answer on it, and what becomes of who is cut off."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from selectors import EVENT_READ, DefaultSelector
from urllib.parse import urlsplit, urlunsplit

LOOK_SECONDS = 0.02


class Way:
    """A port of this machine that leads to a server."""

    def __init__(self, host: str, port: int) -> None:
        self._there = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(LOOK_SECONDS)
        self._over = threading.Event()
        self._cuts = 0
        self.port: int = self._listening.getsockname()[1]
        self.trips = 0  # how often a client sent something after an answer
        self.delay = 0.0  # seconds that each of these takes
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """All connections end, without a word to either side but that."""
        self._cuts += 1
        for thread in self._threads[1:]:
            thread.join()

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with self._listening:
            while not self._over.is_set():
                with suppress(TimeoutError):
                    ends = self._listening.accept()[0], socket.create_connection(self._there)
                    self._threads.append(threading.Thread(target=self._connect, args=(*ends, self._cuts)))
                    self._threads[-1].start()

    def _connect(self, client: socket.socket, server: socket.socket, cuts: int) -> None:
        with client, server, DefaultSelector() as both, suppress(OSError):
            both.register(client, EVENT_READ, server)
            both.register(server, EVENT_READ, client)
            answered = False
            while not self._over.is_set() and cuts == self._cuts:
                for key, _ in both.select(LOOK_SECONDS):
                    source = server if key.data is client else client
                    if not (data := source.recv(1 << 16)):
                        return
                    if answered and source is client:
                        self.trips += 1
                        time.sleep(self.delay)
                    answered = source is server
                    key.data.sendall(data)


@contextmanager
def way_to(url: str) -> Iterator[tuple[Way, str]]:
    """The way to the server of a URL, and the URL by that way."""
    parts = urlsplit(url)
    way = Way(parts.hostname or "", parts.port or 0)
    user = parts.netloc.rpartition("@")[0]
    try:
        yield way, urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{way.port}"))
    finally:
        way.close()
