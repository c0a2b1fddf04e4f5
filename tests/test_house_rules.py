"""The rules a linter cannot express. Each failure names the file and the number."""

import ast
import builtins
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from clew.tools.registry import TOOLSETS

HOME = Path(__file__).parents[1]
SOURCES = sorted(path.relative_to(HOME) for path in (HOME / "src").rglob("*.py"))
EVERYTHING = [*SOURCES, *sorted(path.relative_to(HOME) for path in (HOME / "tests").rglob("*.py"))]
EXCEPTION = re.compile(r"\#\s*(?:noqa|type:\s*ignore)(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|\[[\w, -]+\])?(.*)")
HEAVY = ("mcp", "numpy", "rich", "starlette", "tree_sitter", "uvicorn")


def read(path: Path) -> str:
    return (HOME / path).read_text("utf-8")


def test_a_module_says_what_it_is_for() -> None:
    assert [str(path) for path in SOURCES if not ast.get_docstring(ast.parse(read(path)))] == []


def test_an_exception_from_a_check_gives_its_reason() -> None:
    bare = [
        (str(path), line.strip())
        for path in EVERYTHING
        for line in read(path).splitlines()
        if (mark := EXCEPTION.search(line)) and not said(mark[1])
    ]

    assert bare == []


def said(rest: str) -> bool:
    return bool(re.match(r"\s*(?:#|-|—)\s*\w+", rest))


TOOL_MODULES = [f"clew.tools.{toolset}" for toolset in TOOLSETS]


@pytest.mark.parametrize("module", ["clew", "clew.engine", "clew.surfaces.cli", *TOOL_MODULES])
def test_importing_costs_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({set(HEAVY)} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


def test_a_reading_process_compiles_what_a_language_asks_for_when_it_meets_one() -> None:
    needless = {
        "tomllib",
        "clew.index.languages.c_shims",
        "clew.index.languages.kotlin_shims",
        "clew.index.extract.query_extractor",
    }
    code = f"import sys, clew.index.worker; print(*sorted({needless} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


def test_no_room_is_named_for_nothing() -> None:
    nameless = {"base", "common", "core", "helpers", "manager", "utils"}

    assert [path for path in EVERYTHING if path.stem in nameless] == []


def test_programs_are_started_in_few_places_and_git_in_one() -> None:
    """A new place must bound what it starts: `runtime/git_process.py` says what a repository could have it do."""
    starts = re.compile(
        r"subprocess\.(?:run|call|Popen|check_\w+)\(|os\.(?:system|popen|spawn\w+|exec\w+|posix_spawn\w*)\("
    )
    found = {path.relative_to("src/clew").as_posix() for path in SOURCES if starts.search(read(path))}

    assert found == {
        "runtime/git_process.py",
        "runtime/test_process.py",
        "index/pool.py",
        "evaluate/baselines.py",
    }


def test_a_public_class_name_names_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(f"{path}:{node.lineno}")

    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


# Functions named by a bare participle, by package: a name is a verb phrase. These numbers only become smaller.
PARTICIPLES = {"pack": 78, "tools": 135, "services": 48, "graph": 6, "surfaces": 8}
PARTICIPLES_ELSEWHERE = 21


def test_a_function_is_not_named_by_a_bare_participle() -> None:
    house = runpy.run_path(str(HOME / "scripts" / "house_numbers.py"))
    found: dict[str, list[str]] = {}
    for path, node in house["functions"](house["modules"]()):
        if house["is_participle"](node.name):
            package = path.relative_to(HOME / "src" / "clew").parts[0]
            found.setdefault(package if package in PARTICIPLES else "elsewhere", []).append(f"{path}:{node.lineno}")
    most = {**PARTICIPLES, "elsewhere": PARTICIPLES_ELSEWHERE}

    assert {package: sorted(names) for package, names in found.items() if len(names) > most[package]} == {}


DOCUMENTS = [
    Path("ARCHITECTURE.md"),
    Path("docs/extending.md"),
    *(path.relative_to(HOME) for path in HOME.glob("src/clew/*/README.md")),
]
NAMED = re.compile(r"`((?:[\w-]+/)+[\w.-]*\w/?)`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_a_document_names_only_files_that_exist(document: Path) -> None:
    folders = (HOME, HOME / "src" / "clew", (HOME / document).parent)
    named = {name for name in NAMED.findall(read(document)) if "lua" not in name}

    assert [name for name in sorted(named) if not any((folder / name).exists() for folder in folders)] == []


GUIDES = [Path("README.md"), *sorted(path.relative_to(HOME) for path in (HOME / "docs").glob("*.md"))]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_what_a_python_example_imports_exists_and_every_name_is_bound() -> None:
    examples = [(str(path), example) for path in GUIDES for example in EXAMPLE.findall(read(path))]
    problems = []
    for path, example in examples:
        names = [node for node in ast.walk(ast.parse(example)) if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} | vars(builtins).keys()
        imports = [line for line in example.splitlines() if line.startswith(("import ", "from "))]
        imported: dict[str, object] = {}
        exec("\n".join(imports), imported)
        problems += [(path, node.id) for node in names if node.id not in bound | imported.keys()]

    assert examples
    assert problems == []


def test_the_architecture_is_told_in_fifteen_kilobytes() -> None:
    text = read(Path("ARCHITECTURE.md"))
    glossary = text.partition("## Glossary")[2].strip().splitlines()[2:]

    assert len(text.encode()) <= 15_000
    assert len(glossary) <= 30
