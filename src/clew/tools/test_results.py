"""Results of test runs: JUnit XML, and the output of common test runners. Pure."""

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from msgspec import Struct

LONGEST_MESSAGE = 2_000  # characters
_PLACES = 200  # places in a failure's message that are looked at


class CaseFailure(Struct, frozen=True):
    """A failed test by the name that its runner gives it. `places` are the paths and lines in its message, in order."""

    name: str
    message: str
    places: tuple[tuple[str, int], ...] = ()


class TestResults(Struct, frozen=True):
    """Counts are -1 where the output does not tell them."""

    passed: int = -1
    failed: int = -1
    skipped: int = 0
    failures: tuple[CaseFailure, ...] = ()

    @property
    def are_known(self) -> bool:
        return self.failed >= 0


_PLACE = re.compile(
    r'(?:File "(?P<python>[^"\n]+)", line (?P<line>\d+))|(?P<path>[\w./\\@+-]+\.\w{1,6}):(?P<number>\d+)'
)


def places_in(text: str) -> tuple[tuple[str, int], ...]:
    """Places in source files that a message names."""
    found: dict[tuple[str, int], None] = {}
    for match in _PLACE.finditer(text):
        path, line = match["python"] or match["path"], match["line"] or match["number"]
        found[path.replace("\\", "/").removeprefix("./"), int(line[:9])] = None
        if len(found) >= _PLACES:
            break
    return tuple(found)


def parse_junit(content: bytes) -> TestResults | None:
    """Results of a JUnit XML report; None if it is none."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:  # no test runner writes any; entities could grow without end
        return None
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - entities are refused above
    except ElementTree.ParseError:
        return None
    cases = list(root.iter("testcase"))
    if not cases and root.tag not in ("testsuite", "testsuites"):
        return None
    failures, skipped = list[CaseFailure](), 0
    for case in cases:
        broken = next((part for part in case if part.tag in ("failure", "error")), None)
        skipped += any(part.tag == "skipped" for part in case)
        if broken is not None:
            name = "::".join(filter(None, (case.get("file") or case.get("classname"), case.get("name"))))
            whole = "\n".join(filter(None, (broken.get("message"), broken.text)))
            message = broken.get("message") or (broken.text or "").strip()
            own = ((case.get("file", ""), int(case.get("line", "0"))),) if case.get("line", "").isdigit() else ()
            failures.append(CaseFailure(name, message[:LONGEST_MESSAGE], (*own, *places_in(whole))))
    return TestResults(len(cases) - len(failures) - skipped, len(failures), skipped, tuple(failures))


def parse_output(text: str) -> TestResults:
    """Results from the output of a test runner; unknown if no format is recognised."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    found = [results for parse in _FORMATS if (results := parse(text)) is not None]
    return max(found, key=lambda one: (one.are_known, len(one.failures)), default=TestResults())


def _pytest(text: str) -> TestResults | None:
    totals = re.findall(
        r"^=*\s*((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+)", text, re.M
    )
    if not totals or " in " not in text:
        return None
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", totals[-1])}
    failures = [
        CaseFailure(match[1], match[2] or "", _near(text, match[1]))
        for match in re.finditer(r"^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$", text, re.M)
    ]
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    return TestResults(counts.get("passed", 0), failed, counts.get("skipped", 0), tuple(failures))


def _near(text: str, name: str) -> tuple[tuple[str, int], ...]:
    """Places in pytest's own section of a failure."""
    title = re.escape(name.partition("::")[2].replace("::", "."))
    match = re.search(rf"^_+ {title} _+$(.*?)(?=^_+ \S+ _+$|^=+ )", text, re.M | re.S) if title else None
    return places_in(match[1]) if match else ()


def _go(text: str) -> TestResults | None:
    blocks = re.findall(r"^\s*--- FAIL: (\S+)[^\n]*\n((?:[ \t]+[^\n]*\n?)*)", text, re.M)
    if not re.search(r"^(?:ok|FAIL|---|PASS|\?)\s", text, re.M) or not re.search(r"^(?:ok  |FAIL|PASS)", text, re.M):
        return None
    passed = len(re.findall(r"^\s*--- PASS: ", text, re.M))
    skipped = len(re.findall(r"^\s*--- SKIP: ", text, re.M))
    inner = [one for one in blocks if not any(other[0].startswith(f"{one[0]}/") for other in blocks)]
    failures = [CaseFailure(name, body.strip()[:LONGEST_MESSAGE], places_in(body)) for name, body in inner]
    return TestResults(passed, len(failures), skipped, tuple(failures))


def _cargo(text: str) -> TestResults | None:
    totals = re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", text)
    if not totals:
        return None
    passed, failed, skipped = (sum(int(one[place]) for one in totals) for place in range(3))
    failures = []
    for name in re.findall(r"^test (\S+) \.\.\. FAILED$", text, re.M):
        body = re.search(rf"^---- {re.escape(name)} stdout ----\n(.*?)(?=^----|^failures:|\Z)", text, re.M | re.S)
        said = body[1].strip() if body else ""
        failures.append(CaseFailure(name, said[:LONGEST_MESSAGE], places_in(said)))
    return TestResults(passed, failed, skipped, tuple(failures))


def _jest(text: str) -> TestResults | None:
    """Results from the output of jest and vitest."""
    total = re.search(r"^\s*Tests:?\s+((?:\d+ \w+[,|\s()]*)+)", text, re.M)
    if total is None or not re.search(r"^\s*Test (?:Suites|Files):?\s", text, re.M):
        return None
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", total[1])}
    blocks = re.findall(
        r"^\s*(?:●|FAIL) (.+? [\u203a>] .+)\n((?:(?!^\s*(?:●|FAIL|PASS|Test Suites|Test Files)).*\n?)*)", text, re.M
    )
    failures = {
        name.strip(): CaseFailure(name.strip(), body.strip()[:LONGEST_MESSAGE], places_in(body))
        for name, body in blocks
    }
    return TestResults(
        counts.get("passed", 0), counts.get("failed", 0), counts.get("skipped", 0), tuple(failures.values())
    )


def _rspec(text: str) -> TestResults | None:
    total = re.search(r"(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?", text)
    if total is None:
        return None
    every, failed, pending = (int(one or 0) for one in total.groups())
    found = re.findall(r"^rspec (?:'([^']+)'|(\S+)) # (.*)$", text, re.M)
    failures = [CaseFailure(f"{one or other} {about}", about, places_in(one or other)) for one, other, about in found]
    return TestResults(every - failed - pending, failed, pending, tuple(failures))


def _phpunit(text: str) -> TestResults | None:
    ok = re.search(r"^OK \((\d+) tests?", text, re.M)
    total = re.search(r"^Tests: (\d+), Assertions: \d+(.*)\.$", text, re.M)
    if ok:
        return TestResults(int(ok[1]), 0)
    if total is None:
        return None
    counts = {word: int(n) for word, n in re.findall(r"(\w+): (\d+)", total[2])}
    failed, skipped = counts.get("Failures", 0) + counts.get("Errors", 0), counts.get("Skipped", 0)
    blocks = re.findall(r"^\d+\) (\S+::\S+)[^\n]*\n(.*?)(?=^\d+\) |^--|^FAILURES!|^ERRORS!)", text, re.M | re.S)
    failures = [CaseFailure(name, body.strip()[:LONGEST_MESSAGE], places_in(body)) for name, body in blocks]
    return TestResults(int(total[1]) - failed - skipped, failed, skipped, tuple(failures))


def _dotnet(text: str) -> TestResults | None:
    total = re.search(r"Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)", text)
    if total is None:
        return None
    blocks = re.findall(
        r"^\s*Failed (\S+) \[[^\]]*\]\n(.*?)(?=^\s*(?:Failed|Passed|Skipped) \S+ \[|^(?:Failed|Passed)!|\Z)",
        text,
        re.M | re.S,
    )
    failures = [
        CaseFailure(name, body.strip()[:LONGEST_MESSAGE], (*places_in(body), *_dotnet_places(body)))
        for name, body in blocks
    ]
    return TestResults(int(total[2]), int(total[1]), int(total[3]), tuple(failures))


def _dotnet_places(text: str) -> Iterator[tuple[str, int]]:
    yield from ((path, int(line)) for path, line in re.findall(r" in (\S+):line (\d+)", text))


def _maven(text: str) -> TestResults | None:
    """Results from the output of Maven's Surefire and of Gradle."""
    total = re.findall(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)", text)
    if total:
        every, failed, errors, skipped = map(int, total[-1])
        names = re.findall(r"^\[ERROR\]\s+([\w.]+(?:\.|:)\w+(?::\d+)?)\s+(.*)$", text, re.M)
        failures = [CaseFailure(name, said[:LONGEST_MESSAGE], _java_place(name)) for name, said in names]
        return TestResults(every - failed - errors - skipped, failed + errors, skipped, tuple(failures))
    gradle = re.findall(r"^(\S+) > (\S+(?:\(\))?) (FAILED|PASSED|SKIPPED)$", text, re.M)
    if not gradle:
        return None
    failures = [
        CaseFailure(f"{holder}.{name.removesuffix('()')}", "") for holder, name, how in gradle if how == "FAILED"
    ]
    counts = [how for _, _, how in gradle]
    return TestResults(counts.count("PASSED"), len(failures), counts.count("SKIPPED"), tuple(failures))


def _java_place(name: str) -> tuple[tuple[str, int], ...]:
    holder, _, line = name.rpartition(":")
    simple = holder.rpartition(".")[0].rpartition(".")[2] or holder.partition(".")[0]
    return ((f"{simple}.java", int(line)),) if line.isdigit() else ()


def _unittest(text: str) -> TestResults | None:
    total = re.search(r"^Ran (\d+) tests? in ", text, re.M)
    if total is None:
        return None
    counts = {word: int(n) for word, n in re.findall(r"(failures|errors|skipped)=(\d+)", text)}
    failed, skipped = counts.get("failures", 0) + counts.get("errors", 0), counts.get("skipped", 0)
    blocks = re.findall(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)[^\n]*\n-+\n(.*?)(?=^=+$|^-+$|\Z)", text, re.M | re.S)
    failures = [
        CaseFailure(
            f"{holder}.{name}" if not holder.endswith(name) else holder,
            body.strip().splitlines()[-1] if body.strip() else "",
            places_in(body),
        )
        for name, holder, body in blocks
    ]
    return TestResults(int(total[1]) - failed - skipped, failed, skipped, tuple(failures))


def _tap(text: str) -> TestResults | None:
    rows = re.findall(r"^(not ok|ok)\b ?\d* ?-? ?(.*)$", text, re.M)
    if not rows or not re.search(r"^\d+\.\.\d+", text, re.M):
        return None
    skipped = sum("# skip" in name.lower() for _, name in rows)
    failures = [CaseFailure(name, "") for how, name in rows if how == "not ok" and "# todo" not in name.lower()]
    return TestResults(len(rows) - len(failures) - skipped, len(failures), skipped, tuple(failures))


_FORMATS: tuple[Callable[[str], TestResults | None], ...] = (
    _pytest, _unittest, _cargo, _jest, _rspec, _phpunit, _dotnet, _maven, _tap, _go,
)  # fmt: skip
