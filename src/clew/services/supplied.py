"""Facts that another program supplies as JSON: interfaces, a service map, a domain model and contracts.

They are kept in one file of the project's folder until others replace them, and joined with what the code shows. An
input that cannot be read is reported by name, and the others count.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from clew.model.services import Entity, EntityRelation, EventUse, Sighting
from clew.runtime.plain import open_own, read_own
from clew.services.contracts import Document, read_contract

FILE = "service-inputs.json"
KIND = "supplied"  # of evidence
INPUTS = ("service_interfaces_json", "service_map_json", "domain_model_json", "contracts_json")


class SuppliedService(Struct, frozen=True):
    name: str
    folder: str = ""
    domain: str = ""
    description: str = ""
    stack: tuple[str, ...] = ()
    estimated_loc: int = 0


class SuppliedEndpoint(Struct, frozen=True):
    service: str
    method: str
    path: str
    handler: str = ""
    file: str = ""
    line: int = 0


class SuppliedContract(Struct, frozen=True):
    """`document` is None if the text of its specification could not be read."""

    id: str
    type: str
    version: str
    service: str
    status: str
    document: Document | None = None


class SuppliedFacts(Struct, frozen=True):
    services: tuple[SuppliedService, ...] = ()
    endpoints: tuple[SuppliedEndpoint, ...] = ()
    events: tuple[EventUse, ...] = ()
    entities: tuple[Entity, ...] = ()
    relations: tuple[EntityRelation, ...] = ()
    contracts: tuple[SuppliedContract, ...] = ()
    problems: tuple[str, ...] = ()
    stamp: str = ""


NOTHING = SuppliedFacts()


class SuppliedInputs:
    """The inputs of one project. `folder` is that of Clew in the project."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._known: tuple[bytes, SuppliedFacts] = (b"", NOTHING)

    def facts(self) -> SuppliedFacts:
        data = b""
        with suppress(OSError):
            data = read_own(self._path)
        if data != self._known[0]:
            self._known = data, read_facts(_texts(data))
        return self._known[1]

    def replace(self, given: Mapping[str, str]) -> None:
        """Keep these inputs in place of earlier ones of their kinds; `{}` or `[]` removes one."""
        data = b""
        with suppress(OSError):
            data = read_own(self._path)
        texts = {**_texts(data), **given}
        kept = {name: text for name, text in texts.items() if text.strip() not in ("{}", "[]", "")}
        waiting = self._path.with_suffix(f".{os.getpid()}")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open_own(waiting, "wb") as file:
            file.write(msgspec.json.encode(kept))
            file.flush()
            os.fsync(file.fileno())
        waiting.replace(self._path)


def _texts(data: bytes) -> dict[str, str]:
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(data, type=dict[str, str])
    return {}


def read_facts(texts: Mapping[str, str]) -> SuppliedFacts:
    """The facts of some inputs, by their names; never fails."""
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name in INPUTS:
        if text := texts.get(name, ""):
            try:
                values[name] = msgspec.json.decode(text)
            except msgspec.MsgspecError as error:
                problems.append(f"{name} is not readable as JSON: {error}.")
            else:
                if not isinstance(values[name], dict | list):
                    problems.append(f"{name} is neither an object nor a list.")
                    del values[name]
    interfaces = list(_entries_by_name(values.get("service_interfaces_json"), "service_name"))
    services = list(_services(values.get("service_map_json")))
    known = {one.name for one in services}
    services += [SuppliedService(name) for name, _ in interfaces if name not in known]
    entities, relations = _domain(values.get("domain_model_json"))
    contracts = tuple(_contracts(values.get("contracts_json"), problems))
    for name, found in (("service_map_json", services), ("domain_model_json", entities), ("contracts_json", contracts)):
        if values.get(name) and not found:
            problems.append(f"{name} holds nothing that is known.")
    return SuppliedFacts(
        tuple(services),
        tuple(one for name, value in interfaces for one in _endpoints(name, value)),
        tuple(one for name, value in interfaces for one in _events(name, value)),
        tuple(entities),
        tuple(relations),
        contracts,
        tuple(problems),
        sha256(msgspec.json.encode(sorted(texts.items()))).hexdigest() if texts else "",
    )


def _place(name: str) -> Sighting:
    return Sighting(name, 0, KIND)


def _entries_by_name(value: Any, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of an object by name, or of a list by the name that each has."""
    if isinstance(value, dict):
        inner = value.get("services") or value.get("interfaces")
        if isinstance(inner, dict | list):
            yield from _entries_by_name(inner, key)
            return
        pairs = list(value.items())
    else:
        pairs = [("", one) for one in value or ()]
    for name, one in pairs:
        if isinstance(one, dict) and (found := name or _text(one, key, "name")):
            yield found, one


def _text(value: Mapping[str, Any], *keys: str) -> str:
    return next((str(value[key]) for key in keys if isinstance(value.get(key), str | int | float)), "")


def _rows(value: Mapping[str, Any], *keys: str) -> list[Any]:
    return next((found for key in keys if isinstance(found := value.get(key), list)), [])


def _services(value: Any) -> Iterator[SuppliedService]:
    for name, one in _entries_by_name(value, "name"):
        stack = one.get("stack")
        words = stack.values() if isinstance(stack, dict) else stack if isinstance(stack, list) else [stack]
        size = one.get("estimated_loc")
        yield SuppliedService(
            name,
            _text(one, "path", "folder", "directory").strip("/"),
            _text(one, "domain"),
            _text(one, "description"),
            tuple(str(word) for word in words if isinstance(word, str) and word),
            size if isinstance(size, int) else 0,
        )


def _endpoints(service: str, value: Mapping[str, Any]) -> Iterator[SuppliedEndpoint]:
    for one in _rows(value, "endpoints"):
        if isinstance(one, dict) and (path := _text(one, "path", "route")):
            line = one.get("line") or one.get("line_start") or 0
            yield SuppliedEndpoint(
                service,
                _text(one, "method").upper() or "ANY",
                path,
                _text(one, "handler", "handler_symbol", "function", "handler_function", "name"),
                _text(one, "file_path", "file"),
                line if isinstance(line, int) else 0,
            )


def _events(service: str, value: Mapping[str, Any]) -> Iterator[EventUse]:
    for key, publishes in (("events_published", True), ("events_consumed", False)):
        for one in _rows(value, key):
            row = one if isinstance(one, dict) else {"name": one}
            if name := _text(row, "event_name", "name", "event"):
                channel = _text(row, "channel", "topic") or name
                yield EventUse(service, name, channel, publishes, _place("service_interfaces_json"))


def _domain(value: Any) -> tuple[list[Entity], list[EntityRelation]]:
    if not isinstance(value, dict):
        return [], []
    place = _place("domain_model_json")
    entities = [
        Entity(
            name,
            _text(one, "owning_service", "service"),
            _text(one, "description"),
            tuple(filter(None, map(_field, _rows(one, "fields")))),
            place,
        )
        for name, one in _entries_by_name(value.get("entities"), "name")
    ]
    relations = [
        EntityRelation(source, target, _text(one, "relationship_type", "type"), _text(one, "cardinality"), place)
        for one in _rows(value, "relationships")
        if isinstance(one, dict)
        and (source := _text(one, "source_entity", "source", "from"))
        and (target := _text(one, "target_entity", "target", "to"))
    ]
    return entities, relations


def _field(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    name, kind = _text(value, "name"), _text(value, "type")
    return f"{name}: {kind}" if kind else name


def _contracts(value: Any, problems: list[str]) -> Iterator[SuppliedContract]:
    rows = value.get("contracts") if isinstance(value, dict) else value
    for number, one in enumerate(rows if isinstance(rows, list) else ()):
        if not isinstance(one, dict):
            continue
        name = _text(one, "id", "contract_id") or f"contracts_json#{number + 1}"
        spec = next((one[key] for key in ("spec", "spec_json", "content") if one.get(key)), "")
        text = spec if isinstance(spec, str) else msgspec.json.encode(spec).decode()
        document = read_contract(f"{name}.json", text, literal=True) if text else None
        if text and document is None:
            problems.append(f"contracts_json: the specification of {name} is not readable.")
        yield SuppliedContract(
            name,
            _text(one, "type", "contract_type") or (document.type if document else ""),
            _text(one, "version") or (document.version if document else ""),
            _text(one, "service_name", "service"),
            _text(one, "status") or "active",
            document,
        )
