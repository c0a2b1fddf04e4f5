"""By words, told by the field that they stand in."""

from clew.retrieve import retrievers
from clew.retrieve.retrievers import BUILT_IN, names
from clew.runtime.settings import RETRIEVERS
from tests.retrieve.retrievers.asking import ask, seen, sources
from tests.retrieve.retrievers.conftest import Made

FILES = {
    "auth/tokens.py": 'def validate_token(token):\n    """Whether it may pass."""\n    return check(token)\n',
    "mail.py": "def send(customer):\n    return customer\n",
}


def test_words_are_told_by_field(made: Made) -> None:
    found = seen(made(FILES), "full_text", "does a token pass that auth validated")

    assert found["auth/tokens.py::validate_token"].detail == (
        "path: auth token; name: token validated; signature: token validated; doc: pass; code: token"
    )


def test_of_a_name_that_is_not_there_its_parts_are_told(made: Made) -> None:
    found = seen(made(FILES), "full_text", "validate_token_twice")

    assert found["auth/tokens.py::validate_token"].detail == (
        "path: token; name: token validate; signature: token validate; code: token"
    )


def test_what_has_no_word_is_not_found(made: Made) -> None:
    assert {*seen(made(FILES), "full_text", "customer")} == {"mail.py::send"}
    assert seen(made(FILES), "full_text", "zebra") == {}


def test_words_that_stand_nowhere_are_told(made: Made) -> None:
    engine = made(FILES)
    found = retrievers.make("full_text", sources(engine)).retrieve(ask(engine, "zebra token"))

    assert found.unknown == ("zebra",)


def test_what_is_built_in_can_be_configured() -> None:
    assert tuple(BUILT_IN) == RETRIEVERS == tuple(names())[: len(RETRIEVERS)]


def test_the_imports_that_a_chunk_of_typescript_uses_are_among_its_words(made: Made) -> None:
    text = (
        'import { sign } from "./crypto/ledger";\nimport { draw } from "./canvas";\n'
        "export function pay(x: number) {\n  return sign(x);\n}\nexport function paint() {\n  return draw();\n}\n"
    )
    found = seen(made({"pay.ts": text}), "full_text", "ledger")

    assert "pay.ts::pay" in found
    assert "pay.ts::paint" not in found
