"""Files that change together: counted over commits, with support and confidence."""

from clew.index.history.commit_history import LEAST_SUPPORT, MOST_FILES, MOST_PARTNERS, co_changes

PATHS = frozenset({"a.py", "b.py", "c.py", "README.md", *(f"m{i:02}.py" for i in range(60))})


def found(*commits: list[str]) -> dict[str, list[tuple[str, int, float]]]:
    return {path: [(e.target, e.line, e.confidence) for e in es] for path, es in co_changes(commits, PATHS).items()}


def test_support_and_confidence_go_by_direction() -> None:
    together = [["a.py", "b.py"]] * 3

    assert found(*together, *[["a.py"]] * 3) == {"a.py": [("b.py", 3, 0.5)], "b.py": [("a.py", 3, 1.0)]}


def test_what_happened_less_than_three_times_may_be_chance() -> None:
    assert found(*[["a.py", "b.py"]] * (LEAST_SUPPORT - 1)) == {}


def test_sweeping_commits_are_left_out() -> None:
    sweep = [f"m{i:02}.py" for i in range(MOST_FILES + 1)]

    assert found(*[sweep] * 5) == {}


def test_files_that_are_gone_count_for_the_size_of_a_commit_and_for_nothing_else() -> None:
    gone = [f"gone{i}.py" for i in range(MOST_FILES)]

    assert found(*[["a.py", "b.py", *gone]] * 5) == {}
    assert found(*[["a.py", "b.py", "gone.py"]] * 3)["a.py"] == [("b.py", 3, 1.0)]


def test_only_the_best_partners_are_kept_and_order_does_not_matter() -> None:
    commits = [["a.py", *(f"m{i:02}.py" for i in range(k))] for k in (5, 12, 15, 15, 20)]

    one, other = co_changes(commits, PATHS), co_changes(reversed(commits), PATHS)

    assert one == other
    assert len(one["a.py"]) == MOST_PARTNERS
    assert [e.target for e in one["a.py"]][:5] == [f"m{i:02}.py" for i in range(5)]
