"""What each type of episode must tell."""

import pytest

from clew.memory.contracts import files_of, validate
from clew.model.errors import InvalidInput
from clew.model.memory import EpisodeDraft, EpisodeType

from .telling import METADATA

REQUIRED = [(kind, name) for kind, told in METADATA.items() for name in told]


@pytest.mark.parametrize(("kind", "name"), REQUIRED, ids=str)
def test_a_field_that_is_missing_is_named(kind: EpisodeType, name: str) -> None:
    told = {key: value for key, value in METADATA[kind].items() if key != name}

    with pytest.raises(InvalidInput, match=rf"{kind} needs metadata: {name} \(") as refused:
        validate(kind, told)
    assert name in refused.value.hint


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        validate(EpisodeType.DECISION, {"title": "Sign", "tradeoffs": None})

    lacks = "rationale (a text), tradeoffs (a list of texts), affected_files (a list of texts)"
    assert refused.value.message == f"DECISION needs metadata: {lacks}"


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (EpisodeType.DECISION, "tradeoffs", ["slower", 5]),
        (EpisodeType.EDIT, "lines_before", -1),
        (EpisodeType.EDIT, "lines_before", "9" * 5000),
        (EpisodeType.EDIT, "file", " "),
        (EpisodeType.TEST_RESULT, "passed", True),
        (EpisodeType.TEST_RESULT, "coverage_delta", "up"),
        (EpisodeType.ERROR, "recovery_action", 7),
        (EpisodeType.OBSERVATION, "confidence", 1.5),
    ],
)
def test_a_field_of_another_kind_is_named(kind: EpisodeType, name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=rf"metadata\.{name} must be"):
        validate(kind, {**METADATA.get(kind, {}), name: value})


def test_camel_case_is_accepted_and_what_is_not_asked_for_is_kept() -> None:
    told = validate(EpisodeType.ERROR, {"errorType": "KeyError", "stackSummary": "s", "myOwn": 1})

    assert told == {"error_type": "KeyError", "stack_summary": "s", "myOwn": 1}


def test_what_is_plainly_meant_is_taken() -> None:
    decision = validate(EpisodeType.DECISION, {**METADATA[EpisodeType.DECISION], "tradeoffs": "slower"})
    edit = validate(EpisodeType.EDIT, {**METADATA[EpisodeType.EDIT], "lines_before": "3", "lines_after": 4.0})
    error = validate(EpisodeType.ERROR, {**METADATA[EpisodeType.ERROR], "recovery_action": None})

    assert decision["tradeoffs"] == ["slower"]
    assert (edit["lines_before"], edit["lines_after"]) == (3, 4)
    assert "recovery_action" not in error


def test_what_has_no_contract_asks_for_nothing() -> None:
    assert validate(EpisodeType.OBSERVATION, {}) == {}
    assert validate(EpisodeType.LEARNING, {"any": "thing"}) == {"any": "thing"}


def test_the_files_that_metadata_names_are_what_it_is_about() -> None:
    assert files_of(EpisodeDraft(EpisodeType.EDIT, "x", metadata={"file": "a.py"})) == ("a.py",)
    assert files_of(EpisodeDraft(EpisodeType.DECISION, "x", metadata={"affected_files": ["a.py", "b.py"]})) == (
        "a.py",
        "b.py",
    )
    assert files_of(EpisodeDraft(EpisodeType.ERROR, "x", metadata={"file": "a.py"})) == ()
