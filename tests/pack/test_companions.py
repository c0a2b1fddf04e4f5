"""Beside shown code: its tests by graph, history and name, the settings that it reads, and documents of both."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.surfaces.library import Workspace
from clew.tools.briefing_views import Briefing, PackItem

RETRY = '''"""Retry requests that failed for a time."""


class RetryMiddleware:
    """Retry requests whose response says that the server was busy."""

    def __init__(self, settings):
        self.max_retry_times = settings.getint("RETRY_TIMES")
        self.delay = settings.getint("retry.delay")

    def process_response(self, request, response):
        """Retry a request by the status of its response."""
        return self._retry(request, response.status)

    def _retry(self, request, reason):
        times = request.meta.get("retry_times", 0) + 1
        return None if times > self.max_retry_times else request.copy()
'''
DEPTHS = "".join(f"DEPTH_{n} = {n}\n" for n in range(40))
LINES = "".join(f"    header.settle({n})\n" for n in range(30))
FILES = {
    "crawl/__init__.py": "",
    "crawl/retry.py": RETRY,
    "crawl/default_settings.py": f'{DEPTHS}RETRY_TIMES = 2\nPARTS = {{\n    "crawl.retry.RetryMiddleware": 550,\n}}\n',
    "settings.yaml": "depth:\n  delay: 1\nretry:\n  delay: 3\n",
    "docs/settings.md": "# Settings\n\n## DEPTH\n\nHow deep.\n\n## RETRY_TIMES\n\nHow often it is tried.\n",
    "docs/parts.md": "# Parts\n\n## Of the downloader\n\nThe `RetryMiddleware` gives up after some time.\n",
    "CHANGES.md": "# Changes\n\n## 1.0\n\nThe `RetryMiddleware` is new.\n",
    "checks/test_busy_servers.py": "def test_busy():\n    assert fetch('busy') is None\n",
    "checks/test_middleware_retry.py": "def test_names():\n    assert True\n",
    "checks/test_other.py": "def test_other():\n    assert True\n",
    **{f"crawl/part_{n}.py": f"def after_{n}(header):\n{LINES}    return header.get('respect')\n" for n in range(40)},
}
TASK = "Make RetryMiddleware respect the Retry-After header"


@pytest.fixture(scope="module")
def crawler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """With commits that change the middleware and one of the test files together."""
    root: Path = tmp_path_factory.mktemp("crawler")

    def commit(*paths: str) -> None:
        for name in paths:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            with (root / name).open("a", encoding="utf-8") as file:
                file.write("\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "Change a part")

    git(root, "init", "-q")
    for _ in range(3):
        commit("crawl/retry.py", "checks/test_busy_servers.py")
    commit("crawl/retry.py")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True)


@pytest.fixture(scope="module")
def pack(crawler: Workspace) -> Briefing:
    made: Briefing = crawler.context_pack(task=TASK, max_tokens=8000)
    return made


def in_file(pack: Briefing, path: str) -> list[PackItem]:
    return [one for one in pack.items if one.path == path]


def test_the_test_file_that_changes_most_often_with_the_code_is_there(pack: Briefing) -> None:
    (item,) = in_file(pack, "checks/test_busy_servers.py")

    assert (item.section, item.symbol) == ("tests", "checks/test_busy_servers.py::test_busy")
    assert item.reason == "changes with retry.py in 3 of 4 commits"


def test_the_test_file_with_the_name_of_the_code_is_there(pack: Briefing) -> None:
    (item,) = in_file(pack, "checks/test_middleware_retry.py")

    assert (item.section, item.reason) == ("tests", "test file named like retry.py")


def test_the_settings_that_the_code_reads_and_those_that_name_it_are_there(pack: Briefing) -> None:
    told = {item.first_line: (item.reason, item.signature) for item in in_file(pack, "crawl/default_settings.py")}

    assert told[41] == ("sets RETRY_TIMES, which RetryMiddleware reads", "RETRY_TIMES = 2")
    assert told[43] == ("mentions RetryMiddleware", '"crawl.retry.RetryMiddleware": 550,')


def test_a_setting_is_found_inside_of_its_block(pack: Briefing) -> None:
    (item,) = in_file(pack, "settings.yaml")

    assert (item.first_line, item.reason) == (4, "sets retry.delay, which RetryMiddleware reads")


def test_documents_of_the_code_and_of_its_settings_are_there_but_no_log_of_changes(pack: Briefing) -> None:
    documents = {one.symbol: one.reason for one in pack.items if one.section == "documents"}

    assert documents["docs/settings.md::Settings::RETRY_TIMES"] == "documents RETRY_TIMES, which RetryMiddleware reads"
    assert "docs/parts.md::Parts::Of the downloader" in documents
    assert not any(symbol.startswith("CHANGES.md") for symbol in documents)


def test_tests_and_documents_have_their_share_of_a_small_pack(crawler: Workspace) -> None:
    pack: Briefing = crawler.context_pack(task=TASK, max_tokens=2000)

    assert {"core", "tests", "documents"} <= {one.section for one in pack.items}
