"""Contracts that a project declares: OpenAPI, AsyncAPI, JSON Schema, protobuf and GraphQL."""

import re
from collections.abc import Iterator

from msgspec import Struct

from clew.services.documents import NONE, DocumentNode, read_yaml

_METHODS = ("get", "post", "put", "delete", "patch", "options", "head", "trace")


class Operation(Struct, frozen=True):
    method: str
    path: str
    line: int
    name: str = ""
    summary: str = ""
    fields: tuple[str, ...] = ()


class Channel(Struct, frozen=True):
    event: str
    channel: str
    publishes: bool
    line: int


class SchemaType(Struct, frozen=True):
    name: str
    fields: tuple[str, ...]
    line: int


class Document(Struct, frozen=True):
    """One contract: `interfaces` are the services of a protobuf file with their methods."""

    path: str
    type: str
    title: str
    version: str
    line: int
    operations: tuple[Operation, ...] = ()
    channels: tuple[Channel, ...] = ()
    types: tuple[SchemaType, ...] = ()
    servers: tuple[str, ...] = ()
    interfaces: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...] = ()
    package: str = ""
    deprecated: bool = False


def read_contract(path: str, text: str, literal: bool = False) -> Document | None:
    """The contract that a file declares, if any. `literal`: AsyncAPI 2 is read from the service's perspective."""
    lowered = path.lower()
    if lowered.endswith(".proto"):
        return _protobuf(path, text)
    if lowered.endswith((".graphql", ".graphqls", ".gql")):
        return _graphql(path, text)
    if not lowered.endswith((".yaml", ".yml", ".json")) or len(text) > 2_000_000:
        return None
    head = text[:4000]
    if re.search(r"""["']?(openapi|swagger)["']?\s*:\s*["']?[123]""", head):
        return next((_openapi(path, one) for one in read_yaml(text)[:1]), None)
    if re.search(r"""["']?asyncapi["']?\s*:""", head):
        return next((_asyncapi(path, one, literal) for one in read_yaml(text)[:1]), None)
    if lowered.endswith(".json") and '"$schema"' in head and "json-schema.org" in head and '"properties"' in text:
        return next((_json_schema(path, one) for one in read_yaml(text)[:1]), None)
    return None


def _openapi(path: str, root: DocumentNode) -> Document:
    base = root.get("basePath").value().rstrip("/")
    servers = tuple(one.get("url").value() for one in root.get("servers").elements())
    if not base and len(servers) == 1 and (found := re.match(r"(?:https?://[^/]*)?(/.+?)/?$", servers[0])):
        base = found[1] if "://" not in servers[0] or found[1] != "/" else ""
    operations = []
    for route, _, item in root.get("paths").pairs():
        for method, line, operation in item.pairs():
            if method in _METHODS:
                fields = tuple(dict.fromkeys(_operation_fields(root, operation)))
                operations.append(
                    Operation(
                        method.upper(),
                        f"{base}{route}",
                        line,
                        operation.get("operationId").value(),
                        operation.get("summary").value(),
                        fields,
                    )
                )
    types = tuple(
        _schema(name, line, root, node)
        for name, line, node in [*root.get("components", "schemas").pairs(), *root.get("definitions").pairs()]
    )
    info = root.get("info")
    host = root.get("host").value()
    return Document(
        path,
        "openapi",
        info.get("title").value(),
        info.get("version").value(),
        root.line,
        tuple(operations),
        types=types,
        servers=servers or ((host,) if host else ()),
    )


def _operation_fields(root: DocumentNode, operation: DocumentNode) -> Iterator[str]:
    """`request.name: type`, `response.200.name: type` and `parameter.name: type`; required ones end in `!`."""
    for one in operation.get("parameters").elements():
        one = _follow_reference(root, one)
        required = "!" if one.get("required").value() == "true" else ""
        if one.get("in").value() == "body":
            yield from (f"request.{field}" for field in _schema_fields(root, one.get("schema")))
        else:
            kind = one.get("schema", "type").value() or one.get("type").value()
            yield f"parameter.{one.get('name').value()}: {kind}{required}"
    for _, _, media in _follow_reference(root, operation.get("requestBody")).get("content").pairs():
        yield from (f"request.{field}" for field in _schema_fields(root, media.get("schema")))
    for status, _, response in operation.get("responses").pairs():
        yield f"status.{status}"
        response = _follow_reference(root, response)
        schemas = [media.get("schema") for _, _, media in response.get("content").pairs()] or [response.get("schema")]
        for schema in schemas:
            yield from (f"response.{status}.{field}" for field in _schema_fields(root, schema))


def _follow_reference(root: DocumentNode, node: DocumentNode, depth: int = 0) -> DocumentNode:
    reference = node.get("$ref").value()
    if not reference.startswith("#/") or depth > 8:
        return node
    return _follow_reference(root, root.get(*reference[2:].replace("~1", "/").replace("~0", "~").split("/")), depth + 1)


def _schema_fields(root: DocumentNode, schema: DocumentNode, depth: int = 0) -> Iterator[str]:
    schema = _follow_reference(root, schema)
    if schema.get("type").value() == "array":
        yield from (f"[].{field}" for field in _schema_fields(root, schema.get("items"), depth + 1) if depth < 4)
        return
    required = {one.value() for one in schema.get("required").elements()}
    for part in [schema, *(schema.get("allOf").elements() if depth < 4 else ())]:
        part = _follow_reference(root, part)
        required |= {one.value() for one in part.get("required").elements()}
        for name, _, node in part.get("properties").pairs():
            yield f"{name}: {_type_name(node)}{'!' if name in required else ''}"


def _type_name(node: DocumentNode) -> str:
    reference = node.get("$ref").value().rpartition("/")[2]
    if node.get("type").value() == "array":
        return f"{_type_name(node.get('items'))}[]"
    if values := node.get("enum").elements():
        return "|".join(one.value() for one in values)
    return reference or node.get("type").value() or "object"


def _schema(name: str, line: int, root: DocumentNode, node: DocumentNode) -> SchemaType:
    return SchemaType(name, tuple(_schema_fields(root, node)), line)


def _asyncapi(path: str, root: DocumentNode, literal: bool) -> Document:
    info, channels = root.get("info"), []
    if root.get("asyncapi").value().startswith("3"):
        addresses = {name: (node.get("address").value() or name) for name, _, node in root.get("channels").pairs()}
        for name, line, operation in root.get("operations").pairs():
            key = operation.get("channel", "$ref").value().rpartition("/")[2]
            channels.append(
                Channel(
                    name if literal else addresses.get(key, key),
                    addresses.get(key, key),
                    operation.get("action").value() == "send",
                    line,
                )
            )
    else:
        for name, _, channel in root.get("channels").pairs():
            for word in ("publish", "subscribe"):
                if operation := channel.get(word):
                    # The specification tells what clients may do: an application receives what is published to it.
                    publishes = (word == "publish") == literal
                    event = operation.get("operationId").value() if literal else ""
                    channels.append(Channel(event or name, name, publishes, channel.line_of(word)))
    types = tuple(_schema(name, line, root, node) for name, line, node in root.get("components", "schemas").pairs())
    return Document(
        path,
        "asyncapi",
        info.get("title").value(),
        info.get("version").value(),
        root.line,
        channels=tuple(channels),
        types=types,
    )


def _json_schema(path: str, root: DocumentNode) -> Document:
    title = root.get("title").value() or path.rpartition("/")[2].partition(".")[0]
    types = [SchemaType(title, tuple(_schema_fields(root, root)), root.line)]
    for key in ("definitions", "$defs"):
        types += [_schema(name, line, root, node) for name, line, node in root.get(key).pairs()]
    return Document(path, "json_schema", title, root.get("version").value(), root.line, types=tuple(types))


def _protobuf(path: str, text: str) -> Document:
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    package = found[1] if (found := re.search(r"^\s*package\s+([\w.]+)\s*;", plain, re.MULTILINE)) else ""
    interfaces, types, operations = [], [], []
    for kind, name, line, body, start in _blocks(plain):
        if kind == "service":
            methods = tuple((rpc[1], _line(plain, start + rpc.start(1))) for rpc in re.finditer(r"\brpc\s+(\w+)", body))
            interfaces.append((name, line, methods))
            prefix = f"{package}.{name}" if package else name
            declared = r"\brpc\s+(\w+)\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)\s*returns\s*\(\s*(?:stream\s+)?([\w.]+)"
            operations += [
                Operation(
                    "GRPC",
                    f"/{prefix}/{rpc[1]}",
                    _line(plain, start + rpc.start()),
                    rpc[1],
                    fields=(f"request: {rpc[2]}", f"response: {rpc[3]}"),
                )
                for rpc in re.finditer(declared, body)
            ]
        else:
            fields = tuple(
                f"{one[3]}: {'repeated ' if one[1] else ''}{one[2]} = {one[4]}"
                for one in re.finditer(
                    r"(?:^|;|\{)\s*(repeated\s+|optional\s+|required\s+)?((?:map\s*<[^>]*>)|[\w.]+)\s+(\w+)\s*=\s*(\d+)",
                    body,
                    re.MULTILINE,
                )
            )
            types.append(SchemaType(name, fields, line))
    return Document(
        path,
        "protobuf",
        package or path.rpartition("/")[2],
        "",
        1,
        tuple(operations),
        types=tuple(types),
        interfaces=tuple(interfaces),
        package=package,
    )


def _blocks(text: str) -> Iterator[tuple[str, str, int, str, int]]:
    for found in re.finditer(r"\b(service|message)\s+(\w+)\s*\{", text):
        depth, at = 1, found.end()
        while at < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield found[1], found[2], _line(text, found.start()), text[found.end() : at - 1], found.end()


def _graphql(path: str, text: str) -> Document | None:
    plain = re.sub(r'"""(?:.*?)"""|\#[^\n]*', lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    operations, types = [], []
    for found in re.finditer(
        r"^\s*(?:extend\s+)?(type|input|interface)\s+(\w+)[^{\n]*\{([^}]*)\}", plain, re.MULTILINE
    ):
        fields = tuple(
            f"{one[1]}: {one[2]}"
            for one in re.finditer(r"^\s*(\w+)\s*(?:\([^)]*\))?\s*:\s*([\w\[\]!]+)", found[3], re.MULTILINE)
        )
        if found[2] in ("Query", "Mutation", "Subscription"):
            operations += [
                Operation("GRAPHQL", f"{found[2]}.{one[1]}", _line(plain, found.start(3) + one.start(1)), one[1])
                for one in re.finditer(r"^\s*(\w+)\s*(?:\([^)]*\))?\s*:", found[3], re.MULTILINE)
            ]
        else:
            types.append(SchemaType(found[2], fields, _line(plain, found.start(2))))
    if not operations and not types:
        return None
    return Document(path, "graphql", path.rpartition("/")[2], "", 1, tuple(operations), types=tuple(types))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


__all__ = ["NONE", "Channel", "Document", "Operation", "SchemaType", "read_contract"]
