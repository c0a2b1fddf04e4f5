"""The language that docs/extending.md brings from outside, as it is written there."""

import re
from pathlib import Path

from tests.languages.test_languages_by_default_rules import edges, symbols
from tests.packages import install

GUIDE = Path(__file__).parents[2] / "docs" / "extending.md"
FILES = {
    "shop/card.gs": """
// Pays.
function pay(card) { check(card); const bank = new Bank(); bank.charge(card) }
function check(card) {}
""",
    "shop/bank.gs": "class Bank { charge(card) { this.note() } note() {} }\n",
    "run.gs": "import { pay } from 'shop/card'\nfunction run() { pay(1) }\n",
}
MOST_LINES = 150


def written(language: str) -> str:
    text = GUIDE.read_text("utf-8").partition("Google's Apps Script")[2]
    found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_language_of_the_guide_has_calls_inside_of_a_file_and_across_imports(site: Path) -> None:
    module = written("python")
    install(site, "clew-script", {"script": "clew_script:SCRIPT"}, {"clew_script/__init__.py": module})
    (site / "clew_script" / "query.scm").write_text(written("scheme"), "utf-8")
    found = [line for line in edges(FILES) if " calls " in line or " imports " in line]

    assert module.count("\n") < MOST_LINES
    assert "shop/card.gs:2-3 function pay: Pays." in list(symbols(FILES))
    assert sorted(found) == [
        "run.gs:1 - imports shop/card.gs",
        "run.gs:2 run calls shop/card.gs::pay",
        "shop/bank.gs:1 Bank::charge calls shop/bank.gs::Bank::note",
        "shop/card.gs:3 pay calls shop/bank.gs::Bank",
        "shop/card.gs:3 pay calls shop/bank.gs::Bank::charge",
        "shop/card.gs:3 pay calls shop/card.gs::check",
    ]
