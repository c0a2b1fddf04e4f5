"""What is found in a text without a model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.dates import find_dates
from clew.knowledge.extraction import extract
from clew.model.time import FIRST, FOREVER, from_iso, to_iso

SAID = from_iso("2025-06-18T10:00:00")  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2025-03-04", "2025-03-04"),
        ("at 2025-03-04T12:30:00Z", "2025-03-04"),
        ("3/14/2025", "2025-03-14"),
        ("31.12.2024", "2024-12-31"),
        ("March 4, 2025", "2025-03-04"),
        ("4th of March 2025", "2025-03-04"),
        ("Sept 2024", "2024-09-01"),
        ("Q3 2024", "2024-07-01"),
        ("yesterday", "2025-06-17"),
        ("three weeks ago", "2025-05-28"),
        ("two months ago", "2025-04-18"),
        ("last Friday", "2025-06-13"),
        ("last month", "2025-05-01"),
        ("in 2019", "2019-01-01"),
        ("in May", "2025-05-01"),
    ],
)
def test_dates_are_read_in_many_forms(text: str, day: str) -> None:
    (found,) = find_dates(f"it happened {text}, they say", SAID)

    assert to_iso(found.at)[:10] == day


FACTS = {
    "The owner of the billing service is team red since January 2025.": [("billing service", "owner", "team red")],
    "My favorite color is green now.": [("user", "favorite color", "green")],
    "The API limit is 100 requests per minute.": [("API", "limit", "100 requests per minute")],
    "Bob's sister is called Eve.": [("Bob", "sister", "Eve")],
    "Ann moved to Paris. She works at Acme Corp.": [("Ann", "lives in", "Paris"), ("Ann", "works at", "Acme Corp")],
    "Alice: I live in Rome.": [("Alice", "lives in", "Rome")],
    "charge_card calls gateway.submit": [("charge_card", "calls", "gateway.submit")],
    "Carol is allergic to peanuts.": [("Carol", "allergic to", "peanuts")],
    "Ann does not like tea.": [],
    "Does Ann like tea?": [],
}


@pytest.mark.parametrize("text", FACTS)
def test_statements_become_facts(text: str) -> None:
    assert [one[:3] for one in extract(text, SAID).facts] == FACTS[text]


def test_what_no_longer_holds_is_said_apart() -> None:
    (fact,) = extract("Ann no longer works at Acme Corp.", SAID).facts
    before, after = extract("We migrated from MySQL to PostgreSQL.", SAID).facts

    assert (fact.object, fact.ends) == ("Acme Corp", True)
    assert (before.object, before.ends, after.object, after.ends) == ("MySQL", True, "PostgreSQL", False)


@pytest.mark.parametrize(
    "text",
    [
        "We retry three times because the gateway timed out.",
        "The gateway timed out, so we retry three times.",
        "Due to the gateway timed out, we retry three times.",
    ],
)
def test_causes_are_found_by_their_connectives(text: str) -> None:
    (found,) = extract(text, SAID).causes

    assert "gateway timed out" in found.cause
    assert found.effect.lower() == "we retry three times"


def test_names_and_identifiers_are_found_and_common_words_are_not() -> None:
    found = extract("Deadlines slipped. `src/pay.py` and charge_card broke when Ann Lee met Bob at IBM.", SAID)

    assert set(found.entities) == {"src/pay.py", "charge_card", "Ann Lee", "Bob", "IBM"}


def test_an_event_needs_a_date() -> None:
    (event,) = extract("The worker crashed yesterday. The disk failed.", SAID).events

    assert (event.description, to_iso(event.occurred_at)[:10]) == ("The worker crashed", "2025-06-17")


@given(st.text(max_size=300))
@settings(max_examples=150)
def test_no_text_breaks_it(text: str) -> None:
    found = extract(text, SAID)

    assert all(FIRST <= one.occurred_at <= FOREVER for one in found.events)
    assert extract(text, SAID) == found


WORDS = st.sampled_from(
    "Ann I because is was the of 's moved to from, . ; due so ago last 2025-13-45 3/3/3 `x` lives no longer -> : May"
    .split()
)  # fmt: skip


@given(st.lists(WORDS, max_size=40))
@settings(max_examples=150)
def test_no_mixture_of_its_own_words_breaks_it(words: list[str]) -> None:
    extract(" ".join(words), SAID)
