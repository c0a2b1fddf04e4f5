"""Answers to questions about a system."""

from typing import Annotated

from msgspec import Meta, Struct


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


class BuilderContext(Struct, frozen=True):
    """`graph_rag_context` is Markdown for the configuration of a builder, and for its CLAUDE.md or AGENTS.md."""

    service_name: str
    path: str
    depends_on: tuple[str, ...]
    depended_on_by: tuple[str, ...]
    graph_rag_context: str


class Violation(Struct, frozen=True, omit_defaults=True):
    """A finding of another checker."""

    code: Annotated[str, Meta(description="ADV-001: dead event handler; ADV-002: dead contract; or any other.")]
    message: Annotated[str, Meta(description="Repeated as it is.")] = ""
    file_path: Annotated[str, Meta(description="The file to be fixed.")] = ""
    line: Annotated[int, Meta(description="Where in the file.")] = 0
    event_name: Annotated[str, Meta(description="The event; else that of the line.")] = ""
    contract_id: Annotated[str, Meta(description="The contract; else that of the file.")] = ""
    service_name: Annotated[str, Meta(description="The service that it is about.")] = ""
    priority: Annotated[str, Meta(description="P0 to P3.")] = ""


class ReviewedViolation(Struct, frozen=True, omit_defaults=True):
    """`suppressed` if another service shows that it is none, with the reason. `action` says what its fix reaches, and
    `dependents` are files that depend on the file to be fixed."""

    violation: Violation
    suppressed: bool
    reason: str = ""
    priority: str = ""
    raised: bool = False
    total_impacted_nodes: int = 0
    action: str = ""
    dependents: tuple[str, ...] = ()
