"""What questions about a system answer."""

from msgspec import Struct


class ProvidedEndpoint(Struct, frozen=True):
    method: str
    path: str
    handler: str
    contract_id: str


class ConsumedEndpoint(Struct, frozen=True, omit_defaults=True):
    method: str
    path: str
    provider_service: str
    kind: str = "http"


class PublishedEvent(Struct, frozen=True):
    event_name: str
    channel: str


class ConsumedEvent(Struct, frozen=True):
    event_name: str
    publisher_service: str


class OwnedEntity(Struct, frozen=True):
    name: str
    fields: tuple[str, ...]


class ReferencedEntity(Struct, frozen=True):
    name: str
    owning_service: str
    fields: tuple[str, ...]


class ServiceView(Struct, frozen=True):
    """One service with everything that connects it."""

    service_name: str
    provided_endpoints: tuple[ProvidedEndpoint, ...]
    consumed_endpoints: tuple[ConsumedEndpoint, ...]
    events_published: tuple[PublishedEvent, ...]
    events_consumed: tuple[ConsumedEvent, ...]
    owned_entities: tuple[OwnedEntity, ...]
    referenced_entities: tuple[ReferencedEntity, ...]
    depends_on: tuple[str, ...]
    depended_on_by: tuple[str, ...]
    indirect: tuple[str, ...] = ()  # what it depends on further away
    notes: tuple[str, ...] = ()


class EventMatch(Struct, frozen=True):
    """`path` and `line` are the first place that speaks of it."""

    event_name: str
    channel: str
    publishers: tuple[str, ...]
    consumers: tuple[str, ...]
    path: str
    line: int


class EventCheck(Struct, frozen=True):
    orphaned_events: tuple[EventMatch, ...]
    unmatched_consumers: tuple[EventMatch, ...]
    matched_events: tuple[EventMatch, ...]
    total_events: int
    match_rate: float


class ServiceImpact(Struct, frozen=True):
    service_name: str
    impact_count: int
    impact_paths: tuple[tuple[str, ...], ...]


class ContractImpact(Struct, frozen=True):
    contract_id: str
    service_name: str
    endpoints_affected: tuple[str, ...]


class EntityImpact(Struct, frozen=True):
    entity_name: str
    owning_service: str


class CrossServiceImpact(Struct, frozen=True):
    source_node: str
    source_service: str
    impacted_services: tuple[ServiceImpact, ...]
    impacted_contracts: tuple[ContractImpact, ...]
    impacted_entities: tuple[EntityImpact, ...]
    total_impacted_nodes: int


class MisplacedFile(Struct, frozen=True):
    file: str
    declared_service: str
    community_service: str
    confidence: float


class Coupling(Struct, frozen=True):
    service_a: str
    service_b: str
    cross_edges: int


class Boundaries(Struct, frozen=True):
    communities_detected: int
    services_declared: int
    alignment_score: float
    misplaced_files: tuple[MisplacedFile, ...]
    isolated_files: tuple[str, ...]
    service_coupling: tuple[Coupling, ...]
