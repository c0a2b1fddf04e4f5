"""What agents write, without secrets."""

import pytest

from clew.runtime.settings import Security
from clew.text.secrets import REDACTED
from clew.text.secrets.scrubber import Scrubbing

GITHUB = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"pushed with {GITHUB}, works", f"pushed with {REDACTED}, works"),
        ("run PGPASSWORD=hunter22 psql -l", f"run PGPASSWORD={REDACTED} psql -l"),
        ("it says password=hunter2secret, why", f"it says password={REDACTED}, why"),
        ("Host=db;Password=s3cr3t!x;Port=5432", f"Host=db;Password={REDACTED};Port=5432"),
        ("GET /pay?access_token=a1b2c3d4&page=2", f"GET /pay?access_token={REDACTED}&page=2"),
        ("call charge(token=card.token), then", "call charge(token=card.token), then"),
        ("max_token=12 and token=request", "max_token=12 and token=request"),
        ("the token = token of the session", "the token = token of the session"),
        ("set API_KEY=$KEY, or API_KEY=<yours>", "set API_KEY=$KEY, or API_KEY=<yours>"),
        ("MAX_TOKEN=4 is the default", "MAX_TOKEN=4 is the default"),
    ],
)
def test_a_text_loses_its_secrets_only(text: str, expected: str) -> None:
    assert Scrubbing(Security()).text(text) == expected


def test_fields_are_scrubbed_by_name_and_by_shape_at_any_depth() -> None:
    clean = Scrubbing(Security())

    told = clean.fields(
        {
            "password": "hunter2",
            "env": {"API_KEY": 'a"b', "n": 3},
            "log": [f"x {GITHUB}"],
            "title": "tokens",
            "key": "k",
        }
    )

    assert told == {
        "password": REDACTED, "env": {"API_KEY": REDACTED, "n": 3}, "log": [f"x {REDACTED}"], "title": "tokens",
        "key": "k",
    }  # fmt: skip
    assert clean.count == 3


def test_patterns_of_the_users_count_and_scrubbing_can_be_switched_off() -> None:
    assert Scrubbing(Security(secret_patterns=("badge-[0-9]+",))).text("mine is badge-77") == f"mine is {REDACTED}"
    assert Scrubbing(Security(scrub_secrets=False)).fields({"password": "hunter2"}) == {"password": "hunter2"}
