"""BERT as an ONNX network with eight-bit weights, made from the published weights; and its word pieces.

It reads one text at a time. Without padding there is nothing to mask; and since activations between the layers are
quantised by their own range, a text's vector depends on no other text.
"""

import json
import math
import struct
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Attribute = int | float | Sequence[int]

IR_VERSION = 8
OPSET = 17
CONTRIBUTED = "com.microsoft"  # operators that onnxruntime adds

_TENSOR_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
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
    return [*dims, _number(2, _TENSOR_KINDS[array.dtype.name]), _text(8, name), _raw(9, raw)]


def _value(name: str, kind: str, shape: Sequence[int | str]) -> list[bytes]:
    dims = [_message(1, [_number(1, one) if isinstance(one, int) else _text(2, one)]) for one in shape]
    tensor = [_number(1, _TENSOR_KINDS[kind]), _message(2, dims)]
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


LONGEST_WORD = 100  # characters; a longer one is unknown
KEPT_WORDS = 50_000  # whose pieces are remembered
CHARACTERS_PER_TOKEN = 40  # of text that is looked at: far more than a token mostly has

_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPiece:
    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = (self._numbers[_UNKNOWN],)
        self.pieces = lru_cache(KEPT_WORDS)(self._pieces)

    def numbers(self, text: str, most: int) -> list[int]:
        """Token numbers of a text, up to a limit, with start and end marks."""
        found = [self._numbers[_START]]
        for word in words(text[: most * CHARACTERS_PER_TOKEN]):
            found += self.pieces(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._numbers[_END]]

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            before = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if before + word[start:end] in self._numbers), None)
            if end is None:
                return self._unknown
            found.append(self._numbers[before + word[start:end]])
            start = end
        return tuple(found)


def words(text: str) -> Iterator[str]:
    """Runs of letters and digits, and every mark for itself."""
    for run in "".join(map(_normalize, text)).split():
        plain = run.lower()
        if not plain.isascii():
            plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
        yield from _apart(plain)


def _apart(run: str) -> Iterator[str]:
    start = 0
    for at, letter in enumerate(run):
        if _is_mark(letter):
            if start < at:
                yield run[start:at]
            yield letter
            start = at + 1
    if start < len(run):
        yield run[start:]


@lru_cache(maxsize=4096)
def _normalize(letter: str) -> str:
    """Control characters go, every kind of space is one, and an ideograph is a word."""
    if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
        return " "
    if letter in "\0�" or unicodedata.category(letter).startswith("C"):
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _IDEOGRAPHS) else letter


@lru_cache(maxsize=4096)
def _is_mark(letter: str) -> bool:
    return letter in _ASCII_MARKS or unicodedata.category(letter).startswith("P")


HIGHEST = 127  # of a row of the table of tokens
HIGHEST_FACTOR = 63  # of a weight that is multiplied: older processors add two products in sixteen bits

_EPSILON = 1e-12
_KINDS = {"F32": "<f4", "I64": "<i8"}

Weights = Mapping[str, Array]


class BertShape(NamedTuple):
    layers: int
    heads: int
    width: int
    positions: int  # as many tokens as a text may have


def read_weights(data: bytes) -> Weights:
    """Read the arrays of a `.safetensors` file."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    return {
        name: np.frombuffer(body[slice(*about["data_offsets"])], _KINDS[about["dtype"]]).reshape(about["shape"])
        for name, about in header.items()
        if name != "__metadata__"
    }


def network(weights: Weights, shape: BertShape, notes: Mapping[str, str]) -> Network:
    """From the numbers of a text's tokens to the mean of the last layer's output."""
    maker = _Maker(weights, shape)
    x = maker.read("tokens")
    for layer in range(shape.layers):
        x = maker.attend(f"encoder.layer.{layer}.attention", x)
        x = maker.think(f"encoder.layer.{layer}", x)
    maker.add("ReduceMean", [x], "vector", {"axes": [0], "keepdims": 0})
    inputs, outputs = {"tokens": ("int64", ["n"])}, {"vector": ("float32", [shape.width])}
    return Network(maker.nodes, maker.weights, inputs, outputs, notes)


class _Maker:
    """The network so far. Each step takes the name of a value, and returns the name of its result."""

    def __init__(self, weights: Weights, shape: BertShape) -> None:
        self.nodes: list[OnnxNode] = []
        self.weights: dict[str, Array] = {}
        self._given = weights
        self._shape = shape

    def add(
        self, kind: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Attribute] = {}, domain: str = ""
    ) -> str:
        self.nodes.append(OnnxNode(kind, inputs, (output,), attributes, domain))
        return output

    def read(self, tokens: str) -> str:
        table, scales = _quantise(self._given["embeddings.word_embeddings.weight"], HIGHEST, axis=1)
        places = self._given["embeddings.position_embeddings.weight"][: self._shape.positions]
        places = places + self._given["embeddings.token_type_embeddings.weight"][0]  # of a text that stands alone
        rows = self.add("Gather", [self._keep("table", table), tokens], "rows")
        scale = self.add("Gather", [self._keep("table.scales", scales), tokens], "row.scales")
        words = self.add("Mul", [self.add("Cast", [rows], "rows.float", {"to": 1}), scale], "words")
        length = self.add("Shape", [tokens], "length")
        start, axis = self._keep("zero", np.array([0])), "zero"
        where = self.add("Slice", [self._keep("places", places), start, length, axis], "where")
        return self._normal("embeddings.LayerNorm", self.add("Add", [words, where], "embedded"))

    def attend(self, name: str, x: str) -> str:
        heads, width = self._shape.heads, self._shape.width // self._shape.heads
        asked = self._product(f"{name}.all", *self._attention_weights(name), x)
        split = self.add("Reshape", [asked, self._keep("heads", np.array([0, 3 * heads, width]))], f"{name}.split")
        by_head = self.add("Transpose", [split], f"{name}.by_head", {"perm": [1, 0, 2]})
        query, key, value = (f"{name}.{part}" for part in ("query", "key", "value"))
        self.nodes.append(OnnxNode("Split", [by_head], (query, key, value), {"axis": 0}))
        turned = self.add("Transpose", [key], f"{name}.turned", {"perm": [0, 2, 1]})
        scores = self.add("MatMul", [query, turned], f"{name}.scores")
        shares = self.add("Softmax", [scores], f"{name}.shares", {"axis": -1})
        mixed = self.add("MatMul", [shares, value], f"{name}.mixed")
        turned = self.add("Transpose", [mixed], f"{name}.together", {"perm": [1, 0, 2]})
        flat = self.add("Reshape", [turned, self._keep("flat", np.array([0, self._shape.width]))], f"{name}.flat")
        return self._add_residual(f"{name}.output", flat, x)

    def think(self, name: str, x: str) -> str:
        wide = self._dense(f"{name}.intermediate.dense", x)
        active = self.add("Gelu", [wide], f"{name}.active", domain=CONTRIBUTED)
        return self._add_residual(f"{name}.output", active, x)

    def _attention_weights(self, name: str) -> tuple[Array, Array]:
        """Query, key and value by one product; attention's divisor is in the query's weights."""
        divisor = np.float32(math.sqrt(self._shape.width // self._shape.heads))
        parts = [(self._given[f"{name}.self.{part}.weight"], self._given[f"{name}.self.{part}.bias"])
                 for part in ("query", "key", "value")]  # fmt: skip
        parts[0] = parts[0][0] / divisor, parts[0][1] / divisor
        return np.concatenate([weight for weight, _ in parts]), np.concatenate([bias for _, bias in parts])

    def _add_residual(self, name: str, x: str, before: str) -> str:
        dense = self._dense(f"{name}.dense", x)
        return self._normal(f"{name}.LayerNorm", self.add("Add", [dense, before], f"{name}.sum"))

    def _dense(self, name: str, x: str) -> str:
        return self._product(name, self._given[f"{name}.weight"], self._given[f"{name}.bias"], x)

    def _product(self, name: str, weight: Array, bias: Array, x: str) -> str:
        factors, scales = _quantise(np.ascontiguousarray(weight.T), HIGHEST_FACTOR, axis=0)
        kept = [self._keep(f"{name}.factors", factors), self._keep(f"{name}.scales", scales[0])]
        inputs = [x, *kept, "", self._keep(f"{name}.bias", bias)]
        return self.add("DynamicQuantizeMatMul", inputs, f"{name}.product", domain=CONTRIBUTED)

    def _normal(self, name: str, x: str) -> str:
        kept = [self._keep(f"{name}.{part}", self._given[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.add("LayerNormalization", [x, *kept], f"{name}.normal", {"axis": -1, "epsilon": _EPSILON})

    def _keep(self, name: str, array: Array) -> str:
        self.weights[name] = array
        return name


def _quantise(array: Array, highest: int, axis: int) -> tuple[Array, Array]:
    """Whole numbers up to `highest` with a scale for each row or column; exact arithmetic, alike on every machine."""
    scales = np.maximum(np.abs(array).max(axis=axis, keepdims=True) / np.float32(highest), np.float32(1e-12))
    return np.rint(array / scales).astype(np.int8), scales.astype(np.float32)
