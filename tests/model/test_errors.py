"""The error tree: drawn as it is, each error with its own code."""

import inspect
import re

import pytest

from clew.model import errors
from clew.model.errors import ClewError, Interrupted, NotFound

EVERY = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, ClewError)]

every_error = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)


@every_error
def test_every_error_says_what_to_do_next(kind: type[ClewError]) -> None:
    error = kind("it went wrong")

    assert (str(error), error.message) == ("it went wrong", "it went wrong")
    assert error.hint.endswith(".")
    assert kind("", "Do this.").hint == "Do this."


@every_error
def test_every_error_has_a_status_and_an_exit_code(kind: type[ClewError]) -> None:
    assert kind.code.startswith("CLEW_E_")
    assert 400 <= kind.status < 600
    assert kind.exit_code in (range(1, 7) if kind is not Interrupted else [130])


def test_no_two_errors_share_a_code() -> None:
    assert len({kind.code for kind in EVERY}) == len(EVERY)


def test_a_special_case_keeps_the_exit_code_of_its_kind() -> None:
    for kind in EVERY:
        for special in kind.__subclasses__():
            if kind is not ClewError:
                assert special.exit_code == kind.exit_code


def test_the_tree_is_drawn_as_it_is() -> None:
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__ or "")

    assert sorted(drawn) == sorted(kind.__name__ for kind in EVERY if kind is not ClewError)


def test_what_is_missing_is_reported_alike_everywhere() -> None:
    assert (NotFound.code, NotFound.status, NotFound.exit_code) == ("CLEW_E_NOT_FOUND", 404, 3)
