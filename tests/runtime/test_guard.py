"""Who may ask over HTTP: hosts, origins, the token, and which addresses need one."""

import pytest

from clew.model.errors import Denied, InvalidInput, Unauthorized
from clew.runtime.guard import guard

LOCAL = guard("127.0.0.1", "", ())


@pytest.mark.parametrize("host", ["localhost", "localhost:9090", "127.0.0.1:1", "[::1]:9090", "LocalHost"])
def test_this_machine_passes(host: str) -> None:
    LOCAL.check(host, None, None)
    LOCAL.check(host, f"http://{host}", None)


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
        LOCAL.check(host, None, None)


@pytest.mark.parametrize(
    "origin", ["null", "", "file://", "https://evil.example", "http://localhost.evil.example", "http://[", "localhost"]
)
def test_a_page_of_another_site_is_refused(origin: str) -> None:
    with pytest.raises(Denied):
        LOCAL.check("localhost", origin, None)


def test_an_allowed_host_passes_in_any_case_as_host_and_as_origin() -> None:
    allowing = guard("127.0.0.1", "", ("Clew.Example",))

    allowing.check("clew.example:80", "https://CLEW.example", None)


def test_the_bound_address_is_a_name_of_ours_and_a_wildcard_is_not() -> None:
    guard("192.0.2.7", "token", ()).check("192.0.2.7:9090", None, "Bearer token")

    for wildcard in ("0.0.0.0", "::"):
        with pytest.raises(Denied):
            guard(wildcard, "token", ()).check(f"[{wildcard}]" if ":" in wildcard else wildcard, None, "Bearer token")


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic token", "token", "Bearer tokenx", "Bearer ÿ"]
)
def test_without_the_token_nobody_passes(given: str | None) -> None:
    with pytest.raises(Unauthorized) as caught:
        guard("127.0.0.1", "token", ()).check("localhost", None, given)

    assert (caught.value.status, caught.value.exit_code) == (401, 5)


def test_the_host_is_checked_before_the_token() -> None:
    with pytest.raises(Denied) as caught:
        guard("127.0.0.1", "token", ()).check("evil.example", None, None)

    assert caught.value.code == "CLEW_E_DENIED"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(address: str) -> None:
    assert guard(address, "", ()).token == ""


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "192.0.2.1", "example.org", "127.0.0.1.evil.example"])
def test_any_other_address_needs_one(address: str) -> None:
    with pytest.raises(InvalidInput, match="token"):
        guard(address, "", ())
    assert guard(address, "token", ()).token == "token"
