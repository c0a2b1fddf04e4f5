"""What Clew makes of one repository: its graph, the outlines of its files, answers to questions."""

import hashlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

import clew
from bench.golden_master.repositories import Repository, check_out, subjects
from bench.golden_master.rows import digest, read, rows_of, write

# Of each repository; of 37 this makes 222 searches, 148 packs and 74 explanations.
SEARCHES_BY_MESSAGE, SEARCHES_BY_NAME, BRIEFINGS, CONTEXT_PACKS, EXPLANATIONS, OUTLINES = 4, 2, 2, 2, 2, 30
HITS, BRIEFING_TOKENS, ANY_TOKENS = 10, 6000, 10_000_000
FEWEST_WORDS = 4
ROUTINE = ("bump", "release", "version", "update", "chore", "prepare", "revert")
CALLABLE = ("function", "method", "class")

Question = dict[str, Any]


def record(checkouts: Path, into: Path, against: Path | None, repository: Repository) -> dict[str, str]:
    """The digest of each part; the parts themselves lie in `into`."""
    home = into / repository.name
    with tempfile.TemporaryDirectory(prefix="clew-oracle-") as scratch:
        tree = Path(scratch) / repository.name
        check_out(checkouts, repository, tree)
        command_line("-C", str(tree), "index", "--quiet")
        graph = graph_of(tree)
        earlier = against / repository.name / "questions.jsonl.gz" if against else None
        asked = [json.loads(row) for row in read(earlier)] if earlier and earlier.is_file() else []
        asked = asked or [*_questions(subjects(tree), graph)]
        with clew.open(tree) as workspace:
            answers = [row for question in asked for row in _answered(workspace, question)]
            outlines = [row for path in _some_files(graph) for row in outline(workspace, path)]
    write(home / "questions.jsonl.gz", (json.dumps(one, sort_keys=True) for one in asked))
    parts = {"graph": graph, "outlines": outlines, "answers": answers}
    return {name: digest(write(home / f"{name}.jsonl.gz", rows)) for name, rows in parts.items()}


def forget_settings() -> None:
    """The environment's settings would be recorded with the answers."""
    for name in [name for name in os.environ if name.startswith("CLEW_")]:
        del os.environ[name]


def command_line(*arguments: str) -> None:
    """Run `clew` in this process, by the entry point that its package declares."""
    (script,) = entry_points(group="console_scripts", name="clew")
    main: Callable[[], object] = script.load()
    before, said = sys.argv, io.StringIO()
    sys.argv = ["clew", *arguments]
    try:
        with redirect_stdout(said), redirect_stderr(said):
            main()
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"clew {' '.join(arguments)} failed: {said.getvalue()}") from ended
    finally:
        sys.argv = before


def graph_of(tree: Path) -> list[str]:
    """Nodes, edges with candidates, and unresolved calls, a row of JSON each."""
    with tempfile.TemporaryDirectory(prefix="clew-oracle-") as scratch:
        printed = Path(scratch) / "graph.jsonl"
        command_line("-C", str(tree), "graph", "--candidates", "--output", str(printed))
        return printed.read_text("utf-8").splitlines()


def outline(workspace: Any, path: str) -> Iterator[str]:
    return _told(workspace.semantic_slice, {"tool": "outline", "file": path}, {"file": path, "max_tokens": ANY_TOKENS})


def _answered(workspace: Any, question: Question) -> Iterator[str]:
    arguments = {name: value for name, value in question.items() if name != "tool"}
    return _told(getattr(workspace, question["tool"]), question, arguments)


def _told(tool: Callable[..., Any], question: Question, arguments: dict[str, Any]) -> Iterator[str]:
    try:
        answer = msgspec.to_builtins(tool(**arguments))
    except Exception as error:  # noqa: BLE001 - how a question fails is an answer that may change, too
        answer = {"error": getattr(error, "code", type(error).__name__)}
    return rows_of(question, answer)


def _questions(messages: Sequence[str], graph: Sequence[str]) -> Iterator[Question]:
    """Chosen by content alone: evenly among the commits, and by the hash of a name among definitions."""
    telling = [one for one in messages if len(one.split()) >= FEWEST_WORDS and not one.lower().startswith(ROUTINE)]
    wanted = SEARCHES_BY_MESSAGE + BRIEFINGS + CONTEXT_PACKS
    chosen = [telling[number * len(telling) // wanted] for number in range(wanted)] if telling else []
    for number, message in enumerate(chosen):
        if number < SEARCHES_BY_MESSAGE:
            yield {"tool": "query_context", "query": message, "k": HITS}
        elif number < SEARCHES_BY_MESSAGE + BRIEFINGS:
            yield {"tool": "context_pack", "task": message, "max_tokens": BRIEFING_TOKENS}
        else:
            yield {"tool": "context_pack_create", "query": message}
    rows = [json.loads(row) for row in graph]
    defined = [one["id"] for one in rows if one["type"] == "node" and one["kind"] in CALLABLE]
    for symbol in sorted(defined, key=_hashed)[:SEARCHES_BY_NAME]:
        yield {"tool": "query_context", "query": symbol.rpartition("::")[2].partition("#")[0], "k": HITS}
    here = set(defined)
    called = Counter(one["target"] for one in rows if one["type"] == "edge" and one["target"] in here)
    for symbol in sorted(here, key=lambda one: (-called[one], one))[:EXPLANATIONS]:
        yield {"tool": "code_explain", "element": symbol, "max_tokens": ANY_TOKENS}


def _some_files(graph: Sequence[str]) -> list[str]:
    nodes = (json.loads(row) for row in graph)
    return sorted((one["id"] for one in nodes if one.get("kind") == "file"), key=_hashed)[:OUTLINES]


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
