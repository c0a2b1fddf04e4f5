"""What a machine cannot run is left out, by name: the run says so at its end, and CI does not accept it."""

import os
from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

STRICT = "CLEW_TEST_LEAVE_NOTHING_OUT"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(**there): left out unless all that is named is there")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        missing = [name for name, is_there in marker.kwargs.items() if not is_there]
        if missing:
            pytest.skip(f"needs {', '.join(missing)}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get(STRICT) and _left_out(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    left_out = _left_out(terminalreporter.config)
    for reason, count in sorted(left_out.items()):
        terminalreporter.write_line(f"left out: {count} tests ({reason})", yellow=True)
    if not left_out:
        terminalreporter.write_line("nothing was left out")


def _left_out(config: pytest.Config) -> Counter[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if isinstance(reporter, TerminalReporter) else []
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
