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
NOT_PARTICIPLES = frozenset(
    "embed exceed feed heading meaning need proceed ranking seed setting speed string thing".split()
)
NEARLY_TOO_LONG = range(379, 401)
LANGUAGES = frozenset(
    "python javascript typescript tsx go rust java kotlin scala csharp c cpp swift php ruby bash jupyter lua elixir "
    "haskell zig dart julia terraform vue svelte ecma jvm".split()
)
ASKED = re.compile(r"language|famil|spoken")  # in an expression that is compared with the name of a language


def is_participle(name: str) -> bool:
    """Whether a name is one word that is a participle: such a name does not say what a function does."""
    if name.startswith("__"):
        return False
    word = name.strip("_")
    return word in IRREGULAR or (bool(PARTICIPLES.fullmatch(word)) and word not in NOT_PARTICIPLES)


def modules(folder: Path = SOURCES) -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}


def definitions(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """The module and all classes and functions in it. Only statements are visited, which is much faster."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, field, ())
            todo += inner if isinstance(inner, list) else ()


def functions(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, tree in trees.items():
        for node in definitions(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def repeated_classes(trees: dict[Path, ast.Module]) -> dict[str, list[Path]]:
    """Public class names that more than one module defines."""
    found = defaultdict(list)
    for path, tree in trees.items():
        for node in definitions(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def docstrings(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, str]]:
    for path, tree in trees.items():
        for node in definitions(tree):
            if text := ast.get_docstring(node):
                yield path, text


def is_vague(docstring: str) -> bool:
    return bool(VAGUE.search(docstring))


def _words(node: ast.AST) -> list[str]:
    """The texts of a literal: one, or those that a collection holds, also as the first argument of a call."""
    if isinstance(node, ast.Constant):
        return node.value.split() if isinstance(node.value, str) else []
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else None
        return [word for one in filter(None, (inner, *node.args[:1])) for word in _words(one)]
    if isinstance(node, ast.Dict):
        return [word for one in node.keys if one is not None for word in _words(one)]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [word for one in node.elts for word in _words(one)]
    return []


def language_comparisons(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, int]]:
    """Comparisons with the name of a language, or with a constant of any module that is one."""
    constants = {
        target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in LANGUAGES
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                named = any(LANGUAGES.intersection(_words(one)) for one in sides)
                named = named or any(isinstance(one, ast.Name) and one.id in constants for one in sides)
                if named and any(ASKED.search(ast.unparse(one)) for one in sides):
                    yield path, node.lineno


def language_tables(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, int]]:
    """Tables and sets of a module that are keyed by languages: at least half of the keys are names of some."""
    for path, tree in trees.items():
        for node in tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            words = _words(value) if isinstance(value, ast.Dict | ast.Call | ast.Tuple | ast.Set) else []
            known = sum(word in LANGUAGES for word in words)
            if (known > 1 or (known and len(words) <= 2)) and 2 * known >= len(words):
                yield path, node.lineno


def language_imports(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, int]]:
    """Imports from the folder of a language."""
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                parts, names = node.module.split("."), [alias.name for alias in node.names]
                if parts[:2] == ["clew", "languages"] and LANGUAGES.intersection(parts[2:3] or names):
                    yield path, node.lineno


def outside_of_languages(trees: dict[Path, ast.Module]) -> dict[Path, ast.Module]:
    return {path: tree for path, tree in trees.items() if SOURCES / "languages" not in path.parents}


def files_with(word: str, trees: dict[Path, ast.Module]) -> list[Path]:
    return [path for path in trees if word in path.read_text("utf-8").lower()]


def main() -> None:
    trees = modules()
    shared = outside_of_languages(trees)
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
        ("comparisons with a language's name", sum(1 for _ in language_comparisons(shared))),
        ("imports from a language's folder", sum(1 for _ in language_imports(shared))),
        ("tables keyed by language", sum(1 for _ in language_tables(shared))),
        ("shared files that name Kotlin", len(files_with("kotlin", shared))),
        ("files of 379 to 400 lines", sum(length in NEARLY_TOO_LONG for length in lengths)),
    ]
    for name, value in rows:
        print(f"{name:45} {value}")  # noqa: T201 - the output


if __name__ == "__main__":
    main()
