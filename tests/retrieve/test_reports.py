"""A report: much behind its first line, and what it runs is often not what is wrong."""

from pathlib import Path

import pytest

from clew.engine import Engine
from clew.model.search import Query

FILES = {
    "cart.py": "from rates import convert\n\n\ndef checkout(order):\n    return convert(order)\n",
    "rates.py": "def convert(amount):\n    return amount * 2\n",
    "mail.py": "def send(letter):\n    return letter\n",
}
HEADLINE = "checkout is wrong"
REPORT = f"""{HEADLINE}

Since yesterday every customer who pays with several coupons sees twice as much as expected on the final page.
Neither browser nor country matters, restarting helps nobody, and older releases behaved properly throughout winter.
"""


def _walked(engine: Engine, question: str) -> set[str]:
    hits = engine.search(Query(question, 10)).hits
    return {hit.path for hit in hits for reason in hit.reasons if reason.retriever == "graph" and reason.share > 0}


@pytest.mark.parametrize(("weight", "walked"), [(None, {"cart.py", "rates.py"}), ("0", set())])
def test_a_report_leads_to_the_callees_of_its_subject(tmp_path: Path, weight: str | None, walked: set[str]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    if weight:
        (tmp_path / "context.toml").write_text(f"[providers.graph]\nweight = {weight}\n", "utf-8")
    with Engine.open(tmp_path, create=True) as engine:
        engine.index()

        assert _walked(engine, REPORT) - {"context.toml"} == walked
        assert _walked(engine, HEADLINE) == set()
