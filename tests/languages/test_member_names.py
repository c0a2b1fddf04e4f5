"""Names of members that no source has: spelled in texts, and read back."""

import msgspec
import pytest

from clew.index.facts import Attr, This
from clew.languages.member_names import (
    KEY,
    LAST,
    PROMISED,
    RECEIVED,
    VALUE,
    MemberName,
    PassedValue,
    TakenValue,
    member_name,
    spelled_name,
)

NAMES: list[MemberName] = [
    "charge",
    "fn$abc",
    "$",
    PassedValue(1, 0),
    PassedValue(0, LAST),
    PassedValue(2),
    PassedValue(KEY, 3),
    PassedValue(VALUE),
    PassedValue(PROMISED),
    PassedValue(RECEIVED),
    TakenValue(2),
]


@pytest.mark.parametrize("name", NAMES, ids=[spelled_name(name) for name in NAMES])
def test_a_spelled_name_is_read_as_itself_and_stored_as_itself(name: MemberName) -> None:
    assert member_name(spelled_name(name)) == name
    value = Attr(This("Card"), name)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=Attr) == value


@pytest.mark.parametrize("written", ["fn$", "of$", "of$x", "fn$last", "fn$1$then", "xfn$0$1", f"of${'9' * 40}"])
def test_a_name_of_source_that_looks_alike_stays_a_name(written: str) -> None:
    assert member_name(written) == written
