import pytest

from clew.evaluate.choosing import CommitExclusion, query_of, reason_against, subject_of


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Release 1.0", CommitExclusion.RELEASE),
        ("2.3.1", CommitExclusion.RELEASE),
        ("start version 2.3.0", CommitExclusion.RELEASE),
        ("docs: finalize the v1.12.0 release (#4551)", CommitExclusion.RELEASE),
        ("Update changelog", CommitExclusion.RELEASE),
        ("Bump werkzeug from 2.0 to 2.1", CommitExclusion.BUMP),
        ("build(deps): golang.org/x/net", CommitExclusion.BUMP),
        ("update dev dependencies", CommitExclusion.BUMP),
        ('Revert "Refuse a charge"', CommitExclusion.REVERT),
        ("Take it back\n\nThis reverts commit 1234567.", CommitExclusion.REVERT),
        ("Fix typo in the guide", CommitExclusion.SWEEP),
        ("style: sort imports", CommitExclusion.SWEEP),
        ("Format code with black", CommitExclusion.SWEEP),
        ("Remove trailing whitespace", CommitExclusion.SWEEP),
        ("docs(group): Be more direct", CommitExclusion.DOCS),
        ("Improve the documentation of charges", CommitExclusion.DOCS),
        ("test(help): Show values", CommitExclusion.TESTS),
        ("Add missing unit tests for refunds", CommitExclusion.TESTS),
        ("ci: run on every branch", CommitExclusion.BUILD),
        ("build!: another compiler", CommitExclusion.BUILD),
    ],
)
def test_what_is_no_task_is_told_by_its_message(message: str, reason: CommitExclusion) -> None:
    assert reason_against(message) is reason


@pytest.mark.parametrize(
    "message",
    [
        "Release the lock when the run is done",
        "New version of the scheduler",
        "Format dates in the footer",
        "Ignore whitespace around header values",
        "Handle reverted payments",
        "Read version 3 of the protocol",
        "Fix redirects in the test client",
        "Document the schema that is served",
        "Test client keeps its cookies",
    ],
)
def test_the_same_words_in_another_sense_are_a_task(message: str) -> None:
    assert reason_against(message) is None


def test_a_query_has_no_trailers_numbers_or_addresses() -> None:
    message = (
        "Refuse expired cards (#12)\n\nThe clock was wrong, see https://example.org/x?y=1.\nFixes #7, GH-8.\n\n"
        "Signed-off-by: T <t@example.org>\nCo-authored-by: U <u@example.org>\nChange-Id: I123\n"
    )

    assert query_of(message) == "Refuse expired cards\nThe clock was wrong, see"


def test_a_message_without_words_asks_nothing() -> None:
    assert query_of("Fix #12") == ""
    assert query_of("(#12)\n\nhttps://example.org") == ""


@pytest.mark.parametrize("message", ["修复令牌缓存的错误", "トークンの期限を確認する", "Исправлена ошибка разбора"])
def test_words_need_no_spaces(message: str) -> None:
    assert query_of(message) == message
    assert query_of("修复") == ""


def test_the_subject_is_the_first_line_that_says_something() -> None:
    assert subject_of("\n Refuse expired cards \n\nBecause.") == "Refuse expired cards"
