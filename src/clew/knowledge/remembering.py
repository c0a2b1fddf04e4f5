"""Remembering texts: what a text says is recorded as knowledge, with the text's episode as its source."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from clew.knowledge import names
from clew.knowledge.extraction import TextAlias, TextCause, TextFact, TextKnowledge
from clew.knowledge.writing import KnowledgeBatch, KnowledgeWritten
from clew.model.errors import ClewError
from clew.model.knowledge import KnowledgeScope
from clew.model.time import FOREVER


class TextToRemember(NamedTuple):
    """A scrubbed text with what it says."""

    text: str
    occurred_at: int
    said: TextKnowledge


class RememberedText(Struct, frozen=True):
    """What was recorded of a text; `refused` are parts that could not be, with the reason."""

    entities: tuple[str, ...] = ()
    facts: tuple[KnowledgeWritten, ...] = ()
    causes: tuple[KnowledgeWritten, ...] = ()
    events: tuple[KnowledgeWritten, ...] = ()
    refused: tuple[str, ...] = ()


def record_text(batch: KnowledgeBatch, one: TextToRemember, scope: KnowledgeScope) -> RememberedText:
    """Record what a text says. A text of a private scope is an event of that scope: episodes are for all readers."""
    refused: list[str] = []

    def attempt(work: Callable[[], KnowledgeWritten]) -> list[KnowledgeWritten]:
        try:
            return [work()]
        except ClewError as error:  # a part that makes no sense does not spoil the others
            refused.append(error.message)
            return []

    named = one.said.entities
    also = [done.id for said in one.said.aliases for done in attempt(partial(_record_alias, batch, said))]
    entities = [*also, *(batch.entity(name).id for name in named)]
    own = [] if scope is KnowledgeScope.PROJECT else [batch.event(one.text, one.occurred_at, named)]
    facts = [done for fact in one.said.facts for done in attempt(lambda fact=fact: _record_fact(batch, fact, one))]  # type: ignore[misc]  # bound now
    causes = [done for link in one.said.causes for done in attempt(lambda link=link: _record_cause(batch, link, named))]  # type: ignore[misc]  # bound now
    events = [
        done
        for event in one.said.events
        for done in attempt(lambda event=event: batch.event(event.description, event.occurred_at, event.entities))  # type: ignore[misc]  # bound now
    ]
    return RememberedText(tuple(dict.fromkeys(entities)), tuple(facts), tuple(causes), (*own, *events), tuple(refused))


def _record_alias(batch: KnowledgeBatch, said: TextAlias) -> KnowledgeWritten:
    return batch.entity(said.name, aliases=[said.alias])


def _record_fact(batch: KnowledgeBatch, fact: TextFact, one: TextToRemember) -> KnowledgeWritten:
    start = fact.valid_from or one.occurred_at
    if fact.ends:
        return batch.end_fact(fact.subject, fact.predicate, fact.object, fact.valid_to or start)
    end = fact.valid_to if fact.valid_to > start else FOREVER
    return batch.fact(
        fact.subject, fact.predicate, fact.object, start, end, confidence=fact.confidence, one_value=fact.one_value
    )


def _record_cause(batch: KnowledgeBatch, link: TextCause, named: tuple[str, ...]) -> KnowledgeWritten:
    said = f"{link.cause} {link.effect}".casefold()
    return batch.causal_link(
        link.cause, link.effect, link.confidence, [name for name in named if name.casefold() in said]
    )


def code_names(said: TextKnowledge) -> list[str]:
    """Names of a text that may be symbols or files."""
    return [name for name in said.entities if names.is_code(name)]
