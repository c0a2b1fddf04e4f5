"""By where a file lies."""

from tests.retrieve.retrievers.asking import seen
from tests.retrieve.retrievers.conftest import Made

FILES = {
    "server/auth/jwt_validator.py": "def a(): ...\n",
    "server/auth/sessions.py": "def b(): ...\n",
    "server/mail/outbox.py": "def c(): ...\n",
    "web/jwt.ts": "export function d() {}\n",
    "README.md": "# e\n",
}


def scores(made: Made, question: str) -> dict[str, float]:
    return {name.partition("::")[0]: one.score for name, one in seen(made(FILES), "path", question).items()}


def test_words_of_a_name_speak_for_the_file(made: Made) -> None:
    assert {*scores(made, "outbox")} == {"server/mail/outbox.py"}


def test_words_of_folders_speak_for_all_in_them(made: Made) -> None:
    assert {*scores(made, "auth")} == {"server/auth/jwt_validator.py", "server/auth/sessions.py"}


def test_a_name_that_is_named_in_full_says_more_than_a_part_of_one(made: Made) -> None:
    found = scores(made, "jwt")

    assert found["web/jwt.ts"] > found["server/auth/jwt_validator.py"] > 0
    assert scores(made, "jwt validator")["server/auth/jwt_validator.py"] > found["server/auth/jwt_validator.py"]


def test_a_word_that_many_files_have_says_less(made: Made) -> None:
    assert scores(made, "mail")["server/mail/outbox.py"] > scores(made, "server")["server/mail/outbox.py"]


def test_more_words_of_a_question_that_stand_nowhere_leave_less(made: Made) -> None:
    assert (
        scores(made, "outbox")["server/mail/outbox.py"] > scores(made, "outbox full of zebras")["server/mail/outbox.py"]
    )


def test_it_tells_the_words_as_written(made: Made) -> None:
    assert (
        seen(made(FILES), "path", "JWT validation in auth")["server/auth/jwt_validator.py::a"].detail
        == "auth JWT validation"
    )


def test_nothing_in_common_is_nothing(made: Made) -> None:
    assert scores(made, "zebra") == {}


def test_a_file_whose_whole_name_is_in_a_question_comes_before_those_that_share_rarer_words(made: Made) -> None:
    names = ("JsonObject", "JsonNamingPolicy", "JsonLazyObject", "JsonFrozenObject", "JsonRawObject")
    files = {f"json/{name}.java": f"class {name} {{}}\n" for name in names}
    found = seen(made(files), "path", "JSON object with naming of fields")
    by_file = {name.partition("::")[0]: one.score for name, one in found.items()}

    assert max(by_file, key=lambda path: by_file[path]) == "json/JsonObject.java"


def test_a_generic_word_of_a_name_need_not_be_in_the_question(made: Made) -> None:
    files = {"parse_utils.py": "def a(): ...\n", "parse_dates.py": "def b(): ...\n", "utils.py": "def c(): ...\n"}
    found = seen(made(files), "path", "how are words parsed")
    by_file = {name.partition("::")[0]: one.score for name, one in found.items()}

    assert by_file["parse_utils.py"] > by_file["parse_dates.py"] > 0
    assert "utils.py" not in by_file
