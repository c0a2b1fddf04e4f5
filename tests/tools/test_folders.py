"""A folder is told to be one, and not taken for a file or symbol whose path only ends like it."""

from collections.abc import Iterator

import pytest

from clew.engine import Engine
from tests.tools.asking import Ask, asking

FILES = {
    "lib/sale.rb": "module Sale\nend\n",
    "lib/sale/job.rb": "class Job\n  def sale\n  end\nend\n",
    "packages/core/src/types/core.ts": "export const one = 1\n",
    "packages/text/index.ts": "export const text = 1\n",
    "shop/api/__init__.py": "",
    "shop/api/views.py": "def show():\n    return 1\n",
}
ASKED = (("code_explain", "element"), ("semantic_slice", "symbol"), ("semantic_slice", "file"))


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    root = tmp_path_factory.mktemp("folders")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with asking(root) as asked:
        yield asked


@pytest.mark.parametrize("name", ["lib/sale/", "`lib/sale/`", "packages/core", "shop/api", "./shop/api/", "text/"])
def test_a_folder_is_no_file_that_ends_like_it_and_none_that_says_nothing(ask: Ask, name: str) -> None:
    for tool, argument in ASKED:
        envelope = ask(tool, **{argument: name})

        assert envelope["errorCode"] == "CLEW_E_NOT_FOUND"
        assert f"{name.strip('`./')}/ is a folder of " in envelope["summary"]


@pytest.mark.parametrize(("name", "meant"), [("lib/sale", "lib/sale.rb"), ("packages/text", "packages/text/index.ts")])
def test_a_file_that_stands_for_its_folder_is_meant_by_its_path(ask: Ask, name: str, meant: str) -> None:
    assert {ask(tool, **{argument: name})["data"]["id"] for tool, argument in ASKED} == {meant}
