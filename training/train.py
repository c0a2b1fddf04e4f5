"""The table of vectors, learned: `python training/train.py DATA OUT [name=value …]`. Needs torch and numpy alone.

A text's vector is the weighted sum of its terms' vectors. A query is to be nearer to its own text than to the others of
its batch, most of which come from the same sources. With a GPU it takes a minute or two.
"""

import io
import json
import lzma
import sys
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

KINDS = ("commit", "doc", "name", "error", "comment", "prose")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Options:
    name: str = "model"
    dimensions: int = 256
    epochs: float = 6.0
    sources: int = 8  # in a batch
    each: int = 512  # pairs of each of them
    rate: float = 2e-3
    temperature: float = 0.05
    mix: str = "commit=1,doc=1,name=0.3,error=0.5,comment=0.5,prose=0.5"
    fold: int = -1  # of two, by source: the one that is left out
    init: str = ""  # a file of vectors to begin with
    power: float = 0.5  # of how often a term stands in a text
    hidden: int = 0  # of a layer behind the sum
    late: int = 0  # whether terms meet one by one, instead of their sums
    drop: float = 0.0  # terms of texts that are left out
    decay: float = 0.0
    seed: int = 7


class Data:
    """Bags on the device; `pairs` are kind, query, text, group, hides, source."""

    def __init__(self, folders: list[Path]) -> None:
        parts = [_loaded(file) for folder in folders for file in sorted(folder.glob("pairs-*.npz.xz"))]
        rows = np.cumsum([0, *(len(part["lengths"]) for part in parts)])
        sources = np.cumsum([0, *(len(part["sources"]) for part in parts)])
        for part, first, before in zip(parts, rows, sources, strict=False):
            part["pairs"] = part["pairs"].astype(np.int64) + np.array([0, first, first, 0, 0, before])
        held = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        self.ids = torch.from_numpy(held["ids"].astype(np.int32)).to(DEVICE)
        self.counts = torch.from_numpy(held["counts"].astype(np.float32)).to(DEVICE)
        lengths = held["lengths"].astype(np.int64)
        self.lengths = torch.from_numpy(lengths).to(DEVICE)
        self.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)])).to(DEVICE)
        self.pairs = held["pairs"]
        self.sources = [str(one).split() for one in held["sources"]]
        self.size = int(held["ids"].max()) + 1

    def bags(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, counts and offsets of some texts, end to end."""
        lengths = self.lengths[rows]
        offsets = torch.cumsum(lengths, 0) - lengths
        at = torch.arange(int(lengths.sum()), device=DEVICE) - torch.repeat_interleave(offsets, lengths)
        at = at + torch.repeat_interleave(self.starts[rows], lengths)
        return self.ids[at], self.counts[at], offsets

    def padded(self, rows: Tensor, most: int) -> tuple[Tensor, Tensor]:
        """Ids and counts of some texts, a row each; a count of 0 is none."""
        lengths = self.lengths[rows].clamp(max=most)
        at = torch.arange(int(lengths.max()), device=DEVICE)[None, :]
        held = at < lengths[:, None]
        place = torch.where(held, self.starts[rows][:, None] + at, 0)
        return self.ids[place], self.counts[place] * held


def _loaded(file: Path) -> dict[str, np.ndarray]:
    return dict(np.load(io.BytesIO(lzma.decompress(file.read_bytes()))))


class Model(nn.Module):
    def __init__(self, data: Data, options: Options) -> None:
        super().__init__()
        self.options = options
        self.table = nn.Embedding(data.size, options.dimensions)
        nn.init.normal_(self.table.weight, std=0.05)
        if options.init:
            begun = torch.from_numpy(np.load(options.init).astype(np.float32) / 512)
            self.table.weight.data[: len(begun)] = begun[:, : options.dimensions]
        often = torch.bincount(data.ids, minlength=data.size).float()
        rarity = torch.log(1 + often.sum() / 60 / (often + 10)) / 8
        self.weight = nn.Parameter(torch.log(torch.expm1(rarity.clamp(min=0.02))).to(DEVICE))
        self.scale = nn.Parameter(torch.tensor(1 / options.temperature).log())
        self.layer = None
        if options.hidden:
            self.layer = nn.Sequential(
                nn.Linear(options.dimensions, options.hidden), nn.GELU(), nn.Linear(options.hidden, options.dimensions)
            )
            nn.init.zeros_(self.layer[2].weight)
            nn.init.zeros_(self.layer[2].bias)

    def forward(self, ids: Tensor, counts: Tensor, offsets: Tensor) -> Tensor:
        weights = F.softplus(self.weight[ids]) * counts**self.options.power
        if self.training and self.options.drop:
            weights = weights * (torch.rand_like(weights) > self.options.drop)
        summed = F.embedding_bag(ids, self.table.weight, offsets, mode="sum", per_sample_weights=weights)
        found = F.normalize(summed, dim=1)
        return F.normalize(found + self.layer(found), dim=1) if self.layer is not None else found

    def late(self, query: tuple[Tensor, Tensor], text: tuple[Tensor, Tensor]) -> Tensor:
        """Each term of a query meets the nearest of a text; by the terms' weights."""
        weights = F.softplus(self.weight[query[0]]) * (query[1] > 0)
        weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-6)
        q = F.normalize(self.table(query[0]), dim=2) * 1.0
        t = F.normalize(self.table(text[0]), dim=2)
        hold = (text[1] > 0)
        out = []
        for start in range(0, len(q), 64):
            some = q[start : start + 64].to(torch.bfloat16)
            near = torch.einsum("ald,bmd->albm", some, t.to(torch.bfloat16))
            near = near.masked_fill(~hold[None, None], -1).amax(3).float()  # a l b
            out.append(torch.einsum("alb,al->ab", near, weights[start : start + 64]))
        return torch.cat(out)


def batches(data: Data, options: Options, rng: np.random.Generator):
    """Forever: the rows of pairs that make a batch."""
    mix = {kind: float(value) for kind, value in (one.split("=") for one in options.mix.split(","))}
    pairs = data.pairs
    held = {}
    for number, (name, part) in enumerate(data.sources):
        if part != "train" or (options.fold >= 0 and fold_of(name) == options.fold):
            continue
        own = np.flatnonzero((pairs[:, 5] == number) & (np.array([mix[kind] for kind in KINDS])[pairs[:, 0]] > 0))
        weights = np.array([mix[kind] for kind in KINDS])[pairs[own, 0]]
        if len(own) >= 50 and weights.sum() > 0:
            held[number] = own, weights / weights.sum(), weights.sum()
    numbers = np.array([*held])
    # A large source is drawn more often, but not as often as it is larger.
    share = np.array([held[number][2] for number in numbers]) ** 0.7
    share /= share.sum()
    total = sum(one[2] for one in held.values())
    yield int(total / (options.sources * options.each))
    while True:
        chosen = rng.choice(numbers, options.sources, replace=False, p=share)
        yield np.concatenate([
            rng.choice(held[number][0], min(options.each, len(held[number][0])), replace=False, p=None if len(held[number][0]) <= options.each else held[number][1])
            for number in chosen
        ])  # fmt: skip


def fold_of(name: str) -> int:
    return sum(name.encode()) % 2


def stripped(data: Data) -> None:
    """Texts that hold the words of their query get a row without them."""
    ids, counts, lengths = data.ids.cpu().numpy(), data.counts.cpu().numpy(), data.lengths.cpu().numpy()
    starts = data.starts.cpu().numpy()
    more_ids, more_counts, more_lengths = [], [], []
    hidden = np.flatnonzero(data.pairs[:, 4])
    rows = len(lengths)
    for pair in hidden:
        query, text = data.pairs[pair, 1:3]
        said = ids[starts[query] : starts[query + 1]]
        own = slice(starts[text], starts[text + 1])
        keep = ~np.isin(ids[own], said)
        more_ids.append(ids[own][keep])
        more_counts.append(counts[own][keep])
        more_lengths.append(int(keep.sum()))
        data.pairs[pair, 2] = rows
        rows += 1
    if len(hidden):
        data.ids = torch.from_numpy(np.concatenate([ids, *more_ids])).to(DEVICE)
        data.counts = torch.from_numpy(np.concatenate([counts, *more_counts])).to(DEVICE)
        lengths = np.concatenate([lengths, np.array(more_lengths)])
        data.lengths = torch.from_numpy(lengths).to(DEVICE)
        data.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)])).to(DEVICE)


def train(data: Data, options: Options) -> Model:
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    model = Model(data, options).to(DEVICE)
    drawn = batches(data, options, rng)
    steps = max(1, int(next(drawn) * options.epochs))
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=options.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=steps + 1, pct_start=0.1)
    pairs = torch.from_numpy(data.pairs).to(DEVICE)
    total = torch.zeros((), device=DEVICE)
    for step in range(steps):
        chosen = pairs[torch.from_numpy(next(drawn)).to(DEVICE)]
        query, text = chosen[:, 1], chosen[:, 2]
        logits = torch.zeros((), device=DEVICE)
        if options.late:
            logits = logits + model.late(data.padded(query, 24), data.padded(text, 96))
        if options.late != 1:
            logits = logits + model(*data.bags(query)) @ model(*data.bags(text)).T
        logits = logits * model.scale.exp().clamp(max=100)
        about = chosen[:, 5] * (1 << 32) + chosen[:, 3]
        same = (about[:, None] == about[None]) | (query[:, None] == query[None]) | (text[:, None] == text[None])
        same.fill_diagonal_(False)
        logits = logits.masked_fill(same, -1e4)
        target = torch.arange(len(logits), device=DEVICE)
        loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        total = 0.98 * total + 0.02 * loss.detach()
    print(f"  {steps} steps, loss about {float(total):.3f}, scale {float(model.scale.exp()):.1f}", flush=True)
    return model.eval()


@torch.no_grad()
def checked(data: Data, model: Model, options: Options) -> dict[str, float]:
    """On sources it never saw: reciprocal rank of the right text among all of its source; alone, and beside BM25."""
    found: dict[str, list[float]] = {}
    for number, (_, part) in enumerate(data.sources):
        if part != "check":
            continue
        own = data.pairs[data.pairs[:, 5] == number]
        for kind in ("commit", "doc", "prose"):
            some = own[own[:, 0] == KINDS.index(kind)]
            if len(some) < 30:
                continue
            if kind == "commit":
                some = some[:500]  # the newest: a function has few versions among them
            texts = np.unique(some[:, 2])[:6000]
            some = some[np.isin(some[:, 2], texts)]
            rng = np.random.default_rng(1)
            some = some[rng.permutation(len(some))[:400]]
            place = {row: at for at, row in enumerate(texts.tolist())}
            rows = torch.from_numpy(texts).to(DEVICE)
            query = torch.from_numpy(some[:, 1]).to(DEVICE)
            lexical = bm25(data, query, rows)
            late = torch.cat([model.late(data.padded(query, 32), data.padded(part_, 160)) for part_ in rows.split(2000)], 1)
            cosine = late if options.late == 1 else model(*data.bags(query)) @ model(*data.bags(rows)).T
            groups = torch.zeros(len(texts), dtype=torch.long, device=DEVICE)
            for row in own[own[:, 0] == KINDS.index(kind)]:
                if row[2] in place:
                    groups[place[row[2]]] = row[3]
            right = groups[None] == torch.from_numpy(some[:, 3]).to(DEVICE)[:, None]
            ways = {"bm25": lexical, "alone": cosine}
            top = lexical.topk(min(50, len(texts)), 1)
            high = top.values[:, :1].clamp(min=1e-6)
            for share in (2.0, 4.0, 8.0, 20.0):
                mixed = torch.full_like(lexical, -1e4)
                mixed.scatter_(1, top.indices, top.values / high + share * cosine.gather(1, top.indices))
                ways[f"with {share}"] = mixed
            for share in (2.0, 4.0):
                for other in (2.0, 6.0):
                    mixed = torch.full_like(lexical, -1e4)
                    both = share * cosine.gather(1, top.indices) + other * late.gather(1, top.indices)
                    mixed.scatter_(1, top.indices, top.values / high + both)
                    ways[f"both {share} {other}"] = mixed
            for way, scores in ways.items():
                best = scores.masked_fill(~right, -1e9).amax(1, keepdim=True)
                rank = 1 + (scores > best).sum(1)
                found.setdefault(f"{kind} {way}", []).append(float((1 / rank.float() * (rank <= 10)).mean()))
    return {key: round(sum(values) / len(values), 4) for key, values in sorted(found.items())}


def bm25(data: Data, query: Tensor, rows: Tensor) -> Tensor:
    ids, counts, offsets = data.bags(rows)
    lengths = data.lengths[rows]
    of = torch.repeat_interleave(torch.arange(len(rows), device=DEVICE), lengths)
    size = torch.zeros(len(rows), device=DEVICE).index_add_(0, of, counts)
    norm = 1.2 * (1 - 0.4 + 0.4 * size / size.mean())
    often = torch.bincount(ids, minlength=data.size).float()
    idf = torch.log(1 + (len(rows) - often + 0.5) / (often + 0.5))
    value = idf[ids] * counts * 2.2 / (counts + norm[of])
    texts = torch.sparse_coo_tensor(torch.stack([of, ids.long()]), value, (len(rows), data.size)).coalesce()
    qids, _, qoffsets = data.bags(query)
    qof = torch.repeat_interleave(torch.arange(len(query), device=DEVICE), data.lengths[query])
    asked = torch.zeros(len(query), data.size, device=DEVICE)
    asked[qof, qids.long()] = 1
    return torch.sparse.mm(texts, asked.T).T


def main() -> None:
    folders, out = [Path(one) for one in sys.argv[1].split(",")], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    data = Data(folders)
    stripped(data)
    print(f"{len(data.pairs)} pairs, {len(data.lengths)} texts, {data.size} vectors", flush=True)
    print("pairs by kind:", dict(zip(KINDS, np.bincount(data.pairs[:, 0], minlength=6).tolist(), strict=True)), flush=True)
    runs = Path(sys.argv[3]).read_text().splitlines() if len(sys.argv) > 3 and Path(sys.argv[3]).exists() else [" ".join(sys.argv[3:])]
    types = {field.name: type(field.default) for field in fields(Options)}
    for line in runs:
        if not line.strip() or line.startswith("#"):
            continue
        options = Options(**{key: types[key](value) for key, _, value in (one.partition("=") for one in line.split() if one != "keep")})
        started = time.time()
        model = train(data, options)
        trained = time.time() - started
        print(f"{line}\n  {trained:.0f} s, {json.dumps(checked(data, model, options))}", flush=True)
        if "keep" in line.split():
            save(model, options, out / f"{options.name}.npz")


def save(model: Model, options: Options, file: Path) -> None:
    """The table in eight bits."""
    arrays = {key: value.detach().cpu().numpy().astype(np.float32) for key, value in model.state_dict().items()}
    table = arrays.pop("table.weight")
    scales = np.maximum(np.abs(table).max(axis=1), 1e-9) / 127
    rows = np.rint(table / scales[:, None]).astype(np.int8)
    np.savez_compressed(file, options=json.dumps(asdict(options)), rows=rows, scales=scales, **arrays)


if __name__ == "__main__":
    main()
