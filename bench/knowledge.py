"""Recall over knowledge and episodes: precision, passages of several hops, conversations, ingest and latency.

python -m bench.knowledge precision [--half dev|test]
python -m bench.knowledge notes [--tool recall|episode_recall] [--verbose]
python -m bench.knowledge passages --data path/to/HippoRAG/data    # commit 3d95d255
python -m bench.knowledge locomo --data path/to/locomo10.json [--samples N]
python -m bench.knowledge ablation --data path/to/locomo10.json [--samples N]
python -m bench.knowledge ingest | latency [--nodes N] [--url postgresql://…]

The data sets stay where they are: nothing of them is copied here.
"""

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from bench.memory import CATEGORIES, DEPTHS, questions, turns
from clew.engine import Engine
from clew.knowledge import passage_names
from clew.knowledge.intent import Intent, ViewName, make_plan
from clew.memory import ranking
from clew.memory.recall import RecallQuery
from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.model.time import from_iso, to_iso
from clew.tools import knowledge_recall
from clew.tools.episodes import episode_add, episode_recall
from clew.tools.knowledge_recall import RecallRequest, answer_question
from clew.tools.knowledge_remember import GivenText, remember_texts
from clew.tools.knowledge_views import WriteOptions, write_context

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")


class Case(NamedTuple):
    """Texts that are remembered (by whom, in which scope, when), a question, and words of the items that answer."""

    kind: str
    texts: tuple[tuple[Identity, str, str, str], ...]
    question: str
    answers: tuple[str, ...]
    wrong: tuple[str, ...] = ()


PEOPLE = "Alma Bruno Carla Dario Elena Fabio Greta Hugo Irene Jonas Karin Lukas Maria Nadia Oscar Paula".split()
CITIES = "Lisbon Oslo Vienna Prague Dublin Athens Warsaw Zagreb Tallinn Riga Malmo Turin Porto Basel Graz Ghent".split()
COMPANIES = (
    "Acme Globex Initech Umbrella Hooli Vandelay Stark Wayne Tyrell Cyberdyne "
    "Soylent Wonka Oscorp Aperture Massive Duff"
).split()
SERVICES = (
    "billing checkout search mailer gateway ledger catalog inventory shipping "
    "payroll auth reports pricing queue media sync"
).split()
TEAMS = "red blue green amber violet silver coral olive teal ivory navy ruby pearl jade onyx topaz".split()
STORES = (
    "PostgreSQL MySQL Redis MongoDB Cassandra SQLite Kafka RabbitMQ DynamoDB "
    "Elasticsearch Neo4j etcd Consul Vault Mesos Nomad"
).split()
NOISE = (
    "The standup was short.", "Lunch is at noon on Fridays.", "The build was green all week.",
    "Someone repainted the kitchen.", "The printer on the second floor jams.",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Sixteen worlds of fifteen cases each; the odd ones are for development, the even ones for the test."""
    for n in range(16):
        yield from _world(n)


def _world(n: int) -> Iterator[Case]:
    who, other = PEOPLE[n], PEOPLE[(n + 5) % 16]
    old, new, third = (CITIES[(n + k) % 16] for k in (0, 3, 7))
    first, second = COMPANIES[n], COMPANIES[(n + 4) % 16]
    service, beside = SERVICES[n], SERVICES[(n + 6) % 16]
    team, later = TEAMS[n], TEAMS[(n + 2) % 16]
    store, newer = STORES[n], STORES[(n + 9) % 16]
    noise = tuple((ANN, "project", one, "2025-01-05") for one in NOISE)

    def said(
        text: str, day: str = "2025-01-01", by: Identity = ANN, scope: str = "project"
    ) -> tuple[Identity, str, str, str]:
        return by, scope, text, day

    moved = (said(f"{who} lives in {old}."), said(f"{who} lives in {new}.", "2025-03-01"), *noise)
    owned = (
        said(f"The owner of the {service} service is team {team}."),
        said(f"The owner of the {service} service is team {later}.", "2025-04-01"),
        said(f"The owner of the {beside} service is team {TEAMS[(n + 8) % 16]}."), *noise,
    )  # fmt: skip
    used = (
        said(f"The {service} service depends on {store}."),
        said(f"The {beside} service depends on {newer}."),
        *noise,
    )
    why = (
        said(f"We retry the {service} calls three times because the {beside} connection drops at night."),
        said(f"We cache the {beside} answers because the database is slow."), *noise,
    )  # fmt: skip
    yield Case("supersession", moved, f"Where does {who} live?", (new,), (old,))
    yield Case("supersession", owned, f"Who owns the {service} service?", (later,), (team,))
    yield Case("supersession", moved, f"Where did {who} live before?", (old,), ())
    yield Case(
        "supersession",
        (*moved, said(f"{who} no longer lives in {new}.", "2025-05-01")),
        f"Where does {who} live?",
        ("no longer",),
        (old,),
    )
    late = (said(f"{who} works at {second}.", "2025-06-01"), said(f"{who} works at {first}.", "2025-01-01"), *noise)
    yield Case("supersession", late, f"Where does {who} work?", (second,), (first,))
    private = (
        said(f"{who} prefers tea in the morning.", by=BEN, scope="agent"),
        said(f"{other} prefers coffee.", scope="agent"),
        *noise,
    )
    yield Case("scope", private, f"What does {who} prefer?", (), ("tea",))
    yield Case("scope", private, f"What does {other} prefer?", ("coffee",), ("tea",))
    yield Case(
        "other users",
        (said(f"My favorite city is {third}.", by=BEN, scope="user"), *noise),
        "What is my favorite city?",
        (third,),
        (),
    )
    session = (said(f"The deadline of the {service} release is May.", by=Identity("ann", "2"), scope="session"), *noise)
    yield Case("other users", session, f"What is the deadline of the {service} release?", (), ("May",))
    alias = (said(f"{service.title()}Service depends on {store}."), *noise)
    yield Case("alias", alias, f"What does the {service} service depend on?", (store,), ())
    yield Case("ranking", used, f"What does the {service} service depend on?", (store,), (newer,))
    yield Case(
        "ranking",
        why,
        f"Why do we retry the {service} calls?",
        (f"{beside} connection drops", f"retry the {service}"),
        ("database is slow",),
    )
    yield Case(
        "budget", (*moved, *owned, *used), f"What does the {beside} service depend on?", (newer,), (store, old, team)
    )
    yield Case("nothing", (*moved, *owned), f"What is the license of the {service} service?", (), (team, later))
    yield Case("nothing", (*moved, *used), f"Which instrument does {other} play?", (), (old, new))


@contextmanager
def project(environ: dict[str, str] | None = None) -> Iterator[Engine]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine.open(Path(folder), environ={**os.environ, "CLEW_QUERY_REFRESH": "false", **(environ or {})}) as engine,
    ):
        yield engine


def measure_precision(half: str) -> None:
    """Precision is the share of the items that answer; where nothing is known, an empty answer is right."""
    chosen = [one for n, one in enumerate(cases()) if half == "all" or (n // 15 % 2 == 0) == (half == "dev")]
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for case in chosen:
        with project() as engine:
            for by, scope, text, day in case.texts:
                remember_texts(engine, by, WriteOptions(scope=scope), [GivenText(text, day)])
            items = [one.text for one in answer_question(engine, ANN, RecallRequest(case.question, 10)).items]
            repeated = [one.text for one in answer_question(engine, ANN, RecallRequest(case.question, 10)).items]
        right = [text for text in items if any(word in text for word in case.answers)]
        allowed = [
            text for text in items if "before" in case.question and text not in right and case.kind == "supersession"
        ]
        precision = (len(right) + len(allowed)) / len(items) if items else float(not case.answers)
        if not case.answers:
            precision = float(not items)
        recall = (
            sum(any(word in text for text in items) for word in case.answers) / len(case.answers)
            if case.answers
            else 1.0
        )
        found[case.kind].append((precision, recall))
        if precision < 1 or recall < 1 or items != repeated:
            print(f"  {case.kind}: {case.question} -> {items} (wanted {case.answers})")
    rows = [one for group in found.values() for one in group]
    for kind, group in (*found.items(), ("all", rows)):
        print(f"{kind:14s} {len(group):4d}  precision {_mean(group, 0):.3f}  recall {_mean(group, 1):.3f}")


def _mean(rows: Sequence[tuple[float, float]], place: int) -> float:
    return sum(row[place] for row in rows) / len(rows)


NOTES = Path(__file__).parent / "notes"


class Note(NamedTuple):
    """A short text: the agent that wrote it, and the scope, project or agent."""

    day: str
    author: str
    scope: str
    text: str


class NotesQuestion(NamedTuple):
    """`needed` are tags of notes that answer, `allowed` of further ones that do no harm."""

    kind: str
    text: str
    needed: frozenset[str]
    allowed: frozenset[str]


def read_notes(file: Path) -> tuple[dict[str, Note], list[NotesQuestion]]:
    notes, asked = {}, []
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("?"):
            left, _, right = line[1:].partition("=>")
            kind, _, text = (part.strip() for part in left.partition("|"))
            tags = [tag.strip() for tag in right.split(",") if tag.strip()]
            more = frozenset(tag.strip("()") for tag in tags if tag.startswith("("))
            asked.append(NotesQuestion(kind, text, frozenset(tags) - {f"({tag})" for tag in more}, more))
        elif line and not line.startswith("#"):
            tag, day, author, text = (part.strip() for part in line.split("|", 3))
            name, _, scope = author.partition("@")
            notes[tag] = Note(day, name, scope or "project", text)
    return notes, asked


def measure_notes(tool: str, *, verbose: bool) -> None:
    """Precision is the share of the items that answer; where nothing is known, an empty answer is right."""
    for file in sorted(NOTES.glob("*.txt")):
        notes, asked = read_notes(file)
        reader = Identity(next(iter(notes.values())).author, "1")
        found: dict[str, list[tuple[float, float]]] = defaultdict(list)
        with project() as engine:
            tags = _keep_notes(engine, notes, tool)
            for one in asked:
                if tool == "episode_recall" and any(notes[tag].scope != "project" for tag in one.needed):
                    continue  # private texts are no episodes
                items = [tags.get(source, source) for source in _sources_of(engine, reader, one.text, tool)]
                right = [tag for tag in items if tag in one.needed | one.allowed]
                precision = len(right) / len(items) if items and one.needed else float(bool(items) == bool(one.needed))
                recall = len(one.needed & set(items)) / len(one.needed) if one.needed else 1.0
                found[one.kind].append((precision, recall))
                if verbose and (precision, recall) != (1, 1):
                    print(f"  {one.kind}: {one.text} -> {items} (wanted {sorted(one.needed)})")
        rows = [one for group in found.values() for one in group]
        for kind, group in (*found.items(), ("all", rows)):
            means = f"precision {_mean(group, 0):.3f}  recall {_mean(group, 1):.3f}"
            print(f"{file.stem:5s} {kind:14s} {len(group):4d}  {means}")


def _keep_notes(engine: Engine, notes: Mapping[str, Note], tool: str) -> dict[str, str]:
    """Records the notes; their tags by the ids of what was recorded."""
    tags: dict[str, str] = {}
    for tag, note in notes.items():
        who = Identity(note.author, "2" if note.scope == "session" else "1")
        if tool == "recall":
            kept = remember_texts(engine, who, WriteOptions(scope=note.scope), [GivenText(note.text, note.day)])[0]
            tags |= dict.fromkeys((kept.episode_id, *kept.facts, *kept.causes, *kept.events), tag)
        elif note.scope == "project":
            tags[episode_add(engine, EpisodeType.OBSERVATION, note.text, occurred_at=note.day, who=who).episode_id] = (
                tag
            )
    return tags


def _sources_of(engine: Engine, reader: Identity, question: str, tool: str) -> list[str]:
    """The notes behind the items of an answer, as ids."""
    if tool == "episode_recall":
        return [one.id for one in episode_recall(engine, question, limit=10, who=reader).episodes]
    items = answer_question(engine, reader, RecallRequest(question, 10)).items
    return [one.source.episode if one.source and one.source.episode else one.id for one in items]


class Passages(NamedTuple):
    documents: list[tuple[str, str]]
    questions: list[tuple[str, list[tuple[str, str]]]]


def read_passages(folder: Path, name: str) -> Passages:
    asked = json.loads((folder / f"{name}_train.json").read_text("utf-8"))
    corpus = json.loads((folder / f"{name}_train_corpus.json").read_text("utf-8"))
    if isinstance(corpus, list):
        documents = [(one["title"], one["text"]) for one in corpus]
        gold = [[(p["title"], p["paragraph_text"]) for p in one["paragraphs"] if p["is_supporting"]] for one in asked]
    else:
        documents = [(title, "".join(lines)) for title, lines in corpus.items()]
        text = dict(documents)
        gold = [[(t, text[t]) for t in dict.fromkeys(t for t, _ in one["supporting_facts"])] for one in asked]
    return Passages(documents, list(zip([one["question"] for one in asked], gold, strict=True)))


def measure_passages(folder: Path) -> None:
    for name in ("musique", "hotpotqa"):
        data = read_passages(folder, name)
        ids = {one: f"d{n}" for n, one in enumerate(data.documents)}
        with project() as engine:
            with engine.db.transaction():
                for one, id_ in ids.items():
                    draft = EpisodeDraft(EpisodeType.OBSERVATION, "\n".join(one), occurred_at=1)
                    engine.episodes.add(id_, Identity("reader", id_), draft, (), 1)
            for label, worths in (
                ("recall", None),
                ("without names", (0.0, 0.0, 0.0)),
                ("titles alone", (1.0, 0.0, 0.4)),
            ):
                with _worths(worths):
                    found = [
                        _share(engine, question, {ids[one] for one in gold if one in ids})
                        for question, gold in data.questions
                    ]
                print(f"{name:10s} {label:14s} R@5 {100 * sum(found) / len(found):.1f}")


def _share(engine: Engine, question: str, gold: set[str]) -> float:
    items = answer_question(engine, ANN, RecallRequest(question, 5, cut=False)).items
    return len(gold & {one.id for one in items if one.kind == "episode"}) / max(len(gold), 1)


@contextmanager
def _worths(values: tuple[float, float, float] | None) -> Iterator[None]:
    kept = passage_names.TITLED, passage_names.MENTIONING, passage_names.ASKED
    if values is not None:
        passage_names.TITLED, passage_names.MENTIONING, passage_names.ASKED = values
    try:
        yield
    finally:
        passage_names.TITLED, passage_names.MENTIONING, passage_names.ASKED = kept


def measure_conversations(file: Path, samples: int) -> None:
    variants = {"recall": None, "without names": (0.0, 0.0, 0.0), "titles alone": (1.0, 0.0, 0.4)}
    found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for sample in json.loads(file.read_text("utf-8"))[:samples]:
        with project() as engine:
            with engine.db.transaction():
                for turn in turns(sample["conversation"]):
                    draft = EpisodeDraft(EpisodeType.OBSERVATION, turn.text, occurred_at=turn.at)
                    engine.episodes.add(turn.id, Identity(turn.speaker, turn.session), draft, (), turn.at)
            for asked in questions(sample):
                ranked = {
                    "episode_recall": [
                        one.episode.id for one in engine.memory.recall.find(RecallQuery(asked.text, limit=25))
                    ]
                }
                for label, worths in variants.items():
                    with _worths(worths):
                        items = answer_question(engine, ANN, RecallRequest(asked.text, 25, cut=False)).items
                    ranked[label] = [one.id for one in items if one.kind == "episode"]
                for label, ids in ranked.items():
                    for depth in DEPTHS:
                        share = len(set(asked.evidence) & set(ids[:depth])) / len(asked.evidence)
                        for category in ("all", CATEGORIES[asked.category]):
                            found[label, category, depth].append(share)
    for label in ("episode_recall", *variants):
        for category in ("all", *CATEGORIES.values()):
            rows = [found[label, category, depth] for depth in DEPTHS]
            if rows[0]:
                print(f"{label:15s} {category:12s} {' / '.join(f'{100 * sum(row) / len(row):.1f}' for row in rows)}")


def measure_ablation(file: Path, samples: int) -> None:
    """Turns are remembered with what they say; an item stands for the turn that it was taken from."""
    variants: dict[str, Callable[[Engine], AbstractContextManager[object]]] = {
        "recall": lambda engine: nullcontext(),
        "no intent": lambda engine: patch.object(knowledge_recall, "plan", lambda text: make_plan(Intent.EXPLORE, "")),
        **{f"no {view}": partial(_without_view, view=view) for view in ViewName if view is not ViewName.SEMANTIC},
        "no windows": lambda engine: patch.object(ranking, "WORTH", (ranking.WORTH[0], *[0.0] * 5, ranking.WORTH[-1])),
        "no knowledge": lambda engine: nullcontext(),
    }
    found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for sample in json.loads(file.read_text("utf-8"))[:samples]:
        with project() as engine:
            ids = {}
            for turn in turns(sample["conversation"]):
                given = GivenText(turn.text, to_iso(turn.at), turn.speaker)
                kept = remember_texts(engine, Identity(turn.speaker, turn.session), WriteOptions(), [given])[0]
                ids[kept.episode_id] = turn.id
            for asked in questions(sample):
                for label, altered in variants.items():
                    with altered(engine):
                        items = answer_question(engine, ANN, RecallRequest(asked.text, 25, cut=False)).items
                    sources = [one.source.episode for one in items if label != "no knowledge" or one.kind == "episode"]
                    ranked = [ids[one] for one in dict.fromkeys(sources) if one in ids]
                    for depth in DEPTHS:
                        share = len(set(asked.evidence) & set(ranked[:depth])) / len(asked.evidence)
                        for category in ("all", CATEGORIES[asked.category]):
                            found[label, category, depth].append(share)
    for label in variants:
        for category in ("all", *CATEGORIES.values()):
            rows = [found[label, category, depth] for depth in DEPTHS]
            shares = " / ".join(f"{100 * sum(row) / len(row):.1f}" for row in rows)
            print(f"{label:14s} {category:12s} {len(rows[0]):5d}  {shares}")


def _without_view(engine: Engine, view: ViewName) -> AbstractContextManager[object]:
    recall = engine.knowledge.recall
    return patch.object(recall, "find", partial(recall.find, without=frozenset({view})))


def measure_ingest(messages: int, environ: dict[str, str]) -> None:
    given = [
        GivenText(
            f"{PEOPLE[n % 16]} moved to {CITIES[n % 13]} because team {TEAMS[n % 7]} needed case {n} solved.",
            "2025-01-01",
        )
        for n in range(messages)
    ]
    with project(environ) as engine:
        remember_texts(engine, ANN, WriteOptions(), given[:10])
        began, busy = time.perf_counter(), time.process_time()
        for start in range(10, messages, 500):
            remember_texts(engine, ANN, WriteOptions(), given[start : start + 500])
        took, worked = time.perf_counter() - began, time.process_time() - busy
        print(
            f"{(messages - 10) / took:.0f} messages a second, {(messages - 10) / worked:.0f} a second of processor time"
        )


def measure_latency(nodes: int, environ: dict[str, str]) -> None:
    with project(environ) as engine:
        context = write_context(engine, ANN, WriteOptions())

        def fill(batch: Any) -> None:
            start = from_iso("2025-01-01")
            for n in range(nodes // 5):
                service, team = f"{SERVICES[n % 16]} {n // 16}", f"{TEAMS[n % 16]} {n // 160}"
                batch.entity(service)
                batch.fact(service, "owned by", team, start)
                batch.event(f"{service} was deployed to {CITIES[n % 16]}", start + n, [service])
                batch.causal_link(f"{service} lost its connection", f"{service} retries {n % 9} times", 1.0, [service])

        engine.knowledge.write_all(context, fill)
        asked = [f"who owns {SERVICES[n % 16]} {n * 7 % (nodes // 80)}?" for n in range(100)]
        asked += [f"why does {SERVICES[n % 16]} {n * 5 % (nodes // 80)} retry?" for n in range(100)]
        answer_question(engine, ANN, RecallRequest(asked[0], 10))
        took, worked = [], []
        for question in asked:
            began, busy = time.perf_counter(), time.process_time()
            answer_question(engine, ANN, RecallRequest(question, 10))
            took.append(1000 * (time.perf_counter() - began))
            worked.append(1000 * (time.process_time() - busy))
        took.sort()
        worked.sort()
        count = engine.knowledge.read(lambda catalog: sum(one.is_node for one in catalog.current.values()))
        for label, times in (("wall", took), ("processor", worked)):
            print(f"{count:,} nodes, {label} time: p50 {times[100]:.0f} ms, p95 {times[190]:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["precision", "notes", "passages", "locomo", "ablation", "ingest", "latency"])
    parser.add_argument("--half", choices=["dev", "test", "all"], default="test")
    parser.add_argument("--tool", choices=["recall", "episode_recall"], default="recall")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    environ = {"CLEW_STORAGE_URL": options.url, "CLEW_PROJECT_ID": "bench"} if options.url else {}
    if options.what == "notes":
        measure_notes(options.tool, verbose=options.verbose)
    elif options.what == "precision":
        measure_precision(options.half)
    elif options.what == "passages":
        measure_passages(options.data)
    elif options.what == "locomo":
        measure_conversations(options.data, options.samples)
    elif options.what == "ablation":
        measure_ablation(options.data, options.samples)
    elif options.what == "ingest":
        measure_ingest(2010, environ)
    else:
        measure_latency(options.nodes, environ)


if __name__ == "__main__":
    main()
