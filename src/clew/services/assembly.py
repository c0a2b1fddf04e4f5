"""Puts a system together: the requests, events and data that each service serves, sends and stores.

Findings of files are resolved and matched here; each connection keeps the place that speaks for it and a confidence.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from clew.model.services import (
    Contract,
    Endpoint,
    Entity,
    EntityReference,
    EntityRelation,
    EventUse,
    Service,
    ServiceEdge,
    Sighting,
    System,
)
from clew.services import frameworks as names
from clew.services.contracts import Document, Operation, read_contract
from clew.services.discovery import ROOT, DeclaredService, Found, Variable
from clew.services.documents import graphql_operations, read_yaml
from clew.services.findings import (
    DRIVER_HOST,
    EventMessage,
    FileFindings,
    GraphQLOperation,
    HttpRequest,
    HttpRoute,
    Mount,
    Procedure,
)
from clew.services.joining import RepositoryFiles, SourceFile, discover_services
from clew.services.resolution import UNKNOWN, Address, AddressResolver, parse_address
from clew.services.route_forms import TRPC, VIEWSET, ViewAction
from clew.services.supplied import KIND as SUPPLIED
from clew.services.supplied import NOTHING, SuppliedFacts

_CODE_CONFIDENCE = {"request": 0.95, "address": 0.7}
_PARAMETER = re.compile(r"\{[^{}]*\}|:[A-Za-z_]\w*\??|<[^<>]*>|\*+\w*|\[[^\]]*\]|\$\w+")
_IN_RUST = re.compile(r"\x01(\w+)\x02")  # `{id}`, which format strings have too
_GATEWAY_ROUTE = re.compile(r"(?:spring\.cloud\.gateway(?:\.server\.web\w+)?(?:\.mvc)?\.routes)\[(\d+)\]\.(.*)$")
_ZUUL_ROUTE = re.compile(r"zuul\.routes\.([\w-]+)(?:\.(\w+[-\w]*))?$")
_HOST_KEY = re.compile(
    r"(host|hostname|uri|url|uris|urls|address|addresses|servers|brokers|nodes|endpoint|defaultzone|base-?url|hosts|contact-?points|service-?id|import|server)$",
    re.IGNORECASE,
)
_NOT_HOSTS = re.compile(r"[\s,]")
_PROXY = re.compile(r"location\s+(?:[=~^*]+\s*)?(\S+)\s*\{(?:[^{}]|\{[^{}]*\})*?proxy_pass\s+([^;\s]+)")
_APACHE_PROXY = re.compile(r"^\s*ProxyPass(?:Match)?\s+\"?(/\S*?)\"?\s+\"?((?:https?|ws)://[^\s\"]+)", re.MULTILINE)
_UPSTREAM = re.compile(r"upstream\s+([\w.-]+)\s*\{\s*(?:[^{};]*;\s*)*?server\s+([\w.${}:-]+)")
_STREAM_BINDING = re.compile(r"spring\.cloud\.stream\.(?:\w+\.)?bindings\.([\w-]+)\.destination$")
_GRPC_HEALTH = frozenset({"Health", "ServerReflection"})
_LIBRARIES_OF = {
    "identity": r"oauth|resource-server|spring-security|keycloak",
    "messaging": r"amqp|rabbit|kafka|jms|stream|bus|activemq",
    "discovery": r"eureka|consul|nacos|zookeeper",
    "monitoring": r"zipkin|sleuth|admin|micrometer|tracing|actuator|logstash|prometheus",
    "database": r"jpa|jdbc|mongo|redis|cassandra|neo4j|elasticsearch|mysql|postgres|data|mybatis|flyway|liquibase|h2",
}
_KEY_ROLES = (
    (
        re.compile(
            r"datasource|jdbc|mongo|redis|cassandra|neo4j|elasticsearch|couchbase|database|influx|flyway|liquibase|memcache",
            re.I,
        ),
        "database",
    ),
    (re.compile(r"rabbit|kafka|amqp|activemq|jms|artemis|nats|broker", re.I), "messaging"),
    (re.compile(r"eureka|consul|nacos|zookeeper|discovery", re.I), "discovery"),
    (re.compile(r"cloud\.config|configserver|config\.import|config\.uri", re.I), "configuration"),
    (re.compile(r"zipkin|otlp|tracing|boot\.admin|graphite|prometheus|logstash|jaeger|telemetry", re.I), "monitoring"),
    (re.compile(r"oauth|jwt|issuer|jwk|token|identity|auth", re.I), "identity"),
)


class ProjectFiles(NamedTuple):
    """The input of a system: the files of its repositories, their texts, and the findings of those that hold code."""

    repositories: Sequence[RepositoryFiles]
    read: Callable[[str], str]
    findings: Mapping[str, FileFindings]
    declared: Sequence[DeclaredService] = ()
    literal_asyncapi: bool = False
    supplied: SuppliedFacts = NOTHING

    @property
    def files(self) -> list[SourceFile]:
        return [file for one in self.repositories for file in one.files]


class Assembled(Struct, frozen=True):
    """A system, and the service that each file belongs to."""

    system: System
    owner: Mapping[str, str]


def assemble(tree: ProjectFiles) -> Assembled:
    made = _Assembly(tree)
    return Assembled(made.system(), made.owner)


class _Assembly:
    def __init__(self, tree: ProjectFiles) -> None:
        self.tree = tree
        self.files = tree.files
        programs = [(path, one.application) for path, one in tree.findings.items() if one.application]
        self.discovery = discover_services(tree.repositories, tree.read, tree.declared, programs)
        self.found = self._add_configuration(self._with_supplied(self.discovery.found))
        self.by_name = {one.service.name: one for one in self.found}
        self.owner = self._owners()
        self.resolver = AddressResolver(
            self.found,
            {path: one.constants for path, one in tree.findings.items() if one.constants},
            self.owner,
            self.discovery.repository,
        )
        self.documents = self._documents()
        self.unresolved = 0
        self.edges: dict[tuple[str, str, str, str], ServiceEdge] = {}

    def system(self) -> System:
        contracts, endpoints = self._endpoints()
        self.endpoints = endpoints
        self._by_service: dict[str, list[Endpoint]] = defaultdict(list)
        for one in endpoints:
            self._by_service[one.service].append(one)
        self._gateways()
        self._requests()
        self._graphql_requests()
        self._procedures()
        events = self._events()
        self._add_brokers(events)
        self._configuration()
        self._parts()
        self._environment()
        self._drop_weaker()
        entities, references, relations = self._entities()
        used = {one.contract for one in endpoints}
        return System(
            services=tuple(one.service for one in self.found),
            contracts=tuple(one for one in contracts if one.status != "implicit" or one.id in used),
            endpoints=tuple(endpoints),
            edges=tuple(sorted(self.edges.values(), key=lambda one: (one.source, one.target, one.kind, one.label))),
            events=tuple(events),
            entities=tuple(entities),
            references=tuple(references),
            relations=tuple(relations),
            problems=tuple(self.discovery.problems),
            unresolved=self.unresolved,
        )

    # Facts that another program supplied

    def _with_supplied(self, found: list[Found]) -> list[Found]:
        """The services extended by supplied facts, and services known from those facts alone."""
        by_name = {one.service.name: one for one in found}
        aliases = {alias.lower(): one.service.name for one in found for alias in one.service.aliases}
        folders = {file.path.rpartition("/")[0] for file in self.files}
        for one in self.tree.supplied.services:
            known = by_name.get(one.name) or by_name.get(aliases.get(one.name.lower(), ""))
            if known is None:
                path = one.folder if any(f"{folder}/".startswith(f"{one.folder}/") for folder in folders) else ""
                place = Sighting("service_map_json", 0, SUPPLIED)
                known = Found(Service(one.name, path, "service", one.stack, place, (one.name,)))
            service = replace(
                known.service,
                domain=one.domain,
                estimated_loc=one.estimated_loc,
                description=one.description or known.service.description,
                stack=known.service.stack or one.stack,
            )
            by_name[service.name] = replace(known, service=service)
        return [by_name[name] for name in sorted(by_name)]

    def _service_named(self, name: str) -> str:
        return name if name in self.by_name else self.resolver.service_at(name)

    # Who owns which file, and which settings apply to whom

    def _owners(self) -> dict[str, str]:
        folders: dict[str, str] = {}
        for one in self.found:
            service = one.service
            if service.path:
                folder = service.path if service.path != ROOT else ""
                if folder not in folders or _plain(service.name) == _plain(folder.rpartition("/")[2]):
                    folders[folder] = service.name
        owner: dict[str, str] = {}
        tops = {one.prefix for one in self.tree.repositories}
        for path in (one.path for one in self.files):
            folder = path.rpartition("/")[0]
            while True:
                if folder in folders:
                    owner[path] = folders[folder]
                    break
                if folder in tops:
                    break
                folder = folder.rpartition("/")[0]
        return owner

    def _add_configuration(self, found: list[Found]) -> list[Found]:
        """Adds the files that a configuration server has for a service, by their names."""
        aliases = {alias.lower(): one.service.name for one in found for alias in one.service.aliases}
        extra: dict[str, list[Variable]] = defaultdict(list)
        servers = [
            one
            for one in found
            if one.service.role == "configuration"
            or any(name == "spring-cloud-config-server" for name, _ in one.dependencies)
        ]
        shared: list[Variable] = []
        for path in (one.path for one in self.files):
            match = re.search(r"([\w-]+)\.(ya?ml|properties)$", path)
            if (
                not servers
                or match is None
                or "/src/main/resources/application" in path
                or "/src/main/resources/bootstrap" in path
                or "/test/" in path
            ):
                continue
            stem = re.sub(
                r"-(dev|prod|production|docker|default|local|test|native|kubernetes|cloud)$", "", match[1]
            ).lower()
            name = aliases.get(stem, "")
            if (
                not name
                and stem == "application"
                and any(path.startswith(f"{one.service.path}/") for one in servers if one.service.path)
            ):
                shared += [
                    Variable(key, value, Sighting(path, line, "configuration"))
                    for key, value, line in self.discovery.settings(path)
                ]
            elif (
                name
                and (
                    "config" in path.lower()
                    or any(path.startswith(f"{one.service.path}/") for one in servers if one.service.path)
                )
                and "docker-compose" not in path
            ):
                extra[name] += [
                    Variable(key, value, Sighting(path, line, "configuration"))
                    for key, value, line in self.discovery.settings(path)
                ]
        result = []
        for one in found:
            client = any(
                name in names.CLIENT_DEPENDENCY_ROLES and names.CLIENT_DEPENDENCY_ROLES[name] == "configuration"
                for name, _ in one.dependencies
            )
            added = [*(shared if client else ()), *extra.get(one.service.name, ())]
            ports = tuple(int(v.value) for v in added if v.name == "server.port" and v.value.isdigit())
            if added:
                service = replace(one.service, ports=tuple(dict.fromkeys((*one.service.ports, *ports))))
                one = replace(one, service=service, properties=(*added, *one.properties))
            result.append(one)
        return result

    # Contracts and endpoints

    def _documents(self) -> list[tuple[str, Document]]:
        """Every contract with the service that offers it; empty where nobody is known to."""
        found = []
        for path in (one.path for one in self.files):
            if path.lower().endswith(
                (".proto", ".graphql", ".graphqls", ".gql", ".yaml", ".yml", ".json")
            ) and not re.search(r"(^|/)(node_modules|vendor|test|tests)/", path):
                document = read_contract(path, self.tree.read(path), self.tree.literal_asyncapi)
                if document is not None:
                    found.append((self._provider(document), document))
        for contract in self.tree.supplied.contracts:
            if contract.document is not None and (provider := self._service_named(contract.service)):
                supplied = replace(
                    contract.document,
                    path=contract.id,
                    version=contract.version,
                    deprecated=contract.status == "deprecated",
                )
                found.append((provider, supplied))
        return found

    def _provider(self, document: Document) -> str:
        for server in document.servers:
            address = parse_address(server)
            if address and (name := self.resolver.service_at(address.host, address.port)):
                return name
        stem = document.path.rpartition("/")[2].partition(".")[0]
        for text in (document.title, stem):
            for candidate in (
                text.lower().replace(" ", "-"),
                _plain(text),
                re.sub(r"[-_ ]?(api|openapi|asyncapi|events?|spec|schema)$", "", text.lower()).replace(" ", "-"),
            ):
                if candidate and (name := self.resolver.service_at(candidate)):
                    return name
        return self.owner.get(document.path, "")

    def _endpoints(self) -> tuple[list[Contract], list[Endpoint]]:
        contracts: list[Contract] = []
        endpoints: dict[tuple[str, str, str], Endpoint] = {}
        serving = self._services_by_interface()
        for service, document in self.documents:
            providers = (
                [service]
                if service and document.type != "protobuf"
                else sorted({name for interface, _, _ in document.interfaces for name in serving.get(interface, ())})
            )
            for provider in providers or ([service] if service else []):
                identifier = document.path if len(providers) < 2 else f"{document.path}#{provider}"
                status = "deprecated" if document.deprecated else "active"
                contracts.append(
                    Contract(
                        identifier,
                        document.type,
                        document.version,
                        provider,
                        status,
                        Sighting(document.path, document.line, document.type),
                    )
                )
                for one in document.operations:
                    if document.type == "protobuf" and provider not in serving.get(
                        one.path.split("/")[1].rpartition(".")[2], ()
                    ):
                        continue
                    key = (provider, one.method, _shape(one.path))
                    endpoints.setdefault(
                        key,
                        Endpoint(
                            provider,
                            one.method,
                            one.path,
                            identifier,
                            Sighting(document.path, one.line, document.type),
                            summary=one.summary or one.name,
                            fields=one.fields,
                            handler=self._served_by(document, provider, one),
                        ),
                    )
        for path, findings in self.tree.findings.items():
            service = self.owner.get(path, "")
            if not service:
                continue
            for route in findings.routes:
                if route.client:
                    continue
                for full in self._full_paths(service, path, route):
                    for expanded, whole in self._expand_route(service, route, full):
                        self._add_endpoint(endpoints, service, path, expanded, whole)
        for given in self.tree.supplied.endpoints:
            if provider := self._service_named(given.service):
                handler = given.handler.removeprefix("symbol::").rpartition("::")[2]
                stated = HttpRoute(given.method, given.path, given.line, handler, kind=SUPPLIED)
                self._add_endpoint(endpoints, provider, given.file or "service_interfaces_json", stated, given.path)
        for contract in self.tree.supplied.contracts:
            if contract.document is None and (provider := self._service_named(contract.service)):
                place = Sighting(contract.id, 0, SUPPLIED)
                contracts.append(
                    Contract(contract.id, contract.type, contract.version, provider, contract.status, place)
                )
        implicit = sorted({one.service for one in endpoints.values() if one.contract == one.service})
        contracts += [
            Contract(name, "openapi", "", name, "implicit", self.by_name[name].service.evidence) for name in implicit
        ]
        return contracts, sorted(endpoints.values(), key=lambda one: (one.service, one.path, one.method))

    def _add_endpoint(
        self, endpoints: dict[tuple[str, str, str], Endpoint], service: str, path: str, route: HttpRoute, full: str
    ) -> None:
        shown = _show_parameters(full)
        if not re.fullmatch(r"/[^\s]*", shown):
            return
        key = (service, route.method, _shape(shown))
        known = endpoints.get(key)
        handler = f"{path}::{route.handler}" if route.handler else ""
        if known is None:  # a contract may leave out a prefix that the code has, or the other way round
            known = next(
                (
                    one
                    for (name, method, shape), one in endpoints.items()
                    if name == service
                    and method == route.method
                    and one.contract != service
                    and (key[2].endswith(shape) or shape.endswith(key[2]))
                    and shape.count("/") > 1
                ),
                None,
            )
        if known is not None and not known.handler:
            endpoints[known.service, known.method, _shape(known.path)] = replace(known, handler=handler)
        elif known is None:
            endpoints[key] = Endpoint(
                service,
                route.method,
                shown,
                service,
                Sighting(path, route.line, route.kind),
                handler,
                confidence=0.95,
            )

    def _expand_route(self, service: str, route: HttpRoute, full: str) -> Iterator[tuple[HttpRoute, str]]:
        """A route as it is; that of a viewset once for each of its actions."""
        if route.method != VIEWSET:
            yield route, full
            return
        known = self._viewsets.get((service, route.handler), ())
        for one in known:
            path = f"{full.rstrip('/')}/{{pk}}{one.path}" if one.of_one else f"{full.rstrip('/')}{one.path}"
            yield replace(route, method=one.method, handler=one.handler), path
        if not known:
            yield replace(route, method=names.ANY), full

    @cached_property
    def _paths_by_service(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path, name in self.owner.items():
            found[name].append(path)
        return found

    @cached_property
    def _viewsets(self) -> dict[tuple[str, str], tuple[ViewAction, ...]]:
        return {
            (self.owner.get(path, ""), one.name): one.actions
            for path, findings in self.tree.findings.items()
            for one in findings.viewsets
        }

    def _full_paths(self, service: str, path: str, route: HttpRoute) -> list[str]:
        """The paths of a route under each prefix that its router is mounted at."""
        template = _IN_RUST.sub(r"{\1}", route.path) if path.endswith(".rs") else route.path
        own = self.resolver.text(template, path, route.line)
        base = next(
            (
                one.value
                for one in self.by_name[service].properties
                if one.name
                in (
                    "server.servlet.context-path",
                    "server.servlet.contextPath",
                    "spring.webflux.base-path",
                    "server.context-path",
                )
            ),
            "",
        )
        if re.search(r"(^|/)routes/api\.php$", path):
            base = "/api"  # Laravel gives it to all routes of this file
        prefixes = self._prefixes(service, path, route.router.rpartition(".")[2] or route.router, 0)
        full = [_slashes(f"{base}/{prefix}/{own}") for prefix in prefixes or [""]]
        return ["/" + one.strip("/").replace("/", ".") for one in full] if route.method == TRPC else full

    def _prefixes(self, service: str, path: str, router: str, depth: int) -> list[str]:
        if depth > 4:
            return []
        found: list[str] = []
        made = [one for one in self.tree.findings[path].mounts if one.made and one.target == router]
        own = "/".join(self.resolver.text(one.prefix, path, one.line) for one in made)
        for one in made:  # a group of another router of this file
            parent = one.router.rpartition(".")[2]
            if parent and parent != router:
                found += [_slashes(f"{outer}/{own}") for outer in self._prefixes(service, path, parent, depth + 1)]
        for other, mount in self._mounts_of(service):
            if mount.made or not (mount.router == "*" or self._leads_to(mount, other, path, router)):
                continue
            prefix = self.resolver.text(mount.prefix, other, mount.line)
            parent = mount.router.rpartition(".")[2]
            is_nested = parent not in ("", "*") and (other, parent) != (path, router)
            around = self._prefixes(service, other, parent, depth + 1) if is_nested else []
            found += [_slashes(f"{outer}/{prefix}/{own}") for outer in around or [""]]
        return list(dict.fromkeys(found)) or ([_slashes(own)] if own else [])

    @staticmethod
    def _leads_to(mount: Mount, mounting: str, path: str, router: str) -> bool:
        """Whether a mount refers to the router of a file: by its name in the same file, else by its module."""
        if mounting == path:
            return mount.target == router
        stem = path.rpartition("/")[2].partition(".")[0]
        folder = path.rpartition("/")[0].rpartition("/")[2]
        module, _, _ = mount.target.rpartition("#")
        parts = re.split(r"[./\\]", (module or mount.target).strip("./"))
        if parts[-1] == stem or (parts[-1] == folder and stem in ("index", "__init__", "urls", "mod", "routes")):
            return True
        return (
            len(parts) > 1
            and parts[-2] == stem
            and parts[-1] in (router, "router", "urlpatterns", "bp", "blueprint", "app")
        )

    def _mounts_of(self, service: str) -> list[tuple[str, Mount]]:
        if not hasattr(self, "_mounted"):
            self._mounted: dict[str, list[tuple[str, Mount]]] = defaultdict(list)
            for path, findings in self.tree.findings.items():
                for one in findings.mounts:
                    self._mounted[self.owner.get(path, "")].append((path, one))
        return self._mounted[service]

    def _served_by(self, document: Document, service: str, operation: Operation) -> str:
        """The function that answers a remote procedure or a GraphQL field, by its name and the file that serves it."""
        if document.type == "protobuf":
            place = self._services_by_interface().get(operation.path.split("/")[1].rpartition(".")[2], {}).get(service)
            return f"{place.path}::{operation.name}" if place else ""
        return operation.name if document.type == "graphql" else ""

    # Requests

    def _requests(self) -> None:
        made = {
            (self.owner.get(path, ""), one.class_name): one.address
            for path, findings in self.tree.findings.items()
            for one in findings.client_bases
        }
        for path, findings in self.tree.findings.items():
            service = self.owner.get(path, "")
            if not service:
                continue
            told = [*findings.bases, *(made[service, name] for name in findings.classes if (service, name) in made)]
            bases = {text for one in told if (text := self.resolver.text(one, path)) and text != UNKNOWN}
            for route in findings.routes:
                if route.client:
                    address = self.resolver.text(route.client, path, route.line)
                    text = f"{address.rstrip('/')}{_show_parameters(self.resolver.text(route.path, path, route.line))}"
                    self._call(
                        service, path, HttpRequest(route.method, text, route.line, "request", certain=True), text
                    )
            for one in findings.requests:
                text = self.resolver.text(one.url, path, one.line)
                if one.certain and len(bases) == 1 and re.match(r"[/\w{]", text) and "://" not in text:
                    base = next(iter(bases))
                    text = text if text.startswith(base) else f"{base.rstrip('/')}/{text.lstrip('/')}"
                self._call(service, path, one, text)

    def _graphql_requests(self) -> None:
        """Fields of schemas: of the one service that has them, or of the one among several that is also addressed."""
        servers: dict[str, list[Endpoint]] = defaultdict(list)
        for one in self.endpoints:
            if one.method == "GRAPHQL":
                servers[one.path].append(one)
        documents = [(path, one) for path, findings in self.tree.findings.items() for one in findings.operations]
        for file in self.files if servers else ():
            if file.path.endswith((".graphql", ".gql")):
                asked = graphql_operations(self.tree.read(file.path))
                documents += [(file.path, GraphQLOperation(field, line + 1)) for field, line in asked]
        for path, operation in documents:
            service = self.owner.get(path, "")
            known = [one for one in servers.get(operation.field, ()) if service and one.service != service]
            addressed = {edge.target for edge in self.edges.values() if edge.source == service}
            near = [one for one in known if one.service in addressed] or known
            if len(near) == 1:
                (one,) = near
                place = Sighting(path, operation.line, "graphql")
                self._edge(service, one.service, "graphql", one.path, place, 0.95 if len(known) == 1 else 0.8, one.id)
        answered = {(edge.source, edge.target) for edge in self.edges.values() if edge.kind == "graphql"}
        for key, edge in list(self.edges.items()):
            is_plain = edge.kind == "http" and not edge.endpoint and re.search(r"graphql|^\S+$", edge.label)
            if is_plain and (edge.source, edge.target) in answered:
                del self.edges[key]

    def _call(self, service: str, path: str, request: HttpRequest, text: str) -> None:
        evidence = Sighting(path, request.line, request.kind)
        if text.startswith("/") or (
            request.certain
            and "://" not in text
            and re.match(r"[\w-]+/[\w{]", text)
            and parse_address(text)
            and not self.resolver.service_at(text.partition("/")[0])
        ):
            if request.certain:
                self._by_path(service, request, "/" + text.lstrip("/"), evidence)
            return
        for part in text.split(",") if "," in text and "://" not in text else [text]:
            address = parse_address(part)
            if address is None:
                continue
            target = self.resolver.service_at(address.host, address.port, service)
            if not target:
                if UNKNOWN in address.host and request.certain:
                    self._by_path(service, request, address.path or "/", evidence)
                continue
            if target == service or (
                not address.scheme
                and not address.port
                and not request.certain
                and request.kind == "address"
                and not request.url.startswith("\x01env:")
            ):
                continue
            self._connect(service, target, request, address, evidence)

    def _by_path(self, service: str, request: HttpRequest, path: str, evidence: Sighting) -> None:
        """Resolve a request with an unknown host to the only other service that answers its path."""
        clean = re.split(r"[?#]", path)[0]
        if not re.search(r"/[A-Za-z][\w-]+", clean):
            self.unresolved += 1
            return
        if self._endpoint(service, request.method, clean) is not None and not clean.startswith(UNKNOWN):
            return
        if gateway := self._gateway_of(service, clean):
            self._edge(
                service, gateway, "http", f"{request.method or names.ANY} {_show_parameters(clean)}", evidence, 0.6
            )
            return
        found = [
            (name, endpoint)
            for name in self._by_service
            if name != service and (endpoint := self._endpoint(name, request.method, clean))
        ]
        specific = [one for one in found if one[1].path.count("/") > 1 or clean.count("/") == 1]
        if len({name for name, _ in specific}) == 1:
            name, endpoint = specific[0]
            self._edge(service, name, "http", f"{endpoint.method} {endpoint.path}", evidence, 0.6, endpoint.id)
            return
        self.unresolved += 1

    def _gateway_of(self, service: str, path: str) -> str:
        """The gateway that forwards a path, if there is one such."""
        routes = [edge for edge in self.edges.values() if edge.evidence.kind == "gateway" and edge.source != service]
        prefixes = ((edge.source, edge.label.removeprefix("ANY ").rstrip("/*")) for edge in routes)
        found = {source for source, prefix in prefixes if len(prefix) > 1 and path.startswith(f"{prefix}/")}
        return next(iter(found)) if len(found) == 1 else ""

    def _connect(self, service: str, target: str, request: HttpRequest, address: Address, evidence: Sighting) -> None:
        role = self.by_name[target].service.role
        kind = names.SCHEMES.get(address.scheme, "") if address.scheme else ""
        if role in names.ROLE_EDGES:
            kind = names.ROLE_EDGES[role]
        path = re.split(r"[?#]", address.path)[0]
        endpoint = self._endpoint(target, request.method, path) if path and (kind or "http") == "http" else None
        method = request.method or (endpoint.method if endpoint else "")
        if endpoint is not None:
            label = f"{endpoint.method if endpoint.method != names.ANY else method or names.ANY} {endpoint.path}"
        elif kind in ("", "http", "gateway") and (path.strip("/") or method):
            label = f"{method} {_show_parameters(path) or '/'}".strip()
        else:
            label = address.scheme if kind not in ("", "http") and address.scheme else target
        confidence = _CODE_CONFIDENCE.get(request.kind, 0.7) - (0.15 if endpoint is None and request.certain else 0)
        self._edge(service, target, kind or "http", label, evidence, confidence, endpoint.id if endpoint else "")

    def _endpoint(self, service: str, method: str, path: str) -> Endpoint | None:
        """The endpoint of a service that a request's path leads to: exactly, or behind a prefix that a gateway adds."""
        wanted = _segments(path)
        best: tuple[int, Endpoint] | None = None
        for one in self._by_service.get(service, ()):
            if method not in ("", names.ANY) and one.method not in (method, names.ANY):
                continue
            own = _segments(one.path)
            for skipped in range(min(3, max(1, len(wanted) - 1)) if wanted else 1):
                score = _matches(own, wanted[skipped:])
                if score and (skipped == 0 or (score > 1 and any("{" not in part for part in own))):
                    rank = score * 10 - skipped * 3 + (one.method == method)
                    if best is None or rank > best[0]:
                        best = rank, one
                    break
        return best[1] if best else None

    def _edge(
        self,
        source: str,
        target: str,
        kind: str,
        label: str,
        evidence: Sighting,
        confidence: float,
        endpoint: str = "",
    ) -> None:
        if source == target:
            return
        key = (source, target, kind, label)
        known = self.edges.get(key)
        if known is None or (confidence, known.evidence.path, known.evidence.line) > (
            known.confidence,
            evidence.path,
            evidence.line,
        ):
            self.edges[key] = ServiceEdge(source, target, kind, label, evidence, round(confidence, 2), endpoint)

    def _drop_weaker(self) -> None:
        """An address that is only named says nothing more where a request to the same service is known."""
        known = {
            (one.source, one.target)
            for one in self.edges.values()
            if one.evidence.kind in ("request", "grpc", "gateway")
        }
        for key, one in list(self.edges.items()):
            if one.evidence.kind == "address" and (one.source, one.target) in known:
                del self.edges[key]

    # Remote procedures

    def _services_by_interface(self) -> dict[str, dict[str, Sighting]]:
        """The services that serve each interface."""
        if not hasattr(self, "_servers"):
            declared = {name for _, document in self.documents for name, _, _ in document.interfaces}
            servers: dict[str, dict[str, Sighting]] = defaultdict(dict)
            for path, findings in self.tree.findings.items():
                for one in findings.procedures:
                    service = self.owner.get(path, "")
                    name = self._interface(one.interface, declared)
                    if one.serves and service and name:
                        servers[name].setdefault(service, Sighting(path, one.line, "grpc"))
            self._servers = servers
        return self._servers

    @staticmethod
    def _interface(name: str, declared: set[str]) -> str:
        if name in _GRPC_HEALTH:
            return ""
        for candidate in (
            name,
            f"{name}Service",
            name.removesuffix("Service"),
            name.removesuffix("Impl"),
            name.removesuffix("Grpc"),
        ):
            if candidate in declared:
                return candidate
        return "" if declared else name

    def _procedures(self) -> None:
        interfaces = {
            name: (document, methods) for _, document in self.documents for name, _, methods in document.interfaces
        }
        members: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for path, findings in self.tree.findings.items():
            for member in findings.members:
                members[self.owner.get(path, "")].append((member.name, path, member.line))
        done: set[tuple[str, str]] = set()
        for path, findings in self.tree.findings.items():
            service = self.owner.get(path, "")
            for one in findings.procedures:
                name = self._interface(one.interface, set(interfaces))
                if one.serves or not service or not name or (service, name) in done:
                    continue
                done.add((service, name))
                self._call_procedure(service, path, one, name, interfaces.get(name), members[service])

    def _call_procedure(
        self,
        service: str,
        path: str,
        procedure: Procedure,
        name: str,
        interface: tuple[Document, tuple[tuple[str, int], ...]] | None,
        members: list[tuple[str, str, int]],
    ) -> None:
        targets = [one for one in self._services_by_interface().get(name, {}) if one != service]
        if not targets or len(targets) > 1:
            address = (
                parse_address(self.resolver.text(procedure.address, path, procedure.line))
                if procedure.address
                else None
            )
            named = self.resolver.service_at(address.host, address.port, service) if address else ""
            named = (
                named
                or self.resolver.service_at(re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower())
                or self.resolver.service_at(name.lower())
                or self.resolver.service_at(name.lower().removesuffix("service"))
            )
            if named and named != service:
                targets = [named]
        if not targets:
            self.unresolved += 1
            return
        confidence = 0.95 if len(targets) == 1 else 0.5
        document, methods = interface if interface else (None, ())
        prefix = f"{document.package}." if document and document.package else ""
        called = False
        for method, _ in methods:
            spellings = (
                method,
                f"{method}Async",
                *(() if path.endswith((".go", ".cs", ".py")) else (method[0].lower() + method[1:], _snake(method))),
            )
            uses = [(where, line) for member, where, line in members if member in spellings]
            if uses:
                where, line = min(uses, key=lambda use: (use[0] != path, use))
                called = True
                for target in targets:
                    identifier = f"endpoint::{target}::GRPC::/{prefix}{name}/{method}"
                    self._edge(
                        service,
                        target,
                        "grpc",
                        f"{prefix}{name}/{method}",
                        Sighting(where, line, "grpc"),
                        confidence,
                        identifier,
                    )
        if not called:
            for target in targets:
                self._edge(
                    service,
                    target,
                    "grpc",
                    f"{prefix}{name}",
                    Sighting(path, procedure.line, "grpc"),
                    confidence - 0.1,
                )

    # Gateways and configuration

    def _gateways(self) -> None:
        for one in self.found:
            service = one.service.name
            routes: dict[str, dict[str, tuple[str, Sighting]]] = defaultdict(dict)
            for variable in one.properties:
                if match := _GATEWAY_ROUTE.match(variable.name):
                    routes[f"{variable.evidence.path}#{match[1]}"].setdefault(
                        match[2], (variable.value, variable.evidence)
                    )
                elif match := _ZUUL_ROUTE.match(variable.name):
                    routes[f"zuul#{match[1]}"][match[2] or "path"] = (variable.value, variable.evidence)
                    routes[f"zuul#{match[1]}"].setdefault("name", (match[1], variable.evidence))
            for route in routes.values():
                target_text, evidence = next(
                    (route[key] for key in ("uri", "url", "serviceId", "service-id", "name") if key in route),
                    ("", None),
                )
                if evidence is None:
                    continue
                path = (
                    next(
                        (
                            value.partition("Path=")[2].split(",")[0]
                            for value, _ in route.values()
                            if value.startswith("Path=")
                        ),
                        "",
                    )
                    or route.get("path", ("", evidence))[0]
                )
                self._route(service, self.resolver.text(target_text, "", 0, service), path, evidence)
            for path in (path for path in (*self._configurations(service), *one.files)):
                self._proxies(service, path, self.tree.read(path))
                if path.endswith((".yml", ".yaml")):
                    self._traefik(service, path)
        for path, findings in self.tree.findings.items():
            for forward in findings.forwards:
                target = self.resolver.text(forward.target, path, forward.line)
                self._route(self.owner.get(path, ""), target, forward.path, Sighting(path, forward.line, "gateway"))
        self._traefik_labels()

    def _traefik(self, service: str, path: str) -> None:
        """Traefik's dynamic configuration: routers with their rules, and the servers of their services."""
        text = self.tree.read(path)
        if "routers:" not in text or "loadBalancer" not in text:
            return
        for document in read_yaml(text):
            http = document.get("http")
            for _, line, router in http.get("routers").pairs():
                target = http.get("services", router.get("service").value(), "loadBalancer", "servers")
                for server in target.elements():
                    for prefix in _traefik_paths(router.get("rule").value()):
                        self._route(service, server.get("url").value(), prefix, Sighting(path, line, "gateway"))

    def _traefik_labels(self) -> None:
        """Labels of containers that one Traefik reads."""
        gateways = [
            one.service.name for one in self.found if "traefik" in " ".join((one.service.name, *one.service.stack))
        ]
        if len(gateways) != 1:
            return
        for one in self.found:
            for variable in one.environment:
                if re.fullmatch(r"traefik\.http\.routers\.[\w-]+\.rule", variable.name):
                    place = Sighting(variable.evidence.path, variable.evidence.line, "gateway")
                    for prefix in _traefik_paths(variable.value):
                        self._edge(gateways[0], one.service.name, "http", f"ANY {prefix}", place, 0.9)

    def _proxies(self, service: str, path: str, text: str) -> None:
        """Forwarding rules of web servers: nginx with its upstreams, Apache."""
        upstreams = {match[1]: match[2] for match in _UPSTREAM.finditer(text)}
        for match in (*_PROXY.finditer(text), *_APACHE_PROXY.finditer(text)):
            line = text.count("\n", 0, match.start(2)) + 1
            address = self.resolver.text(match[2], "", 0, service)
            host = re.sub(r"^\w+://", "", address).partition("/")[0]
            if host in upstreams:
                address = f"http://{self.resolver.text(upstreams[host], '', 0, service)}"
            self._route(service, address, match[1], Sighting(path, line, "proxy"))

    def _configurations(self, service: str) -> list[str]:
        return [
            path
            for path in self._paths_by_service[service]
            if re.search(r"nginx|\.conf(\.template)?$|default\.conf|(traefik|dynamic)[\w/.-]*\.ya?ml$", path)
        ]

    def _route(self, service: str, address_text: str, path: str, evidence: Sighting) -> None:
        address = parse_address(address_text)
        target = self.resolver.service_at(address.host, address.port, service) if address else ""
        if target and target != service:
            self._edge(
                service,
                target,
                "http",
                f"ANY {path or '/'}",
                Sighting(evidence.path, evidence.line, "gateway"),
                0.9,
            )

    def _configuration(self) -> None:
        """Addresses in a service's configuration: databases, brokers, registries and other services."""
        for one in self.found:
            service = one.service.name
            for variable in one.properties:
                if _GATEWAY_ROUTE.match(variable.name) or _ZUUL_ROUTE.match(variable.name):
                    continue
                if self.owner.get(variable.evidence.path) == service or self._concerns(one, variable):
                    self._configured_address(service, variable)
            for path in one.files:
                self._addresses_in(service, path)
            for path in self._paths_by_service[service]:
                if re.search(r"\.(conf|toml|ini|cfg|tmpl|template|ya?ml|yml\.tmpl)$", path) and not re.search(
                    r"/(src/main/resources|test|node_modules|k8s|kubernetes|helm|deploy|templates|\.github)/|compose|openapi|swagger|lock",
                    path,
                ):
                    self._addresses_in(service, path)

    @staticmethod
    def _concerns(one: Found, variable: Variable) -> bool:
        """Whether a service has a library that reads a setting which all services share."""
        if not re.search(r"(^|/)(application|bootstrap)[\w-]*\.(ya?ml|properties)$", variable.evidence.path):
            return True
        kind = next((kind for pattern, kind in _KEY_ROLES if pattern.search(variable.name)), "")
        wanted = _LIBRARIES_OF.get(kind)
        return wanted is None or any(re.search(wanted, name) for name, _ in one.dependencies)

    def _configured_address(self, service: str, variable: Variable) -> None:
        text = self.resolver.text(variable.value, "", 0, service)
        if "//" not in text and not _HOST_KEY.search(variable.name.rstrip("]0123456789[")):
            return
        for part in re.split(r"\s*,\s*", text.removeprefix("optional:").removeprefix("configserver:")):
            address = parse_address(part)
            if address is None or _NOT_HOSTS.search(part):
                continue
            target = self.resolver.service_at(address.host, address.port, service)
            if not target or target == service:
                continue
            role = self.by_name[target].service.role
            told = next((kind for pattern, kind in _KEY_ROLES if pattern.search(variable.name)), "")
            kind = (
                names.ROLE_EDGES.get(role, "")
                or (told if told in ("discovery", "configuration", "monitoring", "identity") else "")
                or names.SCHEMES.get(address.scheme, "")
                or told
                or "http"
            )
            endpoint = self._endpoint(target, "", address.path) if kind == "http" and address.path.strip("/") else None
            label = f"{endpoint.method} {endpoint.path}" if endpoint else variable.name
            self._edge(service, target, kind, label, variable.evidence, 0.85, endpoint.id if endpoint else "")

    def _addresses_in(self, service: str, path: str) -> None:
        text = self.tree.read(path)
        if len(text) > 200_000:
            return
        for match in re.finditer(
            r"(?:[a-z][a-z0-9+]*://)?(?:\$\{(\w+)(?::-?([^}]*))?\}|(?<![\w./-])([a-z][\w-]*)):(?:(\d{2,5})|\$\{(\w+)[^}]*\})|(?:address|host|server|url|endpoint)\s*[:=]\s*[\"']?\$\{(\w+)\}",
            text,
        ):
            host = match[3] or self.resolver.variable(service, match[1] or match[6] or "") or match[2] or ""
            port = match[4] or self.resolver.variable(service, match[5] or "") or "0"
            address = parse_address(host)
            target = (
                self.resolver.service_at(address.host, int(port) if port.isdigit() else 0, service) if address else ""
            )
            if (
                target
                and target != service
                and not any(edge.source == service and edge.target == target for edge in self.edges.values())
            ):
                kind = names.ROLE_EDGES.get(self.by_name[target].service.role, "http")
                kind = "monitoring" if self.by_name[service].service.role == "monitoring" else kind
                self._edge(
                    service,
                    target,
                    kind,
                    target,
                    Sighting(path, text.count("\n", 0, match.start()) + 1, "configuration"),
                    0.7,
                )

    def _parts(self) -> None:
        """Annotations and libraries that tie a service to a registry, a configuration server and the like."""
        by_role: dict[str, list[str]] = defaultdict(list)
        for one in self.found:
            by_role[one.service.role].append(one.service.name)
        for path, findings in self.tree.findings.items():
            for mark in findings.marks:
                service = self.owner.get(path, "")
                role = names.CLIENT_ANNOTATION_ROLES.get(mark.name, "")
                if service and len(by_role.get(role, ())) == 1:
                    self._add_if_missing(
                        service, by_role[role][0], role, mark.name, Sighting(path, mark.line, "annotation")
                    )
        for one in self.found:
            for name, evidence in one.dependencies:
                role = names.CLIENT_DEPENDENCY_ROLES.get(name, "")
                if len(by_role.get(role, ())) == 1:
                    self._add_if_missing(one.service.name, by_role[role][0], role, name, evidence)

    def _add_if_missing(self, service: str, target: str, kind: str, label: str, evidence: Sighting) -> None:
        if not any(
            edge.source == service and edge.target == target and edge.kind == kind for edge in self.edges.values()
        ):
            self._edge(service, target, kind, label, evidence, 0.8)

    def _environment(self) -> None:
        """Addresses in a deployment's environment for a service, if nothing else shows their purpose."""
        connected = {(edge.source, edge.target) for edge in self.edges.values()}
        for one in self.found:
            service = one.service.name
            for variable in one.environment:
                text = self.resolver.text(variable.value, "", 0, service)
                if driver := DRIVER_HOST.search(text):  # "Host=db;Username=…"
                    text = f"tcp://{driver[1]}"
                address = parse_address(text) if text and not _NOT_HOSTS.search(text) else None
                if address is None or not (
                    address.scheme or address.port or re.search(r"HOST|ADDR|URL|URI|SERVER|ENDPOINT", variable.name)
                ):
                    continue
                target = self.resolver.service_at(address.host, address.port, service)
                if not target or target == service or (service, target) in connected:
                    continue
                reads = self._reads(service, variable.name)
                if not reads and all(name != target for name, _ in one.needs):
                    continue  # set for all services alike
                role = self.by_name[target].service.role
                told = next((kind for pattern, kind in _KEY_ROLES if pattern.search(variable.name)), "")
                kind = (
                    names.ROLE_EDGES.get(role, "")
                    or names.SCHEMES.get(address.scheme, "")
                    or (told if told in ("database", "messaging") else "")
                    or "http"
                )
                kind = "monitoring" if one.service.role == "monitoring" and kind == "http" else kind
                self._edge(service, target, kind, variable.name, variable.evidence, 0.6 if reads else 0.4)

    def _reads(self, service: str, variable: str) -> bool:
        """Whether a service's own code reads a variable; True if it has no code here, and for framework variables."""
        if (
            not self.by_name[service].service.path
            or re.match(r"SPRING_|EUREKA_|OTEL_|ConnectionStrings|MANAGEMENT_|KAFKA_|ZIPKIN", variable)
            or "__" in variable
        ):
            return True
        for path in self._paths_by_service[service]:
            if re.search(r"compose|\.lock$|package-lock|\.md$", path):
                continue
            text = self.tree.read(path)
            if "Dockerfile" in path and re.search(rf"\$\{{?{re.escape(variable)}\b", text):
                return True  # in the command that it starts
            if "Dockerfile" not in path and variable in text:
                return True
        return False

    # Events

    def _events(self) -> list[EventUse]:
        uses: dict[tuple[str, str, bool], tuple[EventUse, bool]] = {}
        for path, findings in self.tree.findings.items():
            service = self.owner.get(path, "")
            if not service:
                continue
            for one in findings.messages:
                name = self._event_name(path, one)
                if not name:
                    self.unresolved += 1
                    continue
                confidence = 0.9 if one.kind != "event type" else 0.75
                use = EventUse(service, name, name, one.publishes, Sighting(path, one.line, one.kind), confidence)
                key = (service, name, one.publishes)
                if key not in uses or (uses[key][1] and not one.in_process):
                    uses[key] = use, one.in_process
        for use in self._stream_bindings():
            uses.setdefault((use.service, use.event, use.publishes), (use, False))
        for service, document in self.documents:
            for channel in document.channels if service else ():
                key = (service, channel.event, channel.publishes)
                uses.setdefault(
                    key,
                    (
                        EventUse(
                            service,
                            channel.event,
                            channel.channel,
                            channel.publishes,
                            Sighting(document.path, channel.line, "asyncapi"),
                        ),
                        False,
                    ),
                )
        for use in self.tree.supplied.events:
            if name := self._service_named(use.service):
                uses.setdefault((name, use.event, use.publishes), (replace(use, service=name), False))
        sides: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        for use, _ in uses.values():
            sides[use.event].add((use.service, use.publishes))
        kept = []
        for use, in_process in uses.values():
            others = {service for service, publishes in sides[use.event] if publishes != use.publishes} - {use.service}
            own_other = (use.service, not use.publishes) in sides[use.event]
            if in_process and not others and not own_other:
                continue  # an event of a framework, or one that nobody else knows
            kept.append(use)
        self._connect_events(kept, sides)
        return sorted(kept, key=lambda use: (use.event, use.service, not use.publishes))

    def _connect_events(self, uses: Iterable[EventUse], sides: Mapping[str, set[tuple[str, bool]]]) -> None:
        for use in uses:
            if use.publishes:
                consumers = {service for service, publishes in sides[use.event] if not publishes} - {use.service}
                for other in sorted(consumers):
                    self._edge(use.service, other, "event", use.event, use.evidence, use.confidence)

    def _stream_bindings(self) -> Iterator[EventUse]:
        """The topics that Spring Cloud Stream binds a service's channels to."""
        for one in self.found:
            for variable in one.properties:
                if (match := _STREAM_BINDING.search(variable.name)) and variable.value:
                    publishes = re.search(r"out|source|publish|produc|supplier", match[1], re.IGNORECASE) is not None
                    topic = self.resolver.text(variable.value, "", 0, one.service.name)
                    yield EventUse(one.service.name, topic, topic, publishes, variable.evidence, 0.8)

    def _event_name(self, path: str, message: EventMessage) -> str:
        text = self.resolver.text(message.topic, path, message.line)
        if message.kind == "celery":
            text = text.rpartition(".")[2]
        address = text.rpartition("/")[2] if "://" in text else text  # SQS queues by their URL
        name = address.rpartition(":")[2] if address.startswith("arn:") else address
        return "" if name.strip("{}./-_ ") == "" else name

    def _add_brokers(self, events: Iterable[EventUse]) -> None:
        """The brokers through which events go."""
        brokers = [
            one.service
            for one in self.found
            if one.service.role == "broker"
            or re.search(r"redis|valkey", " ".join((one.service.name, *one.service.stack)))
        ]
        for use in events:
            kind = use.evidence.kind
            fitting = [one for one in brokers if kind[:5] in " ".join((one.name, *one.stack)).lower()]
            if not fitting and kind not in ("event type", "redis", "bus"):
                fitting = [one for one in brokers if one.role == "broker"]
            if len(fitting) == 1 and not any(
                edge.source == use.service and edge.target == fitting[0].name for edge in self.edges.values()
            ):
                self._edge(use.service, fitting[0].name, "messaging", use.channel, use.evidence, 0.8)

    # Entities

    def _entities(self) -> tuple[list[Entity], list[EntityReference], list[EntityRelation]]:
        places: dict[str, list[tuple[int, str, Entity]]] = defaultdict(list)
        relations: list[tuple[str, str, str, Sighting]] = []
        for path, findings in self.tree.findings.items():
            service = self.owner.get(path, "")
            for record in findings.records if service else ():
                evidence = Sighting(path, record.line, record.kind)
                rank = (0 if record.strong else 2) + (0 if record.fields else 1)
                places[_entity_key(record.name)].append(
                    (
                        rank,
                        service,
                        Entity(
                            _entity_name(record.name), service, "", record.fields, evidence, f"{path}::{record.symbol}"
                        ),
                    )
                )
                relations += [(_entity_name(record.name), kind, other, evidence) for kind, other in record.relations]
        for path in (one.path for one in self.files if one.path.endswith(".sql") and one.path in self.owner):
            for table, fields, line in _tables(self.tree.read(path)):
                key = _entity_key(table)
                if key not in places or any(rank >= 5 for rank, _, _ in places[key]):
                    places[key].append(
                        (
                            5,
                            self.owner[path],
                            Entity(_camel(table), self.owner[path], "", fields, Sighting(path, line, "sql table")),
                        )
                    )
        for service, document in self.documents:
            for one in document.types if service or document.type == "protobuf" else ():
                if re.search(
                    r"(HttpRequest|Response|Req|Resp|Reply|Empty|Error|Input|Payload|Params|List|Page)$", one.name
                ):
                    continue
                owner = service or self._type_owner(document, one.name)
                if owner:
                    places[_entity_key(one.name)].append(
                        (
                            4,
                            owner,
                            Entity(one.name, owner, "", one.fields, Sighting(document.path, one.line, document.type)),
                        )
                    )
        for supplied in self.tree.supplied.entities:
            key, owned = _entity_key(supplied.name), self._service_named(supplied.owner)
            if owned or key in places:
                owned = owned or min(places[key], key=lambda place: place[0])[1]
                places[key].append((-1, owned, replace(supplied, owner=owned)))
        entities, references = [], []
        for key in sorted(places):
            ranked = sorted(
                places[key], key=lambda place: (place[0], -len(place[2].fields), place[1], place[2].evidence)
            )
            owner_entity = ranked[0][2]
            entities.append(owner_entity)
            for _, service, other in ranked[1:]:
                if service != owner_entity.owner:
                    references.append(EntityReference(service, owner_entity.name, other.evidence))
        known = {_entity_key(one.name): one.name for one in entities}
        cardinality = {
            "OneToMany": "1:N",
            "ManyToOne": "N:1",
            "ForeignKey": "N:1",
            "OneToOne": "1:1",
            "OneToOneField": "1:1",
            "ManyToMany": "N:M",
            "ManyToManyField": "N:M",
        }
        found = [
            EntityRelation(source, known[_entity_key(target)], "references", cardinality.get(kind, ""), evidence)
            for source, kind, target, evidence in relations
            if _entity_key(target) in known
        ]
        found += [
            replace(one, source=known[_entity_key(one.source)], target=known[_entity_key(one.target)])
            for one in self.tree.supplied.relations
            if {_entity_key(one.source), _entity_key(one.target)} <= known.keys()
        ]
        unique = {
            (one.service, one.entity): one for one in sorted(references, key=lambda one: one.evidence, reverse=True)
        }
        return entities, sorted(unique.values(), key=lambda one: (one.entity, one.service)), list(dict.fromkeys(found))

    def _type_owner(self, document: Document, name: str) -> str:
        """The service that serves the interfaces of a protobuf file, where it is only one."""
        owners = {
            service
            for interface, _, _ in document.interfaces
            for service in self._services_by_interface().get(interface, ())
        }
        return (
            next(iter(owners))
            if len(owners) == 1
            else next((service for service in sorted(owners) if _plain(name) in _plain(service)), "")
        )


def _traefik_paths(rule: str) -> list[str]:
    """The paths of a rule such as ``Host(`x`) && PathPrefix(`/y`)``; the root where it names none."""
    found = re.findall(r"Path(?:Prefix|Regexp)?\(([^)]*)\)", rule)
    return [path for one in found for path in re.findall(r"[`'\"]([^`'\"]+)", one)] or ["/"]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _slashes(path: str) -> str:
    return "/" + re.sub(r"/+", "/", path).strip("/")


def _show_parameters(path: str) -> str:
    """A path with its parameters as `{name}`."""

    def name_of_parameter(found: re.Match[str]) -> str:
        word = re.sub(r"^[{:<\[$]+|[}>\]?]+$", "", found[0]).split(":")
        name = word[0] if found[0][0] == "{" else word[-1]
        return "*" if found[0].startswith("*") else f"{{{name}}}"

    return _PARAMETER.sub(name_of_parameter, path)


def _segments(path: str) -> list[str]:
    return [_PARAMETER.sub("{}", part) for part in re.split(r"[?#]", path)[0].strip("/").split("/") if part]


def _shape(path: str) -> str:
    return "/" + "/".join(_segments(path)).lower()


def _matches(own: list[str], wanted: list[str]) -> int:
    """How well a request's path fits an endpoint's: 0 if it does not, else one more than its equal literal segments."""
    if own and own[-1] == "{}" and len(wanted) > len(own):
        return 0
    if len(own) != len(wanted):
        return 0
    score = 1
    for mine, theirs in zip(own, wanted, strict=True):
        if mine.lower() == theirs.lower():
            score += mine != "{}"
        elif ("{}" not in mine and "{}" not in theirs) or ("{}" not in mine and theirs != "{}"):
            return 0
    return score


def _entity_name(name: str) -> str:
    for suffix in names.NAME_SUFFIXES[1:4]:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name.removesuffix(suffix)
    return name


def _entity_key(name: str) -> str:
    plain = _plain(_entity_name(name))
    return (
        re.sub(r"ies$", "y", plain)
        if plain.endswith("ies")
        else plain.removesuffix("s")
        if not plain.endswith("ss")
        else plain
    )


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", name))


def _tables(text: str) -> Iterator[tuple[str, tuple[str, ...], int]]:
    for found in re.finditer(
        r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`\[]?(?:\w+[\"`\]]?\.[\"`\[]?)?(\w+)[\"`\]]?\s*\(",
        text,
        re.IGNORECASE,
    ):
        depth, at = 1, found.end()
        while at < len(text) and depth and at - found.end() < 20_000:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        rows = re.split(r",(?![^(]*\))", text[found.end() : at - 1])
        fields = [
            words[0].strip('"`[]')
            for row in rows
            if (words := row.split())
            and words[0].upper() not in ("PRIMARY", "FOREIGN", "UNIQUE", "CONSTRAINT", "KEY", "INDEX", "CHECK")
        ]
        yield found[1], tuple(fields), text.count("\n", 0, found.start()) + 1
