"""Recall of episodes: how much of the evidence is found in conversations (LoCoMo).

python -m bench.memory --locomo locomo10.json [--fit] [--hop] [--formula] [--model minilm]

LoCoMo (snap-research/LoCoMo, CC BY-NC) stays where it is: nothing of it is copied here. A turn is an episode: its
speaker the agent, its session the session, its content the text and the caption of its image.
"""

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clew.engine import Engine
from clew.memory import recall as recall_module
from clew.memory.copies import Archives
from clew.memory.ranking import FORMULA, MEASURED, WORTH, MemoryWeights, parse, signals
from clew.memory.recall import Recall, RecallQuery
from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
DEPTHS = (5, 10, 25)
HOPS = tuple(product((10, 20), (10, 20), (2.0,), (0.0, 0.3, 0.5)))  # hits, words, rarity, worth


class Turn(NamedTuple):
    id: str
    speaker: str
    session: str
    text: str
    at: int


class Question(NamedTuple):
    text: str
    category: int
    evidence: tuple[str, ...]


def turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for number in count(1):
        name = f"session_{number}"
        if f"{name}_date_time" not in conversation:
            return
        began = datetime.strptime(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for order, turn in enumerate(conversation.get(name, ())):
            caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            at = int(began.timestamp() * 1_000_000) + order * 1_000_000
            yield Turn(turn["dia_id"], turn["speaker"], name, turn["text"] + caption, at)


def questions(sample: dict[str, Any]) -> Iterator[Question]:
    """Those with evidence; where several turns are named in one string, all of them."""
    for one_asked in sample["qa"]:
        named = [
            f"D{a}:{int(b)}" for one in one_asked.get("evidence") or () for a, b in re.findall(r"D:?(\d+):(\d+)", one)
        ]
        if one_asked.get("evidence"):
            yield Question(one_asked["question"], one_asked["category"], tuple(dict.fromkeys(named)) or ("none",))


@contextmanager
def project(environ: dict[str, str] | None = None) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        with Engine.open(root, environ={"CLEW_QUERY_REFRESH": "false", **(environ or {})}) as engine:
            yield engine


def kept(engine: Engine, conversation: Sequence[Turn]) -> None:
    with engine.db.transaction():
        for turn in conversation:
            draft = EpisodeDraft(EpisodeType.OBSERVATION, turn.text, occurred_at=turn.at)
            engine.episodes.add(turn.id, Identity(turn.speaker, turn.session), draft, (), turn.at)


Row = tuple[float, ...]


def measured(samples: list[dict[str, Any]], model: str, weights: MemoryWeights) -> dict[int, list[Row]]:
    """By category, and under 0 for all: the share of the evidence among the first so many."""
    found: dict[int, list[Row]] = defaultdict(list)
    for sample in samples:
        with project({"CLEW_EMBEDDING_MODEL": model} if model else None) as engine:
            kept(engine, list(turns(sample["conversation"])))
            for question in questions(sample):
                row = _shares(engine.memory.recall, question, weights)
                found[question.category].append(row)
                found[0].append(row)
    return found


def _shares(recall: Recall, question: Question, weights: MemoryWeights) -> Row:
    hits = recall.find(RecallQuery(question.text, limit=max(DEPTHS), weights=weights))
    order = [hit.episode.id for hit in hits]
    return tuple(sum(one in order[:depth] for one in question.evidence) / len(question.evidence) for depth in DEPTHS)


def report(name: str, found: dict[int, list[Row]]) -> None:
    print(f"\n{name}: evidence recall at {', '.join(map(str, DEPTHS))}")
    for category, label in {0: "all", **CATEGORIES}.items():
        rows = np.array(found[category])
        shares = " / ".join(f"{100 * share:.1f}" for share in rows.mean(axis=0))
        print(f"  {label:12s} {len(rows):5d} questions   {shares}")


class Case(NamedTuple):
    """A question's signals, a row per turn, and the rows that are evidence."""

    category: int
    signals: Any
    right: list[int]
    of: int  # as much evidence as there is, also in turns that are not there


def cases(sample: dict[str, Any]) -> list[Case]:
    with project() as engine:
        said = list(turns(sample["conversation"]))
        kept(engine, said)
        rows = {turn.id: row for row, turn in enumerate(said)}
        archive = Archives(engine.episodes, None, "").current()
        made = []
        for question in questions(sample):
            found = signals(archive, parse(archive, question.text), np.ones(len(archive), np.bool_))
            right = [rows[one] for one in question.evidence if one in rows]
            made.append(Case(question.category, np.stack(found, 1), right, len(question.evidence)))
        return made


def hopped(samples: list[dict[str, Any]]) -> None:
    """Each conversation by the second hop that found most in the other nine."""
    rows: dict[tuple[float, ...], list[list[tuple[int, Row]]]] = {choice: [] for choice in HOPS}
    for sample in samples:
        with project() as engine:
            kept(engine, list(turns(sample["conversation"])))
            for choice, every in rows.items():
                for name, value in zip(("FROM", "TERMS", "RARE", "WORTH"), choice, strict=True):
                    setattr(recall_module, name, value)
                every.append(
                    [(one.category, _shares(engine.memory.recall, one, MEASURED)) for one in questions(sample)]
                )
    found: dict[int, list[Row]] = defaultdict(list)
    for held_out in range(len(samples)):
        others = [n for n in range(len(samples)) if n != held_out]
        best = max(HOPS, key=lambda choice: np.mean([row for n in others for _, row in rows[choice][n]]))
        print(f"  without conversation {held_out}: {best[0]} hits, {best[1]} words from {best[2]} on, worth {best[3]}")
        for category, row in rows[best][held_out]:
            found[category].append(row)
            found[0].append(row)
    report("base install, second hop chosen anew", found)


def fitted(samples: list[dict[str, Any]]) -> None:
    """Each conversation by weights that the other nine gave."""
    every = [cases(sample) for sample in samples]
    found: dict[int, list[Row]] = defaultdict(list)
    for held_out, own in enumerate(every):
        weights = fit([case for n, others in enumerate(every) if n != held_out for case in others])
        print(f"  without conversation {held_out}: {' '.join(f'{one / weights[0]:.2f}' for one in weights)}")
        for case in own:
            order = np.argsort(-(case.signals @ weights), kind="stable")
            row = tuple(float(np.isin(case.right, order[:depth]).sum()) / case.of for depth in DEPTHS)
            found[case.category].append(row)
            found[0].append(row)
    report("base install, weights fitted anew", found)


def fit(learned: Sequence[Case], steps: int = 60, candidates: int = 80) -> Any:
    """Weights that make the evidence likely among the best candidates, by gradient (Adam) on a softmax."""
    blocks = []
    for case in learned:
        best = np.argsort(-(case.signals @ np.array(WORTH)), kind="stable")[:candidates]
        rows = list(dict.fromkeys([*case.right, *best]))
        if case.right:
            blocks.append((case.signals[rows], len(case.right)))
    every = np.concatenate([block for block, _ in blocks])
    scale = every.std(axis=0) + 1e-9
    starts = np.cumsum([0, *(len(block) for block, _ in blocks[:-1])])
    of = np.repeat(np.arange(len(blocks)), [len(block) for block, _ in blocks])
    goal = np.concatenate([np.where(np.arange(len(block)) < right, 1 / right, 0) for block, right in blocks])
    scaled, weights = every / scale, np.zeros(every.shape[1])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        odds = scaled @ weights
        odds = np.exp(odds - np.maximum.reduceat(odds, starts)[of])
        slope = scaled.T @ (odds / np.add.reduceat(odds, starts)[of] - goal) / len(blocks)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        weights -= 0.4 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    return weights / scale


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--locomo", type=Path, required=True, help="data/locomo10.json of snap-research/LoCoMo")
    options.add_argument("--model", default="", help="also with this embedder, such as minilm")
    options.add_argument("--formula", action="store_true", help="also with the weights of the seed's formula")
    options.add_argument("--fit", action="store_true", help="also with weights fitted anew, a conversation left out")
    options.add_argument("--hop", action="store_true", help="also with a second hop chosen anew, likewise; minutes")
    given = options.parse_args()
    samples = json.loads(given.locomo.read_text("utf-8"))
    report("base install", measured(samples, "", MEASURED))
    if given.fit:
        fitted(samples)
    if given.formula:
        report("base install, the formula's weights", measured(samples, "", FORMULA))
    if given.model:
        report(given.model, measured(samples, given.model, MEASURED))
    if given.hop:
        hopped(samples)  # last: what it tries stays set


if __name__ == "__main__":
    main()
