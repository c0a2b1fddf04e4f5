"""Knowledge joined with code: packs quote it, files give reasons, causes name commits and episodes."""

from pathlib import Path

from clew.knowledge.code_notes import find_reasons
from clew.surfaces.library import Workspace
from tests.conftest import Repository
from tests.knowledge.conftest import Said

ADR = """# 3. Use Kafka

## Status
Accepted

## Context
The order of events matters.

## Decision
We use Kafka, which keeps it.
"""


def test_reasons_are_found_in_comments_and_decision_records() -> None:
    python = "T = 5\n\n# WHY: the bank closes\n# idle connections\ndef f(): ...\n"
    java = "int t = 5; // WHY - the bank is slow\n"

    assert [one[:2] for one in find_reasons("a.py", python)] == [(3, "the bank closes idle connections")]
    assert find_reasons("a.py", python)[0].title == "def f(): ..."
    assert [one[:2] for one in find_reasons("A.java", java)] == [(1, "the bank is slow")]
    assert find_reasons("a.py", "WHY is this so\n") == []
    assert [(one.line, one.title, one.text) for one in find_reasons("docs/adr/3.md", ADR)] == [
        (9, "3. Use Kafka", "We use Kafka, which keeps it."),
        (6, "3. Use Kafka", "The order of events matters."),
    ]
    assert find_reasons("docs/adr/3.md", ADR.replace("Accepted", "Superseded by 7")) == []


def test_questions_are_answered_from_files_with_their_place(repository: Repository) -> None:
    repository.write("bank.py", "# WHY: the bank closes idle connections after five seconds\ndef connect(): ...\n")
    repository.write("docs/adr/0003.md", ADR)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.engine.index()
        comment = workspace.recall(query="why does the bank close idle connections?")
        record = workspace.recall(query="why do we use Kafka?")

    assert [(one.source.path, one.source.line) for one in comment.items] == [("bank.py", 1)]
    assert (record.items[0].source.path, record.items[0].source.line) == ("docs/adr/0003.md", 9)


def test_packs_quote_facts_and_causes_about_what_they_show(said: Said) -> None:
    said("add_fact", subject="charge_card", predicate="retry limit", object="3", valid_from="2025-01-01")
    said("add_fact", subject="charge_card", predicate="retry limit", object="5", valid_from="2025-02-01")
    said("add_fact", subject="charge_card", predicate="note", object="hidden", valid_from="2025-02-01", scope="agent")
    said("add_causal_link", cause="gateway timeouts", effect="retries", entities=["charge_card"])
    pack = str(said("context_pack", task="change charge_card"))

    assert "charge_card retry limit 5" in pack
    assert "gateway timeouts" in pack
    assert "retry limit 3" not in pack
    assert "hidden" not in pack


def test_causes_name_episodes(said: Said, tmp_path: Path) -> None:
    episode = said("episode_add", type="OBSERVATION", content="the gateway timed out")["data"]["episode_id"]
    said("add_causal_link", cause=episode, effect="we retry three times")
    found = said("recall", query="why do we retry three times?")["data"]["items"]

    assert f"the gateway timed out (episode {episode})" in [one["text"] for one in found]
