"""What every test run loads."""

pytest_plugins = ["tests.leaving_out", "tests.cluster"]
