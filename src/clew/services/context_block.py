"""The context of one service as a Markdown block within a token budget: whole items by priority, none cut."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from clew.services.answers import ServiceView

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
