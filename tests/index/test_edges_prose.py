"""What prose names."""

from collections.abc import Mapping

import pytest

from clew.model.words import EdgeKind
from tests.index.edges import edges

CODE = {
    "pay/card.py": "LIMIT = 3\nclass Card:\n    def charge(self): ...\n    def save(self): ...\n"
    "class PaperCard(Card): ...\n",
    "pay/gate.py": "class Gate:\n    def save(self): ...\ndef enter_gate(): ...\ndef settle(): ...\ndef open(): ...\n",
    "pay/user.py": "class User:\n    def save(self): ...\n    def load_all(self): ...\n",
    "pay/admin.py": "class Admin:\n    def load_all(self): ...\n",
    "pay/tests/test_card.py": "def test_settle(): ...\ndef settle(): ...\n",
    "web/box.ts": "export class PaperBox {\n  fold() {}\n}\n",
}

MARKDOWN: dict[str, tuple[str, list[str]]] = {
    "a name that is unique": ("# T\n\nSee `enter_gate` for it.\n", ["T:3 -> pay/gate.py::enter_gate (identifier 0.8)"]),
    "a class of another language": ("# T\n\n`PaperBox`\n", ["T:3 -> web/box.ts::PaperBox (identifier 0.8)"]),
    "a member of a class": ("# T\n\n`Card.save()`\n", ["T:3 -> pay/card.py::Card::save (identifier 0.9)"]),
    "the full path of one": (
        "# T\n\n`pay.card.Card.charge`\n",
        ["T:3 -> pay/card.py::Card::charge (identifier 0.95)"],
    ),
    "a qualified name without marks": (
        "# T\n\nIt is pay.gate.enter_gate that lets in.\n",
        ["T:3 -> pay/gate.py::enter_gate (identifier 0.95)"],
    ),
    "a name that two have": (
        "# T\n\n`load_all()`\n",
        [
            "T:3 -> pay/admin.py::Admin::load_all (identifier 0.4)",
            "T:3 -> pay/user.py::User::load_all (identifier 0.4)",
        ],
    ),
    "a name that too many have": ("# T\n\n`save()`\n", []),
    "a word that is a function": ("# T\n\n`settle` it\n", ["T:3 -> pay/gate.py::settle (identifier 0.5)"]),
    "a common word": ("# T\n\nThe `open` door of `card`, `gate`.\n", []),
    "a word that is not marked": ("# T\n\nsettle the Card with enter_gate\n", []),
    "what stands in a block of code": ("# T\n\n```python\nenter_gate() # `PaperCard`\n```\n", []),
    "a link to a file": ("# T\n\n[card](../pay/card.py#L3)\n", ["T:3 -> pay/card.py (identifier 0.95)"]),
    "a path": ("# T\n\nIn `pay/gate.py` and `gone/away.py`\n", ["T:3 -> pay/gate.py (identifier 0.95)"]),
    "a link to elsewhere": ("# T\n\n[x](https://pay.gate.py/card.py)\n", []),
    "one edge at the first line": (
        "# T\n\n`PaperCard`\n\n`PaperCard`\n\n## U\n\n`PaperCard`\n",
        ["T:3 -> pay/card.py::PaperCard (identifier 0.8)", "T::U:9 -> pay/card.py::PaperCard (identifier 0.8)"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), MARKDOWN.values(), ids=MARKDOWN.keys())
def test_mentions_of_markdown(text: str, expected: list[str]) -> None:
    assert edges(EdgeKind.MENTIONS, {**CODE, "docs/a.md": text}, "docs/a.md") == expected


DOCUMENTED: dict[str, tuple[Mapping[str, str], list[str]]] = {
    "a heading that is a name": (
        {
            "docs/a.md": "# Guide\n\n## `enter_gate()`\n\n## PaperCard\n\n## class Gate\n\n## Settle\n\n"
            "## settle\n\n## pay.user\n"
        },
        [
            "Guide::PaperCard:5 -> pay/card.py::PaperCard (identifier 0.9)",
            "Guide::class Gate:7 -> pay/gate.py::Gate (identifier 0.6)",
            "Guide::enter_gate():3 -> pay/gate.py::enter_gate (identifier 0.9)",
            "Guide::pay.user:13 -> pay/user.py (identifier 0.95)",
        ],
    ),
    "directives below their module and class": (
        {
            "docs/a.rst": (
                "Cards\n=====\n\n.. currentmodule:: pay.card\n\n.. class:: Card(n)\n\n   .. method:: save()\n\n"
                ".. autoclass:: PaperCard\n\n.. note:: settle\n"
            )
        },
        [
            "Cards:6 -> pay/card.py::Card (identifier 0.95)",
            "Cards:8 -> pay/card.py::Card::save (identifier 0.95)",
            "Cards:10 -> pay/card.py::PaperCard (identifier 0.95)",
        ],
    ),
}


@pytest.mark.parametrize(("docs", "expected"), DOCUMENTED.values(), ids=DOCUMENTED.keys())
def test_documents(docs: Mapping[str, str], expected: list[str]) -> None:
    assert edges(EdgeKind.DOCUMENTS, {**CODE, **docs}, next(iter(docs))) == expected


def test_roles_of_rest_and_plain_text() -> None:
    text = "See :func:`~pay.gate.enter_gate`, :class:`the card <PaperCard>` and :ref:`settle`.\n"
    expected = [
        ":1 -> pay/card.py::PaperCard (identifier 0.9)",
        ":1 -> pay/gate.py::enter_gate (identifier 0.95)",
    ]

    assert edges(EdgeKind.MENTIONS, {**CODE, "a.txt": text}, "a.txt") == expected
    assert edges(EdgeKind.MENTIONS, {**CODE, "a.rst": text}, "a.rst") == expected


def test_prose_of_a_notebook() -> None:
    cells = (
        '{"cells": [\n'
        '{"cell_type": "markdown", "metadata": {}, "source": ["# Title\\n", "`PaperCard` pays"]},\n'
        '{"cell_type": "code", "metadata": {}, "source": ["x = 1  # `enter_gate`"], "outputs": []}\n'
        '], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    )

    assert edges(EdgeKind.MENTIONS, {**CODE, "a.ipynb": cells}, "a.ipynb") == [
        "Title:2 -> pay/card.py::PaperCard (identifier 0.8)"
    ]
