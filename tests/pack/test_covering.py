"""Beside the best match, a pack names a test of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.surfaces.library import Workspace

FILES = {
    "shop/cards.py": "from shop.ink import blot\n\n\ndef emboss(card):\n    return blot(card)\n",
    "shop/ink.py": "def blot(thing):\n    return thing\n\n\ndef spill(thing):\n    return thing\n",
    "shop/till.py": "from shop.cards import emboss\n\n\ndef close(card):\n    return emboss(card)\n",
    "tests/test_all.py": "from shop.cards import emboss\n\n\ndef test_everything():\n    assert emboss(1)\n",
    "tests/test_cards.py": "from shop.cards import emboss\n\n\ndef test_nothing():\n    assert not emboss(0)\n\n\n"
    "def test_emboss():\n    assert emboss(2) == 2\n",
    "spec/well_spec.js": "import { run } from '../ink.js'\n\ndescribe('all', () => {\n  it('goes', () => run(1))\n})\n",
    "ink.js": "/** Let the ink dry out. */\nexport function run(n) {\n  return n\n}\n",
    **{f"dry/{n}.js": f"/** The ink of {n}. */\nfunction dry{n}() {{\n  return {n}\n}}\n" for n in range(20)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


def test_it_is_the_test_that_is_called_like_it(shop: Workspace) -> None:
    pack = shop.context_pack(task="change emboss so that it returns the blot", max_tokens=600)
    told = {item.symbol: item.reason for item in pack.items}

    assert pack.entry_point == "shop/cards.py::emboss"
    assert told["tests/test_cards.py::test_emboss"] == "tests emboss"
    assert "tests/test_all.py::test_everything" not in list(told)[:4]


def test_a_test_that_is_no_function_is_told_by_its_line(shop: Workspace) -> None:
    pack = shop.context_pack(task="let the ink dry out", max_tokens=800)
    (line,) = [item for item in pack.items if item.path == "spec/well_spec.js"]

    assert (line.first_line, line.reason) == (4, "tests run")


def test_where_the_tests_are_asked_for_all_of_them_are_told(shop: Workspace) -> None:
    pack = shop.context_pack(task="which tests cover emboss", max_tokens=800)

    assert pack.notes.endswith("Dependents known: 3, here 3.")
