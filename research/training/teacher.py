"""MiniLM in torch: what the model is taught by. Its weights are as `research.training.begin` packed them."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
BATCH = 1024


class Teacher:
    def __init__(self, file: Path, device: str) -> None:
        packed = np.load(file)
        kind = torch.float16 if device == "cuda" else torch.float32
        self._weights = {
            name: torch.from_numpy(_unpacked(packed, name)).to(device, kind)
            for name in packed.files
            if not name.endswith(" scales")
        }

    @torch.no_grad()
    def vectors(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Of texts whose tokens lie end to end; those of a length are read together."""
        starts = torch.cumsum(lengths, 0) - lengths
        found = torch.zeros(len(lengths), WIDTH, device=tokens.device)
        for some in torch.argsort(lengths).split(BATCH):
            at = torch.arange(int(lengths[some].max()), device=tokens.device)[None]
            inside = at < lengths[some][:, None]
            ids = tokens[(at + starts[some][:, None]).clamp(max=len(tokens) - 1)] * inside
            found[some] = self._read(ids, inside)
        return functional.normalize(found, dim=1)

    def _read(self, ids: Tensor, inside: Tensor) -> Tensor:
        held = self._weights
        places = held["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kinds = held["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(held["embeddings.word_embeddings.weight"][ids] + places + kinds, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self._layer(x, inside, f"encoder.layer.{layer}")
        sums = (x * inside[..., None]).float().sum(1)
        return sums / inside.sum(1)[:, None]

    def _layer(self, x: Tensor, inside: Tensor, name: str) -> Tensor:
        count, most, _ = x.shape
        query, key, value = (
            self._linear(x, f"{name}.attention.self.{part}").view(count, most, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=inside[:, None, None])
        seen = seen.transpose(1, 2).reshape(count, most, WIDTH)
        x = self._norm(x + self._linear(seen, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        inner = functional.gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(
            x, (WIDTH,), self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], EPSILON
        )


def _unpacked(packed: "np.lib.npyio.NpzFile", name: str) -> np.ndarray:
    rows = packed[name].astype(np.float32)
    return rows * packed[f"{name} scales"][:, None] if f"{name} scales" in packed.files else rows
