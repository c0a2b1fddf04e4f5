"""The model in the package: what it makes, what it takes, and that it is there."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.model.errors import EmbedderFailed
from clew.runtime.settings import Embedding
from clew.text.embedders.own import DIMENSIONS, FOLDER, MOST_TERMS, NAME, Own, make

MOST_BYTES = 7_000_000


@pytest.fixture(scope="module")
def own() -> Own:
    return make(Embedding())


def near(own: Own, one: str, other: str) -> float:
    a, b = own.embed([one, other])
    return float(a @ b)


def test_vectors_are_of_unit_length_and_of_nothing_none(own: Own) -> None:
    rows = own.embed(["def charge(card): ...", "Geld zurück 😀", "", "  \n"])

    assert rows.shape == (4, DIMENSIONS)
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0, 0], atol=1e-5)
    assert own.embed([]).shape == (0, DIMENSIONS)


def test_a_vector_depends_on_its_text_alone(own: Own) -> None:
    text = "def parse_header(line): return line.split(':')"

    assert np.array_equal(own.embed([text])[0], own.embed(["another", text, "a third"])[1])
    assert np.array_equal(own.embed([text])[0], Own(FOLDER).embed([text])[0])


OPENS = "def load(path):\n    with open(path) as f:\n        return f.read()"
ADDS = "def add(a, b):\n    return a + b"
DELETES = "func (l *List) Delete(item Item) { l.items.erase(item) }"
COUNTS = "func (l *List) Len() int"
SIGNS_IN = "def login(user, password): check_credentials(user)"
DRAWS = "def draw(canvas, color): canvas.fill()"


@pytest.mark.parametrize(
    ("asked", "meant", "other"),
    [
        ("read a file from disk", OPENS, ADDS),
        ("remove an element", DELETES, COUNTS),
        ("authentication", SIGNS_IN, DRAWS),
    ],
)
def test_what_means_the_same_in_other_words_is_nearer(own: Own, asked: str, meant: str, other: str) -> None:
    assert near(own, asked, meant) > near(own, asked, other)


def test_an_unknown_word_is_near_to_itself_and_not_to_another(own: Own) -> None:
    assert near(own, "zyxgrblfroob", "zyxgrblfroob") > 0.99
    assert near(own, "zyxgrblfroob", "qwmphtlkvarn") < 0.9


def test_of_a_long_text_the_beginning_counts(own: Own) -> None:
    words = " ".join(f"word{number}x" for number in range(2 * MOST_TERMS))

    assert np.array_equal(own.embed([words])[0], own.embed([f"{words} and much more behind"])[0])


def test_it_fits_the_package(own: Own) -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < MOST_BYTES
    assert own.name == NAME


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(EmbedderFailed, match=str(DIMENSIONS)):
        make(Embedding(dimension=64))


def test_it_needs_numpy_alone(tmp_path: Path) -> None:
    code = "import sys; from clew.text.embedders.own import *; Own(FOLDER).embed(['x']); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)

    assert not {"torch", "onnxruntime", "scipy", "tree_sitter"} & {*told.stdout.split()}
