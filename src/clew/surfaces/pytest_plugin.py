"""A pytest plug-in: `pytest --clew` runs the tests that a change may affect, `--clew=main` those since a commit.

Installed with Clew, it does nothing without the option. If the change cannot be analyzed, all tests run.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from clew.tools.selection import TestSelect

UNCOMMITTED = "uncommitted changes"
MOST = 10_000  # entries of a selection
_SAID = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("clew", "test selection by Clew")
    group.addoption(
        "--clew",
        nargs="?",
        const=UNCOMMITTED,
        default="",
        metavar="COMMIT",
        help="Run only the tests that uncommitted changes may affect, or everything that differs from COMMIT.",
    )
    group.addoption(
        "--clew-level",
        choices=("safe", "balanced", "fast"),
        default="safe",
        help="How many tests are selected (default: safe).",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    since = config.getoption("--clew")
    if not since or not items:
        return
    from clew.model.errors import ClewError

    try:
        root, selection, known = _select_tests(config, "" if since == UNCOMMITTED else since)
    except ClewError as error:
        config.stash[_SAID] = f"clew: all tests run: {error.message}. {error.hint}"
        return
    ids = {one.id for one in selection.tests}
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        (kept if _is_selected(item, root, ids, known) else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept
    config.stash[_SAID] = f"clew: {len(kept)} of {len(kept) + len(left)} collected tests run. {selection.summary()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if said := config.stash.get(_SAID, ""):
        terminalreporter.write_line(said)


def _select_tests(config: pytest.Config, since: str) -> "tuple[Path, TestSelect, frozenset[str]]":
    """The project's root, the selection, and the files of tests that the index knows."""
    from clew.engine import Engine
    from clew.graph.test_selection import suite_of
    from clew.tools.changed_code import ChangeSelection
    from clew.tools.selection import selection

    with Engine.open(config.rootpath) as engine:
        engine.index()
        chosen = selection(engine, ChangeSelection(since=since), config.getoption("--clew-level"), MOST)
        return engine.place.root, chosen, frozenset(suite_of(engine.graph()).files)


def _is_selected(item: pytest.Item, root: "Path", ids: set[str], known: frozenset[str]) -> bool:
    """Whether a selection has a test, its class or its file; a test of a file that the index does not know is kept."""
    try:
        path = item.path.relative_to(root).as_posix()
    except ValueError:
        return True
    if path not in known:
        return True
    scope = item.nodeid.partition("::")[2].partition("[")[0].split("::")
    return any("::".join((path, *scope[:end])) in ids for end in range(len(scope) + 1))
