"""Counts that show how readable the house is: `python scripts/house_numbers.py`."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
SOURCES = HOME / "src" / "clew"
VAGUE = re.compile(r"\b(?:what|who|whom|whose|whoever|whatever)\b", re.IGNORECASE)
PARTICIPLES = re.compile(r"[a-z]{3,}(?:ed|ing)")
IRREGULAR = frozenset(
    "bound bought brought built chosen dealt done drawn fallen felt found given gone grown held hidden kept known laid "
    "led left lost made meant paid said seen sent shown sold sought spelled spelt spoken taken taught thought thrown "
    "told understood written".split()
)
NOT_PARTICIPLES = frozenset("embed exceed feed heading need proceed ranking seed setting speed string thing".split())
NEARLY_TOO_LONG = range(379, 401)


def is_participle(name: str) -> bool:
    """Whether a name is one word that is a participle: such a name does not say what a function does."""
    if name.startswith("__"):
        return False
    word = name.strip("_")
    return word in IRREGULAR or (bool(PARTICIPLES.fullmatch(word)) and word not in NOT_PARTICIPLES)


def modules(folder: Path = SOURCES) -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}


def functions(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def repeated_classes(trees: dict[Path, ast.Module]) -> dict[str, list[Path]]:
    """Public class names that more than one module defines."""
    found = defaultdict(list)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def docstrings(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, str]]:
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
                text := ast.get_docstring(node)
            ):
                yield path, text


def is_vague(docstring: str) -> bool:
    return bool(VAGUE.search(docstring))


def main() -> None:
    trees = modules()
    repeated = repeated_classes(trees)
    named = list(functions(trees))
    texts = [text for _, text in docstrings(trees)]
    vague = sum(map(is_vague, texts))
    lengths = [path.read_text("utf-8").count("\n") for path in trees]
    rows: list[tuple[str, object]] = [
        ("modules", len(trees)),
        ("lines", sum(lengths)),
        ("public class names used more than once", f"{len(repeated)} (by {sum(map(len, repeated.values()))} classes)"),
        (
            "functions named by a bare participle",
            f"{sum(is_participle(node.name) for _, node in named)} of {len(named)}",
        ),
        ("docstrings with what, who, whom, whose", f"{vague} of {len(texts)} ({vague / len(texts):.0%})"),
        ("bytes of ARCHITECTURE.md", len((HOME / "ARCHITECTURE.md").read_bytes())),
        ("files of 379 to 400 lines", sum(length in NEARLY_TOO_LONG for length in lengths)),
    ]
    for name, value in rows:
        print(f"{name:45} {value}")  # noqa: T201 - the output


if __name__ == "__main__":
    main()
