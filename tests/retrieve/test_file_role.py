"""Code comes before what is about it, unless that is asked for."""

import numpy as np
import pytest

from clew.languages.plugins import load_languages
from clew.languages.unparsed import WRITTEN
from clew.model.words import Kind
from clew.retrieve.file_role import DATA_LANGUAGES, EXPLAINED, SHARES, TESTED, FileRole, shares, standings
from clew.retrieve.question import understand
from tests.retrieve.corpora import corpus

CODE, PROSE, DATA = Kind.FUNCTION, Kind.SECTION, Kind.BLOCK

FILES = {
    "src/pay.py": (CODE, FileRole.CODE),
    "tests/test_pay.py": (CODE, FileRole.TESTS),
    "tests/guide.md": (PROSE, FileRole.TESTS),
    "examples/pay.py": (CODE, FileRole.SHOWN),
    "docs/conf.py": (CODE, FileRole.SHOWN),
    "docs/guide.md": (PROSE, FileRole.PROSE),
    "notes.txt": (Kind.PARAGRAPH, FileRole.PROSE),
    "lib/pay.erl": (Kind.PARAGRAPH, FileRole.CODE),
    "views/card.html.erb": (Kind.PARAGRAPH, FileRole.CODE),
    "test/pay_test.erl": (Kind.PARAGRAPH, FileRole.TESTS),
    "card.xml": (Kind.PARAGRAPH, FileRole.PROSE),
    "src/rates.py": (DATA, FileRole.CODE),
    "src/rates.go": (Kind.STATEMENT, FileRole.CODE),
    "tests/rates.py": (DATA, FileRole.TESTS),
    "ci.yml": (DATA, FileRole.DATA),
    "schema.sql": (Kind.STATEMENT, FileRole.DATA),
    "CHANGELOG.md": (PROSE, FileRole.LOG),
    "news/12.feature": (Kind.PARAGRAPH, FileRole.LOG),
    "src/history.py": (CODE, FileRole.CODE),
    "web/pnpm-lock.yaml": (Kind.PARAGRAPH, FileRole.LOCKED),
    "web/vendor/pay.js": (CODE, FileRole.FOREIGN),
    "vendor/README.md": (PROSE, FileRole.PROSE),
}
WORLD = corpus({path: [kind] for path, (kind, _) in FILES.items()})
PATHS = list(WORLD.parts[0].postings.paths)


def kept(question: str) -> dict[str, float]:
    (found,) = shares(WORLD, understand(question))
    return dict(zip(PATHS, found[:].tolist(), strict=True))


@pytest.mark.parametrize("path", FILES)
def test_a_chunk_stands_by_its_kind_and_its_file(path: str) -> None:
    found = standings(WORLD.parts[0].postings)

    assert FileRole(int(found[PATHS.index(path)])) is FILES[path][1]


def test_of_its_score_each_keeps_the_share_of_its_standing() -> None:
    assert kept("charge cards") == {path: SHARES[standing] for path, (_, standing) in FILES.items()}


def test_who_asks_for_an_explanation_finds_more_in_prose() -> None:
    usual = {**SHARES, FileRole.PROSE: EXPLAINED}

    assert kept("can cards be charged") == {path: usual[standing] for path, (_, standing) in FILES.items()}


def test_a_word_of_a_long_report_asks_for_nothing_unless_its_headline_says_it() -> None:
    report = "\n\n" + " ".join(f"word{number}" for number in range(99)) + " test example config docs changelog"

    assert kept("cards are charged twice" + report) == kept("charge cards")
    assert kept("tests charge cards" + report)["tests/test_pay.py"] == 1.0


def test_code_keeps_all_and_what_package_managers_write_least() -> None:
    assert SHARES[FileRole.CODE] == 1.0
    assert sorted(SHARES, key=SHARES.__getitem__)[:2] == [FileRole.LOCKED, FileRole.LOG]


@pytest.mark.parametrize(
    ("question", "standing"),
    [
        ("which tests cover charging", FileRole.TESTS),
        ("an example of charging", FileRole.SHOWN),
        ("documentation of charging", FileRole.PROSE),
        ("Database schema of charges", FileRole.DATA),
        ("what changed in charging: the changelog", FileRole.LOG),
        ("which charging does the lockfile have", FileRole.LOCKED),
        ("charging in vendored code", FileRole.FOREIGN),
    ],
)
def test_what_is_asked_for_is_taken_as_it_is(question: str, standing: FileRole) -> None:
    full = {path for path, share in kept(question).items() if share == 1.0}

    assert full >= {path for path, (_, own) in FILES.items() if own is standing}
    assert any(share < 1 for share in kept(question).values())


def test_a_library_that_is_asked_about_is_taken_as_it_is() -> None:
    files = {"deps/lua/bit.c": [CODE], "deps/jemalloc/arena.c": [CODE], "src/arena.c": [CODE], "src/pay.c": [CODE]}
    world = corpus(files)

    def full(question: str) -> set[str]:
        (found,) = shares(world, understand(question))
        return {
            path for path, share in zip(world.parts[0].postings.paths, found[:].tolist(), strict=True) if share == 1
        }

    own = {"src/arena.c", "src/pay.c"}
    assert full("charge cards") == own
    assert full("fix lua numbers") == own | {"deps/lua/bit.c"}
    assert full("the arena is too small") == own  # which names own code as well


def test_an_empty_corpus_has_no_shares() -> None:
    assert [one[:].tolist() for one in shares(corpus({}), understand("token"))] == [[]]


def test_all_languages_are_data_or_code() -> None:
    known = load_languages(()).known

    assert {name for name in known.names if name in known.by_name and known.by_name[name].is_code} == (
        known.names - DATA_LANGUAGES - WRITTEN
    )
    assert known.names > DATA_LANGUAGES | WRITTEN
    assert not DATA_LANGUAGES & WRITTEN


def test_standings_are_by_chunk() -> None:
    world = corpus({"a.md": [PROSE, CODE, PROSE], "test_b.py": [CODE]})

    expected = [FileRole.PROSE, FileRole.CODE, FileRole.PROSE, FileRole.TESTS]
    assert np.array_equal(standings(world.parts[0].postings), expected)


@pytest.mark.parametrize("question", ["tests for pay", "Which tests cover pay?", "show me all unit tests of pay"])
def test_who_asks_for_the_tests_of_something_has_it_behind_them(question: str) -> None:
    found = kept(question)

    assert (found["tests/test_pay.py"], found["src/pay.py"]) == (1.0, TESTED)


@pytest.mark.parametrize("question", ["add tests for pay", "pay fails in tests", "test for pay in a loop"])
def test_who_says_the_word_otherwise_has_both_as_they_are(question: str) -> None:
    found = kept(question)

    assert (found["tests/test_pay.py"], found["src/pay.py"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("question", "path", "share"),
    [
        ("how are changes of the upgrade history noticed", "CHANGELOG.md", SHARES[FileRole.LOG]),
        ("what changed between version one and two", "CHANGELOG.md", 1.0),
        ("in which release was charging of cards added", "CHANGELOG.md", 1.0),
        ("where does the changelog tell of charging", "CHANGELOG.md", 1.0),
        ("changed history of charging", "CHANGELOG.md", 1.0),
        ("where is the config file of charging read", "ci.yml", EXPLAINED),
        ("where is the config read", "ci.yml", EXPLAINED),
        ("config file of charging", "ci.yml", 1.0),
        ("how is a document in that section charged", "docs/guide.md", EXPLAINED),
        ("how are cards charged that are none", "src/rates.py", SHARES[FileRole.DECLARED]),
    ],
)
def test_a_sentence_says_words_of_other_things_by_the_way(question: str, path: str, share: float) -> None:
    assert kept(question)[path] == share


def test_so_has_what_only_declares() -> None:
    assert kept("which tests cover the charging of cards")["src/rates.py"] == TESTED
