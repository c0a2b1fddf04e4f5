"""The context of one service as a Markdown block within a token budget: whole items by priority, none cut."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from clew.model.code import SCOPE
from clew.model.services import System
from clew.services.answers import BuilderContext, CrossServiceImpact, ReviewedViolation, ServiceView, Violation
from clew.services.knowledge_graph import KnowledgeGraph
from clew.services.questions import check_events, view

CHARACTERS_PER_TOKEN = 4
DEFAULT_BUDGET = 2000


class BlockSection(Struct, frozen=True):
    """`share` is the part of the budget that it may use before others have theirs; a lower `priority` is kept first."""

    title: str
    head: tuple[str, ...]
    items: tuple[str, ...]
    priority: int
    share: float


def context_text(
    view: ServiceView, budget: int = DEFAULT_BUDGET, quote: Callable[[str], str] = lambda text: text
) -> str:
    """The block, in reading order; omitted items are counted."""
    sections = [one for one in _sections(view, quote) if one.items]
    title = f"## Graph RAG Context: {quote(view.service_name)}"
    left = budget * CHARACTERS_PER_TOKEN - len(title)
    taken = dict.fromkeys((one.title for one in sections), 0)
    for limited in (True, False):
        for one in sorted(sections, key=lambda section: section.priority):
            room = min(left, int(budget * CHARACTERS_PER_TOKEN * one.share)) if limited else left
            start = taken[one.title]
            cost = 0 if start else len(_head(one))
            while taken[one.title] < len(one.items) and cost + len(one.items[taken[one.title]]) + 1 <= room:
                cost += len(one.items[taken[one.title]]) + 1
                taken[one.title] += 1
            if taken[one.title] > start:
                left -= cost
    parts = [title]
    for one in sections:
        if count := taken[one.title]:
            rest = len(one.items) - count
            parts.append(_head(one) + "\n".join(one.items[:count]) + (f"\n({rest} more)" if rest else ""))
    missing = [one.title for one in sections if not taken[one.title]]
    if missing:
        parts.append(f"Left out for room: {', '.join(missing)}.")
    return "\n\n".join(parts)


def _head(section: BlockSection) -> str:
    return "\n".join((f"### {section.title}", *section.head, ""))


def _sections(view: ServiceView, quote: Callable[[str], str]) -> Sequence[BlockSection]:
    depends = [f"- **Depends on:** {', '.join(map(quote, view.depends_on))}"] if view.depends_on else []
    if view.depended_on_by:
        depends.append(f"- **Depended on by:** {', '.join(map(quote, view.depended_on_by))}")
    provided = [_row(quote, one.method, one.path, one.handler) for one in view.provided_endpoints]
    consumed = [_row(quote, one.method, one.path, one.provider_service) for one in view.consumed_endpoints]
    published = [_row(quote, one.event_name, one.channel) for one in view.events_published]
    events = [_row(quote, one.event_name, one.publisher_service) for one in view.events_consumed]
    owned = [
        "\n".join((f"#### {quote(one.name)}", *(f"- {quote(field)}" for field in one.fields)))
        for one in view.owned_entities
    ]
    referenced = [
        "\n".join(
            (
                f"#### {quote(one.name)} (owned by {quote(one.owning_service)})",
                *(f"- {quote(field)}" for field in one.fields),
            )
        )
        for one in view.referenced_entities
    ]
    return (
        BlockSection("Service Dependencies", (), tuple(depends), 1, 0.05),
        BlockSection("APIs This Service Provides", _table("Method", "Path", "Handler"), tuple(provided), 4, 0.15),
        BlockSection(
            "APIs This Service Must Consume", _table("Method", "Path", "Provider Service"), tuple(consumed), 2, 0.30
        ),
        BlockSection("Events Published", _table("Event Name", "Channel"), tuple(published), 5, 0.05),
        BlockSection("Events Consumed", _table("Event Name", "Publisher"), tuple(events), 5, 0.05),
        BlockSection("Domain Entities Owned", (), tuple(owned), 6, 0.10),
        BlockSection("Domain Entities Referenced (from other services)", (), tuple(referenced), 3, 0.20),
        BlockSection("Cross-Service Integration Notes", (), tuple(f"- {quote(one)}" for one in view.notes), 7, 0.10),
    )


def _table(*names: str) -> tuple[str, ...]:
    return f"| {' | '.join(names)} |", f"|{'|'.join('---' for _ in names)}|"


def _row(quote: Callable[[str], str], *cells: str) -> str:
    return f"| {' | '.join(quote(cell).replace('|', '&#124;') for cell in cells)} |"


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
    return [_review_violation(graph, one, impact_of) for one in violations]


def _review_violation(
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
        for edge in graph.edges_to(node):
            other = edge.source.partition(SCOPE)[2].partition(SCOPE)[0]
            if edge.source.startswith(("file::", "symbol::")) and other != path:
                found.add(other)
    return tuple(sorted(found)[:MOST_DEPENDENTS])
