"""Access control over HTTP: the Host and Origin that a browser cannot forge for a page, and the bearer token."""

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from ipaddress import ip_address
from typing import NamedTuple

from clew.model.errors import ConfigError, Denied, InvalidInput, Unauthorized

_HOST = re.compile(
    r"(?:(?P<name>[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)|\[(?P<address>[0-9a-f:.]+)\])(?::(?P<port>[0-9]{1,5}))?"
)
_SCOPED = re.compile(r"(?P<name>[^:\s]{1,100}):(?P<scope>read|write|admin):(?P<digest>[0-9a-f]{64})")
_PORTS = (("http", 80), ("https", 443))
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class TokenScope(StrEnum):
    """The rights of a token: to read, to write too, and to rebuild and cancel as well."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Grant(NamedTuple):
    """The user of a request, and the rights of the token."""

    user: str = ""
    scope: TokenScope = TokenScope.ADMIN


@dataclass(frozen=True, slots=True)
class Guard:
    """`hosts` are names that requests may address us by, `origins` pages that may call.

    `tokens` are the users of the tokens that are accepted; the empty one is whoever runs the server. Without any, no
    token is required.
    """

    hosts: frozenset[str]
    tokens: Mapping[str, str]
    origins: frozenset[str] = frozenset()
    digests: Mapping[str, Grant] = field(default_factory=dict)  # of tokens with a scope, by their SHA-256

    def check(self, hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str]) -> str:
        """Likewise; returns the user of the token."""
        return self.admit(hosts, origins, authorizations).user

    def admit(
        self, hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str], keys: Sequence[str] = ()
    ) -> Grant:
        """All headers of each name. A page of another site that was rebound to this address says its own name.

        `keys` are those of X-API-Key, which may stand for a bearer token.
        """
        host = self.check_host(hosts)
        for origin in origins:
            if len(origins) > 1 or not self._is_own(origin.lower(), host):
                hint = "Add it to server.allowed_origins, as scheme://host:port."
                raise Denied(f"pages of {origin!r} may not call this server", hint)
        return self._grant(authorizations, keys) if self.has_tokens else Grant()

    @property
    def has_tokens(self) -> bool:
        return bool(self.tokens or self.digests)

    def check_host(self, hosts: Sequence[str]) -> str:
        """The one host of the headers; raises if it is not served here."""
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if _name(host) not in self.hosts:
            raise Denied(f"the host {', '.join(hosts)!r} is not served here", "Add it to server.allowed_hosts.")
        return host

    def _grant(self, authorizations: Sequence[str], keys: Sequence[str]) -> Grant:
        """All tokens are compared, so that the time says nothing about which one was nearly right."""
        scheme, _, given = authorizations[0].partition(" ") if len(authorizations) == 1 else ("", "", "")
        if not authorizations and len(keys) == 1:
            scheme, given = "bearer", keys[0]
        digest = sha256(given.encode("utf-8", "surrogateescape")).hexdigest()
        found = [Grant(user) for token, user in self.tokens.items() if _is_equal(given, token)]
        found += [grant for known, grant in self.digests.items() if hmac.compare_digest(known, digest)]
        if not found or scheme.lower() != "bearer":
            raise Unauthorized("the bearer token is missing or wrong")
        return found[0]

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page is ours, by scheme, name and port: another port is another server."""
        own = {f"{scheme}://{name}" for scheme, port in _PORTS for name in (host, host.removesuffix(f":{port}"))}
        return origin in self.origins or origin in own


def guard(
    address: str,
    token: str,
    allowed: Iterable[str],
    origins: Iterable[str] = (),
    users: Iterable[str] = (),
    scoped: Iterable[str] = (),
) -> Guard:
    """Loopback is open to this machine; any other address needs a token. `users` are written as NAME=TOKEN, `scoped`
    tokens as NAME:SCOPE:SHA256."""
    digests = dict(map(_parse_token, scoped))
    named = [(key, name) for name, _, key in (one.partition("=") for one in users)]
    tokens = dict([*named, *([(token, "")] if token else [])])
    if len(tokens) < len(named) + bool(token):
        raise ConfigError("two of the tokens in server.user_tokens and server.token are the same")
    if not _is_loopback(address) and not (tokens or digests):
        raise InvalidInput(
            f"{address} can be reached from other machines, and no token is set",
            "Set server.token (or CLEW_SERVER_TOKEN), or bind 127.0.0.1.",
        )
    names = {name.lower() for name in allowed} | _LOCAL
    pages = frozenset(origin.lower().rstrip("/") for origin in origins)
    return Guard(frozenset(names if _is_wildcard(address) else {*names, address.lower()}), tokens, pages, digests)


def _parse_token(text: str) -> tuple[str, Grant]:
    found = _SCOPED.fullmatch(text)
    if not found:
        hint = "Write NAME:SCOPE:SHA256 with a scope of read, write or admin; `clew token NAME` prints such a line."
        raise ConfigError(f"server.tokens has {text.partition(':')[0]!r} in another form", hint)
    return found["digest"], Grant(found["name"], TokenScope(found["scope"]))


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
