"""What every test run loads."""

import gc
import signal

pytest_plugins = ["tests.leaving_out", "tests.cluster", "tests.ready"]

# A shell has what it runs in the background ignore Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Thousands of tests are known from here on, and stay: whoever looks for garbage need not go through them."""
    gc.collect()
    gc.freeze()
