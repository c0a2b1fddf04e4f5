"""Who may ask over HTTP: hosts, origins, the token, and which addresses need one."""

import pytest

from clew.model.errors import ConfigError, Denied, InvalidInput, Unauthorized
from clew.runtime.guard import Guard, guard

LOCAL = guard("127.0.0.1", "", ())


def check(guard: Guard, host: str, origin: str | None = None, authorization: str | None = None) -> None:
    """As a request with these headers is checked."""
    guard.check([host], [origin] if origin is not None else [], [authorization] if authorization is not None else [])


@pytest.mark.parametrize("host", ["localhost", "localhost:9090", "127.0.0.1:1", "[::1]:9090", "LocalHost"])
def test_this_machine_passes(host: str) -> None:
    check(LOCAL, host)
    check(LOCAL, host, f"http://{host}", None)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:9090",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[",
        "localhost@evil.example",
    ],
)
def test_another_host_is_refused(host: str) -> None:
    with pytest.raises(Denied):
        check(LOCAL, host)


@pytest.mark.parametrize(
    "origin", ["null", "", "file://", "https://evil.example", "http://localhost.evil.example", "http://[", "localhost"]
)
def test_a_page_of_another_site_is_refused(origin: str) -> None:
    with pytest.raises(Denied):
        check(LOCAL, "localhost", origin, None)


def test_an_allowed_host_passes_in_any_case_as_host_and_as_origin() -> None:
    allowing = guard("127.0.0.1", "", ("Clew.Example",))

    check(allowing, "CLEW.example:80", "http://clew.EXAMPLE")
    check(allowing, "clew.example", "https://clew.example")


@pytest.mark.parametrize("origin", ["http://localhost:9091", "http://localhost", "http://127.0.0.1:9090", "http://a.b"])
def test_another_port_or_name_of_this_machine_is_another_origin_unless_it_is_allowed(origin: str) -> None:
    with pytest.raises(Denied, match="may not call"):
        check(LOCAL, "localhost:9090", origin)
    check(guard("127.0.0.1", "", (), (origin.upper(),)), "localhost:9090", origin)


@pytest.mark.parametrize(
    "host",
    [
        *(
            "localhost:",
            "localhost:0",
            "localhost:99999",
            "localhost:9a",
            "localhost:80:80",
            "localhost.",
            " localhost",
        ),
        *(
            "localhost ",
            "a@localhost",
            "localhost/x",
            "localhost#",
            "localhost?",
            "localhost\\",
            "localhost,evil.example",
        ),
        *("[localhost]", "[127.0.0.1]x", "::1", "[::1", "ⓛocalhost"),
    ],
)
def test_a_host_that_is_not_written_as_one_is_refused(host: str) -> None:
    with pytest.raises(Denied):
        check(LOCAL, host)


def test_a_header_that_comes_twice_is_refused() -> None:
    locked = guard("127.0.0.1", "token", ())
    for hosts, origins, tokens in (
        (["localhost", "localhost"], [], ["Bearer token"]),
        (["localhost"], ["http://localhost", "http://localhost"], ["Bearer token"]),
        (["localhost"], [], ["Bearer wrong", "Bearer token"]),
        ([], [], ["Bearer token"]),
    ):
        with pytest.raises(Denied):
            locked.check(hosts, origins, tokens)


def test_the_bound_address_is_a_name_of_ours_and_a_wildcard_is_not() -> None:
    check(guard("192.0.2.7", "token", ()), "192.0.2.7:9090", None, "Bearer token")

    for wildcard in ("0.0.0.0", "::"):
        with pytest.raises(Denied):
            check(guard(wildcard, "token", ()), f"[{wildcard}]" if ":" in wildcard else wildcard, None, "Bearer token")


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic token", "token", "Bearer tokenx", "Bearer ÿ"]
)
def test_without_the_token_nobody_passes(given: str | None) -> None:
    with pytest.raises(Unauthorized) as caught:
        check(guard("127.0.0.1", "token", ()), "localhost", None, given)

    assert (caught.value.status, caught.value.exit_code) == (401, 5)


def test_the_host_is_checked_before_the_token() -> None:
    with pytest.raises(Denied) as caught:
        check(guard("127.0.0.1", "token", ()), "evil.example")

    assert caught.value.code == "CLEW_E_DENIED"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(address: str) -> None:
    assert not guard(address, "", ()).tokens


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "192.0.2.1", "example.org", "127.0.0.1.evil.example"])
def test_any_other_address_needs_one(address: str) -> None:
    with pytest.raises(InvalidInput, match="token"):
        guard(address, "", ())
    assert guard(address, "token", ()).tokens == {"token": ""}


def test_the_token_says_who_the_user_is() -> None:
    several = guard("192.0.2.7", "shared", (), (), ["ann=one", "ben=two=three"])

    assert [several.check(["192.0.2.7"], [], [f"Bearer {token}"]) for token in ("one", "two=three", "shared")] == [
        "ann",
        "ben",
        "",
    ]
    for token in ("ann", "two", "ben=two=three", ""):
        with pytest.raises(Unauthorized):
            several.check(["192.0.2.7"], [], [f"Bearer {token}"])


@pytest.mark.parametrize("users", [["ann=same", "ben=same"], ["ann=shared"]])
def test_a_token_that_belongs_to_two_is_refused(users: list[str]) -> None:
    with pytest.raises(ConfigError, match="same"):
        guard("127.0.0.1", "shared", (), (), users)
