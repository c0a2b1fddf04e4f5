"""The changes between two states of a system, and the services that they break."""

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from clew.model.services import Endpoint, System


class ServiceChange(Struct, frozen=True, omit_defaults=True):
    """`kind` is service, endpoint, field, status, event or entity, with removed, added, narrowed or changed behind it.

    `breaks` are the services that use what is gone or narrower; a change without any may break what is outside.
    """

    kind: str
    service: str
    subject: str
    breaking: bool
    breaks: tuple[str, ...] = ()
    detail: str = ""
    path: str = ""
    line: int = 0


def changes(old: System, new: System) -> list[ServiceChange]:
    """All changes, those that break somebody first."""
    found = [*_services(old, new), *_endpoints(old, new), *_events(old, new), *_entities(old, new)]
    return sorted(found, key=lambda one: (not one.breaking, not one.breaks, one.service, one.kind, one.subject))


def _services(old: System, new: System) -> Iterator[ServiceChange]:
    before, after = ({one.name: one for one in system.services} for system in (old, new))
    users: dict[str, set[str]] = defaultdict(set)
    for edge in old.edges:
        users[edge.target].add(edge.source)
    for name in sorted(before.keys() - after.keys()):
        left = tuple(sorted(one for one in users[name] if one in after))
        place = before[name].evidence
        yield ServiceChange("service removed", name, name, bool(left), left, "", place.path, place.line)
    for name in sorted(after.keys() - before.keys()):
        place = after[name].evidence
        yield ServiceChange("service added", name, name, breaking=False, path=place.path, line=place.line)


def _endpoints(old: System, new: System) -> Iterator[ServiceChange]:
    before, after = ({one.id: one for one in system.endpoints} for system in (old, new))
    callers: dict[str, set[str]] = defaultdict(set)
    for edge in old.edges:
        if edge.endpoint:
            callers[edge.endpoint].add(edge.source)
    kept = {one.name for one in new.services}
    for name in sorted(before.keys() - after.keys()):
        one = before[name]
        if one.service in kept:
            breaks = tuple(sorted(callers[name]))
            yield _about(one, "endpoint removed", breaking=True, breaks=breaks)
    for name in sorted(after.keys() - before.keys()):
        yield _about(after[name], "endpoint added", breaking=False)
    for name in sorted(before.keys() & after.keys()):
        for kind, detail, breaking in _fields(before[name].fields, after[name].fields):
            breaks = tuple(sorted(callers[name])) if breaking else ()
            yield _about(after[name], kind, breaking=breaking, breaks=breaks, detail=detail)


def _about(
    endpoint: Endpoint, kind: str, *, breaking: bool, breaks: tuple[str, ...] = (), detail: str = ""
) -> ServiceChange:
    subject = f"{endpoint.method} {endpoint.path}"
    place = endpoint.evidence
    return ServiceChange(kind, endpoint.service, subject, breaking, breaks, detail, place.path, place.line)


def _fields(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[tuple[str, str, bool]]:
    """Changed fields of an endpoint: kind, field, and whether it breaks; nothing if one side declares none."""
    if not old or not new:
        return
    before, after = (dict(_split_field(one) for one in fields) for fields in (old, new))
    for name in sorted(before.keys() - after.keys()):
        is_status = name.startswith("status.")
        asked = name.startswith(("request", "parameter"))
        yield "status removed" if is_status else "field removed", name, not asked
    for name in sorted(after.keys() - before.keys()):
        required = after[name].endswith("!") and name.startswith(("request", "parameter"))
        yield "field narrowed" if required else "field added", f"{name} is required" if required else name, required
    for name in sorted(before.keys() & after.keys()):
        was, now = before[name], after[name]
        if was != now:
            yield _compare_field(name, was, now)


def _split_field(field: str) -> tuple[str, str]:
    name, _, kind = field.partition(": ")
    return name, kind


def _compare_field(name: str, was: str, now: str) -> tuple[str, str, bool]:
    """A field with another type, set of values or need; answers may promise more, requests may ask for less."""
    asked = name.startswith(("request", "parameter"))
    detail = f"{name}: {was} → {now}"
    old_type, new_type = was.rstrip("!"), now.rstrip("!")
    if old_type == new_type:
        breaking = now.endswith("!") if asked else was.endswith("!")
        return ("field narrowed" if breaking else "field changed"), detail, breaking
    old_values, new_values = set(old_type.split("|")), set(new_type.split("|"))
    if len(old_values) > 1 and len(new_values) > 1:
        breaking = bool(old_values - new_values) if asked else bool(new_values - old_values)
        return ("field narrowed" if breaking else "field changed"), detail, breaking
    return "field changed", detail, True


def _events(old: System, new: System) -> Iterator[ServiceChange]:
    before, after = ({(one.service, one.event, one.publishes): one for one in system.events} for system in (old, new))
    consumers: dict[str, set[str]] = defaultdict(set)
    for one in new.events:
        if not one.publishes:
            consumers[one.event].add(one.service)
    published = {one.event for one in new.events if one.publishes}
    for key in sorted(before.keys() - after.keys()):
        gone = before[key]
        waiting = tuple(sorted(consumers[gone.event] - {gone.service})) if gone.publishes else ()
        breaking = gone.publishes and gone.event not in published
        kind = "event removed" if gone.publishes else "consumer removed"
        place = gone.evidence
        yield ServiceChange(kind, gone.service, gone.event, breaking, waiting, "", place.path, place.line)
    for key in sorted(after.keys() - before.keys()):
        one = after[key]
        kind = "event added" if one.publishes else "consumer added"
        yield ServiceChange(
            kind, one.service, one.event, breaking=False, path=one.evidence.path, line=one.evidence.line
        )


def _entities(old: System, new: System) -> Iterator[ServiceChange]:
    before, after = ({one.name: one for one in system.entities} for system in (old, new))
    users: dict[str, set[str]] = defaultdict(set)
    for reference in new.references:
        users[reference.entity].add(reference.service)
    for name in sorted(before.keys() & after.keys()):
        gone = sorted(
            {_split_field(one)[0] for one in before[name].fields} - {_split_field(one)[0] for one in after[name].fields}
        )
        if gone and after[name].fields:
            place, breaks = after[name].evidence, tuple(sorted(users[name]))
            detail = f"without {', '.join(gone)}"
            yield ServiceChange(
                "entity narrowed", after[name].owner, name, bool(breaks), breaks, detail, place.path, place.line
            )
