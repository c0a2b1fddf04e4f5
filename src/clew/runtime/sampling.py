"""The model of the client that calls, where the client lends it; set by the surface for one call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Sample = Callable[[str, str, int], str]  # an instruction, a text, and how many tokens the answer may have

_lent: ContextVar[Sample | None] = ContextVar("sample", default=None)


@contextmanager
def lend(sample: Sample | None) -> Iterator[None]:
    """The work inside, and threads that inherit the context, may ask the model."""
    token = _lent.set(sample)
    try:
        yield
    finally:
        _lent.reset(token)


def find_sample() -> Sample | None:
    return _lent.get()
