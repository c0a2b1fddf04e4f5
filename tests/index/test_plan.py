"""What a run has to do, and since when contents hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.disk.scan import FoundFile, Scan
from clew.index.disk.scan_state import ScanState
from clew.index.history.git import last_changes
from clew.index.run_plan import LARGE_BYTES, ContentHistory, RunPlan, estimate_of, plan_run
from clew.runtime.settings import Bootstrap
from clew.store.files import RACY_NS, Known
from tests.conftest import DAY, DAY_1, DAY_2, DAY_3, LONG_AGO_NS, Repository

ROOT = Path(__file__).parent
CALM = LONG_AGO_NS + RACY_NS + 1


def found(path: str, size: int = 10, mtime_ns: int = LONG_AGO_NS) -> FoundFile:
    return FoundFile(path, size, mtime_ns)


def known(size: int = 10, mtime_ns: int = LONG_AGO_NS, checked_ns: int = CALM) -> Known:
    return Known(1, 1, size, mtime_ns, checked_ns, b"digest", True, DAY_1)


def planned(files: list[FoundFile], store: dict[str, Known], *unreadable: str, everything: bool = False) -> RunPlan:
    return plan_run(ROOT, Scan(tuple(files), (), (), unreadable), store, Bootstrap(), everything=everything)


def paths(made: RunPlan) -> list[str]:
    return [wanted.path for wanted, _ in made.wanted]


def test_only_what_a_stat_cannot_vouch_for_is_read() -> None:
    made = planned(
        [found("same.py"), found("new.py"), found("grown.py", size=11), found("touched.py", mtime_ns=LONG_AGO_NS + 1)],
        {"same.py": known(), "grown.py": known(), "touched.py": known()},
    )

    assert paths(made) == ["grown.py", "new.py", "touched.py"]
    assert made.unchanged == 1


def test_a_file_written_just_before_it_was_read_is_hashed_again() -> None:
    made = planned([found("a.py"), found("b.py")], {"a.py": known(checked_ns=CALM - 1), "b.py": known()})

    assert paths(made) == ["a.py"]
    assert made.wanted[0][0].digest == b"digest", "if its content is the same, nothing needs to be done"


def test_what_was_seen_to_be_no_text_is_not_read_again_unless_anything_was_done_to_it() -> None:
    before = ScanState(passed=dict.fromkeys("abcde", (10, LONG_AGO_NS)), binary=dict.fromkeys("abcde", CALM))
    files = [
        FoundFile("a", 10, LONG_AGO_NS, LONG_AGO_NS),
        FoundFile("b", 11, LONG_AGO_NS, LONG_AGO_NS),
        FoundFile("c", 10, LONG_AGO_NS, CALM),  # another that was moved to its place
        FoundFile("d", 10, LONG_AGO_NS),  # of which nothing is told
        FoundFile("e", 10, LONG_AGO_NS, LONG_AGO_NS),  # as the store has it, it is text
    ]
    scanned = Scan(tuple(files), (), (), ())
    store = {"e": known(size=9)}

    made = plan_run(ROOT, scanned, store, Bootstrap(), everything=False, before=before)
    assert (paths(made), made.binary) == (["b", "c", "d", "e"], {"a": CALM})


def test_a_rebuild_reads_everything_and_trusts_no_digest() -> None:
    made = planned([found("a.py")], {"a.py": known()}, everything=True)

    assert [(wanted.path, wanted.digest) for wanted, _ in made.wanted] == [("a.py", b"")]


def test_what_is_not_there_any_more_is_gone() -> None:
    made = planned([found("a.py")], {"a.py": known(), "b.py": known(), "dir/c.py": known()})

    assert made.gone == ["b.py", "dir/c.py"]


def test_what_is_on_the_disk_is_not_gone_though_nobody_could_say_what_its_folder_holds() -> None:
    made = planned([], {"data/card.c.txt": known(), "data/none.py": known(), "d.py": known()}, "data/")

    assert made.gone == ["d.py", "data/none.py"]


def test_small_files_and_first_languages_come_first() -> None:
    made = planned([found("a.txt"), found("b.py"), found("big.py", size=10_001), found("c.md")], {})

    assert paths(made) == ["b.py", "c.md", "a.txt", "big.py"]


def test_larger_files_are_read_by_kind_and_the_largest_last() -> None:
    sizes = {
        "huge.py": 2_000_000,
        "ci.yaml": 20_000,
        "guide.md": 20_000,
        "shop.go": 20_000,
        "pay.py": 20_000,
        "x.go": 9,
    }
    made = planned([found(path, size=size) for path, size in sizes.items()], {})

    assert paths(made) == ["x.go", "pay.py", "shop.go", "guide.md", "ci.yaml", "huge.py"]


def test_committed_content_holds_since_the_commit(repository: Repository) -> None:
    repository.write("a.py", "x")
    repository.commit(at=DAY_2)
    repository.write("b.py", "y", mtime_ns=DAY_1 * 1000)
    history = ContentHistory(repository.root)

    assert history.valid_since("a.py", DAY_1 * 1000, 0, DAY_3) == (DAY_2, True)
    assert history.valid_since("b.py", DAY_1 * 1000, 0, DAY_3) == (DAY_1, False)
    assert (history.is_committed("a.py"), history.is_committed("b.py")) == (True, False)


def test_times_of_commits_do_not_depend_on_the_commit_that_was_read_last(repository: Repository) -> None:
    repository.write("old.py", "x = 1\n")
    first = repository.commit(DAY_1)
    repository.write("new.py", "x = 1\n")
    second = repository.commit(DAY_2)
    repository.write("newest.py", "x = 1\n")
    repository.commit(DAY_3)

    for before in ("", first, second, "0" * 40):
        found = last_changes(repository.root, ["old.py", "new.py", "newest.py"], before)
        assert found == {"old.py": DAY_1, "new.py": DAY_2, "newest.py": DAY_3}


def test_a_file_from_the_future_holds_since_we_saw_it(repository: Repository) -> None:
    assert ContentHistory(repository.root).valid_since("a.py", (DAY_3 + DAY) * 1000, 0, DAY_3) == (DAY_3, False)


def test_a_deleted_file_ceased_with_the_commit_that_deleted_it(repository: Repository) -> None:
    repository.write("a.py", "x")
    repository.write("b.py", "x")
    repository.commit(at=DAY_1)
    repository.delete("a.py")
    repository.commit(at=DAY_2)
    repository.delete("b.py")
    history = ContentHistory(repository.root)

    assert history.valid_until("a.py", DAY_1, DAY_3) == DAY_2
    assert history.valid_until("b.py", DAY_1, DAY_3) == DAY_3, "no commit says when, so it is when we saw it"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> ContentHistory:
    """A repository whose one commit is of day 2."""
    root = tmp_path_factory.mktemp("history")
    made = Repository(root)
    made.git("init", "-q")
    made.write("a.py", "x")
    made.commit(at=DAY_2)
    return ContentHistory(root)


moments = st.integers(DAY_1, DAY_3 + DAY)


@given(path=st.sampled_from(["a.py", "b.py"]), mtime=moments, after=moments, now=moments)
def test_time_in_a_checkout_never_runs_backwards(
    history: ContentHistory, path: str, mtime: int, after: int, now: int
) -> None:
    began, _ = history.valid_since(path, mtime * 1000, after, now)

    assert began > after
    assert history.valid_until(path, after, now) > after


def test_files_of_the_project_are_read_before_those_that_others_wrote() -> None:
    made = planned([found("a/vendor/x.go"), found("big.py", 20_000), found("api.pb.go"), found("main.py")], {})

    assert paths(made) == ["main.py", "big.py", "a/vendor/x.go", "api.pb.go"]


def test_a_large_run_says_what_it_takes_and_what_could_be_left_out() -> None:
    half = LARGE_BYTES // 2
    made = planned([found("vendor/x/a.go", half), found("main.go", half)], {})

    told = estimate_of(made, cores=2)
    assert told.startswith("2 files with 60 MB are to be read: about 2 minutes on 2 cores, and 180 MB on disk.")
    assert "1 of them (30 MB) look copied or generated; the line `vendor/` in .contextignore leaves them out" in told
    assert estimate_of(planned([found("main.go", half)], {}), cores=2) == ""
