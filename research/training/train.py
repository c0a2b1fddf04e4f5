"""Training of the table of vectors:
`python research/training/train.py DATA OUT [name=value …]`. Needs torch and numpy alone.

A text's vector is the weighted sum of its terms' vectors. A query is to be nearer to its own text than to the others of
its batch, most of which come from the same sources; and texts are to be as near to each other as a teacher finds them,
which knows more of English than pairs of commits and code tell. With a GPU it takes a minute or two.
"""

import io
import json
import lzma
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from teacher import Teacher
from torch import Tensor, nn
from torch.nn import functional

KINDS = ("commit", "doc", "name", "error", "comment", "prose")
LEAST = 30  # pairs of a kind in a source, to be looked at
BUCKETS = 2048  # vectors that other terms share, as in `join.py`
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Options:
    name: str = "model"
    dimensions: int = 320
    epochs: float = 8.0
    sources: int = 8  # in a batch
    each: int = 2048  # pairs of each of them
    rate: float = 3e-3
    temperature: float = 0.05
    mix: str = "commit=1,doc=1.5,name=0.2,error=0.5,comment=0.7,prose=0.7"
    fold: int = -1  # of two, by source: the one that is left out
    init: str = ""  # a file of vectors to begin with
    power: float = 0.5  # of how often a term stands in a text
    drop: float = 0.1  # terms of texts that are left out
    seed: int = 7
    teach: float = 1.0  # how much the teacher's word counts
    taught: int = 4096  # sentences of a batch that are compared, with half as many texts and as many other sentences
    heat: float = 0.05  # of the teacher's cosines
    anchor: float = 1.0  # how much it costs to move away from the vectors to begin with


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
        self.size = len((folders[0] / "terms.txt").read_text("utf-8").split("\n")) + BUCKETS

    def bags(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, counts and offsets of some texts, end to end."""
        lengths = self.lengths[rows]
        offsets = torch.cumsum(lengths, 0) - lengths
        at = torch.arange(int(lengths.sum()), device=DEVICE) - torch.repeat_interleave(offsets, lengths)
        at = at + torch.repeat_interleave(self.starts[rows], lengths)
        return self.ids[at], self.counts[at], offsets


def _loaded(file: Path) -> dict[str, np.ndarray]:
    return dict(np.load(io.BytesIO(lzma.decompress(file.read_bytes()))))


class Lessons:
    """Texts of which the teacher tells how near they are to each other, on the device."""

    def __init__(self, folder: Path, fold: int) -> None:
        held = _loaded(folder / "lessons.npz.xz")
        names, numbers = np.unique(held["sources"], return_inverse=True)
        kept = np.array([fold_of(str(name)) != fold for name in names])[numbers]
        self.ids = torch.from_numpy(held["ids"].astype(np.int32)).to(DEVICE)
        self.counts = torch.from_numpy(held["counts"].astype(np.float32)).to(DEVICE)
        self.lengths = torch.from_numpy(held["lengths"].astype(np.int64)).to(DEVICE)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths
        tokens = torch.from_numpy(held["tokens"].astype(np.int64)).to(DEVICE)
        lengths = torch.from_numpy(held["token_lengths"].astype(np.int64)).to(DEVICE)
        self.vectors = Teacher(folder / "teacher.npz", DEVICE).vectors(tokens, lengths)
        self.sentences = torch.from_numpy(np.flatnonzero(kept & held["is_sentence"])).to(DEVICE)
        self.texts = torch.from_numpy(np.flatnonzero(kept & ~held["is_sentence"])).to(DEVICE)

    bags = Data.bags  # they are held alike

    def loss(self, model: "Model", options: Options, rng: np.random.Generator) -> Tensor:
        """Sentences, compared with texts and with other sentences: how far we are from the teacher's ranking."""
        half = options.taught // 2
        asked = _drawn(self.sentences, options.taught, rng)
        told = torch.cat([_drawn(self.texts, half, rng), _drawn(self.sentences, half, rng)])
        theirs = self.vectors[asked] @ self.vectors[told].T / options.heat
        ours = model(*self.bags(asked)) @ model(*self.bags(told)).T * model.heat.exp()
        same = asked[:, None] == told[None]
        theirs, ours = theirs.masked_fill(same, -1e4), ours.masked_fill(same, -1e4)
        return (_apart(ours, theirs) + _apart(ours.T, theirs.T)) / 2


def _drawn(rows: Tensor, count: int, rng: np.random.Generator) -> Tensor:
    return rows[torch.from_numpy(rng.integers(0, len(rows), count)).to(DEVICE)]


def _apart(ours: Tensor, theirs: Tensor) -> Tensor:
    ours, theirs = ours.log_softmax(1), theirs.log_softmax(1)
    return functional.kl_div(ours, theirs, reduction="batchmean", log_target=True)


class Model(nn.Module):
    def __init__(self, data: Data, options: Options) -> None:
        super().__init__()
        self.options = options
        self.table = nn.Embedding(data.size, options.dimensions)
        nn.init.normal_(self.table.weight, std=0.05)
        if options.init:
            begun = torch.from_numpy(np.load(options.init).astype(np.float32) / 512)
            self.table.weight.data[: len(begun)] = begun[:, : options.dimensions]
        self.register_buffer("begun", self.table.weight.detach().clone(), persistent=False)
        often = torch.bincount(data.ids, minlength=data.size).float()
        rarity = torch.log(1 + often.sum() / 60 / (often + 10)) / 8
        self.weight = nn.Parameter(torch.log(torch.expm1(rarity.clamp(min=0.02))).to(DEVICE))
        self.scale = nn.Parameter(torch.tensor(1 / options.temperature).log())
        self.heat = nn.Parameter(torch.tensor(1 / options.heat).log())

    def moved(self, ids: Tensor) -> Tensor:
        """How far the vectors of some terms are from where they began."""
        used = torch.unique(ids)
        return (self.table.weight[used] - self.begun[used]).square().sum(1).mean()

    def forward(self, ids: Tensor, counts: Tensor, offsets: Tensor) -> Tensor:
        weights = functional.softplus(self.weight[ids]) * counts**self.options.power
        if self.training and self.options.drop:
            weights = weights * (torch.rand_like(weights) > self.options.drop)
        summed = functional.embedding_bag(ids, self.table.weight, offsets, mode="sum", per_sample_weights=weights)
        return functional.normalize(summed, dim=1)


def batches(data: Data, options: Options, rng: np.random.Generator) -> "tuple[int, Iterator[np.ndarray]]":
    """How many make an epoch; and, for ever, the rows of pairs that make one."""
    mix = {kind: float(value) for kind, value in (one.split("=") for one in options.mix.split(","))}
    wanted = np.array([mix[kind] for kind in KINDS])[data.pairs[:, 0]]
    held: dict[int, np.ndarray] = {}
    for number, (name, part) in enumerate(data.sources):
        own = np.flatnonzero((data.pairs[:, 5] == number) & (wanted > 0))
        if part == "train" and fold_of(name) != options.fold and len(own) >= LEAST:
            held[number] = own
    numbers = np.array([*held])
    sizes = np.array([wanted[own].sum() for own in held.values()])
    share = sizes**0.7 / (sizes**0.7).sum()  # a large source is drawn more often, but not as often as it is larger

    def drawn() -> Iterator[np.ndarray]:
        while True:
            chosen = rng.choice(numbers, min(options.sources, len(numbers)), replace=False, p=share)
            yield np.concatenate([_some(held[number], wanted, options.each, rng) for number in chosen])

    return int(sizes.sum() / (options.sources * options.each)), drawn()


def _some(own: np.ndarray, wanted: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    return own if len(own) <= count else rng.choice(own, count, replace=False, p=wanted[own] / wanted[own].sum())


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


def train(data: Data, lessons: Lessons | None, options: Options) -> Model:
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    model = Model(data, options).to(DEVICE)
    epoch, drawn = batches(data, options, rng)
    steps = max(1, int(epoch * options.epochs))
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=steps + 1, pct_start=0.1)
    pairs = torch.from_numpy(data.pairs).to(DEVICE)
    total = torch.zeros((), device=DEVICE)
    for _ in range(steps):
        chosen = pairs[torch.from_numpy(next(drawn)).to(DEVICE)]
        query, text = chosen[:, 1], chosen[:, 2]
        asked, told = data.bags(query), data.bags(text)
        logits = model(*asked) @ model(*told).T
        logits = logits * model.scale.exp().clamp(max=100)
        about = chosen[:, 5] * (1 << 32) + chosen[:, 3]
        same = (about[:, None] == about[None]) | (query[:, None] == query[None]) | (text[:, None] == text[None])
        same.fill_diagonal_(False)
        logits = logits.masked_fill(same, -1e4)
        target = torch.arange(len(logits), device=DEVICE)
        loss = (functional.cross_entropy(logits, target) + functional.cross_entropy(logits.T, target)) / 2
        if lessons:
            loss = loss + options.teach * lessons.loss(model, options, rng)
        loss = loss + options.anchor * model.moved(torch.cat([asked[0], told[0]]))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        total = 0.98 * total + 0.02 * loss.detach()
    print(f"  {steps} steps, loss about {float(total):.3f}, scale {float(model.scale.detach().exp()):.1f}", flush=True)
    return model.eval()


@torch.no_grad()
def checked(data: Data, model: Model) -> dict[str, float]:
    """On sources it never saw: reciprocal rank of the right text among others; alone, and beside BM25."""
    found: dict[str, list[float]] = {}
    for number, (_, part) in enumerate(data.sources):
        own = data.pairs[data.pairs[:, 5] == number] if part == "check" else data.pairs[:0]
        for kind in ("commit", "doc", "prose"):
            some = own[own[:, 0] == KINDS.index(kind)][
                : 500 if kind == "commit" else None
            ]  # few versions of a function
            if len(some) >= LEAST:
                for way, value in _ranked(data, model, some).items():
                    found.setdefault(f"{kind} {way}", []).append(value)
    return {key: round(sum(values) / len(values), 4) for key, values in sorted(found.items())}


def _ranked(data: Data, model: Model, pairs: np.ndarray) -> dict[str, float]:
    texts = np.unique(pairs[:, 2])[:6000]
    pairs = pairs[np.isin(pairs[:, 2], texts)]
    groups = np.zeros(len(texts), np.int64)
    groups[np.searchsorted(texts, pairs[:, 2])] = pairs[:, 3]
    asked = pairs[np.random.default_rng(1).permutation(len(pairs))[:400]]
    rows, query = torch.from_numpy(texts).to(DEVICE), torch.from_numpy(asked[:, 1]).to(DEVICE)
    right = torch.from_numpy(groups[None] == asked[:, 3:4]).to(DEVICE)
    lexical = bm25(data, query, rows)
    cosine = model(*data.bags(query)) @ model(*data.bags(rows)).T
    ways = {"bm25": lexical, "alone": cosine}
    top = lexical.topk(min(50, len(texts)), 1)
    for share in (2.0, 4.0, 8.0):
        near = share * cosine.gather(1, top.indices)
        mixed = torch.full_like(lexical, -1e4)
        ways[f"with {share}"] = mixed.scatter_(1, top.indices, top.values / top.values[:, :1].clamp(min=1e-6) + near)
    return {way: _reciprocal(scores, right) for way, scores in ways.items()}


def _reciprocal(scores: Tensor, right: Tensor) -> float:
    best = scores.masked_fill(~right, -1e9).amax(1, keepdim=True)
    rank = 1 + (scores > best).sum(1)
    return float((1 / rank.float() * (rank <= 10)).mean())


def bm25(data: Data, query: Tensor, rows: Tensor) -> Tensor:
    ids, counts, _ = data.bags(rows)
    lengths = data.lengths[rows]
    of = torch.repeat_interleave(torch.arange(len(rows), device=DEVICE), lengths)
    size = torch.zeros(len(rows), device=DEVICE).index_add_(0, of, counts)
    norm = 1.2 * (1 - 0.4 + 0.4 * size / size.mean())
    often = torch.bincount(ids, minlength=data.size).float()
    idf = torch.log(1 + (len(rows) - often + 0.5) / (often + 0.5))
    value = idf[ids] * counts * 2.2 / (counts + norm[of])
    texts = torch.sparse_coo_tensor(torch.stack([of, ids.long()]), value, (len(rows), data.size)).coalesce()
    qids, _, _ = data.bags(query)
    qof = torch.repeat_interleave(torch.arange(len(query), device=DEVICE), data.lengths[query])
    asked = torch.zeros(len(query), data.size, device=DEVICE)
    asked[qof, qids.long()] = 1
    return torch.sparse.mm(texts, asked.T).T


def main() -> None:
    folders, out = [Path(one) for one in sys.argv[1].split(",")], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    types = {field.name: type(field.default) for field in fields(Options)}
    given = (one.partition("=") for one in sys.argv[3:])
    options = Options(**{key: types[key](value) for key, _, value in given})
    torch.set_float32_matmul_precision("high")
    data = Data(folders)
    stripped(data)
    print(f"{len(data.pairs)} pairs, {len(data.lengths)} texts, {data.size} vectors", flush=True)
    started = time.time()
    model = train(data, Lessons(folders[0], options.fold) if options.teach else None, options)
    print(f"{time.time() - started:.0f} s, {json.dumps(checked(data, model))}", flush=True)
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
