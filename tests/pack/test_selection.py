"""Cases from use: which code a task's pack spends its budget on."""

from collections.abc import Mapping
from pathlib import Path

import clew
from clew.tools.briefing_views import Briefing, PackItem, section_costs

FILLER = "\n".join(f"        {name}.settle()" for name in ("north", "south", "east", "west") * 3)
RETRY = f'''"""Retry requests that failed for a time."""


def count_letters(text):
    total = 0
    for letter in text:
        if letter.isalpha():
            total += 1
    return total


class RetryMiddleware:
    """Retry requests whose response says that the server was busy."""

    def __init__(self, settings):
        self.max_retry_times = settings.getint("RETRY_TIMES")
        self.http_codes = set(settings.getlist("RETRY_HTTP_CODES"))

    def process_response(self, request, response):
        """Retry a request by the status of its response."""
        if response.status in self.http_codes:
            return self._retry(request, response.status)
        return response

    def process_exception(self, request, exception):
        return self._retry(request, exception)

    def _retry(self, request, reason):
        """A copy of the request with its number of retries, unless there were too many."""
        times = request.meta.get("retry_times", 0) + 1
        if times > self.max_retry_times:
            return None
        copied = request.copy()
        copied.meta["retry_times"] = times
        return copied

    def close_spider(self, north, south, east, west):
{FILLER}
'''
RETRY_TEST = """from crawl.retry import RetryMiddleware


def test_retry_503():
    made = RetryMiddleware({}).process_response({}, 503)
    assert made
"""
OTHERS = {
    f"crawl/part_{n}.py": f"def after_{n}(header, respect):\n    retry = header.get(respect)\n    return retry\n"
    for n in range(12)
}
CRAWLER = {
    "crawl/__init__.py": "",
    "crawl/retry.py": RETRY,
    "tests/test_retry.py": RETRY_TEST,
    "docs/settings.md": "# Settings\n\n## RETRY_TIMES\n\nHow often RetryMiddleware retries a request.\n",
    **OTHERS,
}


def packed(root: Path, files: Mapping[str, str], task: str, **asked: object) -> Briefing:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        pack: Briefing = workspace.context_pack(task=task, **asked)
    return pack


def item(pack: Briefing, symbol: str) -> PackItem:
    return next(one for one in pack.items if one.symbol == symbol)


def test_the_methods_of_a_class_that_the_task_names_are_shown_before_other_code(tmp_path: Path) -> None:
    pack = packed(tmp_path, CRAWLER, "Make RetryMiddleware respect the Retry-After header", max_tokens=1200)

    for method in ("process_response", "_retry"):
        assert item(pack, f"crawl/retry.py::RetryMiddleware::{method}").form == "whole"
    numbers = [one.symbol for one in pack.items if one.section == "core"]
    assert all("RetryMiddleware" in symbol for symbol in numbers[:4])


def test_a_test_and_the_documents_of_the_code_always_have_a_share(tmp_path: Path) -> None:
    pack = packed(tmp_path, CRAWLER, "Make RetryMiddleware respect the Retry-After header", max_tokens=3000)

    assert item(pack, "tests/test_retry.py::test_retry_503").section == "tests"
    assert any(one.path == "docs/settings.md" and one.section == "documents" for one in pack.items)


def matcher(name: str, field: str) -> str:
    return f"""
// Match{name} matches requests by their {field}.
type Match{name} struct {{
	Values []string
}}

func (m Match{name}) Match(r *Request) bool {{
	for _, value := range m.Values {{
		if r.{name} == value {{
			return true
		}}
	}}
	return false
}}
"""


def test_for_another_of_a_kind_the_pack_shows_one_that_is_there(tmp_path: Path) -> None:
    files = {
        "http/matchers.go": "package http\n"
        + "".join(matcher(name, name.lower()) for name in ("Host", "Path", "Method", "Protocol")),
        "tls/connection.go": "package tls\n\n// Version of the TLS connection.\n"
        "func Version() string { return version }\n\n"
        "var (\n\t_ Provisioner = (*Connection)(nil)\n\t_ Validator = (*Connection)(nil)\n)\n",
    }
    pack = packed(tmp_path, files, "Add a matcher on the TLS version, like MatchProtocol", max_tokens=800)

    assert item(pack, "http/matchers.go::MatchProtocol::Match").form == "whole"


LICENSE = "".join(f"# Line {n} of a license that nobody reads, and that all files have.\n" for n in range(60))


def test_a_focus_on_a_file_spends_its_budget_on_its_code(tmp_path: Path) -> None:
    imports = "".join(f"import module_{n}\n" for n in range(30))
    code = "def charge_card(card, amount):\n    return card.take(amount)\n\n\ndef refund_card(card):\n    return card\n"
    pack = packed(
        tmp_path, {"pay.py": f"{LICENSE}\n{imports}\n\n{code}"}, "charge the card twice", focus="pay.py", max_tokens=600
    )

    assert item(pack, "pay.py::charge_card").form == "whole"
    assert pack.text.count("of a license") < 10


CONFIRM = '''def confirm(text, default=False, abort=False):
    """Ask for a yes or a no."""
    prompt = text
    while True:
        try:
            value = read_line(prompt).lower().strip()
        except EOFError:
            raise Abort from None
        if value in ("y", "yes"):
            answer = True
        elif value in ("n", "no"):
            answer = False
        elif default is not None and value == "":
            answer = default
        else:
            echo("invalid input")
            continue
        break
    if abort and not answer:
        raise Abort
    return answer
'''


def test_the_line_that_a_change_is_about_is_not_folded(tmp_path: Path) -> None:
    others = {f"ui_{n}.py": f"def accept_{n}(answers):\n    return list(answers)\n" for n in range(10)}
    task = "Make confirm() accept a custom list of yes answers"
    pack = packed(tmp_path, {"termui.py": CONFIRM, **others}, task, max_tokens=600)

    assert pack.entry_point == "termui.py::confirm"
    assert 'if value in ("y", "yes"):' in pack.text


def test_of_a_traceback_the_raiser_and_its_caller_are_both_shown(tmp_path: Path) -> None:
    files = {
        "shop/money.py": 'def parse_amount(text):\n    if "," in text:\n'
        '        raise ValueError("amount has a comma in it")\n    return int(text)\n',
        "shop/forms.py": "from shop.money import parse_amount\n\n\ndef read_form(form):\n"
        "    values = dict(form)\n    return parse_amount(values['amount'])\n",
        **{f"shop/part_{n}.py": f"def amount_{n}(form):\n    return form.comma\n" for n in range(10)},
    }
    trace = (
        "Reading a form fails.\n\nTraceback (most recent call last):\n"
        "  File \"/srv/shop/forms.py\", line 6, in read_form\n    return parse_amount(values['amount'])\n"
        "ValueError: amount has a comma in it\n"
    )
    pack = packed(tmp_path, files, trace, max_tokens=500)

    assert {one.symbol for one in pack.items[:3]} >= {"shop/money.py::parse_amount", "shop/forms.py::read_form"}


def test_an_explained_pack_says_where_its_budget_went_and_what_would_come_next(tmp_path: Path) -> None:
    task = "Make RetryMiddleware respect the Retry-After header"
    pack = packed(tmp_path, CRAWLER, task, max_tokens=600, explain=True)
    larger = packed(tmp_path, CRAWLER, task, max_tokens=100_000)

    costs = {one.section: one for one in section_costs(pack.items)}
    assert sum(one.items for one in costs.values()) == len(pack.items)
    assert costs["core"].lines > 10
    assert sum(one.tokens for one in costs.values()) <= 1.1 * 600
    coming = [one.symbol for one in pack.left_out.next]
    assert coming == [one.symbol for one in larger.items[len(pack.items) :]][: len(coming)]
    assert coming
    assert all(one.tokens > 0 for one in pack.left_out.next)


def test_a_class_that_is_shown_for_the_most_part_is_completed(tmp_path: Path) -> None:
    body = "".join(f"        header.weigh({n})\n" for n in range(12))
    members = "".join(f"    def parse_header_{n}(self, header):\n{body}\n" for n in range(5))
    parser = f"class Parser:\n    limit = 80\n\n{members}    def close(self):\n        self.limit = 0\n"
    others = {
        f"net/part_{n}.py": f"def weigh_{n}(header):\n    header.parse()\n{body.replace('        ', '    ')}"
        for n in range(20)
    }
    pack = packed(tmp_path, {"net/parser.py": parser, **others}, "parse the header", max_tokens=1500)
    code = [one for one in pack.items if one.section == "core"]

    assert {one.path for one in code[:7]} == {"net/parser.py"}
    assert item(pack, "net/parser.py::Parser::close").form == "whole"
    assert "limit = 80" in item(pack, "net/parser.py::Parser").code
    assert len(code) > 7
