"""An answer written from its sources alone: quoted sentences with their times, in the order of the intent."""

from collections.abc import Sequence

from clew.knowledge.intent import Intent
from clew.knowledge.linearize import describe_source, describe_when
from clew.knowledge.recall import KnowledgeItem
from clew.knowledge.views import CausalDirection
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord
from clew.text.escaping import quote

MOST_QUOTED = 5
NOTHING = "Nothing is known about this."


def write_answer(items: Sequence[KnowledgeItem], intent: Intent) -> str:
    """Each sentence quotes one record with its time and its source."""
    if not items:
        return NOTHING
    chosen = items[:MOST_QUOTED]
    if intent is Intent.WHEN:
        chosen = sorted(chosen, key=lambda one: (not one.record.valid_from, one.record.valid_from, one.record.id))
    sentences = []
    for one in chosen:
        lead = _LEADS.get(one.node.direction, "") if intent is Intent.WHY else ""
        past = "Formerly: " if one.superseded else ""
        sentences.append(f"{lead or past}{_quote(one.record)} [{describe_source(one.record)}].")
    return " ".join(sentences)


_LEADS = {CausalDirection.UPSTREAM: "Because: ", CausalDirection.DOWNSTREAM: "As a result: "}


def _quote(record: KnowledgeRecord) -> str:
    when = describe_when(record)
    text = record.title
    if record.kind in (KnowledgeKind.ENTITY, KnowledgeKind.CONCEPT) and record.body.description:
        text = f"{record.body.name}: {record.body.description}"
    return f"{quote(text)}{f' ({when})' if when else ''}"
