"""The answer of `test_run`: the project's own test command, run within limits; failures first, with their code."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.engine import Engine, now
from clew.graph.elements import Elements
from clew.model.agents import Identity
from clew.model.code import split_id, symbol_id
from clew.model.errors import InvalidInput, NotFound, NotSupported
from clew.model.memory import EpisodeDraft, EpisodeType, Outcome
from clew.runtime.plain import open_inside
from clew.runtime.test_process import ProcessResult, run_tests
from clew.text.paths import is_test_path
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.changed_code import ChangeSelection
from clew.tools.freshness import count_of
from clew.tools.selection import Level, selection
from clew.tools.test_commands import PROGRAMS, addresses
from clew.tools.test_results import CaseFailure, TestResults, parse_junit, parse_output

if TYPE_CHECKING:
    from clew.graph.test_selection import Suite

TESTS, FILES = "{tests}", "{files}"  # in the configured command
MOST_REPORT = 64 * 1024 * 1024
MOST_TAIL = 4_000  # characters of the output, where no format is recognised
MOST_REMEMBERED = 50  # tests that the episode names


class FailedTest(Struct, frozen=True, omit_defaults=True):
    """`at` is the deepest line of the project's own code that the failure names, `symbol` the code around it. `test`
    is the id of the test, if it is known."""

    name: str
    message: str = ""
    test: str = ""
    at: str = ""
    symbol: str = ""


class TestRun(Struct, frozen=True, omit_defaults=True):
    """`status` is passed, failed, timeout, or error if the command failed without a failed test. Counts are -1 where
    the output does not tell them."""

    status: str
    failures: tuple[FailedTest, ...]
    passed: int
    failed: int
    skipped: int
    command: str
    seconds: float
    exit_code: int = 0
    requested: int = 0
    whole_suite: bool = False
    output_tail: str = ""
    output_cut: bool = False
    episode_id: str = ""

    def summary(self) -> str:
        if self.status == "timeout":
            said = f"The tests did not end within {self.seconds:.0f} seconds and were stopped."
        elif self.status == "error":
            said = f"The test command failed with exit code {self.exit_code}, and its output names no failed test."
        elif self.status == "passed":
            said = f"{count_of(self.passed, 'test', 'tests')} passed." if self.passed >= 0 else "The tests passed."
        else:
            said = f"{count_of(self.failed, 'test', 'tests')} failed, {max(self.passed, 0)} passed."
            first = self.failures[0] if self.failures else None
            said += f" First: {first.name}{f' at {first.at}' if first.at else ''}." if first else ""
        whole = " The configured command takes no tests: all were run." if self.whole_suite else ""
        return f"{said}{whole}"


TEST_RUN_SHAPE = Shape(
    {
        "output_tail": Priority.MEDIUM,
        "command": Priority.LOW,
        "seconds": Priority.LOW,
        "exit_code": Priority.LOW,
        "requested": Priority.LOW,
        "output_cut": Priority.LOW,
        "episode_id": Priority.MEDIUM,
    },
    grow_lists("failures", forms={"failures": (only("name", "at"), only("name", "at", "message"))}),
    pages=("failures",),
)


class TestRequest(Struct, frozen=True):
    """The tests to run by id, or those that a change needs; neither: the whole suite."""

    tests: Sequence[str] = ()
    change: ChangeSelection | None = None
    level: Level = "balanced"
    task_id: str = ""


def run(engine: Engine, request: TestRequest, who: Identity) -> TestRun:
    from clew.graph.test_selection import suite_of  # numpy is heavy, and most tools do not need it

    settings = engine.config.tests
    if not settings.command.strip():
        raise NotSupported(
            "no test command is configured",
            'Set `command` under [tests] in context.toml, as "pytest -q {tests}", and accept it with `clew trust`.',
        )
    engine.be_writable()
    engine.require_index()
    suite = suite_of(engine.graph())
    ids = _requested_tests(engine, suite, request)
    template = _split(settings.command)
    command = tuple(_fill_template(template, ids))
    report = Path(settings.report) if settings.report else None
    before = _stamp(engine.place.root, report)
    result = run_tests(command, engine.place.root, settings.timeout_seconds, settings.max_output_kb * 1024)
    text = result.output.decode("utf-8", "replace")
    parsed = _report(engine.place.root, report, before) or parse_output(text)
    run = _answer(engine, suite, command, result, parsed, text, ids)
    whole = bool(ids) and not any(part in (TESTS, FILES) for part in template)
    return _remember_result(engine, run, ids, request.task_id, who, whole)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"the test command cannot be read: {error}", "Correct `command` under [tests].") from error


def _requested_tests(engine: Engine, suite: "Suite", request: TestRequest) -> tuple[str, ...]:
    known = suite.test_ids()
    ids = list(request.tests)
    if request.change is not None:
        chosen = selection(engine, request.change, request.level, limit=10_000)
        ids += [one.id for one in chosen.tests]
        if not ids:
            raise NotFound("no test is selected for this change", "Name tests, or use level `safe`.")
    for test in ids:
        path, scope = split_id(test)
        holds = path in known and (not scope or any(one == test or one.startswith(f"{test}::") for one in known[path]))
        if not holds:
            raise NotFound(f"{test!r} is no test that the index knows", "Use ids from test_select, or file paths.")
        if test.startswith("-"):
            raise InvalidInput(f"{test!r} would be read as an option", "Rename the file.")
    return tuple(dict.fromkeys(ids))


def _fill_template(template: Sequence[str], ids: Sequence[str]) -> Iterable[str]:
    runner = next((PROGRAMS[name] for part in template if (name := Path(part).name) in PROGRAMS), "")
    for part in template:
        if part == TESTS:
            yield from addresses(ids, runner)
        elif part == FILES:
            yield from sorted({split_id(test)[0] for test in ids})
        else:
            yield part


def _stamp(root: Path, report: Path | None) -> tuple[int, ...]:
    if report is None:
        return ()
    try:
        found = (root / report).stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _report(root: Path, report: Path | None, before: tuple[int, ...]) -> TestResults | None:
    """The results in the report, if this run wrote it."""
    if report is None or _stamp(root, report) in ((), before):
        return None
    try:
        with open_inside(root, report.as_posix()) as file:
            content = file.read(MOST_REPORT + 1)
    except OSError:
        return None
    return parse_junit(content) if len(content) <= MOST_REPORT else None


def _answer(
    engine: Engine,
    suite: "Suite",
    command: Sequence[str],
    result: ProcessResult,
    parsed: TestResults,
    text: str,
    ids: Sequence[str],
) -> TestRun:
    elements = Elements(engine.files)
    tests = [test for some in suite.test_ids().values() for test in some]
    failures = tuple(_fail(engine, elements, tests, one) for one in parsed.failures)
    status = "passed" if result.exit_code == 0 else "failed" if parsed.failed > 0 or failures else "error"
    if result.exit_code is None:
        status = "timeout"
    shows_output = status in ("error", "timeout") or (status == "failed" and not failures)
    scrubbed = engine.new_scrubbing().text(text[-MOST_TAIL:]) if shows_output else ""
    return TestRun(
        status=status,
        failures=failures,
        passed=parsed.passed,
        failed=parsed.failed,
        skipped=parsed.skipped,
        command=shlex.join(command),
        seconds=round(result.seconds, 1),
        exit_code=result.exit_code or 0,
        requested=len(ids),
        output_tail=scrubbed,
        output_cut=result.cut,
    )


def _fail(engine: Engine, elements: Elements, tests: Sequence[str], failure: CaseFailure) -> FailedTest:
    places = [(path, line) for name, line in failure.places if (path := _own(engine, elements, name))]
    own = [one for one in places if not is_test_path(one[0])] or places
    path, line = own[-1] if own else ("", 0)
    page = elements.page(path) if path else None
    symbol = symbol_id(path, page.at(line)) if page else ""
    at = f"{path}:{line}" if path else ""
    message = engine.new_scrubbing().text(failure.message)
    return FailedTest(failure.name, message, _test_id(tests, failure.name), at, symbol)


def _own(engine: Engine, elements: Elements, name: str) -> str:
    """A path of the project by the name that a message gives it; empty if it is none, or not clear."""
    root = f"{engine.place.root.as_posix()}/"
    path = name.removeprefix(root)
    if not path.startswith("/") and elements.page(path):
        return path
    if "/" in path:
        return ""
    ends = [one.path for one in engine.files.contents() if one.path.endswith(f"/{path}")]
    return ends[0] if len(ends) == 1 else ""


def _test_id(tests: Sequence[str], name: str) -> str:
    bare = name.partition("[")[0]
    if bare in tests:
        return bare
    last = [part for part in bare.replace(".", "::").replace("/", "::").split("::") if part][-1:]
    found = [test for test in tests if last and test.endswith(f"::{last[0]}")]
    return found[0] if len(found) == 1 else ""


def _remember_result(
    engine: Engine, run: TestRun, ids: Sequence[str], task_id: str, who: Identity, whole_suite: bool
) -> TestRun:
    from msgspec.structs import replace

    failing = tuple(dict.fromkeys(one.test for one in run.failures if one.test))
    subjects = (failing or tuple(ids))[:MOST_REMEMBERED]
    files = list(dict.fromkeys(split_id(one)[0] for one in subjects))
    metadata = {"passed": max(run.passed, 0), "failed": max(run.failed, len(run.failures)), "test_files": files}
    outcome = Outcome.SUCCESS if run.status == "passed" else Outcome.FAILURE
    draft = EpisodeDraft(
        EpisodeType.TEST_RESULT, run.summary(), subjects, task_id=task_id, outcome=outcome, metadata=metadata
    )
    kept = engine.memory.journal.add(draft, who, now())
    return replace(run, episode_id=kept.id, whole_suite=whole_suite)
