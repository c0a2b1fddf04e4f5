"""The corpus: a snapshot with changes laid over it ranks exactly as one made anew."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.model.errors import SnapshotDamaged
from clew.retrieve.fusion import best
from clew.retrieve.lexical import look_up, score
from clew.retrieve.question import Word
from clew.retrieve.retriever import file_at
from clew.runtime.asking import past_damage
from clew.store.arrays import map_arrays
from clew.store.checkouts import Checkouts
from clew.store.corpus import Corpora, Corpus
from clew.store.database import Database, Where
from clew.store.extracts import Extracts
from clew.store.files import Files, Stamp
from tests.conftest import DAY_1
from tests.store.readings import a_reading, begin

WORDS = ("login", "token", "user", "card", "charge")
TERMS = ("card", "charg", "login", "token", "user")


class Tree:
    """Files in a store, put and dropped as a run does it."""

    def __init__(self, db: Database, where: Where, directory: Path) -> None:
        self._files = Files(db, where)
        self._extracts = Extracts(db, where)
        self._checkouts = Checkouts(db)
        self._where = where
        self._moment = DAY_1
        self.corpora = Corpora(db, where, directory)

    def put(self, path: str, text: str) -> None:
        reading = a_reading(path, text.encode())
        known = self._files.known_at(path)
        if known and known.digest == reading.digest:
            return
        stamp = self._change()
        self._extracts.put(begin(self._files, reading, stamp.known, stamp), reading)

    def drop(self, path: str) -> None:
        if known := self._files.known_at(path):
            stamp = self._change()
            self._files.end(known.file, stamp.known, stamp)
            self._extracts.drop(known.file)

    def _change(self) -> Stamp:
        self._moment += 1
        self._checkouts.change(self._where, str(self._moment), 1)
        return Stamp(1, self._moment)


@pytest.fixture
def tree(db: Database, where: Where, tmp_path: Path) -> Tree:
    return Tree(db, where, tmp_path / "snapshots")


def rankings(corpus: Corpus) -> list[tuple[str, float]]:
    """Every hit of every term, and of all together, with its score to the last bit."""
    questions = [*((term,) for term in TERMS), TERMS]
    found = [look_up(corpus, {term: Word(term, 1.0) for term in terms}) for terms in questions]
    hits = [hit for terms in found for hit in best(corpus, score(corpus, terms).chunks, 1000)]
    return [(file_at(corpus, place)[1], one) for place, one in hits]


def snapshots(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "snapshots").rglob("*.snapshot"))


def test_what_changed_came_or_went_is_laid_over(tree: Tree) -> None:
    for path, text in {"a.py": "login user", "b.py": "token", "c.py": "card"}.items():
        tree.put(path, text)
    tree.corpora.renew()

    tree.put("a.py", "charge card")
    tree.put("d.py", "user")
    tree.drop("b.py")
    laid_over = tree.corpora.current()
    tree.corpora.renew()
    anew = tree.corpora._open(laid_over.stamp)

    assert (len(laid_over.parts), len(anew.parts)) == (2, 1)
    assert rankings(laid_over) == rankings(anew)


def overlaid(tree: Tree) -> Corpus:
    """A snapshot of two files, of which one has changed since."""
    tree.put("a.py", "login user")
    tree.put("b.py", "token")
    tree.corpora.renew()
    tree.put("a.py", "charge card")
    return tree.corpora.current()


def overlays(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "snapshots").rglob("*.over"))


def test_what_is_laid_over_is_found_out_once(
    tree: Tree, db: Database, where: Where, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rankings(overlaid(tree))
    other = Corpora(db, where, tmp_path / "snapshots")
    monkeypatch.setattr(other, "_present_later", None)  # nobody asks the store for all files

    assert rankings(other.current()) == expected


@pytest.mark.parametrize("is_gone", [True, False])
def test_that_files_only_went_or_are_as_they_were_is_found_out_once(
    tree: Tree, db: Database, where: Where, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    overlaid(tree)
    tree.drop("a.py") if is_gone else tree.put("a.py", "login user")
    expected = tree.corpora.current()
    other = Corpora(db, where, tmp_path / "snapshots")
    monkeypatch.setattr(other, "_present_later", None)  # nobody asks the store for all files

    assert rankings(other.current()) == rankings(expected)
    assert len(other.current().parts) == len(expected.parts) == 1


def test_what_was_laid_over_before_a_change_counts_no_more(
    tree: Tree, db: Database, where: Where, tmp_path: Path
) -> None:
    overlaid(tree)
    tree.drop("b.py")
    tree.put("c.py", "user")
    expected = rankings(tree.corpora.current())

    assert len(overlays(tmp_path)) == 1
    assert rankings(Corpora(db, where, tmp_path / "snapshots").current()) == expected


@pytest.mark.parametrize("damage", [lambda file: os.truncate(file, 100), Path.unlink])
def test_a_damaged_overlay_is_made_anew(
    tree: Tree, db: Database, where: Where, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    expected = rankings(overlaid(tree))
    damage(*overlays(tmp_path))

    assert rankings(Corpora(db, where, tmp_path / "snapshots").current()) == expected
    assert len(overlays(tmp_path)) == 1


def test_a_large_overlay_is_not_kept(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.store.overlays.MOST_BYTES", 10)
    overlaid(tree)

    assert overlays(tmp_path) == []


edits = st.lists(st.tuples(st.sampled_from("abcdef"), st.lists(st.sampled_from(WORDS), max_size=4)), max_size=12)


@given(before=edits, after=edits)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laying_over_never_changes_a_score(
    tree: Tree, before: list[tuple[str, list[str]]], after: list[tuple[str, list[str]]]
) -> None:
    """An edit without words is a deletion. The tree goes on from example to example, as trees do."""
    for edits in (before, after):
        for name, words in edits:
            if words:
                tree.put(f"{name}.py", " ".join(words))
            else:
                tree.drop(f"{name}.py")
        laid_over = tree.corpora.current()
        tree.corpora.renew()
        assert rankings(tree.corpora._open(laid_over.stamp)) == rankings(laid_over)


def test_a_corpus_is_kept_until_the_store_moves_on(tree: Tree) -> None:
    tree.put("a.py", "login")
    first = tree.corpora.current()
    assert tree.corpora.current() is first

    tree.put("a.py", "token")
    assert tree.corpora.current() is not first


def test_without_a_snapshot_everything_is_laid_over(tree: Tree) -> None:
    tree.put("a.py", "login")

    assert rankings(tree.corpora.current())[0][0] == "a.py"


def test_an_empty_tree_has_an_empty_corpus(tree: Tree) -> None:
    assert rankings(tree.corpora.current()) == []
    tree.corpora.renew()
    assert rankings(tree.corpora._open("")) == []


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "removed"])
def test_a_damaged_snapshot_is_done_without(
    tree: Tree, db: Database, where: Where, tmp_path: Path, damage: str
) -> None:
    tree.put("a.py", "login")
    tree.put("b.py", "token")
    tree.corpora.renew()
    expected = rankings(tree.corpora.current())
    (file,) = snapshots(tmp_path)
    if damage == "truncated":
        os.truncate(file, file.stat().st_size // 2)
    elif damage == "overwritten":
        file.write_bytes(b"nonsense" * 100)
    else:
        file.unlink()

    assert rankings(Corpora(db, where, tmp_path / "snapshots").current()) == expected


def test_a_damaged_section_is_found_when_it_is_read_and_is_not_read_again(
    tree: Tree, db: Database, where: Where, tmp_path: Path
) -> None:
    tree.put("a.py", "login")
    tree.put("b.py", "token")
    tree.corpora.renew()
    expected = rankings(tree.corpora.current())
    (file,) = snapshots(tmp_path)
    sound = map_arrays(file)
    assert sound is not None
    content = bytearray(file.read_bytes())
    content[content.index(sound["places"].tobytes())] ^= 1
    file.write_bytes(content)
    corpora = Corpora(db, where, tmp_path / "snapshots")
    opened = corpora.current()

    assert list(opened.parts[0].postings.paths) == ["a.py", "b.py"]  # of another section
    with pytest.raises(SnapshotDamaged, match="places"):
        rankings(opened)
    assert rankings(corpora.current()) == expected


def test_a_question_is_asked_again_past_a_damaged_section(
    tree: Tree, db: Database, where: Where, tmp_path: Path
) -> None:
    tree.put("a.py", "login")
    tree.corpora.renew()
    expected = rankings(tree.corpora.current())
    (file,) = snapshots(tmp_path)
    content = bytearray(file.read_bytes())
    for at in range(len(content) // 2, len(content) - 8, 8):
        content[at] ^= 1
    file.write_bytes(content)
    corpora = Corpora(db, where, tmp_path / "snapshots")

    assert past_damage(lambda: rankings(corpora.current())) == expected


def test_the_order_of_arrival_leaves_no_trace_in_a_snapshot(tree: Tree, db: Database, tmp_path: Path) -> None:
    beside = Tree(db, Checkouts(db).ensure("", "", "beside", DAY_1).where, tmp_path / "beside")
    texts = {"a.py": "login", "b.py": "token user", "c.py": "card"}
    for path, text in texts.items():
        tree.put(path, text)
    beside.put("c.py", "something else")
    for path in reversed(texts):
        beside.put(path, texts[path])

    tree.corpora.renew()
    beside.corpora.renew()

    (first,), (second,) = snapshots(tmp_path), list((tmp_path / "beside").rglob("*.snapshot"))
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


def test_old_snapshots_are_swept_when_a_new_one_is_made(tree: Tree, tmp_path: Path) -> None:
    tree.put("a.py", "login")
    tree.corpora.renew()
    (old,) = snapshots(tmp_path)
    os.utime(old, (1, 1))

    tree.put("a.py", "token")
    tree.corpora.renew()

    assert old not in snapshots(tmp_path)
    assert len(snapshots(tmp_path)) == 1
