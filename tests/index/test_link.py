"""Imports as written become edges to the file they name, or to what is outside."""

import pytest

from clew.index.import_edges import import_edges
from clew.index.modules import SourceTree
from clew.model.code import Import
from clew.model.words import EdgeKind, EvidenceKind

WORLD = SourceTree.of({
    "app/__init__.py", "app/cards.py", "app/pay/__init__.py", "app/pay/gate.py", "app/types.pyi",
    "src/lib/__init__.py", "src/lib/deep.py", "tests/test_app.py", "setup.py",
    "web/index.ts", "web/gate.ts", "web/view.tsx", "web/old.js", "web/parts/index.js", "web/decl.d.ts",
})  # fmt: skip


def targets(path: str, module: str, *names: str, language: str = "python") -> list[str]:
    edges = import_edges(path, language, (Import(module, names, 3),), WORLD)
    return sorted(edge.target for edge in edges)


@pytest.mark.parametrize(
    ("path", "module", "names", "expected"),
    [
        ("setup.py", "app", (), ["app/__init__.py"]),
        ("setup.py", "app.cards", (), ["app/cards.py"]),
        ("setup.py", "app.cards", ("Card",), ["app/cards.py"]),
        ("setup.py", "app", ("cards", "pay"), ["app/cards.py", "app/pay/__init__.py"]),
        ("setup.py", "app", ("cards", "VERSION"), ["app/__init__.py", "app/cards.py"]),
        ("setup.py", "app", ("*",), ["app/__init__.py"]),
        ("setup.py", "app.types", (), ["app/types.pyi"]),
        ("setup.py", "lib.deep", (), ["src/lib/deep.py"]),
        ("app/cards.py", ".", ("pay",), ["app/pay/__init__.py"]),
        ("app/cards.py", ".pay", ("gate",), ["app/pay/gate.py"]),
        ("app/pay/gate.py", "..", ("cards",), ["app/cards.py"]),
        ("app/pay/gate.py", "..cards", ("Card",), ["app/cards.py"]),
        ("tests/test_app.py", "app.pay", ("gate",), ["app/pay/gate.py"]),
        ("setup.py", "requests", ("get",), ["external::requests"]),
        ("app/cards.py", ".missing", (), ["external::.missing"]),
    ],
)
def test_python_imports_lead_to_modules(path: str, module: str, names: tuple[str, ...], expected: list[str]) -> None:
    assert targets(path, module, *names) == expected


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("web/index.ts", "./gate", "web/gate.ts"),
        ("web/index.ts", "./gate.js", "web/gate.ts"),
        ("web/index.ts", "./view", "web/view.tsx"),
        ("web/index.ts", "./old.js", "web/old.js"),
        ("web/index.ts", "./parts", "web/parts/index.js"),
        ("web/parts/index.js", "..", "web/index.ts"),
        ("web/parts/index.js", "../decl", "web/decl.d.ts"),
        ("web/index.ts", "react", "external::react"),
        ("web/index.ts", "./missing", "external::web/missing"),
    ],
)
def test_ecma_imports_lead_to_files(path: str, module: str, expected: str) -> None:
    assert targets(path, module, language="typescript") == [expected]


def test_a_language_without_rules_has_no_edges() -> None:
    assert targets("README.md", "app", language="markdown") == []


def test_an_edge_shows_its_evidence() -> None:
    (edge,) = import_edges("setup.py", "python", (Import("app", (), 3), Import("app", (), 3)), WORLD)

    assert (edge.scope, edge.kind, edge.line, edge.evidence) == ("", EdgeKind.IMPORTS, 3, EvidenceKind.IMPORT)
