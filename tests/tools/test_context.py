"""query_context and get_context_stats: the fields of their document, and the budget's promises on real hits."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.engine import Engine
from clew.runtime.settings import RETRIEVERS, Providers
from clew.text.tokens import estimate
from clew.tools.answer import Caller, answer
from clew.tools.context import LINES_FIRST, IndexState, QueryContext, query_context
from clew.tools.freshness import FreshnessState
from clew.workspaces import Workspaces

DOCUMENTED_HIT = {"chunk_id", "score", "file_path", "label", "kind", "snippet", "language", "offsets"}

budgets = st.integers(60, 5000)
questions = st.sampled_from(["token", "validate token", "令牌 token", "audit 🔐", "Vault store_token", "zeppelin"])
on_one_index = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def asked(caller: Caller, query: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, "query_context", {"query": query, **arguments}).body)
    return envelope


def hits_of(envelope: dict[str, Any]) -> list[str]:
    return [f"{hit['file_path']}:{hit['first_line']}" for hit in envelope["data"]["hits"]]


def test_a_question_has_every_field_of_its_document(caller: Caller) -> None:
    data = asked(caller, "validate token", explain=True, profile="debug")["data"]

    assert {"query", "total", "hits", "total_tokens"} <= data.keys()
    assert data["query"] == "validate token"
    assert data["total"] >= len(data["hits"])
    for hit in data["hits"]:
        assert hit.keys() >= DOCUMENTED_HIT
        assert 0 <= hit["score"] <= 1
        assert hit["offsets"].keys() == {"start", "end"}
    assert data["total_tokens"] == sum(estimate(hit["snippet"]) for hit in data["hits"])


def test_the_best_hit_comes_first_with_its_lines_and_reasons(caller: Caller) -> None:
    best = asked(caller, "validate token", explain=True)["data"]["hits"][0]

    assert (best["label"], best["file_path"], best["kind"]) == ("validate_token", "tokens.py", "function")
    assert (best["first_line"], best["last_line"]) == (4, 6)
    assert best["symbol"] == "tokens.py::validate_token"
    by_words, by_path, by_meaning, *_ = best["reasons"]
    assert by_words["retriever"] == "full_text"
    assert "name: token valid" in by_words["detail"]
    assert (by_path["retriever"], by_path["detail"]) == ("path", "token")
    assert (by_meaning["retriever"], by_meaning["detail"][:15]) == ("semantic", "near in meaning")
    assert sum(one["share"] for one in best["reasons"]) == pytest.approx(best["score"], abs=1e-3)


def test_explained_hits_stand_in_the_order_of_their_scores(caller: Caller) -> None:
    hits = asked(caller, "validate token", explain=True, profile="debug")["data"]["hits"]
    scores = [hit["score"] for hit in hits]

    assert scores == sorted(scores, reverse=True)
    assert any(one["retriever"] == "variety" and one["share"] < 0 for hit in hits for one in hit["reasons"])
    for hit in hits:
        assert sum(one["share"] for one in hit["reasons"]) == pytest.approx(hit["score"], abs=1e-3)


def test_an_answer_says_how_much_is_indexed(caller: Caller) -> None:
    assert asked(caller, "token", profile="debug")["data"]["index"] == {
        "files_indexed": 5,
        "files_seen": 5,
        "indexing": False,
    }


def test_k_is_twelve_unless_said_and_limits_the_hits(engine: Engine) -> None:
    assert len(query_context(engine, "token").hits) <= 12
    assert len(query_context(engine, "token", k=2).hits) == 2


@pytest.mark.parametrize(
    ("scope", "files"),
    [
        ({"paths": ["vault.py"]}, {"vault.py"}),
        ({"languages": ["markdown"]}, {"guide.md"}),
        ({"kinds": ["MARKDOWN_SECTION"]}, {"guide.md"}),
        ({"kinds": ["CODE_CLASS"]}, {"vault.py"}),
        ({"paths": ["*.py"], "exclude_patterns": ["a*", "t*", "s*"]}, {"vault.py"}),
    ],
)
def test_a_scope_limits_where_to_look(caller: Caller, scope: dict[str, list[str]], files: set[str]) -> None:
    hits = asked(caller, "token", scope=scope, filters={"min_score": 0}, profile="debug")["data"]["hits"]

    assert {hit["file_path"] for hit in hits} == files


def test_a_scope_may_be_written_in_full(caller: Caller, engine: Engine) -> None:
    root = str(engine.place.root)
    scope = {"paths": [f"{root}/*.py"], "exclude_patterns": [f"{root}/{one}*" for one in "ats"]}
    hits = asked(caller, "token", scope=scope, filters={"min_score": 0}, profile="debug")["data"]["hits"]

    assert {hit["file_path"] for hit in hits} == {"vault.py"}


@pytest.mark.parametrize(
    ("scope", "unmet"), [({"paths": ["nowhere", "vault.py"]}, ["nowhere"]), ({"languages": ["go", "python"]}, ["go"])]
)
def test_what_of_a_scope_no_file_fits_is_told(caller: Caller, scope: dict[str, list[str]], unmet: list[str]) -> None:
    said = asked(caller, "token", scope=scope)

    assert said["data"]["unmet_scope"] == unmet
    assert f"No indexed file fits {unmet[0]!r}." in said["summary"]


def test_nothing_found_where_no_file_is_says_so(caller: Caller) -> None:
    said = asked(caller, "token", scope={"paths": [f"nowhere/{i}" for i in range(5)]})

    assert said["summary"] == ("Nothing found. No indexed file fits 'nowhere/0', 'nowhere/1', 'nowhere/2', 2 more.")


def test_a_threshold_drops_what_scores_less_and_counts_it(caller: Caller) -> None:
    loose = asked(caller, "validate token", filters={"min_score": 0}, profile="debug")["data"]
    tight = asked(caller, "validate token", filters={"min_score": 0.9}, profile="debug")["data"]

    assert all(hit["score"] >= 0.9 for hit in tight["hits"])
    assert tight["below_min_score"] == loose["total"] - tight["total"] > 0


def test_near_duplicates_are_counted_and_not_shown(tmp_path: Path) -> None:
    body = "\n".join(f"    step_{i}(token)" for i in range(40))
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"def validate_token(token):\n{body}\n", "utf-8")
    with Engine.open(tmp_path) as engine:
        engine.index()
    workspaces = Workspaces(tmp_path)
    data = asked(Caller(workspaces), "validate token", profile="debug")["data"]
    workspaces.close()

    assert len(data["hits"]) == 1
    assert (data["total"], data["collapsed"]) == (2, 1)


def test_an_unknown_word_is_named(caller: Caller) -> None:
    said = asked(caller, "zeppelin token")

    assert "zeppelin" in said["data"]["unknown_words"]
    assert asked(caller, "zeppelin")["summary"] == "Nothing found. Nowhere in this project: zeppelin."


def test_a_name_that_stands_nowhere_is_told_in_words(caller: Caller) -> None:
    assert "Nowhere in this project: zeppelinToken." in asked(caller, "validate zeppelinToken")["summary"]
    assert "Nowhere in this project: zeppelin." in asked(caller, "validate token of a zeppelin")["summary"]
    assert "Nowhere" not in asked(caller, "how does it validate a token")["summary"]
    assert "Nowhere in this project: JWT." in asked(caller, "validate token of a JWT")["summary"]


@pytest.mark.parametrize(
    ("fresh", "index"),
    [
        (FreshnessState(unchecked=9), IndexState(9, 9, indexing=False)),
        (FreshnessState(pending=1), IndexState(9, 9, indexing=False)),
        (FreshnessState(), IndexState(3, 9, indexing=True)),
    ],
)
def test_a_name_is_told_to_stand_nowhere_only_where_all_files_were_seen(
    fresh: FreshnessState, index: IndexState
) -> None:
    said = QueryContext("zeppelinToken", 0, (), 0, index, fresh, unknown_words=("zeppelinToken",)).summary()

    assert "Nowhere in this project" not in said
    assert "Not in what is indexed so far: zeppelinToken." in said


def test_what_was_not_read_of_a_very_long_question_is_told(caller: Caller) -> None:
    said = asked(caller, f"validate {'x' * 30_000} token")

    assert said["ok"]
    assert "10,015 characters in its middle were not read" in said["summary"]


def test_in_little_room_a_hit_is_its_place_and_the_line_that_defines_it(caller: Caller) -> None:
    fitting = [asked(caller, "validate token", max_tokens=limit) for limit in range(100, 300, 10)]
    first = [one["data"]["hits"][0] for one in fitting if one["ok"] and one["data"]["hits"]]

    assert (first[0]["file_path"], first[0]["first_line"]) == ("tokens.py", 4)
    assert first[0]["snippet"].startswith("def validate_token(")


def test_a_scope_that_leaves_nothing_is_told(caller: Caller) -> None:
    said = asked(caller, "token", scope={"exclude_patterns": ["**"]})

    assert said["summary"] == "Nothing found: nothing that is indexed lies in the scope."
    assert said["data"]["barred"]
    assert "barred" not in asked(caller, "zeppelin", scope={"kinds": ["function"]})["data"]


@pytest.mark.parametrize("query", ["x", "   ", "???"])
def test_a_question_without_a_word_is_told(caller: Caller, query: str) -> None:
    assert asked(caller, query)["summary"].startswith("Nothing found: it has no word that can be looked for")


def test_an_unknown_kind_is_refused_with_the_known_ones(caller: Caller) -> None:
    said = asked(caller, "token", scope={"kinds": ["poem"]})

    assert said["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert "markdown_section" in said["hint"]


def test_a_very_long_unit_is_first_shown_by_its_opening(caller: Caller) -> None:
    (hit,) = asked(caller, "audit token slowly", k=1, max_tokens=500)["data"]["hits"]

    assert hit["label"] == "audit_token"
    assert hit["elided"] is True
    assert hit["snippet"].startswith("def audit_token(token: str) -> int:\n")
    assert "403 lines" in hit["snippet"]


def test_a_long_unit_shows_its_best_passage_where_there_is_room(tmp_path: Path) -> None:
    steps = [f"    first_{i}(token)\n    second_{i}(token)\n" for i in range(400)]
    steps[300] = "    revoke(token)\n    banish(owner)\n"
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "long.py").write_text("def audit(token):\n" + "".join(steps), "utf-8")
    with Engine.open(tmp_path) as engine:
        engine.index()
    workspaces = Workspaces(tmp_path)
    (little,), (some,), (everything,) = (
        asked(Caller(workspaces), "revoke banish", k=1, max_tokens=tokens)["data"]["hits"]
        for tokens in (450, 1500, 100_000)
    )
    workspaces.close()

    assert little["snippet"] == "def audit(token):\n… 800 lines"
    assert some["snippet"].startswith("def audit(token):\n… ")
    assert "    revoke(token)\n    banish(owner)\n" in some["snippet"]
    assert some["snippet"].splitlines()[-1].startswith("… ")
    assert (little["elided"], some["elided"], everything.get("elided")) == (True, True, None)
    assert not {"outline", "passage"} & some.keys()
    assert some["reason"].startswith("says banish, revoke")


def test_a_unit_is_whole_or_marked_as_shortened(caller: Caller) -> None:
    """A hit without its last line is a single line of the unit; any other is whole, or says that it is elided."""
    everything = asked(caller, "token", profile="debug")["data"]["hits"]
    whole = {(hit["file_path"], hit["first_line"]): hit["snippet"] for hit in everything}
    forms: set[str] = set()

    for limit in (200, 600, 1500):
        for hit in asked(caller, "token", max_tokens=limit)["data"]["hits"]:
            text = whole[hit["file_path"], hit["first_line"]]
            if "last_line" not in hit:
                forms.add("line")
                cut = hit["snippet"].removesuffix(" …")
                lines = [line.strip() for line in text.splitlines()]
                assert any(line.startswith(cut) if cut != hit["snippet"] else line == cut for line in lines)
            elif not hit.get("elided"):
                forms.add("whole")
                assert hit["snippet"] == text
    assert forms == {"line", "whole"}


@on_one_index
@given(questions, budgets)
def test_an_answer_costs_what_it_says_and_no_more_than_it_may(caller: Caller, query: str, limit: int) -> None:
    reply = answer(caller, "query_context", {"query": query, "max_tokens": limit})
    envelope = json.loads(reply.body)

    if reply.ok:
        assert 0 <= envelope["_tokenEstimate"] - estimate(reply.body.decode()) <= 2
        assert envelope["_tokenEstimate"] <= limit
    else:
        assert envelope["errorCode"] == "CLEW_E_BUDGET_EXCEEDED"
        assert "balanced" in envelope["hint"]


@on_one_index
@given(questions, budgets, st.integers(0, 3000))
def test_more_budget_shows_the_same_hits_and_then_more(caller: Caller, query: str, limit: int, more: int) -> None:
    less, full = (asked(caller, query, max_tokens=tokens) for tokens in (limit, limit + more))

    if less["ok"]:
        assert full["ok"]
        assert hits_of(full)[: len(hits_of(less))] == hits_of(less)


@on_one_index
@given(questions, budgets)
def test_required_fields_are_there_or_the_answer_is_an_error(caller: Caller, query: str, limit: int) -> None:
    said = asked(caller, query, max_tokens=limit)

    assert not said["ok"] or {"total", "hits"} <= said["data"].keys()


def test_what_did_not_fit_is_counted(caller: Caller) -> None:
    everything = asked(caller, "token", profile="debug")["data"]["hits"]
    data = asked(caller, "token", max_tokens=300)["data"]

    assert data["hits_left_out"] == len(everything) - len(data["hits"]) > 0


def test_where_the_rest_is_comes_before_what_the_best_say(caller: Caller) -> None:
    everything = asked(caller, "token", profile="debug")["data"]["hits"]
    names = [(one["file_path"], one["first_line"], one.get("symbol", "").partition("::")[2]) for one in everything]
    places = [
        f"{path}:{line} {scope or one['label']}" for (path, line, scope), one in zip(names, everything, strict=True)
    ]

    answers = [asked(caller, "token", max_tokens=tokens)["data"] for tokens in range(200, 1500, 20)]
    listed = [(len(data["hits"]), data.get("more", [])) for data in answers]

    assert all(more == places[shown : shown + len(more)] for shown, more in listed)
    assert any(0 < len(more) < len(places) - shown for shown, more in listed)
    assert all(shown <= LINES_FIRST or shown + len(more) == len(places) for shown, more in listed)


def test_a_file_that_changed_since_is_marked(root: Path) -> None:
    file = root / "vault.py"
    before = file.read_text("utf-8")
    file.write_text(before + "\n# later\n", "utf-8")
    reading = Workspaces(root, read_only=True)
    said = asked(Caller(reading, read_only=True), "Vault", scope={"paths": ["vault.py"]})
    reading.close()
    file.write_text(before, "utf-8")

    assert all(hit["stale"] for hit in said["data"]["hits"])
    assert said["data"]["freshness"] == {"stale": len(said["data"]["hits"]), "pending": 1}
    assert "stale" in said["summary"]


def test_statistics_have_every_field_of_their_document(caller: Caller) -> None:
    data = json.loads(answer(caller, "get_context_stats", {"profile": "debug"}).body)["data"]

    assert data.keys() >= {
        "enabled", "mode", "providers", "storage", "performance", "languages", "recent_activity",
    }  # fmt: skip
    assert data["providers"][0].keys() == {"id", "name", "enabled", "weight", "available", "stats", "avg_latency_ms"}
    assert data["storage"].keys() == {
        "total_files", "total_chunks", "total_embeddings", "db_size_mb", "last_indexed",
    }  # fmt: skip
    assert {"avg_query_latency_ms", "cache_hit_rate", "avg_tokens_per_query"} <= data["performance"].keys()


def test_statistics_tell_how_fast_it_answers_in_the_smallest_profile(caller: Caller) -> None:
    data = json.loads(answer(caller, "get_context_stats", {}).body)["data"]

    assert data["performance"].keys() >= {"queries", "avg_query_latency_ms"}


def test_statistics_list_every_retriever(caller: Caller) -> None:
    data = json.loads(answer(caller, "get_context_stats", {"profile": "debug"}).body)["data"]

    own = {name: getattr(Providers(), name) for name in RETRIEVERS}
    told = {one["id"]: (one["enabled"], one["weight"]) for one in data["providers"]}
    assert told == {name: (one.enabled, one.weight) for name, one in own.items()}
    missing = {one["id"] for one in data["providers"] if not one["available"]}
    assert missing == {"git_history", "summary"}  # there is no git here, and no server of summaries


def test_statistics_count_what_is_there(caller: Caller) -> None:
    data = json.loads(answer(caller, "get_context_stats", {"profile": "debug"}).body)["data"]

    assert data["storage"]["total_files"] == 5
    assert data["storage"]["total_chunks"] == sum(data["languages"].values()) > 5
    assert data["storage"]["db_size_mb"] > 0
    assert data["languages"].keys() == {"python", "markdown"}


def test_statistics_show_the_last_runs_and_questions(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def validate_token(): ...\n", "utf-8")
    with clew.open(tmp_path) as ws:
        ws.index()
    for _ in range(2):
        workspaces = Workspaces(tmp_path)
        asked(Caller(workspaces), "token")
        stats = json.loads(answer(Caller(workspaces), "get_context_stats", {"profile": "debug"}).body)["data"]
        workspaces.close()

    operations = [activity["op"] for activity in stats["recent_activity"]]
    assert operations == ["query_context", "get_context_stats", "query_context", "incremental_rebuild"]
    assert stats["performance"]["queries"] == 2
    assert stats["performance"]["avg_tokens_per_query"] > 0


def test_statistics_fit_the_compact_profile(caller: Caller) -> None:
    said = json.loads(answer(caller, "get_context_stats", {}).body)

    assert said["ok"]
    assert said["_tokenEstimate"] <= 300


def test_one_endless_line_does_not_push_out_the_rest(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "data.json").write_text('{"login": "' + "login " * 80_000 + '"}', "utf-8")
    (tmp_path / "auth.py").write_text("def login(user):\n    return user\n", "utf-8")
    with Engine.open(tmp_path) as engine:
        engine.index()
    workspaces = Workspaces(tmp_path)
    reply = answer(Caller(workspaces), "query_context", {"query": "login"})
    workspaces.close()

    hits = json.loads(reply.body)["data"]["hits"]
    assert {hit["file_path"] for hit in hits} == {"auth.py", "data.json"}
    assert [hit["elided"] for hit in hits if hit["file_path"] == "data.json"] == [True]


def test_stats_count_the_bundled_vectors_cached_rankings_and_the_time_of_each_provider(caller: Caller) -> None:
    for _ in range(2):
        asked(caller, "validate a token once more")
    stats = json.loads(answer(caller, "get_context_stats", {"profile": "debug"}).body)["data"]

    assert stats["storage"]["total_embeddings"] == stats["storage"]["total_chunks"] > 0
    assert 0 < stats["performance"]["cache_hit_rate"] <= 1
    latency = {one["id"]: one["avg_latency_ms"] for one in stats["providers"]}
    assert latency["full_text"] > 0
    assert latency["graph"] is None


def test_cached_rankings_and_latencies_outlive_the_process(tmp_path: Path) -> None:
    (tmp_path / "auth.py").write_text("def login(user):\n    return user\n", "utf-8")
    with Engine.open(tmp_path) as engine:
        engine.index()
    told = []
    for _ in range(2):
        workspaces = Workspaces(tmp_path)
        asked(Caller(workspaces), "login of a user")
        asked(Caller(workspaces), "login of a user")
        workspaces.close()
        again = Workspaces(tmp_path)
        told.append(json.loads(answer(Caller(again), "get_context_stats", {"profile": "debug"}).body)["data"])
        again.close()

    assert [one["performance"]["cache_hit_rate"] for one in told] == [0.5, 0.5]
    assert [one["performance"]["queries"] for one in told] == [2, 4]
    full_text = next(one for one in told[-1]["providers"] if one["id"] == "full_text")
    assert full_text["avg_latency_ms"] > 0
