"""The record of files on both clocks, at the level of the store."""

from collections.abc import Callable, Iterator

import pytest

from clew.model.code import Redaction
from clew.model.time import FOREVER, NOW, AsOf
from clew.store.database import Database, Row, Where
from clew.store.files import FileNumbering, Files, Stamp
from tests.conftest import DAY_1, DAY_2, DAY_3, DAY_4
from tests.store.readings import a_reading, begin

ONE, TWO = a_reading("app.py", b"one\n"), a_reading("app.py", b"two\n")


@pytest.fixture
def files(db: Database, where: Where) -> Files:
    return Files(db, where)


def edit(files: Files, content: bytes, at: int, known: int) -> int:
    """A new content of app.py, which ends the one before."""
    return begin(files, a_reading("app.py", content), at, Stamp(1, known))


def content(files: Files, valid: int, known: int) -> bytes | None:
    """The text that app.py had at one time, as known at another."""
    found = files.get("app.py", AsOf(valid, known))
    return files.text(found.text) if found else None


def test_a_version_comes_back_as_it_went_in(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_2)

    version = files.get("app.py", NOW)

    assert version is not None
    assert (version.path, version.version, version.digest, version.lines) == ("app.py", 1, ONE.digest, 1)
    assert (version.valid_from, version.valid_to) == (DAY_1, FOREVER)
    assert (version.known_from, version.known_to) == (DAY_2, FOREVER)
    assert files.text(version.text) == b"one\n"


def test_an_edit_is_seen_from_both_sides_on_both_clocks(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    edit(files, b"two\n", DAY_2, DAY_3)

    assert content(files, DAY_1, DAY_4) == b"one\n"
    assert content(files, DAY_2 - 1, DAY_4) == b"one\n"
    assert content(files, DAY_2, DAY_4) == b"two\n"
    assert content(files, DAY_2, DAY_3 - 1) == b"one\n", "on day 2 we did not know of the edit yet"
    assert content(files, DAY_1 - 1, DAY_4) is None, "it did not exist"
    assert content(files, DAY_1, DAY_1 - 1) is None, "we did not know of it"


def test_a_commit_of_known_content_restates_since_when_it_holds(files: Files) -> None:
    file = edit(files, b"one\n", DAY_2, DAY_2)
    files.commit(file, DAY_3, Stamp(2, DAY_4))

    before, after = files.history("app.py")

    assert (before.valid_from, before.committed, before.known_to) == (DAY_2, False, DAY_4)
    assert (after.valid_from, after.committed, after.known_to) == (DAY_3, True, FOREVER)
    assert before.version == after.version == 1


def test_a_deleted_file_keeps_its_past(files: Files) -> None:
    file = edit(files, b"one\n", DAY_1, DAY_1)
    files.end(file, DAY_2, Stamp(2, DAY_2))

    assert files.current() == {}
    assert files.known_at("app.py") is None
    assert content(files, DAY_1, DAY_3) == b"one\n"
    assert content(files, DAY_3, DAY_3) is None


def test_a_file_that_came_back_keeps_its_number_and_goes_on_counting(files: Files) -> None:
    first = edit(files, b"one\n", DAY_1, DAY_1)
    files.end(first, DAY_2, Stamp(2, DAY_2))

    numbering = FileNumbering(files)

    assert numbering.next("app.py", None) == (first, 2, DAY_2)
    assert numbering.next("b.py", None) == (first + 1, 1, 0)
    assert numbering.next("a.py", None) == (first + 2, 1, 0)


def test_a_new_content_follows_the_one_that_holds(files: Files) -> None:
    file = edit(files, b"one\n", DAY_2, DAY_2)

    assert FileNumbering(files).next("app.py", files.known_at("app.py")) == (file, 2, DAY_2)


def test_the_same_text_is_stored_once(files: Files, db: Database, where: Where) -> None:
    for path in ("a.py", "b.py"):
        begin(files, a_reading(path, b"same\n"), DAY_1, Stamp(1, DAY_1))

    assert len({one.text for one in files.contents()}) == 1
    assert [one.path for one in files.contents()] == ["a.py", "b.py"]


def test_a_text_is_found_by_path_even_if_it_no_longer_holds(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    edit(files, b"two\n", DAY_2, DAY_2)

    one, two = (files.find_text("app.py", digest) for digest in (ONE.text_digest, TWO.text_digest))

    assert (one.content.version, one.first_bytes(100), one.first_bytes(2)) == (1, b"one\n", b"on")
    assert (two.content.version, two.first_bytes(100)) == (2, b"two\n")
    assert one.chunks[0].span.end == 4
    assert (one.known.digest, two.known.digest) == (ONE.digest, TWO.digest)


def test_a_stat_proves_only_the_content_that_still_holds(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    edit(files, b"two\n", DAY_2, DAY_2)

    one, two = (files.find_text("app.py", digest).known for digest in (ONE.text_digest, TWO.text_digest))

    assert not one.is_as_seen(one.size, one.mtime_ns)
    assert two.is_as_seen(two.size, two.mtime_ns)


def test_redactions_belong_to_a_version(files: Files) -> None:
    redaction = Redaction(3, 9, 10)
    begin(files, a_reading("app.py", redactions=(redaction,)), DAY_1, Stamp(1, DAY_1))

    assert files.redactions(1, 1) == (redaction,)
    assert files.redactions(1, 2) == ()
    (content,) = files.contents()
    assert files.find_text("app.py", content.text).redactions == (redaction,)


def test_totals_count_what_holds_now(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    edit(files, b"one\ntwo\n", DAY_2, DAY_2)

    totals = files.totals()

    assert (totals.files, totals.lines, totals.chunks, totals.last_known) == (1, 2, 1, DAY_2)
    assert files.languages() == {"python": (1, 1)}


def test_checkouts_do_not_see_each_other(files: Files, db: Database, where: Where) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)

    beside = Files(db, where._replace(checkout=2))

    assert beside.current() == {}
    assert FileNumbering(beside).next("app.py", None) == (1, 1, 0)


@pytest.mark.parametrize("look", [Files.current, Files.contents])
def test_a_file_that_comes_while_the_view_is_read_does_no_harm(
    files: Files, db: Database, monkeypatch: pytest.MonkeyPatch, look: Callable[[Files], object]
) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    asked, plain = [], type(db).query

    def query(self: Database, name: str, /, **params: object) -> Iterator[Row]:
        asked.append(name)
        found = plain(self, name, **params)
        if len(asked) == 1:  # a run goes on meanwhile
            begin(files, a_reading("new.py"), DAY_2, Stamp(1, DAY_2))
        return found

    monkeypatch.setattr(type(db), "query", query)

    assert look(files)


def test_a_sheet_is_the_current_version_with_all_that_quoting_needs(files: Files) -> None:
    edit(files, b"one\n", DAY_1, DAY_1)
    edit(files, b"two\n", DAY_2, DAY_2)

    sheet = files.sheet("app.py")

    assert sheet is not None
    assert sheet.version == files.get("app.py", NOW)
    assert sheet.known == files.known_at("app.py")
    assert (sheet.text, sheet.redactions) == (b"two\n", ())
    assert sheet.layout == files.layout(sheet.version.file, sheet.version.version)
    assert files.sheet("nowhere.py") is None
