"""The rules a linter cannot express. Each failure names the file and the number."""

import ast
import builtins
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.tools.registry import TOOLSETS

HOME = Path(__file__).parents[1]
SOURCES = sorted(path.relative_to(HOME) for path in (HOME / "src").rglob("*.py"))
EVERYTHING = [*SOURCES, *sorted(path.relative_to(HOME) for path in (HOME / "tests").rglob("*.py"))]
EXCEPTION = re.compile(r"\#\s*(?:noqa|type:\s*ignore)(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|\[[\w, -]+\])?(.*)")
HEAVY = ("mcp", "numpy", "rich", "starlette", "tree_sitter", "uvicorn")


def read(path: Path) -> str:
    return (HOME / path).read_text("utf-8")


@pytest.fixture(scope="module")
def house() -> dict[str, Any]:
    """The functions of the script that counts."""
    return runpy.run_path(str(HOME / "scripts" / "house_numbers.py"))


@pytest.fixture(scope="module")
def trees(house: dict[str, Any]) -> dict[Path, ast.Module]:
    """All modules of the package, parsed once."""
    parsed: dict[Path, ast.Module] = house["modules"]()
    return parsed


def test_a_module_says_what_it_is_for(trees: dict[Path, ast.Module]) -> None:
    assert [str(path) for path, tree in trees.items() if not ast.get_docstring(tree)] == []


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
        "clew.languages.c_shims",
        "clew.languages.kotlin_shims",
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
        "surfaces/clients/checkup.py",
    }


def test_a_public_class_name_names_one_class(house: dict[str, Any], trees: dict[Path, ast.Module]) -> None:
    assert house["repeated_classes"](trees) == {}


# Properties of values, where a noun would say less.
PARTICIPLES = {"Entry.quoted", "Standing.held"}


def test_a_function_is_not_named_by_a_bare_participle(house: dict[str, Any], trees: dict[Path, ast.Module]) -> None:
    found = [
        f"{path}:{node.lineno} {node.name}"
        for path, node in house["functions"](trees)
        if house["is_participle"](node.name)
    ]
    known = {name.rpartition(".")[2] for name in PARTICIPLES}

    assert [one for one in found if one.rpartition(" ")[2] not in known] == []
    assert len(found) <= len(PARTICIPLES)


def test_few_docstrings_need_what_who_whom_or_whose(house: dict[str, Any], trees: dict[Path, ast.Module]) -> None:
    texts = [text for _, text in house["docstrings"](trees)]
    vague = [text for text in texts if house["is_vague"](text)]

    assert len(vague) < len(texts) / 10


FILES_WITH_KOTLIN = 3  # generic words of paths, the list of parsers, and where Gradle keeps tests


def test_shared_code_names_no_language(house: dict[str, Any], trees: dict[Path, ast.Module]) -> None:
    """Knowledge of one language belongs into its folder: its profile, its rules, its library, its services."""
    shared = house["outside_of_languages"](trees)

    assert [f"{path}:{line}" for path, line in house["language_comparisons"](shared)] == []
    assert [f"{path}:{line}" for path, line in house["language_tables"](shared)] == []
    assert [f"{path}:{line}" for path, line in house["language_imports"](shared)] == []
    assert len(house["files_with"]("kotlin", shared)) <= FILES_WITH_KOTLIN


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
        tree = [*ast.walk(ast.parse(example))]
        bound |= {node.arg for node in tree if isinstance(node, ast.arg)}
        bound |= {node.name for node in tree if isinstance(node, ast.FunctionDef | ast.ClassDef)}
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
