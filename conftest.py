"""What every test run loads."""

import signal

pytest_plugins = ["tests.leaving_out", "tests.cluster"]

# A shell has what it runs in the background ignore Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
