"""Resolves templates to texts: constants of the project, variables of a service's environment, and its configuration.

Unknown parts are `{}` in the result.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from clew.services.discovery import Found
from clew.services.source import REFERENCE, Constant

UNKNOWN = "{}"
_DEEPEST = 8
_PROPERTY = re.compile(r"\$\{([\w.\-]+)(?::([^{}]*))?\}")
_ADDRESS = re.compile(
    r"^(?:(?P<schemes>(?:[a-z][a-z0-9+.-]*:)+)//)?(?:[^@/\s]*@)?(?P<host>\{\}|\[[^\]]*\]|[\w.\-{}<>]+)(?::(?P<port>\d+|\{\}))?(?P<path>[/?].*)?$",
    re.IGNORECASE,
)
_LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "host.docker.internal", "::1", "[::1]"})  # noqa: S104 - matched
_HOST_SUFFIX = re.compile(
    r"_(?:ADDR(?:ESS)?|URL|URI|HOST(?:NAME)?|ENDPOINT|BASE_URL|BASE_URI|SERVICE_(?:ADDR(?:ESS)?|URL|URI|HOST|ENDPOINT|BASE_URL)|SVC_(?:ADDR|URL)|API_(?:URL|BASE_URL))$"
)
_LINE_OF = re.compile(r"::|\.")


class Address(NamedTuple):
    """A host with its scheme, port and path; `path` has no query."""

    scheme: str
    host: str
    port: int
    path: str


def parse_address(text: str) -> Address | None:
    """The parts of a URL, of `host:port`, or of a driver's connection text."""
    found = _ADDRESS.match(text.strip())
    if found is None:
        return None
    schemes = (found["schemes"] or "").rstrip(":").split(":")
    scheme = schemes[0].lower() if schemes[0] in ("jdbc", "r2dbc") else schemes[-1].lower()
    port = int(found["port"]) if (found["port"] or "").isdigit() else 0
    path = re.split(r"[?#]", found["path"] or "")[0]
    return Address(scheme, found["host"].lower(), port, path)


class AddressResolver:
    """Looks names up for one project."""

    def __init__(
        self,
        found: Iterable[Found],
        constants: Mapping[str, Iterable[Constant]],
        owner: Mapping[str, str],
        repository: Mapping[str, str],
    ) -> None:
        """`repository` is that of each service, where there are several."""
        self._repository = repository
        self._near: dict[tuple[str, str], str] = {}
        self._environment: dict[str, dict[str, str]] = {}
        self._properties: dict[str, dict[str, str]] = {}
        self._hosts: dict[str, str] = {}
        self._ports: dict[int, list[str]] = defaultdict(list)
        self._owner = owner
        services = list(found)
        for one in services:
            name = one.service.name
            self._environment[name] = {variable.name: variable.value for variable in one.environment if variable.value}
            self._properties[name] = {_relax_name(variable.name): variable.value for variable in one.properties}
            for port in one.service.ports:
                self._ports[port].append(name)
        for weak in (False, True):
            for one in services:
                for alias in one.service.aliases if weak else (one.service.name.partition("@")[0],):
                    if not (weak and alias in ("src", "app", "server", "api", "service", "web", "demo", "main")):
                        self._hosts.setdefault(alias.lower(), one.service.name)
                        near = repository.get(one.service.name, ""), alias.lower()
                        self._near.setdefault(near, one.service.name)
        self._in_file: dict[str, dict[str, list[Constant]]] = {}
        self._in_service: dict[tuple[str, str], list[tuple[str, Constant]]] = defaultdict(list)
        self._anywhere: dict[str, list[tuple[str, Constant]]] = defaultdict(list)
        for path, values in constants.items():
            mine = self._in_file.setdefault(path, {})
            for constant in values:
                mine.setdefault(constant.name, []).append(constant)
                self._in_service[owner.get(path, ""), constant.name].append((path, constant))
                self._anywhere[constant.name].append((path, constant))

    def text(self, template: str, path: str, line: int = 0, service: str | None = None) -> str:
        """A template with all that is known filled in."""
        owner = self._owner.get(path, "") if service is None else service
        return re.sub(r"(?:\{\}){2,}", UNKNOWN, self._interpolate(template, path, line, owner, 0))

    def _interpolate(self, template: str, path: str, line: int, service: str, depth: int) -> str:
        if depth > _DEEPEST or len(template) > 2000:
            return UNKNOWN
        text = REFERENCE.sub(lambda found: self._reference(found[1], path, line, service, depth), template)
        return (
            _PROPERTY.sub(lambda found: self._property(found[1], found[2], service, depth), text)
            if "${" in text
            else text
        )

    def _reference(self, name: str, path: str, line: int, service: str, depth: int) -> str:
        if name.startswith("env:"):
            key, _, default = name[4:].partition("=")
            value = self.variable(service, key)
            if value:
                return self._interpolate(value, path, line, service, depth + 1)
            return default or self._guess_service(key, service) or UNKNOWN
        if not name:
            return UNKNOWN
        constant = self._constant(name, path, line, service)
        if constant is None:
            return UNKNOWN
        where, found = constant
        if found.value == f"\x01{name}\x02":
            return UNKNOWN
        return self._interpolate(found.value, where, found.line, service, depth + 1)

    def variable(self, service: str, key: str) -> str:
        """A variable of a service's environment, or a key of its configuration."""
        own = self._environment.get(service, {})
        properties = self._properties.get(service, {})
        return (
            own.get(key)
            or own.get(key.replace(":", "__"))
            or properties.get(_relax_name(key))
            or own.get(key.upper().replace(".", "_").replace("-", "_"))
            or ""
        )

    def _property(self, name: str, default: str | None, service: str, depth: int) -> str:
        value = self.variable(service, name)
        if value and depth < _DEEPEST:
            return self._interpolate(value, "", 0, service, depth + 1)
        return default if default is not None else UNKNOWN

    def _guess_service(self, key: str, service: str) -> str:
        """The service that a variable's name speaks of, where nothing sets it: `CART_SERVICE_URL`."""
        found = _HOST_SUFFIX.search(key)
        stem = key[: found.start()].lower() if found else ""
        if not stem:
            return ""
        plain = stem.replace("_", "")
        for name in (stem.replace("_", "-"), stem, plain):
            for candidate in (name, f"{name}-service", f"{name}service"):
                if (host := self._hosts.get(candidate)) and host != service:
                    return host
        return ""

    def _constant(self, name: str, path: str, line: int, service: str) -> tuple[str, Constant] | None:
        parts = [part for part in _LINE_OF.split(name) if part]
        if not parts:
            return None
        last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
        mine = [one for one in self._in_file.get(path, {}).get(last, []) if one.value != f"\x01{last}\x02"]
        if mine:
            scoped = [one for one in mine if before and one.scope.rpartition("::")[2] == before] or mine
            earlier = [one for one in scoped if one.line <= line] or scoped
            return path, earlier[-1]
        for candidates in (self._in_service.get((service, last), []), self._anywhere.get(last, [])):
            if before:
                scoped_elsewhere = [
                    one
                    for one in candidates
                    if one[1].scope.rpartition("::")[2] == before
                    or one[0].rpartition("/")[2].partition(".")[0] == before
                ]
                if scoped_elsewhere:
                    return scoped_elsewhere[0]
            values = {one[1].value for one in candidates if not one[1].scope or last.isupper() or last.endswith("()")}
            if len(values) == 1:
                return next(one for one in candidates if one[1].value in values)
        return None

    def service_at(self, host: str, port: int = 0, asking: str = "") -> str:
        """The service at a host and port; empty for external ones."""
        host = host.lower()
        if host in _LOCAL:
            found = [name for name in self._ports.get(port, ()) if name != asking]
            return found[0] if len(found) == 1 else ""
        if near := self._near.get((self._repository.get(asking, ""), host)):
            return near
        if host in self._hosts:
            return self._hosts[host]
        first, _, rest = host.partition(".")
        if (
            rest
            and first in self._hosts
            and (re.match(r"[\w-]+(\.svc(\.cluster\.local)?)?$|svc|default|local|internal", rest))
            and not re.search(r"\.(com|org|net|io|dev)$", host)
        ):
            return self._hosts[first]
        return ""


def _relax_name(name: str) -> str:
    """Spring's relaxed names: `my-key`, `myKey` and `MY_KEY` are one."""
    return re.sub(r"[-_]", "", name).lower()
