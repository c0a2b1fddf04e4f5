import pickle
from pathlib import Path

import pytest

from clew.runtime.config import describe, load, reference
from clew.runtime.keys import KEYS
from clew.runtime.settings import Config


def write(root: Path, text: str) -> Path:
    (root / "context.toml").write_text(text, "utf-8")
    return root


def test_without_a_file_every_value_is_the_default(tmp_path: Path) -> None:
    resolved = load(tmp_path, {})

    assert resolved.config == Config()
    assert dict(resolved.origins) == dict.fromkeys(KEYS, "default")
    assert resolved.warnings == ()


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    root = write(tmp_path, "[query]\ndefault_k = 20\nmin_score_threshold = 0.5\n")

    resolved = load(root, {"CLEW_QUERY_DEFAULT_K": "30"})

    assert (resolved.config.query.default_k, resolved.config.query.min_score_threshold) == (30, 0.5)
    assert resolved.config.budget.default_max_tokens == 1500
    assert resolved.origins["query.default_k"] == "environment CLEW_QUERY_DEFAULT_K"
    assert resolved.origins["query.min_score_threshold"] == "context.toml"
    assert resolved.origins["budget.default_max_tokens"] == "default"


def test_warnings_of_both_sources_are_kept(tmp_path: Path) -> None:
    resolved = load(write(tmp_path, "[embedding]\nnormalize = true\n"), {"CLEW_QUERY_DEFUALT_K": "1"})

    assert [one.partition(" ")[0] for one in resolved.warnings] == ["CLEW_QUERY_DEFUALT_K"]


def test_a_configuration_has_a_hash_and_travels_to_workers(tmp_path: Path) -> None:
    config = load(write(tmp_path, "[chunking.kotlin]\nmax_tokens = 500\n"), {}).config

    assert hash(config) != hash(Config())
    assert pickle.loads(pickle.dumps(config)) == config


def test_the_order_in_which_languages_are_named_does_not_matter(tmp_path: Path) -> None:
    named = load(write(tmp_path, "chunking.zig.max_tokens = 1\nchunking.ada.max_tokens = 2\n"), {})
    turned = load(write(tmp_path, "chunking.ada.max_tokens = 2\nchunking.zig.max_tokens = 1\n"), {})

    assert named.config == turned.config


def test_a_language_without_rules_follows_the_rules_of_the_others(tmp_path: Path) -> None:
    chunking = load(write(tmp_path, "[chunking.other]\nmax_tokens = 77\n"), {}).config.chunking

    assert (chunking.of("kotlin").max_tokens, chunking.of("python").max_tokens) == (77, 600)
    assert "kotlin" not in chunking
    assert list(chunking) == ["javascript", "jupyter", "markdown", "other", "python", "tsx", "typescript"]


def test_describe_lists_every_key_in_order_with_its_origin(tmp_path: Path) -> None:
    entries = describe(load(write(tmp_path, "[chunking.kotlin]\nmax_tokens = 500\n"), {"CLEW_LOG_FORMAT": "json"}))
    found = {entry.key: entry for entry in entries}

    assert [key for key in found if key != "chunking.kotlin.max_tokens"] == list(KEYS)
    assert (found["log.format"].value, found["log.format"].origin) == ("json", "environment CLEW_LOG_FORMAT")
    assert found["chunking.kotlin.max_tokens"].value == 500
    assert found["tools.toolsets"].value == ("core",)


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    resolved = load(tmp_path, {"CLEW_SERVER_TOKEN": "hunter2"})
    shown = {entry.key: entry.value for entry in describe(resolved)}

    assert resolved.config.server.token == "hunter2"
    assert shown["server.token"] == "[set]"
    assert "hunter2" not in repr(resolved)


def test_a_token_that_is_not_set_does_not_look_set(tmp_path: Path) -> None:
    shown = {entry.key: entry.value for entry in describe(load(tmp_path, {}))}

    assert shown["server.token"] == ""


@pytest.mark.parametrize("name", KEYS)
def test_every_key_is_in_the_reference_with_its_variable_and_meaning(name: str) -> None:
    (row,) = [line for line in reference().splitlines() if line.startswith(f"| `{name}` |")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]

    assert len(cells) == 6
    assert all(cells)
    assert cells[3] == f"`{KEYS[name].variable}`"


@pytest.mark.parametrize("name", KEYS)
def test_every_description_is_one_sentence(name: str) -> None:
    about = KEYS[name].about

    assert about.endswith(".")
    assert len(about) <= 100
    assert "\n" not in about
