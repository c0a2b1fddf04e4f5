"""Whether questions of a file find the code that is told beside them."""

import sys

import pytest
from tests.conftest import Repository

from research.rulers.asked import main

CARD = "class Card:\n    def charge(self, amount):\n        return self.take(amount)\n\n\nLIMIT = 3\n"
MAIL = 'def greet(name):\n    return f"dear {name}"\n'


def run(repository: Repository, monkeypatch: pytest.MonkeyPatch, questions: str) -> None:
    repository.write("pay/card.py", CARD)
    repository.write("mail.py", MAIL)
    repository.commit()
    file = repository.root.parent / "questions.tsv"
    file.write_text(questions)
    given = ["research.rulers.asked", "--repo", str(repository.root), "--questions", str(file), "--each"]
    monkeypatch.setattr(sys, "argv", given)
    main()


def test_ranks_are_of_the_first_answer_of_any(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (
        "how is an amount charged?\tpay/card.py::charge;mail.py::greet",
        "what is the limit?\tpay/card.py::LIMIT",
        "a dear name\tpay/card.py::charge",
        "a dear name\tmail.py",
    )
    run(repository, monkeypatch, "\n".join(lines) + "\n\n")

    told = capsys.readouterr().out.splitlines()
    assert told[0].split(maxsplit=3) == ["1", "1", "pack", "how is an amount charged?"]
    assert [line[:7] for line in told[1:4]] == ["  1   1", "  0   0", "  1   0"]
    assert told[5].split() == ["files,", "clew", "4", "0.750", "0.750", "0.750"]
    assert told[7].split()[:3] == ["units,", "clew", "3"]
    assert told[9].startswith("packs of 2,000 tokens") and told[10].startswith("packs of 4,000 tokens")
    assert told[10].endswith("0.667, all of it: 0.667")


@pytest.mark.parametrize("answer", ["pay/card.py::refund", "pay/cart.py"])
def test_an_answer_that_is_not_there_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    with pytest.raises(SystemExit, match=r"refund|cart"):
        run(repository, monkeypatch, f"how is an amount charged?\t{answer}\n")
