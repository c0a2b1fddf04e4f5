import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from clew.model.errors import ConfigError
from clew.runtime.config import Resolved, load
from clew.runtime.fixed_settings import FIXED
from clew.runtime.settings import Config
from tests.trusting import accept


def read(root: Path, text: str, environ: Mapping[str, str] | None = None) -> Resolved:
    """A file that the user trusts."""
    (root / "context.toml").write_text(text, "utf-8")
    with suppress(ConfigError):  # which is for `load` to raise
        accept(root, environ or {})
    return load(root, environ or {})


def refused(root: Path, text: str, environ: Mapping[str, str] | None = None) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        read(root, text, environ)
    assert raised.value.message.startswith("context.toml")
    assert raised.value.hint
    return raised.value


def test_every_kind_of_value_can_be_written(tmp_path: Path) -> None:
    text = """
    enabled = false
    [engine]
    port = 8080
    [providers.full_text]
    weight = 2
    [watcher]
    watch_paths = ["src", "docs"]
    [log]
    level = "debug"
    """
    config = read(tmp_path, text).config

    assert (config.enabled, config.engine.port, config.log.level) == (False, 8080, "debug")
    assert config.watcher.watch_paths == ("src", "docs")
    assert isinstance(config.providers.full_text.weight, float)


def test_tables_may_carry_the_context_prefix(tmp_path: Path) -> None:
    resolved = read(tmp_path, "[context]\nenabled = false\n[context.query]\ndefault_k = 7\n[budget]\n")

    assert (resolved.config.enabled, resolved.config.query.default_k) == (False, 7)
    assert resolved.origins["query.default_k"] == "context.toml"


def test_a_key_with_and_without_the_prefix_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, "[query]\ndefault_k = 7\n[context.query]\ndefault_k = 8\n")

    assert error.message == "context.toml: query.default_k is set twice"


@pytest.mark.parametrize(
    "text",
    ["", "[context]", "[query]", "[providers]", "[chunking.kotlin]", "[context.embedding]", "[providers.hybrid]"],
)
def test_an_empty_section_changes_nothing(tmp_path: Path, text: str) -> None:
    resolved = read(tmp_path, text)

    assert (resolved.config, resolved.warnings) == (Config(), ())


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_bytes(b"\xef\xbb\xbf[query]\r\ndefault_k = 7\r\n")

    assert load(tmp_path, {}).config.query.default_k == 7


@pytest.mark.parametrize("pattern", FIXED)
def test_a_key_whose_value_is_fixed_accepts_that_value_alone(tmp_path: Path, pattern: str) -> None:
    name, fixed = pattern.replace("*", "x"), FIXED[pattern]

    for value in fixed.values:
        assert read(tmp_path, f"context.{name} = {json.dumps(value)}").config == Config()
    for wrong in ("7", '"other"', "[1]"):
        with pytest.raises(ConfigError, match=f"context.toml: {name}") as caught:
            read(tmp_path, f"context.{name} = {wrong}")
        assert caught.value.hint == fixed.instead


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[query]\ndefualt_k = 3", "unknown key 'query.defualt_k'; did you mean query.default_k"),
        ("[qurey]\ndefault_k = 3", "unknown key 'qurey.default_k'; did you mean query.default_k"),
        ("[zzz]", "unknown key 'zzz'"),
        ("[chunking.Python]\nmax_tokens = 3", "unknown key 'chunking.Python.max_tokens'; did you mean "),
        ("[chunking.python]\nmax_lines = 3", "unknown key 'chunking.python.max_lines'; did you mean "),
        ("query = 3", "query is a section, not a key"),
        ("context = 3", "context is a section, not a key"),
    ],
)
def test_an_unknown_key_is_named_with_near_misses(tmp_path: Path, text: str, message: str) -> None:
    assert refused(tmp_path, text).message.startswith(f"context.toml: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("query.default_k = 0", "query.default_k = 0: must be an integer from 1 to 100"),
        ("query.default_k = true", "query.default_k = true: must be an integer from 1 to 100"),
        ("query.default_k = '12'", 'query.default_k = "12": must be an integer from 1 to 100'),
        ("query.default_k = 1.0", "query.default_k = 1.0: must be an integer from 1 to 100"),
        ("query.default_k = {}", "query.default_k = {}: must be an integer from 1 to 100"),
        ("query.default_k = 2020-01-01", 'query.default_k = "2020-01-01": must be an integer from 1 to 100'),
        ("query.min_score_threshold = 1.5", "query.min_score_threshold = 1.5: must be a number from 0 to 1"),
        ("query.min_score_threshold = nan", "query.min_score_threshold = NaN: must be a number from 0 to 1"),
        ("query.min_score_threshold = true", "query.min_score_threshold = true: must be a number from 0 to 1"),
        ("enabled = 1", "enabled = 1: must be true or false"),
        ("engine.host = ''", 'engine.host = "": must be a string that is not empty'),
        (
            "project.id = 3",
            "project.id = 3: must be a string of up to 200 printable characters and not begin with user:",
        ),
        ("tools.toolsets = 'core'", 'tools.toolsets = "core": must be a list of strings'),
        ("tools.toolsets = ['a', 1]", 'tools.toolsets = ["a", 1]: must be a list of strings'),
        ("tools.toolsets = ['']", 'tools.toolsets = [""]: must be a list of strings ("": it is empty)'),
        (
            "indexing.allowed_extensions = ['py']",
            'indexing.allowed_extensions = ["py"]: must be a list of extensions such as .py '
            '("py": an extension is a dot and a name)',
        ),
        (
            "security.secret_patterns = ['(']",
            'security.secret_patterns = ["("]: must be a list of regular expressions '
            '("(": missing ), unterminated subpattern at position 0)',
        ),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_does(tmp_path: Path, line: str, message: str) -> None:
    assert refused(tmp_path, line).message == f"context.toml: {message}"


def test_a_token_of_the_wrong_type_is_not_shown(tmp_path: Path) -> None:
    assert refused(tmp_path, "server.token = 4711").message == "context.toml: server.token = [hidden]: must be a string"


def test_variables_are_substituted_in_strings_and_in_lists(tmp_path: Path) -> None:
    text = """
    project.id = "${TEAM}-${NAME:-clew}"
    watcher.watch_paths = ["${TEAM}/src", "docs"]
    """
    config = read(tmp_path, text, {"TEAM": "blue"}).config

    assert config.project.id == "blue-clew"
    assert config.watcher.watch_paths == ("blue/src", "docs")


def test_a_fallback_stands_in_for_an_empty_variable_too(tmp_path: Path) -> None:
    text = 'project.id = "${A:-a}${B:-}${C}"'

    assert read(tmp_path, text, {"A": "", "C": ""}).config.project.id == "a"


def test_a_doubled_dollar_is_a_literal_reference(tmp_path: Path) -> None:
    text = "security.secret_patterns = ['$${NAME} costs \\$5']"

    assert read(tmp_path, text, {"NAME": "x"}).config.security.secret_patterns == ("${NAME} costs \\$5",)


def test_a_substituted_text_becomes_what_its_key_holds(tmp_path: Path) -> None:
    text = """
    enabled = "${ON}"
    engine.port = "${PORT:-8000}"
    query.min_score_threshold = "0.${TENTHS}"
    tools.toolsets = "${SETS}"
    """
    config = read(tmp_path, text, {"ON": "no", "TENTHS": "7", "SETS": "core, code"}).config

    assert (config.enabled, config.engine.port, config.query.min_score_threshold) == (False, 8000, 0.7)
    assert config.tools.toolsets == ("core", "code")


def test_a_substituted_text_is_checked_like_any_value(tmp_path: Path) -> None:
    error = refused(tmp_path, 'engine.port = "${PORT}"', {"PORT": "http"})

    assert error.message == 'context.toml: engine.port = "http": must be an integer from 0 to 65535'


def test_a_substituted_value_is_not_substituted_again(tmp_path: Path) -> None:
    assert read(tmp_path, 'project.id = "${A}"', {"A": "${B}"}).config.project.id == "${B}"


def test_an_unset_variable_is_named_with_its_key(tmp_path: Path) -> None:
    error = refused(tmp_path, 'watcher.watch_paths = ["${NOWHERE}"]')

    assert error.message == "context.toml: watcher.watch_paths: the variable NOWHERE is not set"
    assert error.hint == "Set NOWHERE, or write ${NOWHERE:-fallback}."


@pytest.mark.parametrize("text", ["${", "${}", "${1}", "${A", "${A:x}", "${A:-${B}}"])
def test_a_malformed_reference_is_refused(tmp_path: Path, text: str) -> None:
    error = refused(tmp_path, f"project.id = '{text}'", {"A": "a", "B": "b"})

    assert error.message == "context.toml: project.id: ${ does not open a variable"


def test_a_syntax_error_names_line_and_column(tmp_path: Path) -> None:
    assert refused(tmp_path, "[query]\ndefault_k = \n").message.endswith("(at line 2, column 13)")


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000])
def test_a_file_that_the_parser_cannot_hold_is_refused(tmp_path: Path, text: str) -> None:
    refused(tmp_path, text)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_bytes(b"[project]\nid = '\xff'\n")

    with pytest.raises(ConfigError, match="line 2 is not UTF-8"):
        load(tmp_path, {})


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "context.toml").mkdir()

    with pytest.raises(ConfigError, match=r"^context\.toml cannot be read: "):
        load(tmp_path, {})


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "context.toml").symlink_to("context.toml")  # a loop: unreadable for root too

    with pytest.raises(ConfigError, match=r"^context\.toml cannot be read: "):
        load(tmp_path, {})
