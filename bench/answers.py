"""Whether small answers answer: `python -m bench.answers --repo FLASK [--json FILE]`, on a checkout of pallets/flask.

100 fixed calls, each in three profiles. Of each: its tokens by Clew's estimate, how much of that is content rather than
field names and marks, and whether the answer has what was asked for. Then one `context_pack` beside the nine calls that
it replaces. The checkout is indexed where it lies.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from clew.text.tokens import estimate
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

PROFILES = ("compact", "", "balanced")
SMALL = 300  # tokens
LEAST_FITTING = 80  # of a hundred, in the compact profile
TASK = "sign the session cookie with several keys"


class Call(NamedTuple):
    """`expected` are texts of which each stands in an answer that is useful; in one with `|`, either does."""

    tool: str
    arguments: dict[str, Any]
    expected: tuple[str, ...]


class Measured(NamedTuple):
    call: Call
    profile: str
    tokens: int
    content: float
    is_useful: bool


def _explained() -> Iterator[Call]:
    for element, *expected in (
        ("Flask.full_dispatch_request", "wsgi_app", "dispatch_request"),
        ("Flask.dispatch_request", "full_dispatch_request", "ensure_sync"),
        ("Flask.wsgi_app", "full_dispatch_request"),
        ("Flask.make_response", "finalize_request"),
        ("Flask.finalize_request", "process_response"),
        ("Flask.process_response", "finalize_request"),
        ("Flask.handle_exception", "handle_exception", "app.py"),
        ("Flask.create_url_adapter", "url_for"),
        ("src/flask/helpers.py::url_for", "callers", "app.py"),
        ("SecureCookieSessionInterface.save_session", "get_cookie_name"),
        ("SecureCookieSessionInterface.open_session", "get_signing_serializer"),
        ("SessionInterface.get_cookie_domain", "save_session"),
        ("Config.from_pyfile", "from_object"),
        ("Config.from_envvar", "from_pyfile"),
        ("Scaffold.route", "add_url_rule"),
        ("Blueprint", "src/flask/sansio/blueprints.py"),
        ("locate_app", "find_best_app|load_app"),
        ("find_best_app", "locate_app"),
        ("src/flask/sessions.py", "sessions.py", "dependents"),
        ("FlaskClient.session_transaction", "testing.py"),
    ):
        yield Call("code_explain", {"element": element}, tuple(expected))


def _searched() -> Iterator[Call]:
    for query, *expected in (
        ("where is the session cookie signed", "src/flask/sessions.py"),
        ("how are errors of a view turned into a response", "src/flask/app.py"),
        ("register a blueprint on an application", "src/flask/sansio"),
        ("load configuration from a python file", "src/flask/config.py"),
        ("find the application for the command line", "src/flask/cli.py"),
        ("build a url for an endpoint", "url_for"),
        ("stream a response while the context is kept", "src/flask/helpers.py"),
        ("flash a message to the next request", "flash"),
        ("send a file from a directory", "send_from_directory|send_file"),
        ("tag values for json in the session", "src/flask/json/tag.py"),
        ("push an application context", "src/flask/ctx.py"),
        ("render a template with a context", "src/flask/templating.py"),
        ("test client that keeps cookies", "src/flask/testing.py"),
        ("class based views that dispatch by method", "src/flask/views.py"),
        ("run a command with the application context", "src/flask/cli.py"),
        ("signals that are sent when a request starts", "signals|app.py"),
        ("default json provider", "src/flask/json/provider.py"),
        ("max content length of a request", "wrappers.py"),
        ("logger of the application", "src/flask/logging.py"),
        ("static files folder and url", "static"),
    ):
        yield Call("query_context", {"query": query}, tuple(expected))


def _exact() -> Iterator[Call]:
    for query, *expected in (
        ('"SESSION_COOKIE_NAME"', "src/flask/sessions.py", "5 occurrences"),
        ("where is the setting MAX_CONTENT_LENGTH read", "wrappers.py"),
        ("where is SECRET_KEY_FALLBACKS used", "src/flask/sessions.py"),
        ('"TRAP_HTTP_EXCEPTIONS"', "src/flask"),
        ('"def get_cookie_"', "src/flask/sessions.py"),
    ):
        yield Call("query_context", {"query": query}, tuple(expected))


def _sliced() -> Iterator[Call]:
    for symbol, *expected in (
        ("Flask.full_dispatch_request", "def full_dispatch_request", "wsgi_app", "dispatch_request"),
        ("Flask.dispatch_request", "def dispatch_request", "full_dispatch_request"),
        ("Flask.make_response", "def make_response", "finalize_request"),
        ("Flask.process_response", "def process_response", "finalize_request"),
        ("Flask.finalize_request", "def finalize_request", "full_dispatch_request", "make_response"),
        ("Config.from_envvar", "def from_envvar", "from_pyfile"),
        ("Config.from_pyfile", "def from_pyfile", "from_object"),
        ("SecureCookieSessionInterface.open_session", "def open_session", "ctx.py", "SecureCookieSession"),
        ("SecureCookieSessionInterface.save_session", "def save_session", "incoming_callers", "outgoing_calls"),
        ("find_best_app", "def find_best_app", "locate_app"),
    ):
        yield Call("semantic_slice", {"symbol": symbol, "context": "with-deps"}, tuple(expected))


def _around() -> Iterator[Call]:
    for node, *expected in (
        ("Flask.full_dispatch_request", "src/flask/ctx.py::AppContext", "nodes"),
        ("SecureCookieSessionInterface", "sessions.py"),
        ("Config.from_object", "config.py"),
        ("find_best_app", "cli.py"),
        ("Blueprint.register", "sansio/blueprints.py"),
        ("src/flask/helpers.py::url_for", "url_for"),
        ("FlaskClient", "testing.py"),
        ("DefaultJSONProvider", "json/provider.py"),
        ("AppContext", "ctx.py"),
        ("View.as_view", "views.py"),
    ):
        yield Call("query_graph_neighborhood", {"node_id": node}, tuple(expected))


def _packed() -> Iterator[Call]:
    for task, *expected in (
        (TASK, "def |class ", "sessions.py"),
        ("url_for should accept a fragment", "url_for", "def "),
        ("reject requests whose body is too large", "def |class |:"),
        ("make the cookie partitioned by default", "def |class |:"),
        ("let from_pyfile read toml files", "def from_|class Config"),
        ("add a timeout to the test client", "def |class "),
        ("log the endpoint of each failed request", "def |class "),
        ("nested blueprints lose their url prefix", "def |class "),
        ("flask run ignores the port of the environment", "def |class |:"),
        ("jsonify decimals as strings", "def |class "),
    ):
        yield Call("context_pack", {"task": task}, tuple(expected))


def _changed() -> Iterator[Call]:
    for symbol, *expected in (
        ("Flask.make_response", "finalize_request|impacted"),
        ("SessionInterface.get_cookie_domain", "save_session|impacted"),
        ("Config.from_object", "from_pyfile|impacted"),
        ("find_best_app", "locate_app|impacted"),
        ("Scaffold.route", "impacted"),
    ):
        yield Call("impact_analyze", {"symbols": [symbol]}, (*expected, "direct_tests|tests"))
        yield Call("test_select", {"symbols": [symbol]}, ("tests/test_",))


def _others() -> Iterator[Call]:
    for query, expected in (
        ("session cookie", "sessions.py"),
        ("load a configuration file", "config"),
        ("render template", "templating.py"),
        ("json provider", "provider.py"),
        ("error handler", "app.py"),
    ):
        yield Call("hybrid_search", {"query": query}, (expected,))
        yield Call("graph_query", {"query": query}, (expected,))
    yield Call("graph_health", {}, ("ready", "files"))
    yield Call("get_context_stats", {}, ("files", "chunks"))
    yield Call("tools_search", {}, ("code_explain", "test_select"))
    yield Call("tools_search", {"query": "callers"}, ("code_explain",))
    yield Call("code_explain", {"element": "url_for"}, ("helpers.py::url_for", "app.py::Flask::url_for"))


CALLS: Sequence[Call] = (
    *_explained(), *_searched(), *_exact(), *_sliced(), *_around(), *_packed(), *_changed(), *_others(),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--json", type=Path, help="Also write each call there.")
    given = parser.parse_args()
    workspaces = Workspaces(given.repo)
    try:
        workspaces.get().index()
        caller = Caller(workspaces)
        measured = [_measured(caller, call, profile) for profile in PROFILES for call in CALLS]
        _report(measured)
        _compare(caller)
    finally:
        workspaces.close()
    if given.json:
        rows = [{**one.call._asdict(), **one._asdict(), "call": None} for one in measured]
        given.json.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    small = [one for one in measured if one.profile == "compact"]
    fitting = sum(one.tokens <= SMALL for one in small) * 100 / len(small)
    if fitting < LEAST_FITTING or not all(one.is_useful for one in measured):
        raise SystemExit("too few calls fit, or not all are useful")


def _measured(caller: Caller, call: Call, profile: str) -> Measured:
    envelope = _asked(caller, call, profile)
    told = "\n".join(_values(envelope))
    useful = envelope["ok"] and all(any(one in told for one in text.split("|")) for text in call.expected)
    content = estimate("\n".join(_values({name: envelope.get(name) for name in ("summary", "data")})))
    return Measured(call, profile, envelope["_tokenEstimate"], content / envelope["_tokenEstimate"], useful)


def _asked(caller: Caller, call: Call, profile: str) -> dict[str, Any]:
    arguments = {**call.arguments, **({"profile": profile} if profile else {})}
    envelope: dict[str, Any] = json.loads(answer(caller, call.tool, arguments).body)
    return envelope


def _values(value: Any) -> Iterator[str]:
    """The text of an answer without field names, except those of lists that a list repeats."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, list) and inner:
                yield name
            yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _report(measured: Sequence[Measured]) -> None:
    print(f"{len(CALLS)} calls\n")
    print("| profile | mean tokens | at most 300 tokens | content | useful |\n|---|--:|--:|--:|--:|")
    for profile in PROFILES:
        own = [one for one in measured if one.profile == profile]
        fitting = sum(one.tokens <= SMALL for one in own)
        mean, content = fmean(one.tokens for one in own), fmean(one.content for one in own)
        useful = sum(one.is_useful for one in own)
        print(f"| {profile or 'default'} | {mean:.0f} | {fitting} | {content:.0%} | {useful} |")
    by_tool: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for one in measured:
        by_tool[one.call.tool][one.profile].append(one.tokens)
    print("\n| tool | calls | compact | default | balanced |\n|---|--:|--:|--:|--:|")
    for tool, sizes in by_tool.items():
        means = " | ".join(f"{fmean(sizes[profile]):.0f}" for profile in PROFILES)
        print(f"| `{tool}` | {len(sizes['compact'])} | {means} |")
    for one in measured:
        if not one.is_useful:
            print(f"not useful in {one.profile or 'default'}: {one.call}")


def _compare(caller: Caller) -> None:
    """One briefing beside the calls that gather the same: what matches, the code, around it, and what is known."""
    pack = _asked(caller, Call("context_pack", {"task": TASK}, ()), "")
    best = pack["data"]["entry_point"]
    hits = _asked(caller, Call("query_context", {"query": TASK}, ()), "debug")["data"]["hits"]
    others = list(dict.fromkeys(one["symbol"] for one in hits if one.get("symbol") and one["symbol"] != best))[:2]
    calls = [
        Call("query_context", {"query": TASK}, ()),
        Call("code_explain", {"element": best}, ()),
        *(Call("semantic_slice", {"symbol": one, "context": "with-deps"}, ()) for one in (best, *others)),
        Call("query_graph_neighborhood", {"node_id": best}, ()),
        Call("impact_analyze", {"symbols": [best]}, ()),
        Call("decision_query", {"query": TASK}, ()),
        Call("episode_recall", {"query": TASK}, ()),
    ]
    print("\n| profile of the nine calls | tokens | one `context_pack` | times |\n|---|--:|--:|--:|")
    for profile in (*PROFILES, "debug"):
        nine = sum(_asked(caller, call, profile)["_tokenEstimate"] for call in calls)
        one = pack["_tokenEstimate"]
        print(f"| {profile or 'default'} | {nine:,} | {one:,} | {nine / one:.1f} |")


if __name__ == "__main__":
    main()
