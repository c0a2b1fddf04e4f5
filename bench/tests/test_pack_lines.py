"""Which lines a task needs, and which of them an answer shows."""

from pathlib import Path

import clew
from bench.issue_tasks import hunks_of
from bench.pack_lines import LineScore, joined, outermost_functions, score, shown_lines, symbols_of, with_context
from clew.evaluate.history import Hunk

SOURCE = """class Retry:
    \"\"\"Tries again.\"\"\"

    limit = 3

    def wait(self, answer):
        def seconds():
            return 1

        return seconds()


def other():
    return 2
"""

PATCH = """diff --git a/retry.py b/retry.py
index 1..2 100644
--- a/retry.py
+++ b/retry.py
@@ -6,3 +6,4 @@ class Retry:
     def wait(self, answer):
         def seconds():
-            return 1
+            return 2
+        # longer
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x = 1
"""


def test_the_relevant_lines_are_those_of_a_function_and_of_its_class_openings(tmp_path: Path) -> None:
    (tmp_path / "retry.py").write_text(SOURCE)
    with clew.open(tmp_path) as workspace:
        workspace.index()
        functions = outermost_functions(symbols_of(workspace, "retry.py"))
        lines = with_context(workspace, ["retry.py::Retry::wait"])

    assert [one.scope for one in functions] == ["Retry::wait", "other"]
    assert lines == {"retry.py": frozenset({1, *range(6, 11)})}


def test_a_patch_says_which_lines_of_the_old_side_changed() -> None:
    assert dict(hunks_of(PATCH)) == {"retry.py": [Hunk(8, 1), Hunk(8, 0), Hunk(8, 0)]}


def test_a_mark_counts_lines_that_are_not_shown() -> None:
    code = "class Retry:\n… 4 lines\n    def wait(self, answer):\n… 3 lines\n        return seconds()"

    assert [*shown_lines(SOURCE, 1, 10, code)] == [1, 6, 10]


def test_recall_counts_relevant_lines_and_precision_shown_ones() -> None:
    relevant = joined([("a.py", range(1, 11)), ("b.py", range(1, 11))])
    shown = joined([("a.py", range(6, 16)), ("a.py", range(6, 8))])

    assert score(relevant, shown) == LineScore(0.25, 0.5)
    assert round(score(relevant, shown).f1, 3) == 0.333
    assert score(relevant, {}) == LineScore(0.0, 0.0)
