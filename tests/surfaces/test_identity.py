"""Who calls, as the surfaces tell it."""

from clew.model.agents import Identity
from clew.surfaces.identity import of_process, of_request, of_terminal


def test_what_a_caller_says_itself_wins() -> None:
    known = Identity("claude", "s1")

    assert known.with_ids("", "") == known
    assert known.with_ids("other", "") == Identity("other", "s1")
    assert known.with_ids("", "s2") == Identity("claude", "s2")


def test_a_process_is_named_by_its_environment() -> None:
    assert of_process({}, "claude-code", "s1") == Identity("claude-code", "s1")
    assert of_process({"CLEW_AGENT": "planner"}, "claude-code", "s1") == Identity("planner", "s1")
    assert of_process({"CLEW_SESSION": "night"}, "claude-code", "s1") == Identity("claude-code", "night")


def test_two_commands_of_one_terminal_are_one_session() -> None:
    assert of_terminal({}) == of_terminal({})
    assert of_terminal({}).session_id.startswith("terminal-")


def test_a_request_is_named_by_its_headers_then_its_client_then_its_token() -> None:
    token = {"authorization": "Bearer secret-token"}

    assert of_request({}) == Identity("http", "http")
    assert of_request(token).agent_id.startswith("token-")
    assert of_request(token, "cursor").agent_id == "cursor"
    assert of_request({**token, "x-clew-agent": "bot", "x-clew-session": "9"}, "cursor") == Identity("bot", "9")


def test_a_token_is_never_told() -> None:
    told = of_request({"authorization": "Bearer secret-token"})

    assert "secret" not in told.agent_id + told.session_id
    assert told == of_request({"authorization": "Bearer secret-token"})
    assert told != of_request({"authorization": "Bearer another"})
