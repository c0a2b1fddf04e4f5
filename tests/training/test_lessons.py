"""What the teacher is asked about is what stands in a source's files."""

import zipfile
from pathlib import Path

from training.begin import vocabulary
from training.lessons import TOKENS, of_source
from training.listed import Source

CARDS = '''"""Cards and what they are charged."""


def charge(card, amount):
    """Take money from a card unless it has expired."""
    # nobody is charged twice for the same order
    if card.expired:
        raise ValueError("this card has expired, ask for another one")
    return card.balance - amount
'''


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
    assert any("balanc" in one.bag for one in lessons if not one.is_sentence)
    assert all(len(one.tokens) <= TOKENS[one.is_sentence] for one in lessons)


def test_the_same_lessons_are_drawn_each_time(tmp_path: Path) -> None:
    a_package(tmp_path, {f"pay/cards{number}.py": CARDS for number in range(5)})

    assert of_source(SOURCE, tmp_path, tmp_path) == of_source(SOURCE, tmp_path, tmp_path)
