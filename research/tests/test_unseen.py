"""What a plain pattern sees of a text, and what of it reading does not find."""

import subprocess
from pathlib import Path

import pytest

from research.rulers.plain_names import LANGUAGES, names_in
from research.rulers.unseen import Tally, sources

TEXTS = {
    "python": 'class Card[T]:\n    async def pay(self): ...\n"""\ndef no(): ...\n"""\n',
    "typescript": "export type Card<T> = T\nexport async function pay() {}\n// function no() {}\n",
    "rust": 'pub(crate) fn pay() {}\nstruct Card;\nlet text = r#"fn no() {}"#;\n',
    "csharp": 'public record Card(int Id);\n[Fact] public async Task<int> pay() {}\nvar text = @"class no { }";\n',
    "ruby": "class Card\n  def self.pay\n    <<~TEXT\n      def no\n    TEXT\n  end\nend\n",
    "c": "struct Card {\n  int id;\n};\nstatic int\npay(struct Card *card)\n{\n}\n/* int no(void) { } */\n",
    "scala": "case class Card(id: Int)\ndef pay[T](x: T): Int = 1\n/* def no = 1 */\n",
}


@pytest.mark.parametrize("language", TEXTS)
def test_names_are_seen_where_they_are_defined(language: str) -> None:
    assert {name for _, name, _ in names_in(language, TEXTS[language])} == {"Card", "pay"}


def test_every_language_with_calls_is_known() -> None:
    assert {"python", "go", "java", "kotlin", "php", "swift", "bash", "cpp", "tsx", "javascript"} <= LANGUAGES


def test_what_reading_finds_is_not_unseen(tmp_path: Path) -> None:
    (tmp_path / "cards.py").write_text("def pay():\n    pass\n", encoding="utf-8")
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)

    tally = Tally()
    for language, path, source in sources(tmp_path, {"python"}, 5):
        tally.add(language, path, source)

    assert (tally.files, tally.names, tally.broken, tally.unseen) == (1, 1, [], [])
