"""Which of two texts takes the place of the other, and which texts answer a question."""

import pytest

from clew.knowledge.evidence import ENOUGH, QuestionEvidence, thing_named
from clew.knowledge.updates import outdated_by, replaces
from clew.text.terms import Lexicon

NOTES = (
    "The reporting service stores rows in MariaDB.",
    "Platform engineers meet every second Thursday.",
    "Marta Lind heads the platform team.",
    "Refunds above 900 euros need approval by finance.",
    "The lounge is closed because the heating broke.",
)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The broker keeps its data in Redis 6.", "The broker keeps its data in Redis 7 now."),
        ("Sessions live for fifteen minutes.", "Sessions live for an hour since users complained."),
        ("Billing runs on Oracle.", "We replaced Oracle by Postgres for billing because of the price."),
        ("Jobs use Celery.", "Jobs moved from Celery to Dramatiq."),
        ("Marta leads the data team.", "Ivo took over the data team from Marta."),
        ("The Oslo office is at Main Street 4.", "The Oslo office moved to Harbor Road 9."),
        ("Otter launches on 4 May.", "The launch of Otter was postponed to 9 June."),
        ("My favourite editor is Vim.", "I switched to Zed as my editor."),
        ("The main contact is Lee.", "The main contact is Dana."),
        ("We deploy on Fridays.", "We no longer deploy on Fridays."),
        ("The standup is at 9:30.", "The standup is at 10:15."),
        ("Anna works at Acme.", "Anna left Acme and joined Globex."),
    ],
)
def test_a_later_text_about_the_same_thing_replaces_the_earlier_one(earlier: str, later: str) -> None:
    assert replaces(later, earlier)
    assert outdated_by([(later, 2), (earlier, 1)]) == {1: 0}
    assert outdated_by([(later, 1), (earlier, 1)]) == {}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Billing depends on Redis.", "Billing depends on Kafka."),
        ("Tom likes tea.", "Tom likes coffee."),
        ("Room 12 has 4 seats.", "Room 14 has 6 seats."),
        ("The shop had 41,000 orders on Black Friday.", "The shop had 52,000 orders on Cyber Monday."),
        ("On 3 March the queue was full.", "On 9 April the queue was full."),
        ("The mobile app is slow.", "The mobile app is written in Kotlin."),
        ("Noah has swimming lessons at four.", "Noah switched to the school in Park Avenue."),
        ("The owner of search is team red.", "The owner of billing is team blue."),
        ("Saves were corrupted when players quit.", "Saves are now written to a temporary file."),
        ("Where is the key?", "The key is now in the drawer."),
    ],
)
def test_texts_about_other_things_and_days_stay(earlier: str, later: str) -> None:
    assert not replaces(later, earlier)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does the reporting service store rows?", 0),
        ("When do platform engineers meet?", 1),
        ("Who leads the platform team?", 2),
        ("Which refunds need an approval?", 3),
        ("Why is the lounge closed?", 4),
        ("Who leads the design team?", None),
        ("Which airline flies to Malta?", None),
        ("How much does the heating cost?", None),
    ],
)
def test_evidence_ends_at_what_answers(question: str, answer: int | None) -> None:
    lexicon = Lexicon()
    held = [{term for word in note.split() for term in lexicon.terms(word.strip("."))} for note in NOTES]
    asked = QuestionEvidence(question, lexicon, lambda term: sum(term in own for own in held), len(NOTES))

    rated = [asked.of(note, None) for note in NOTES]

    assert [place for place, value in enumerate(rated) if value >= ENOUGH] == ([] if answer is None else [answer])


def test_another_name_of_a_thing_counts_as_the_name() -> None:
    lexicon = Lexicon()
    thing = thing_named(lexicon, ("PayFlow", "payment orchestration"))
    both = [
        QuestionEvidence("When does PayFlow time out?", lexicon, lambda _: 0, 10, things).of(
            "The payment orchestration times out after eight seconds.", 0.4
        )
        for things in ({"entity": thing}, {})
    ]
    assert both[0] >= ENOUGH > both[1]
