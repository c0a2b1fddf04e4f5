"""From a question to hits: text, place, score and reason."""

import gc
import os
from collections.abc import Iterator

import pytest

from clew.engine import Engine
from clew.model.errors import IndexMissing, Unavailable
from clew.model.search import Query
from clew.retrieve.source_cache import changed_to
from clew.store.corpus import Corpus
from tests.conftest import LONG_AGO_NS, Repository
from tests.views import search

SOURCE = "import os\n\n\ndef validate_token(token):\n    check(token)\n    return token\n\n\ndef other():\n    pass\n"


@pytest.fixture
def indexed(repository: Repository, engine: Engine) -> Engine:
    repository.write("src/auth.py", SOURCE)
    engine.index()
    return engine


def test_a_hit_tells_what_it_is_and_where(indexed: Engine) -> None:
    hit = search(indexed, "where are tokens validated?")[0]

    assert (hit.path, hit.symbol, hit.label) == ("src/auth.py", "src/auth.py::validate_token", "validate_token")
    assert (hit.kind, hit.language) == ("function", "python")
    assert (hit.first_line, hit.last_line) == (4, 6)
    assert SOURCE.encode()[hit.start : hit.end].decode() == hit.text
    assert hit.text == "def validate_token(token):\n    check(token)\n    return token"
    assert hit.outline == "def validate_token(token):\n… 2 lines"
    assert hit.chunk_id.startswith("src/auth.py#1@")
    assert 0 < hit.score <= 1


def test_hits_of_one_file_each_have_their_own_text(repository: Repository, engine: Engine) -> None:
    functions = [f"def part_{i}():\n    return card({i})" for i in range(5)]
    repository.write("parts.py", "\n\n\n".join(functions) + "\n")
    engine.index()

    assert sorted(hit.text for hit in search(engine, "card")) == functions


def test_a_hit_says_why(indexed: Engine) -> None:
    reason, near = search(indexed, "validate token")[0].reasons

    assert (reason.retriever, near.retriever) == ("full_text", "semantic")
    assert "name: token valid" in reason.detail
    assert reason.share > 0


def test_camel_case_questions_find_snake_case_names(indexed: Engine) -> None:
    assert search(indexed, "validateToken")[0].symbol == "src/auth.py::validate_token"


def test_words_that_stand_nowhere_are_told(indexed: Engine) -> None:
    results = indexed.search(Query("token zebra", 5))

    assert results.unknown == ("zebra",)
    assert not results.coverage.partial


def test_least_scores_are_left_out_and_counted(indexed: Engine) -> None:
    results = indexed.search(Query("validate os", 5, min_score=1.0))

    assert results.hits == ()
    assert (results.total, results.below) == (0, 2)


@pytest.fixture
def as_it_is(indexed: Engine) -> Iterator[Engine]:
    """The same index, asked by somebody who may not write: nothing is refreshed."""
    with Engine.open(indexed.place.root, read_only=True) as engine:
        yield engine


def test_a_hit_whose_file_has_changed_since_is_stale(repository: Repository, as_it_is: Engine) -> None:
    assert not search(as_it_is, "token")[0].stale
    repository.write("src/auth.py", SOURCE, mtime_ns=LONG_AGO_NS + 1)
    assert not search(as_it_is, "token")[0].stale, "touched, but the same"
    repository.write("src/auth.py", "changed\n")
    assert search(as_it_is, "token")[0].stale
    repository.delete("src/auth.py")
    assert search(as_it_is, "token")[0].stale


def test_a_stale_hit_quotes_only_what_still_stands_in_its_file(repository: Repository, as_it_is: Engine) -> None:
    repository.write("src/auth.py", "# a line more\n" + SOURCE.replace("check(token)", "check(twice)"))

    changed, moved = (search(as_it_is, words)[0] for words in ("validate token", "other"))

    now = (repository.root / "src/auth.py").read_bytes()
    assert (changed.stale, changed.text, changed.outline, changed.passage) == (True, "", "", "")
    assert (moved.stale, moved.text) == (True, "def other():\n    pass")
    assert now[moved.start : moved.end].decode() == moved.text
    assert now.splitlines()[moved.first_line - 1 : moved.last_line] == [b"def other():", b"    pass"]


def test_a_file_that_cannot_be_looked_at_has_changed(repository: Repository, indexed: Engine) -> None:
    known = indexed.files.known_at("src/auth.py")
    assert known is not None

    assert changed_to(repository.root, "src/auth.py", known) is None
    assert changed_to(repository.root, "src/none.py", known) == b""


def a_long_function(blocks: int, where: int) -> str:
    """One in which two rare words stand together in one block."""
    body = [f"    if step_{i}:\n        work(item_{i})\n        note(item_{i})" for i in range(blocks)]
    body[where] = "    if expired(voucher):\n        refund(voucher)\n        note(voucher)"
    return "\n".join(["def settle(order):", *body, ""])


def test_a_long_unit_is_found_and_shown_by_its_best_passage(repository: Repository, engine: Engine) -> None:
    source = a_long_function(500, 400)
    repository.write("src/pay.py", source)
    repository.write("src/other.py", "def issue(voucher):\n    return voucher\n")
    engine.index()

    hit = search(engine, "refund expired voucher")[0]

    lines = source.splitlines()
    first, last = map(int, hit.reasons[0].detail.rpartition("lines ")[2].split("-"))
    assert hit.symbol == "src/pay.py::settle"
    assert first <= 1202 <= last
    assert hit.reasons[0].detail == f"code: expired refund voucher; lines {first}-{last}"
    assert hit.passage.splitlines() == [
        "def settle(order):", f"… {first - 2} lines", *lines[first - 1 : last], f"… {len(lines) - last} lines"
    ]  # fmt: skip
    assert hit.text.splitlines() == lines
    assert hit.outline == f"def settle(order):\n… {len(lines) - 1} lines"


def test_words_that_stand_together_count_more_than_the_same_words_apart(repository: Repository, engine: Engine) -> None:
    together = a_long_function(500, 400)
    apart = together.replace("expired(voucher)", "step").replace("work(item_3)", "expired(item_3)")
    repository.write("a.py", apart)
    repository.write("b.py", together)
    engine.index()

    results = engine.search(Query("expired refund", 5))

    assert results.hits[0].path == "b.py"
    assert results.collapsed == 1  # the other is nearly the same


def test_a_short_unit_has_no_passage(indexed: Engine) -> None:
    assert {hit.passage for hit in search(indexed, "token")} == {""}


def test_without_an_index_a_search_says_so(engine: Engine) -> None:
    with pytest.raises(IndexMissing):
        search(engine, "token")


def test_a_search_sees_what_another_process_indexed(repository: Repository, indexed: Engine) -> None:
    assert search(indexed, "newcomer") == ()
    repository.write("b.py", "def newcomer(): pass\n")
    with Engine.open(repository.root) as other:
        other.index()

    assert [hit.path for hit in search(indexed, "newcomer")] == ["b.py"]


def test_a_reader_that_may_not_write_can_search(repository: Repository, indexed: Engine) -> None:
    with Engine.open(repository.root, read_only=True) as reader:
        assert search(reader, "token") == search(indexed, "token")


def test_fewer_hits_are_the_first_of_more_where_only_relevance_counts(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcdefgh":
        repository.write(f"{name}.py", f"def {name}_token(token): ...\n\n\ndef token_{name}{name}(x): ...\n")
    monkeypatch.setenv("CLEW_QUERY_MMR_LAMBDA", "1")
    with Engine.open(repository.root) as engine:
        engine.index()
        every = search(engine, "token", 16)

        assert len(every) == 16
        assert [search(engine, "token", limit) for limit in (1, 5, 9)] == [every[:1], every[:5], every[:9]]


def test_the_same_question_is_answered_alike_from_what_is_kept(indexed: Engine) -> None:
    assert search(indexed, "validate token") == search(indexed, "validate token")


def test_what_an_index_held_before_it_changed_is_let_go_of(repository: Repository, indexed: Engine) -> None:
    stamps = set()
    for number in range(12):
        repository.write("src/auth.py", f"{SOURCE}\n\ndef token_{number}():\n    pass\n")
        indexed.index()
        assert search(indexed, "validate token")
        stamps.add(indexed.corpus().stamp)
    held = [one for one in gc.get_objects() if isinstance(one, Corpus) and one.stamp in stamps]

    assert len(stamps) == 12 and len(held) <= 4  # as many as functions of a corpus keep what they made


OFF = {f"CLEW_PROVIDERS_{name}_ENABLED": "false" for name in ("FULL_TEXT", "SYMBOL", "PATH", "GIT_HISTORY")}


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"CLEW_ENABLED": "false"}, "enabled is false"),
        ({**OFF, "CLEW_PROVIDERS_SEMANTIC_ENABLED": "false"}, "every provider is disabled"),
        ({**OFF, "CLEW_EMBEDDING_MODEL": "none"}, "embedding.model is none"),
        (
            {**OFF, "CLEW_PROVIDERS_SEMANTIC_ENABLED": "false", "CLEW_PROVIDERS_GRAPH_ENABLED": "true"},
            "only providers.graph is enabled",
        ),
    ],
)
def test_search_that_is_switched_off_names_the_setting(indexed: Engine, settings: dict[str, str], cause: str) -> None:
    engine = Engine.open(indexed.place.root, environ={**os.environ, **settings})
    with engine, pytest.raises(Unavailable, match="search is disabled") as caught:
        search(engine, "token")

    assert cause in caught.value.message


def test_the_bundled_model_searches_alone(indexed: Engine) -> None:
    with Engine.open(indexed.place.root, environ={**os.environ, **OFF}) as engine:
        hits = search(engine, "check a token")

    assert hits[0].symbol == "src/auth.py::validate_token"
    named = {reason.retriever for hit in hits for reason in hit.reasons if reason.share > 0}
    assert named - {"file"} == {"semantic"}


@pytest.mark.parametrize("strategy", ["rrf", "weighted_average"])
def test_scores_of_other_fusions_are_on_the_scale_of_the_threshold(indexed: Engine, strategy: str) -> None:
    settings = {"CLEW_PROVIDERS_HYBRID_FUSION_STRATEGY": strategy}
    best = indexed.search(Query("validate token", 3, min_score=0.3)).hits[0]
    with Engine.open(indexed.place.root, environ={**os.environ, **settings}) as engine:
        hits = engine.search(Query("validate token", 3, min_score=0.3)).hits

    assert hits[0].symbol == best.symbol
    assert hits[0].score == pytest.approx(best.score, abs=0.2)


@pytest.mark.parametrize("strategy", ["evidence", "rrf", "cascade"])
def test_every_way_to_fuse_finds_the_best_first(
    indexed: Engine, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    monkeypatch.setenv("CLEW_PROVIDERS_HYBRID_FUSION_STRATEGY", strategy)
    with Engine.open(indexed.place.root) as engine:
        best = search(engine, "validate token")[0]

    assert best.symbol == "src/auth.py::validate_token"
    assert best.score == pytest.approx(sum(reason.share for reason in best.reasons), abs=1e-3)


def test_tests_inside_of_a_file_of_rust_stand_as_tests(repository: Repository, engine: Engine) -> None:
    body = "    let shutdown = graceful();\n    shutdown.wait();\n"
    tests = f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn graceful_shutdown() {{\n{body}    }}\n}}\n"
    repository.write("src/serve.rs", f"pub fn shutdown_gracefully() {{\n{body}}}\n\n{tests}")
    engine.index()

    code, test = search(engine, "graceful shutdown waits")[:2]
    assert (code.label, test.label) == ("shutdown_gracefully", "graceful_shutdown")
    assert code.score > 1.5 * test.score
    assert search(engine, "graceful_shutdown")[0].label == "graceful_shutdown"


@pytest.mark.parametrize(
    "attribute", ["#[test]", "#[tokio::test(start_paused = true)]", "/// It ends.\n#[ignore]\n#[test]"]
)
def test_so_do_those_beside_the_code_by_their_attribute(repository: Repository, engine: Engine, attribute: str) -> None:
    body = "    let shutdown = graceful();\n    shutdown.wait();\n"
    marked = f"#[inline]\npub fn shutdown_gracefully() {{\n{body}}}\n"
    repository.write("src/serve.rs", f"{marked}\n{attribute}\nfn graceful_shutdown() {{\n{body}}}\n")
    engine.index()

    code, test = search(engine, "graceful shutdown waits")[:2]
    assert (code.label, test.label) == ("shutdown_gracefully", "graceful_shutdown")
    assert code.score > 1.5 * test.score


def test_who_asks_for_tests_has_those_inside_of_a_file_of_rust_before_its_code(
    repository: Repository, engine: Engine
) -> None:
    body = "    let shutdown = graceful();\n    shutdown.wait();\n"
    tests = f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn ends_well() {{\n{body}    }}\n}}\n"
    repository.write("src/serve.rs", f"pub fn graceful_shutdown() {{\n{body}}}\n\n{tests}")
    repository.write("tests/ends.rs", f"#[test]\nfn ends() {{\n{body}}}\n")
    engine.index()

    hits = [hit for hit in search(engine, "tests for graceful shutdown") if hit.kind == "function"]
    assert {hit.label for hit in hits[:2]} == {"ends_well", "ends"}
    assert all(hit.score <= 1 for hit in hits)


def test_rulers_of_slashes_over_a_function_of_rust_take_no_time(repository: Repository, engine: Engine) -> None:
    repository.write("src/serve.rs", f"{('/' * 200 + chr(10)) * 20}pub fn shutdown_gracefully() {{}}\n")
    engine.index()

    assert search(engine, "graceful shutdown")[0].label == "shutdown_gracefully"


def test_the_outline_of_what_is_long_without_its_inner_units_is_its_opening(
    repository: Repository, engine: Engine
) -> None:
    lines = "".join(f"    token_{i} = take({i})\n" for i in range(200))
    repository.write("long.py", f"def outer():\n    def inner():\n        return 1\n\n{lines}    return inner\n")
    engine.index()

    (hit,) = (one for one in search(engine, "outer") if one.label == "outer")
    assert hit.outline.startswith("def outer():\n… ")
    assert len(hit.outline) < 100
