"""What the teacher is asked about is what stands in a source's files."""

import io
import lzma
import zipfile
from pathlib import Path

import numpy as np

from research.training.begin import vocabulary
from research.training.lessons import SENTENCE_TOKENS, TEXT_TOKENS, Lesson, of_source, write
from research.training.listed import Source

CARDS = '''"""Cards and what they are charged."""


def charge(card, amount):
    """Take money from a card unless it has expired."""
    # nobody is charged twice for the same order
    if card.expired:
        raise ValueError("this card has expired, ask for another one")
    return card.balance - amount


def settle(cards):
    """Go through {all} of the cards that are left."""
    return {many}
'''.replace("{all}", "all and every one and each " * 12).replace("{many}", " + ".join(["cards"] * 200))
SOURCE = Source("pay", "1.0", "MIT", "train")


def a_package(folder: Path, files: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / "pay-1.0-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def test_sentences_and_code_of_a_package_become_lessons(tmp_path: Path) -> None:
    a_package(tmp_path, {"pay/cards.py": CARDS, "README.md": "# Pay\n"})

    lessons = of_source(SOURCE, tmp_path, tmp_path)

    pieces = vocabulary()
    said = {" ".join(pieces[token] for token in one.tokens[1:-1]) for one in lessons if one.is_sentence}
    assert "take money from a card unless it has expired ." in said
    assert "nobody is charged twice for the same order" in said
    assert not any("ask for another one" in one for one in said)  # the code has these very words
    assert any("balanc" in one.bag for one in lessons if not one.is_sentence)
    assert max(len(one.tokens) for one in lessons if one.is_sentence) == SENTENCE_TOKENS
    assert max(len(one.tokens) for one in lessons if not one.is_sentence) == TEXT_TOKENS


def test_the_same_lessons_are_drawn_each_time(tmp_path: Path) -> None:
    a_package(tmp_path, {f"pay/cards{number}.py": CARDS for number in range(5)})

    assert of_source(SOURCE, tmp_path, tmp_path) == of_source(SOURCE, tmp_path, tmp_path)


def test_lessons_are_written_by_the_numbers_of_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("card\ncharg", "utf-8")

    write(
        [Lesson("pay", True, [101, 102], {"charg": 2, "card": 1}), Lesson("pay", False, [101], {"rare": 3})], tmp_path
    )

    held = np.load(io.BytesIO(lzma.decompress((tmp_path / "lessons.npz.xz").read_bytes())))
    assert held["ids"].tolist()[:2] == [1, 0]
    assert held["ids"][2] >= 2  # a shared one
    assert (held["counts"].tolist(), held["lengths"].tolist()) == ([2, 1, 3], [2, 1])
    assert (held["tokens"].tolist(), held["token_lengths"].tolist()) == ([101, 102, 101], [2, 1])
    assert (held["is_sentence"].tolist(), held["sources"].tolist()) == ([True, False], ["pay", "pay"])
