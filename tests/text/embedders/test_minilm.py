"""MiniLM as it was published, but for eight bits; a text's vector is its own. Runs where its packages are."""

import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from clew.model.errors import EmbedderFailed
from clew.runtime.settings import Embedding
from clew.text.embedders import embedder, minilm
from clew.text.embedders.minilm import DIMENSIONS, MiniLM

pytestmark = pytest.mark.needs(
    onnxruntime=find_spec("onnxruntime") is not None, minilm_weights=find_spec(minilm.WEIGHTS) is not None
)

TEXTS = ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby.", "x" * 3000, ""]

# The similarities of the first three texts, and the opening of the first one's vector, as the published model in
# full precision gives them.
SIMILAR = [0.7553, -0.105, -0.061]
OPENING = [0.0332, 0.0044, -0.0063, 0.0484, -0.1387, -0.0336]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> MiniLM:
    return MiniLM(tmp_path_factory.mktemp("cache"))


def test_vectors_are_those_of_the_published_model_nearly(model: MiniLM) -> None:
    found = model.embed(TEXTS[:3])

    similar = found @ found.T
    assert np.allclose([similar[0, 1], similar[0, 2], similar[1, 2]], SIMILAR, atol=0.04)
    assert np.allclose(found[0, : len(OPENING)], OPENING, atol=0.02)


def test_vectors_have_unit_length_and_there_is_one_for_every_text(model: MiniLM) -> None:
    found = model.embed(TEXTS)

    assert found.shape == (len(TEXTS), DIMENSIONS)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert model.embed([]).shape == (0, DIMENSIONS)


def test_a_vector_depends_on_no_other_text(model: MiniLM) -> None:
    alone = [model.embed([text])[0] for text in TEXTS]

    assert np.array_equal(model.embed(TEXTS), alone)
    assert np.array_equal(model.embed([*TEXTS, *TEXTS][::-1])[::-1], [*alone, *alone])


def test_a_question_is_nearest_to_what_answers_it(model: MiniLM) -> None:
    answers = ["def parse_json(text): return json.loads(text)", "def open_socket(host, port): ...", "# Licence: MIT"]
    found = model.embed(["read JSON from a string", *answers])

    assert np.argmax(found[1:] @ found[0]) == 0


def test_the_network_is_made_once_and_again_if_it_was_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = MiniLM(tmp_path).embed(TEXTS[:1])
    (file,) = tmp_path.iterdir()
    made = file.read_bytes()
    file.write_bytes(made[:-1] + b"?")
    assert np.array_equal(MiniLM(tmp_path).embed(TEXTS[:1]), first)
    assert file.read_bytes() == made

    monkeypatch.setattr(minilm, "_convert", pytest.fail)  # what is whole is taken as it is
    assert np.array_equal(MiniLM(tmp_path).embed(TEXTS[:1]), first)


def test_many_may_make_it_at_once(tmp_path: Path) -> None:
    made: list[object] = []
    threads = [threading.Thread(target=lambda: made.append(MiniLM(tmp_path).embed(["a"]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 3
    assert [file.name for file in tmp_path.iterdir()] == [f"{minilm.NAME}.onnx"]


def test_where_nothing_can_be_kept_it_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    assert MiniLM(tmp_path / "file").embed(["text"]).shape == (1, DIMENSIONS)


def test_other_weights_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "DIGEST", "another")

    with pytest.raises(EmbedderFailed, match="are not those of all-MiniLM-L6-v2"):
        MiniLM(tmp_path).embed(["text"])


def test_it_is_found_by_the_name_of_the_model_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    found = embedder(Embedding(model="sentence-transformers/all-MiniLM-L6-v2", dimension=384))
    assert isinstance(found, MiniLM)
    with pytest.raises(EmbedderFailed, match="384 numbers"):
        embedder(Embedding(model="minilm", dimension=128))
