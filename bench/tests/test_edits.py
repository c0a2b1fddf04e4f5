"""The edits that are measured: chosen from the index, always the same ones."""

from pathlib import Path

from bench.clones import Clone, git, plain_environment
from bench.edits import Edit, Places
from clew.engine import Engine

FILES = {
    "area.py": "class Shape:\n    def side(self, length, scale):\n        check(length)\n        return length\n",
    "card.go": "package card\n\nfunc Charge(amount int, fee int) int {\n\tlog(amount)\n\treturn amount\n}\n",
    "pay.go": "package card\n\nfunc Pay() int {\n\treturn Charge(1, 2)\n}\n",
    "lib/round.py": "def rounded(value, digits):\n    note(value)\n    return value\n",
    "lib/total.py": "def total(values, digits):\n    note(values)\n    return sum(values)\n",
    "use.py": "from lib.round import rounded\n\n\ndef shown(value):\n    found = rounded(value, 2)\n    return found\n",
    "sums.py": "from lib.total import total\n\n\ndef both(values):\n    found = total(values, 2)\n    return found\n",
}


def chosen(tree: Clone) -> dict[str, Edit]:
    return {edit.name: edit for edit in Places(tree).edits()}


def test_each_edit_changes_what_it_names(tmp_path: Path) -> None:
    root = tmp_path
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "Start")
    tree = Clone(root, plain_environment())
    with Engine.open(root, environ=tree.environ) as engine:
        engine.index()
    edits = chosen(tree)
    assert edits.keys() > {"nothing", "a body", "rename a function", "add a file"}
    assert {name: edit.subject for name, edit in chosen(tree).items()} == {n: e.subject for n, e in edits.items()}

    before = {path: (root / path).read_text("utf-8") for path in FILES}
    edits["a body"].apply(tree)
    (changed,) = (path for path in FILES if (root / path).read_text("utf-8") != before[path])
    assert len((root / changed).read_text("utf-8").split("\n")) == len(before[changed].split("\n")) + 1

    edits["rename a function"].apply(tree)
    path, _, name = edits["rename a function"].subject.partition("::")
    assert name in (root / path).read_text("utf-8") and name not in before[path]

    edits["add a file"].apply(tree)
    assert (root / edits["add a file"].subject).exists()
