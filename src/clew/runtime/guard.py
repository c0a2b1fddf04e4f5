"""Who may ask over HTTP: the Host and Origin that a browser cannot forge for a page, and the bearer token."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from clew.model.errors import Denied, InvalidInput, Unauthorized

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Guard:
    """`hosts` are names that requests may address us by; an empty token asks for none."""

    hosts: frozenset[str]
    token: str

    def check(self, host: str, origin: str | None, authorization: str | None) -> None:
        """A page of another site that was rebound to this address still says its own name: refuse it."""
        if _name(f"//{host}") not in self.hosts:
            raise Denied(f"the host {host!r} is not served here", "Add it to server.allowed_hosts.")
        if origin is not None and _name(origin) not in self.hosts:
            raise Denied(f"pages of {origin!r} may not call this server", "Add its host to server.allowed_hosts.")
        scheme, _, given = (authorization or "").partition(" ")
        right = scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), self.token.encode())
        if self.token and not right:
            raise Unauthorized("the bearer token is missing or wrong")


def guard(address: str, token: str, allowed: Iterable[str]) -> Guard:
    """Loopback is open to this machine; any other address needs a token."""
    if not _is_loopback(address) and not token:
        raise InvalidInput(
            f"{address} can be reached from other machines, and no token is set",
            "Set server.token (or CLEW_SERVER_TOKEN), or bind 127.0.0.1.",
        )
    names = {name.lower() for name in allowed} | _LOCAL
    return Guard(frozenset(names if _is_wildcard(address) else {*names, address.lower()}), token)


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _is_wildcard(address: str) -> bool:
    return address in ("0.0.0.0", "::", "")  # noqa: S104 - recognised, not bound


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
