"""Context from the whole system for builds and reviews of single services.

A builder gets the context of its service. Findings about dead events and contracts are compared with the usage by other
services, and get the priority and the warnings that their reach calls for.
"""

import re
from collections.abc import Callable, Sequence

from clew.model.code import SCOPE
from clew.model.services import System
from clew.services.answers import BuilderContext, CrossServiceImpact, ReviewedViolation, Violation
from clew.services.context_block import context_text
from clew.services.knowledge_graph import KnowledgeGraph
from clew.services.questions import check_events, view

RAISES = 10  # more impacted nodes raise a priority by one
MOST_DEPENDENTS = 20
DEAD_EVENT, DEAD_CONTRACT = "ADV-001", "ADV-002"
PRIORITIES = ("P0", "P1", "P2", "P3")


def builder_context(system: System, name: str, budget: int, quote: Callable[[str], str]) -> BuilderContext:
    found = view(system, name, 2)
    path = next(one.path for one in system.services if one.name == name)
    return BuilderContext(name, path, found.depends_on, found.depended_on_by, context_text(found, budget, quote))


def instructions(context: BuilderContext) -> str:
    """A section for CLAUDE.md or AGENTS.md, between marks by which it is found again."""
    first, last = _marks(context.service_name)
    return f"{first}\n{context.graph_rag_context}\n{last}\n"


def with_instructions(text: str, context: BuilderContext) -> str:
    """A text with the section of a service in place of its earlier one, or at the end."""
    section = instructions(context)
    first, last = _marks(context.service_name)
    pattern = re.compile(rf"{re.escape(first)}\n.*?{re.escape(last)}\n?", re.DOTALL)
    if pattern.search(text):
        return pattern.sub(lambda _: section, text, count=1)
    return f"{text.rstrip()}\n\n{section}" if text.strip() else section


def _marks(name: str) -> tuple[str, str]:
    shown = re.sub(r"[^\w.@-]", "_", name)
    return f"<!-- clew:service {shown} -->", f"<!-- /clew:service {shown} -->"


def review(
    graph: KnowledgeGraph,
    violations: Sequence[Violation],
    impact_of: Callable[[str], CrossServiceImpact | None],
) -> list[ReviewedViolation]:
    """Each violation with its reach in the system, in their order."""
    return [_reviewed(graph, one, impact_of) for one in violations]


def _reviewed(
    graph: KnowledgeGraph, violation: Violation, impact_of: Callable[[str], CrossServiceImpact | None]
) -> ReviewedViolation:
    reason = ""
    if violation.code == DEAD_EVENT:
        reason = _published_elsewhere(graph.system, violation)
    elif violation.code == DEAD_CONTRACT:
        reason = _called_by_others(graph.system, violation)
    found = impact_of(violation.file_path) if violation.file_path else None
    total = found.total_impacted_nodes if found else 0
    raised = total > RAISES and violation.priority in PRIORITIES[1:]
    priority = PRIORITIES[PRIORITIES.index(violation.priority) - 1] if raised else violation.priority
    return ReviewedViolation(
        violation,
        bool(reason),
        reason,
        priority,
        raised,
        total,
        _action(found) if found else "",
        dependents(graph, violation.file_path),
    )


def _published_elsewhere(system: System, violation: Violation) -> str:
    """Why the handler of an event is not dead: another service publishes it."""
    events = {violation.event_name} if violation.event_name else _events_at(system, violation)
    for match in check_events(system).matched_events:
        publishers = [one for one in match.publishers if one != violation.service_name]
        if match.event_name in events and publishers:
            return f"{', '.join(publishers)} publish{'es' if len(publishers) == 1 else ''} {match.event_name}."
    return ""


def _events_at(system: System, violation: Violation) -> set[str]:
    """The events that are consumed at a place: on its line, else anywhere in the file."""
    here = [one for one in system.events if not one.publishes and one.evidence.path == violation.file_path]
    exact = {one.event for one in here if one.evidence.line == violation.line}
    return exact or {one.event for one in here if not violation.line or abs(one.evidence.line - violation.line) <= 5}


def _called_by_others(system: System, violation: Violation) -> str:
    """Why a contract is not dead: another service calls the service that offers it."""
    service = violation.service_name or next(
        (one.service for one in system.contracts if violation.contract_id in (one.id, f"contract::{one.id}")), ""
    )
    service = service or next(
        (one.service for one in system.contracts if violation.file_path and one.evidence.path == violation.file_path),
        "",
    )
    callers = sorted({one.source for one in system.edges if service and one.target == service})
    return f"{', '.join(callers)} use{'s' if len(callers) == 1 else ''} {service}." if callers else ""


def _action(found: CrossServiceImpact) -> str:
    if not found.total_impacted_nodes:
        return ""
    names = ", ".join(one.service_name for one in found.impacted_services)
    reach = f", in other services: {names}" if names else ""
    return f"A change here affects {found.total_impacted_nodes} nodes{reach}."


def dependents(graph: KnowledgeGraph, path: str) -> tuple[str, ...]:
    """The files that depend on a file, or on its definitions."""
    if not path or graph.whole.find(path) < 0:
        return ()
    inside = [path, *(one for _, one in graph.whole.inside(path))]
    found = set()
    for place in inside:
        node = f"symbol::{place}" if SCOPE in place else f"file::{place}"
        for edge in graph.incoming(node):
            other = edge.source.partition(SCOPE)[2].partition(SCOPE)[0]
            if edge.source.startswith(("file::", "symbol::")) and other != path:
                found.add(other)
    return tuple(sorted(found)[:MOST_DEPENDENTS])
