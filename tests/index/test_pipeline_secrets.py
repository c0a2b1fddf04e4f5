"""Secrets are gone before anything is stored: not a byte of them is left on disk, packed or not."""

from collections.abc import Iterator
from contextlib import suppress

from clew.engine import Engine
from clew.store.packing import MAGIC, unpack_text
from tests.conftest import Repository
from tests.views import search, tables

SECRETS = ("ghp_" + "a1B2" * 9, "AKIA" + "Q7" * 8, "hunter2-Xy-9911-correct")
SOURCE = f"""# größe
GITHUB = "{SECRETS[0]}"


def connect():
    password = "{SECRETS[2]}"
    return password


def after():
    return "{SECRETS[1]}"
"""


def everything_stored(engine: Engine) -> Iterator[bytes]:
    """The bytes of every file, and every value of every table, unpacked too."""
    for file in (engine.place.root / ".clew").rglob("*"):
        if file.is_file():
            yield file.read_bytes()
    for rows in tables(engine).values():
        for row in rows:
            for value in row:
                yield value if isinstance(value, bytes) else str(value).encode()
                for packed in value.split(MAGIC)[1:] if isinstance(value, bytes) else ():
                    with suppress(Exception):  # it only looked packed
                        yield unpack_text(MAGIC + packed)


def test_no_secret_is_left_anywhere(repository: Repository, engine: Engine) -> None:
    repository.write("app.py", SOURCE)
    repository.write(".env", f"API_TOKEN={SECRETS[2]}\n")

    report = engine.index()

    assert report.redacted == 4
    stored = list(everything_stored(engine))
    assert any(b"def connect" in value for value in stored), "the texts were looked at"
    for secret in SECRETS:
        assert not any(secret.encode() in value for value in stored)


def test_a_file_whose_name_is_a_secret_is_left_out_and_its_name_is_nowhere(
    repository: Repository, engine: Engine
) -> None:
    repository.write(f"notes-{SECRETS[0]}.py", "def kept(): ...\n")
    repository.write(f"{SECRETS[0]}/other.py", "def kept(): ...\n")
    repository.write("app.py", "def kept(): ...\n")
    repository.commit()

    report = engine.index()

    assert report.read == 1
    assert not any(SECRETS[0].encode() in value for value in everything_stored(engine))


def test_a_pattern_that_is_added_later_scrubs_what_is_stored_from_then_on(repository: Repository) -> None:
    repository.write("app.py", "name = 'internal-4711'\n")
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
    with Engine.open(repository.root, environ={"CLEW_SECURITY_SECRET_PATTERNS": r"internal-\d+"}) as engine:
        report = engine.index()
        hits = search(engine, "name")

    assert (report.read, report.redacted) == (1, 1)
    assert "[REDACTED]" in hits[0].text


def test_hits_point_at_the_right_place_of_the_real_file(repository: Repository, engine: Engine) -> None:
    repository.write("app.py", SOURCE)
    engine.index()
    content = SOURCE.encode()

    by_symbol = {hit.symbol: hit for text in ("connect", "after", "GITHUB") for hit in search(engine, text)}

    connect, after = by_symbol["app.py::connect"], by_symbol["app.py::after"]
    assert content[connect.start : connect.end].decode() == SOURCE[SOURCE.index("def connect") :].partition("\n\n\n")[0]
    assert content[after.start : after.end].decode() == SOURCE[SOURCE.index("def after") :].rstrip("\n")
    assert (connect.first_line, after.first_line, after.last_line) == (5, 10, 11)
    assert "[REDACTED]" in after.text
    assert not after.stale


def test_what_was_asked_for_is_not_stored_with_its_secret(repository: Repository, engine: Engine) -> None:
    repository.write("app.py", SOURCE)
    engine.index()

    assert search(engine, SECRETS[0]) == ()
    engine.usage_log.flush()
    assert not any(SECRETS[0] in str(row) for row in engine.usage.latest(9))
