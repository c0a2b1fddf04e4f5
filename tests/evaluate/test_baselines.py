import math
import stat
from pathlib import Path

import pytest

from clew.evaluate.baselines import BM25, Ripgrep, TermCounts, TextCorpus, baselines, terms_of
from clew.evaluate.world import World
from clew.model.errors import Unavailable

TEXTS = {
    "a.py": b"charge card card\nrefund",
    "b.py": b"Charge_Card chargeback",
    "c.py": b"nothing of the kind is here at all",
}


def test_bm25_is_the_textbook_s() -> None:
    rarity = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    room = 1.2 * (1 - 0.75 + 0.75 * 4 / ((4 + 2 + 8) / 3))

    assert list(BM25(TextCorpus(TEXTS)).scores("card")) == [pytest.approx(rarity * 2 * 2.2 / (2 + room)), 0, 0]


def test_words_are_whole_as_written_and_in_small_letters() -> None:
    rank = BM25(TextCorpus(TEXTS))

    assert rank("card") == ["a.py"]
    assert rank("CHARGE_card") == ["b.py"]
    assert rank("cards charges") == []


def test_a_rare_word_says_more_and_equals_go_by_name() -> None:
    texts = {"b": b"common rare", "a": b"common common", "c": b"common other"}

    assert BM25(TextCorpus(texts))("common rare") == ["b", "a", "c"]
    assert BM25(TextCorpus({"b": b"x y", "a": b"x y"}))("x") == ["a", "b"]


def test_terms_are_counted_inside_of_words_too() -> None:
    assert TermCounts(TextCorpus(TEXTS))("card charge refund") == ["a.py", "b.py"]
    assert TermCounts(TextCorpus(TEXTS))("chargeback charge_card") == ["b.py"]


def test_of_two_terms_at_one_place_one_is_counted() -> None:
    texts = TextCorpus({"a": b"chargeback", "b": b"charge charge"})

    assert TermCounts(texts)("charge chargeback") == ["b", "a"]


def test_nobody_greps_for_fillers() -> None:
    assert terms_of("Fix the way that a Card is charged in it") == ["card", "charged", "fix"]
    assert TermCounts(TextCorpus(TEXTS))("of the") == []


def test_no_text_makes_an_empty_ranking() -> None:
    assert BM25(TextCorpus({}))("card") == TermCounts(TextCorpus({}))("card") == []


RG = """#!/bin/sh
echo "$@" > {root}/asked
printf './a.py\\0003\\n./b.py\\0005\\n./tests/c.py\\0009\\n'
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, TEXTS, {}, {})


def test_ripgrep_is_called_with_all_terms_where_there_is_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "rg"
    program.write_text(RG.format(root=tmp_path), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (ripgrep, _), notes = baselines(world)

    assert ripgrep.rank("refund the card").files == ["b.py", "a.py"]
    assert "-i -F --null -e card -e refund -- ." in (tmp_path / "asked").read_text("utf-8")
    assert notes == ()


def test_without_it_the_same_is_counted_in_process_and_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (ripgrep, bm25), notes = baselines(world)

    assert ripgrep.rank("card charge").files == ["a.py", "b.py"]
    assert (ripgrep.name, bm25.name) == ("ripgrep", "bm25")
    assert "in process" in notes[0]


def test_a_ripgrep_that_fails_is_no_baseline(tmp_path: Path) -> None:
    program = tmp_path / "rg"
    program.write_text("#!/bin/sh\necho no such option >&2\nexit 2\n", "utf-8")
    program.chmod(0o755)

    with pytest.raises(Unavailable, match="no such option"):
        Ripgrep(str(program), tmp_path, frozenset(TEXTS))("card")
