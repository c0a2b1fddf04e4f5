"""Tools for orchestrators, and the packages of plug-in markets."""

import json
import runpy
import zipfile
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it carries no types; the MCP SDK brings it

from clew.toolkit import Toolkit

HOME = Path(__file__).parents[2]


def test_tools_are_defined_for_model_apis_and_called_by_name(indexed: Path) -> None:
    with Toolkit.open(indexed, read_only=True) as kit:
        chat, responses, messages = kit.openai_tools(), kit.openai_responses_tools(), kit.anthropic_tools()
        names = list(kit)
        assert [one["function"]["name"] for one in chat] == [one["name"] for one in responses] == names
        for one in messages:
            jsonschema.Draft202012Validator.check_schema(one["input_schema"])
        asked = kit.call("query_context", '{"query": "validate token"}')
        again = json.loads(kit.call("query_context", {"query": "validate token"}))
        wrong = json.loads(kit.call("query_context", "[1]"))

    assert "agent_claim" not in names
    assert "validate_token" in asked
    assert "seen" in again["data"]
    assert (wrong["ok"], wrong["errorCode"]) == (False, "CLEW_E_INVALID_INPUT")


def test_plugins_in_the_repository_are_as_they_are_generated(tmp_path: Path) -> None:
    packages = runpy.run_path(str(HOME / "scripts" / "packages.py"))
    made = {name: text for name, text in packages["committed_files"]().items() if name != "llms.txt"}
    wheel = tmp_path / "clew-0-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    for name in ("a", "b"):
        packages["write_bundle"](tmp_path / name, wheel)
    manifest = json.loads(zipfile.ZipFile(tmp_path / "a").read("manifest.json"))

    assert {name: (HOME / name).read_text("utf-8") for name in made} == made
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert f"server/{wheel.name}" in manifest["server"]["mcp_config"]["args"][1]
    entry = packages["server_json"]("io.github.example")
    assert (entry["name"], entry["packages"][0]["transport"]) == ("io.github.example/clew", {"type": "stdio"})
