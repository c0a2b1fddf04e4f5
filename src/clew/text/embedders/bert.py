"""BERT as an ONNX network with eight-bit weights, made from the published weights.

It reads one text at a time. Without padding there is nothing to mask; and since activations between the layers are
quantised by their own range, a text's vector depends on no other text.
"""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.text.embedders.onnx_file import CONTRIBUTED, Array, Attribute, Network, OnnxNode

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
    """Of a `.safetensors` file: a header that says where each array lies, then the arrays."""
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
