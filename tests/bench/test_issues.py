"""Issues and their mends: which lines a patch changes, and what of that counts."""

import subprocess
import sys
from pathlib import Path

from bench.issues import changed

from clew.evaluate.history import Hunk
from tests.conftest import Repository

MEND = """diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,3 +1,3 @@
 def total(cart):
-    return sum(cart)
+    return sum(cart) or 0

@@ -9 +9,2 @@ def add(cart):
 def add(cart):
+    check(cart)
diff --git a/shop/new.py b/shop/new.py
new file mode 100644
--- /dev/null
+++ b/shop/new.py
@@ -0,0 +1 @@
+NEW = 1
"""


def test_a_patch_tells_which_lines_it_takes_away_and_where_it_adds() -> None:
    assert changed(MEND) == {"shop/cart.py": [Hunk(2, 1), Hunk(2, 0), Hunk(9, 0)]}


def test_an_issue_finds_what_its_mend_changed(repository: Repository, tmp_path: Path) -> None:
    repository.write("shop/cart.py", "def total(cart):\n    return sum(cart)\n\n" + "\n" * 5 + "def add(cart): ...\n")
    repository.write("shop/login.py", "def login(user): ...\n")
    base = repository.commit()
    tasks = Repository(tmp_path / "tasks")
    tasks.write("tasks/acme__shop-7/task.yaml", f"base_commit: {base}\nrepo: acme/shop\n")
    tasks.write("tasks/acme__shop-7/problem_statement.md", "The total of an empty cart fails\n")
    tasks.write("tasks/acme__shop-7/gold.patch", MEND)
    tasks.git("init", "-q")
    tasks.commit()
    (tmp_path / "acme+shop").mkdir()
    mirror = tmp_path / "acme+shop" / "repo"
    subprocess.run(["git", "clone", "-q", "--mirror", repository.root, mirror], check=True)

    done = subprocess.run(
        [sys.executable, "-m", "bench.issues", tasks.root, "--on", mirror],
        capture_output=True,
        check=True,
        text=True,
    )

    assert "| acme/shop | 1 | 1.000 / 1.000 | 1.000 / 1.000 |" in done.stdout
