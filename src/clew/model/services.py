"""The service graph: the services of a system, the contracts that they offer, and the traffic between them."""

from msgspec import Struct


class Sighting(Struct, frozen=True, order=True):
    """Where a finding stands, and by which kind of evidence."""

    path: str
    line: int
    kind: str = "code"


class Service(Struct, frozen=True):
    """`role` is service, database, broker, gateway, discovery, configuration, monitoring or identity. `path` is the
    folder of its source, empty for a service that only runs as an image. `domain` and `estimated_loc` are known only
    where another program supplied them."""

    name: str
    path: str
    role: str
    stack: tuple[str, ...]
    evidence: Sighting
    aliases: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    description: str = ""
    confidence: float = 1.0
    domain: str = ""
    estimated_loc: int = 0


class Contract(Struct, frozen=True):
    """`status` is active, deprecated, or implicit: of endpoints that only code declares."""

    id: str
    type: str
    version: str
    service: str
    status: str
    evidence: Sighting


class Endpoint(Struct, frozen=True):
    service: str
    method: str
    path: str
    contract: str
    evidence: Sighting
    handler: str = ""  # the id of the symbol that answers it
    summary: str = ""
    fields: tuple[str, ...] = ()  # of its request and responses, where a contract declares them
    confidence: float = 1.0

    @property
    def id(self) -> str:
        return f"endpoint::{self.service}::{self.method}::{self.path}"


class ServiceEdge(Struct, frozen=True):
    """One service uses another: `kind` is http, grpc, graphql, event, import, database, messaging, discovery,
    configuration, monitoring, identity, gateway or network; `label` tells the endpoint, the event, or the used
    resource."""

    source: str
    target: str
    kind: str
    label: str
    evidence: Sighting
    confidence: float
    endpoint: str = ""  # the id of the endpoint that is called, where it is known


class EventUse(Struct, frozen=True):
    """A service publishes or consumes an event."""

    service: str
    event: str
    channel: str
    publishes: bool
    evidence: Sighting
    confidence: float = 1.0


class Entity(Struct, frozen=True):
    """A kind of thing that a service stores or exchanges."""

    name: str
    owner: str
    description: str
    fields: tuple[str, ...]
    evidence: Sighting
    symbol: str = ""


class EntityReference(Struct, frozen=True):
    """A service declares or uses an entity that another one owns."""

    service: str
    entity: str
    evidence: Sighting


class EntityRelation(Struct, frozen=True):
    source: str
    target: str
    type: str
    cardinality: str
    evidence: Sighting


class System(Struct, frozen=True):
    """All services of a project and their connections; `problems` lists parts that could not be read or resolved."""

    services: tuple[Service, ...] = ()
    contracts: tuple[Contract, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()
    edges: tuple[ServiceEdge, ...] = ()
    events: tuple[EventUse, ...] = ()
    entities: tuple[Entity, ...] = ()
    references: tuple[EntityReference, ...] = ()
    relations: tuple[EntityRelation, ...] = ()
    problems: tuple[str, ...] = ()
    unresolved: int = 0  # requests and events whose address or name is not known
