"""Access control over HTTP: the Host and Origin that a browser cannot forge for a page, and the bearer token."""

import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address

from clew.model.errors import Denied, InvalidInput, Unauthorized

_HOST = re.compile(
    r"(?:(?P<name>[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)|\[(?P<address>[0-9a-f:.]+)\])(?::(?P<port>[0-9]{1,5}))?"
)
_PORTS = (("http", 80), ("https", 443))
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Guard:
    """`hosts` are names that requests may address us by, `origins` pages that may call.

    An empty token asks for none.
    """

    hosts: frozenset[str]
    token: str
    origins: frozenset[str] = frozenset()

    def check(self, hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str]) -> None:
        """All headers of each name. A page of another site that was rebound to this address says its own name."""
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if _name(host) not in self.hosts:
            raise Denied(f"the host {', '.join(hosts)!r} is not served here", "Add it to server.allowed_hosts.")
        for origin in origins:
            if len(origins) > 1 or not self._is_own(origin.lower(), host):
                hint = "Add it to server.allowed_origins, as scheme://host:port."
                raise Denied(f"pages of {origin!r} may not call this server", hint)
        scheme, _, given = authorizations[0].partition(" ") if len(authorizations) == 1 else ("", "", "")
        if self.token and not (_is_equal(given, self.token) and scheme.lower() == "bearer"):
            raise Unauthorized("the bearer token is missing or wrong")

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page is ours, by scheme, name and port: another port is another server."""
        own = {f"{scheme}://{name}" for scheme, port in _PORTS for name in (host, host.removesuffix(f":{port}"))}
        return origin in self.origins or origin in own


def guard(address: str, token: str, allowed: Iterable[str], origins: Iterable[str] = ()) -> Guard:
    """Loopback is open to this machine; any other address needs a token."""
    if not _is_loopback(address) and not token:
        raise InvalidInput(
            f"{address} can be reached from other machines, and no token is set",
            "Set server.token (or CLEW_SERVER_TOKEN), or bind 127.0.0.1.",
        )
    names = {name.lower() for name in allowed} | _LOCAL
    pages = frozenset(origin.lower().rstrip("/") for origin in origins)
    return Guard(frozenset(names if _is_wildcard(address) else {*names, address.lower()}), token, pages)


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _is_wildcard(address: str) -> bool:
    return address in ("0.0.0.0", "::", "")  # noqa: S104 - recognised, not bound


def _is_equal(given: str, token: str) -> bool:
    """In the same time for every text: digests have one length."""
    one, other = (sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (given, token))
    return hmac.compare_digest(one, other)


def _name(host: str) -> str:
    """Of a Host header in small letters; nothing, unless it is a name or an address with a port or without."""
    found = _HOST.fullmatch(host)
    if not found or not 0 < int(found["port"] or 80) < 65_536:
        return ""
    if (address := found["address"]) is None:
        return found["name"]
    try:
        return str(ip_address(address))
    except ValueError:
        return ""
