"""Context packs on the command line: made, written, read, for people and for programs."""

import json
import re
from pathlib import Path

from .processes import clew


def test_json_is_the_pack_itself(indexed: Path, tmp_path: Path) -> None:
    asked = ("--repo", str(indexed), "--query", "validate token", "--max-hops", "1")
    done = clew("context-pack", *asked, "--json", cwd=tmp_path)
    pack = done.json

    assert done.code == 0
    assert (pack["schema"], pack["request"]["expansion"]["maxHops"]) == ("ContextPack", 1)
    assert pack["sections"][0]["items"][0]["symbolId"] == "tokens.py::validate_token"


def test_people_see_items_by_section_and_the_paths_if_they_ask(indexed: Path) -> None:
    plain = clew("context-pack", "--focus", "tokens.py::validate_token", cwd=indexed)
    told = clew("context-pack", "--focus", "tokens.py::validate_token", "--explain", cwd=indexed)

    assert plain.out.splitlines()[0] == "seeds"
    assert "callees" in plain.out.splitlines()
    assert "tokens.py::validate_token call vault.py::Vault::knows  tokens.py:8  1.00" in told.out
    assert "vault.py::Vault::knows  tokens.py:8" not in plain.out


def test_a_file_may_be_in_focus_from_where_one_stands(indexed: Path) -> None:
    pack = clew("context-pack", "--focus", "./vault.py", "--json", cwd=indexed).json

    assert pack["request"]["focus"] == {"fileRelPath": "vault.py"}


def test_what_is_written_is_read_by_its_id(project: Path) -> None:
    written = clew("context-pack", "--query", "validate token", "--write", cwd=project)
    pack_id = written.out.strip()
    read = clew("context-pack", "--read", "--pack-id", pack_id, "--json", cwd=project)

    assert len(pack_id) == 64
    assert read.json["packId"] == pack_id
    assert json.loads((project / ".clew" / "context_packs.jsonl").read_text("utf-8"))["packId"] == pack_id


def test_what_goes_wrong_has_its_code(indexed: Path) -> None:
    unknown = clew("context-pack", "--read", "--pack-id", "0" * 64, "--json", cwd=indexed)
    nothing = clew("context-pack", "--read", cwd=indexed)
    capped = clew("context-pack", "--query", "token", "--max-items", "999", "--json", cwd=indexed)

    assert (unknown.code, unknown.json["errorCode"]) == (3, "CLEW_E_NOT_FOUND")
    assert nothing.code == 2
    assert capped.json["request"]["budgets"]["maxItems"] == 250
    assert capped.json["stats"]["warnings"]


def test_options_that_contradict_each_other_are_refused(indexed: Path) -> None:
    done = clew("context-pack", "--query", "token", "--pack-id", "0" * 64, cwd=indexed)

    assert done.code == 2
    assert "--query cannot be combined with --pack-id" in done.err


def test_a_shortened_id_reads_the_pack(project: Path) -> None:
    pack_id = clew("context-pack", "--query", "validate token", "--write", cwd=project).out.strip()

    assert clew("context-pack", "--pack-id", pack_id[:12], "--json", cwd=project).json["packId"] == pack_id


def test_hints_name_options_of_the_command_and_nothing_that_is_set_already(indexed: Path) -> None:
    small = ("context-pack", "--query", "validate token", "--max-total-tokens", "20")
    hint = clew(*small, cwd=indexed).err
    again = clew(*small, "--no-explain", cwd=indexed).err

    assert "--max-total-tokens" in hint and "budgets." not in hint and "include_explain" not in hint
    assert "--no-explain" not in again
    (enough,) = re.findall(r"--max-total-tokens (\d+)", hint)
    assert clew(*small[:-1], enough, cwd=indexed).code == 0
