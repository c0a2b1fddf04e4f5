"""ONNX files, written without the `onnx` package: the few messages of its format that a network needs.

A message is a sequence of fields, each a number, a kind of wire and a value; see onnx.proto for the numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Attribute = int | float | Sequence[int]

IR_VERSION = 8
OPSET = 17
CONTRIBUTED = "com.microsoft"  # operators that onnxruntime adds

_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7  # kinds of attributes
_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # kinds of wire


class OnnxNode(NamedTuple):
    """One operator: its inputs, and the names of its results."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Attribute] = {}
    domain: str = ""


class Network(NamedTuple):
    """`inputs` and `outputs` by name: the kind of their elements and their dimensions, a name where one is open."""

    nodes: Sequence[OnnxNode]
    weights: Mapping[str, Array]
    inputs: Mapping[str, tuple[str, Sequence[int | str]]]
    outputs: Mapping[str, tuple[str, Sequence[int | str]]]
    notes: Mapping[str, str]


def encode(network: Network) -> bytes:
    """The same network gives the same bytes."""
    graph = [
        *(_message(1, _node(node)) for node in network.nodes),
        _text(2, "clew"),
        *(_message(5, _tensor(name, array)) for name, array in network.weights.items()),
        *(_message(11, _value(name, *about)) for name, about in network.inputs.items()),
        *(_message(12, _value(name, *about)) for name, about in network.outputs.items()),
    ]
    return b"".join(
        [
            _number(1, IR_VERSION),
            _message(7, graph),
            *(_message(8, [_text(1, name), _number(2, version)]) for name, version in (("", OPSET), (CONTRIBUTED, 1))),
            *(_message(14, [_text(1, key), _text(2, value)]) for key, value in network.notes.items()),
        ]
    )


def _node(node: OnnxNode) -> list[bytes]:
    return [
        *(_text(1, name) for name in node.inputs),
        *(_text(2, name) for name in node.outputs),
        _text(4, node.kind),
        *(_message(5, _attribute(name, value)) for name, value in node.attributes.items()),
        _text(7, node.domain),
    ]


def _attribute(name: str, value: Attribute) -> list[bytes]:
    if isinstance(value, float):
        return [_text(1, name), _key(2, _FIXED32) + np.float32(value).tobytes(), _number(20, _FLOAT)]
    if isinstance(value, int):
        return [_text(1, name), _number(3, value), _number(20, _INT)]
    return [_text(1, name), *(_number(8, one) for one in value), _number(20, _INTS)]


def _tensor(name: str, array: Array) -> list[bytes]:
    raw = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    dims = [_number(1, size) for size in array.shape]
    return [*dims, _number(2, _KINDS[array.dtype.name]), _text(8, name), _raw(9, raw)]


def _value(name: str, kind: str, shape: Sequence[int | str]) -> list[bytes]:
    dims = [_message(1, [_number(1, one) if isinstance(one, int) else _text(2, one)]) for one in shape]
    tensor = [_number(1, _KINDS[kind]), _message(2, dims)]
    return [_text(1, name), _message(2, [_message(1, tensor)])]


def _message(field: int, parts: Iterable[bytes]) -> bytes:
    return _raw(field, b"".join(parts))


def _text(field: int, text: str) -> bytes:
    return _raw(field, text.encode())


def _raw(field: int, data: bytes) -> bytes:
    return _key(field, _BYTES) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _key(field, _VARINT) + _varint(value)


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as their complement
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
