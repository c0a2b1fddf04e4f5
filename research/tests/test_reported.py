"""What a patch changed, by lines as they were before it."""

from clew.evaluate.history import Hunk
from research.rulers.reported import changed

PATCH = """diff --git a/pay.py b/pay.py
--- a/pay.py
+++ b/pay.py
@@ -3,4 +3,4 @@ def charge():
 one
-two
+deux
 three
+-- four
 five
diff --git a/new.py b/new.py
--- /dev/null
+++ b/new.py
@@ -0,0 +1,1 @@
+all of it
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1,1 +0,0 @@
-nothing
"""


def test_lines_are_told_by_what_they_were_before() -> None:
    assert changed(PATCH) == {"pay.py": [Hunk(4, 1), Hunk(4, 0), Hunk(5, 0)], "gone.py": [Hunk(1, 1)]}
