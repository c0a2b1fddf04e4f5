"""Categories of tests: unit, integration, end-to-end, benchmark, and fixtures, each with its reasons. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from clew.model.code import EXTERNAL
from clew.text.test_names import is_helper_path

Category = Literal["unit", "integration", "e2e", "benchmark", "fixture"]
CATEGORIES: tuple[Category, ...] = ("unit", "integration", "e2e", "benchmark", "fixture")


class CaseFacts(NamedTuple):
    """Facts of a file of tests, or of one test: its path and name, markers, imported modules, parameters (fixtures),
    and its text."""

    path: str
    name: str = ""
    markers: Sequence[str] = ()
    imports: Sequence[str] = ()
    parameters: Sequence[str] = ()
    text: str = ""
    has_tests: bool = True


class Categorization(NamedTuple):
    category: Category
    reasons: tuple[str, ...]


_BENCHMARK_NAME = re.compile(r"Benchmark(?:$|[_A-Z0-9])")

# By category: folders, file names, markers and annotations, modules. The first category with a reason wins.
_FOLDERS: dict[Category, re.Pattern[str]] = {
    "benchmark": re.compile(r"(?:^|[._-])(?:bench(?:es|marks?)?|perf(?:ormance)?|jmh|asv)(?:$|[._-])", re.I),
    "e2e": re.compile(
        r"(?:^|[._-])(?:e2e|end[-_]?to[-_]?end|acceptance|cypress|playwright|selenium|browser|features|system|smoke)"
        r"(?:$|[._-])",
        re.I,
    ),
    "integration": re.compile(r"(?:^|[._-])(?:integration|integ|functional|inttest|it)(?:s|tests?)?(?:$|[._-])", re.I),
}
_FILES: dict[Category, re.Pattern[str]] = {
    "benchmark": re.compile(r"(?:^|[._-])bench(?:mark)?s?(?:$|[._-])|Benchmarks?(?:\.|$)", re.I),
    "e2e": re.compile(r"(?:^|[._-])e2e(?:$|[._-])|E2E|\.cy\.|EndToEnd|Acceptance|\.feature$"),
    "integration": re.compile(r"(?:^|[._-])integration(?:$|[._-])|Integration|[a-z]IT\.\w+$|ITCase\."),
}
_MARKERS: dict[Category, re.Pattern[str]] = {
    "benchmark": re.compile(r"(?:^|[.:@])(?:bench|benchmark)\b", re.I),
    "e2e": re.compile(r"\be2e\b|end.to.end|acceptance|selenium|playwright|UiTest|\bsystem\b", re.I),
    "integration": re.compile(
        r"integration|django_db|SpringBootTest|DataJpaTest|WebMvcTest|Testcontainers|QuarkusTest|MicronautTest|functional"
        r"|\bnetwork\b|\bdatabase\b|\bslow\b",
        re.I,
    ),
}
_MODULES: dict[Category, re.Pattern[str]] = {
    "benchmark": re.compile(
        r"pytest_benchmark|pyperf|criterion|divan|org\.openjdk\.jmh|BenchmarkDotNet|benchmark/ips|phpbench|tinybench|benny"
    ),
    "e2e": re.compile(
        r"selenium|playwright|puppeteer|cypress|webdriver|capybara|testcafe|splinter|pyppeteer|behat|behave|cucumber"
        r"|detox|appium|espresso|chromedp|fantoccini|nightwatch|Microsoft\.Playwright",
        re.I,
    ),
    "integration": re.compile(
        r"testcontainers|docker\b|psycopg|asyncpg|pymysql|mysqlclient|sqlalchemy|pymongo|motor\b|redis|kafka|pika|boto3|moto\b"
        r"|supertest|\bpg\b|mongoose|ioredis|database/sql|net/http/httptest|httptest|dockertest|go-redis|gorm"
        r"|org\.springframework\.(?:boot\.)?test|rest-?assured|wiremock|io\.micronaut\.test|WebApplicationFactory"
        r"|Microsoft\.AspNetCore\.Mvc\.Testing|EntityFrameworkCore|sqlx|diesel|wiremock|mockito::Server|rack/test"
        r"|Illuminate\\Foundation\\Testing|KernelTestCase|WebTestCase|subprocess|child_process|os/exec|starlette\.testclient"
        r"|fastapi\.testclient|aiohttp\.test_utils|django\.test|flask\.testing|socket\b",
        re.I,
    ),
}
_PARAMETERS: dict[Category, frozenset[str]] = {
    "benchmark": frozenset({"benchmark"}),
    "e2e": frozenset({"page", "browser", "driver", "selenium", "live_server", "browser_context"}),
    "integration": frozenset(
        {
            *(
                "db",
                "transactional_db",
                "django_db_setup",
                "client",
                "async_client",
                "admin_client",
                "session",
                "engine",
            ),
            *(
                "testdir",
                "pytester",
                "cli_runner",
                "httpserver",
                "postgresql",
                "redisdb",
                "docker_services",
                "connection",
            ),
        }
    ),
}
_TEXTS: dict[Category, re.Pattern[str]] = {
    "benchmark": re.compile(r"#\[bench\]|\bcriterion_(?:group|main)!|\bBenchmark\.bm\b"),
    "e2e": re.compile(r"\bcy\.visit\(|\bpage\.goto\(|\bwebdriver\.\w+\(|\bvisit [\"'/]"),
    "integration": re.compile(r"^//\s*(?:go:build|\+build)\s.*\bintegration\b|#\[ignore\b.*(?:network|database)", re.M),
}
_FIXTURE_FOLDER = re.compile(
    r"(?:^|/)(?:__)?(?:fixtures?|mocks?|support|testdata|test[-_]?utils?|stubs?|fakes?|factories)(?:__)?/", re.I
)
_FIXTURE_MARKER = re.compile(
    r"(?:^|\.)fixture\b|^@?(?:Before|After)(?:Each|All|Class)?\b|OneTimeSetUp|^SetUp\b|TearDown|ClassInitialize", re.I
)


def categorize(facts: CaseFacts) -> Categorization:
    """The category of a file of tests, or of one test."""
    if marks := [one for one in facts.markers if _FIXTURE_MARKER.search(one)]:
        return Categorization("fixture", (f"marked {marks[0]}",))
    if not facts.name and (fixture := _as_fixture(facts)):
        return Categorization("fixture", (fixture,))
    for category in ("benchmark", "e2e", "integration"):
        if reasons := list(_reasons(category, facts)):
            return Categorization(category, tuple(dict.fromkeys(reasons)))
    return Categorization("unit", ("nothing in its path, markers, imports or fixtures speaks for another kind",))


def _as_fixture(facts: CaseFacts) -> str:
    name = facts.path.rpartition("/")[2]
    if is_helper_path(facts.path):
        return f"{name} holds set-up for other tests"
    if facts.has_tests:
        return ""
    folder = _FIXTURE_FOLDER.search(facts.path)
    return f"below {folder[0].strip('/')}/, without tests" if folder else "it stands among tests and has none"


def _reasons(category: Category, facts: CaseFacts) -> Iterable[str]:
    folders, _, file = facts.path.rpartition("/")
    yield from (f"below {one}/" for one in folders.split("/") if _FOLDERS[category].search(one))
    if _FILES[category].search(file):
        yield f"named {file}"
    if category == "benchmark" and _BENCHMARK_NAME.match(facts.name):
        yield f"named {facts.name}"
    yield from (f"marked {one}" for one in facts.markers if _MARKERS[category].search(one))
    modules = [one.removeprefix(EXTERNAL) for one in facts.imports]
    yield from (f"imports {one}" for one in modules if _MODULES[category].search(one))
    yield from (f"uses the fixture {one}" for one in facts.parameters if one in _PARAMETERS[category])
    if match := _TEXTS[category].search(facts.text):
        yield f"contains {match[0].strip()}"
