from pathlib import Path

import pytest

from clew.model.errors import ConfigError
from clew.runtime.config import load
from clew.runtime.environment import to_variables
from clew.runtime.fixed_settings import FIXED
from clew.runtime.keys import KEYS
from clew.runtime.settings import Config
from tests.trusting import accept


def test_every_key_has_its_own_variable() -> None:
    assert len({key.variable for key in KEYS.values()}) == len(KEYS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("1", True),
        ("YES", True),
        ("on", True),
        ("False", False),
        ("0", False),
        ("no", False),
        ("off", False),
    ],
)
def test_a_switch_has_many_spellings(tmp_path: Path, text: str, value: bool) -> None:
    assert load(tmp_path, {"CLEW_TOOLS_READ_ONLY": text}).config.tools.read_only is value


def test_numbers_and_nested_keys_are_read(tmp_path: Path) -> None:
    environ = {
        "CLEW_INDEXING_MAX_FILE_SIZE_MB": "8",
        "CLEW_PROVIDERS_FULL_TEXT_WEIGHT": "0.5",
        "CLEW_BOOTSTRAP_PARALLEL_WORKERS": "3",
    }
    config = load(tmp_path, environ).config

    assert (config.indexing.max_file_size_mb, config.providers.full_text.weight) == (8.0, 0.5)
    assert config.bootstrap.parallel_workers == 3


def test_any_language_can_be_named(tmp_path: Path) -> None:
    environ = {"CLEW_CHUNKING_PYTHON_MAX_TOKENS": "500", "CLEW_CHUNKING_C_SHARP_MAX_TOKENS": "300"}
    resolved = load(tmp_path, environ)

    assert resolved.config.chunking["python"].max_tokens == 500
    assert resolved.config.chunking["c_sharp"].max_tokens == 300
    assert resolved.origins["chunking.c_sharp.max_tokens"] == "environment CLEW_CHUNKING_C_SHARP_MAX_TOKENS"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("src, docs,", ("src", "docs")),
        ('["a,b", "c"]', ("a,b", "c")),
        ("[ab]*.py,docs", ("[ab]*.py", "docs")),
        ("7", ("7",)),
        ("", ()),
    ],
)
def test_a_list_is_separated_by_commas_or_is_json(tmp_path: Path, text: str, items: tuple[str, ...]) -> None:
    assert load(tmp_path, {"CLEW_WATCHER_IGNORE_PATTERNS": text}).config.watcher.ignore_patterns == items


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("CLEW_QUERY_DEFAULT_K", "many", 'query.default_k = "many": must be an integer from 1 to 100'),
        ("CLEW_QUERY_DEFAULT_K", "101", "query.default_k = 101: must be an integer from 1 to 100"),
        ("CLEW_QUERY_MIN_SCORE_THRESHOLD", "", 'query.min_score_threshold = "": must be a number from 0 to 1'),
        ("CLEW_ENABLED", "maybe", 'enabled = "maybe": must be true or false'),
        ("CLEW_LOG_FORMAT", "xml", 'log.format = "xml": must be one of "text", "json"'),
        ("CLEW_TOOLS_TOOLSETS", "[1]", "tools.toolsets = [1]: must be a list of strings"),
    ],
)
def test_a_value_that_does_not_fit_names_the_variable(tmp_path: Path, variable: str, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, {variable: text})

    assert raised.value.message == f"environment {variable}: {message}"


def test_variables_are_not_substituted_in_variables(tmp_path: Path) -> None:
    assert load(tmp_path, {"CLEW_PROJECT_ID": "${HOME}"}).config.project.id == "${HOME}"


def test_a_misspelt_variable_of_a_section_is_a_warning(tmp_path: Path) -> None:
    resolved = load(tmp_path, {"CLEW_QUERY_DEFUALT_K": "3", "CLEW_LOG_": "x"})

    assert resolved.config == Config()
    assert resolved.warnings[0].startswith("CLEW_LOG_ is not a setting; did you mean CLEW_LOG_")
    assert resolved.warnings[1].startswith("CLEW_QUERY_DEFUALT_K is not a setting; did you mean CLEW_QUERY_DEFAULT_K")


@pytest.mark.parametrize("pattern", FIXED)
def test_a_variable_whose_value_is_fixed_accepts_that_value_alone(tmp_path: Path, pattern: str) -> None:
    name, fixed = f"CLEW_{pattern.replace('*', 'x').replace('.', '_').upper()}", FIXED[pattern]

    for value in fixed.values:
        assert load(tmp_path, {name: str(value)}).config == Config(), value
    with pytest.raises(ConfigError, match=name) as caught:
        load(tmp_path, {name: "7"})
    assert caught.value.hint == fixed.instead


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CLEW_QEURY_DEFAULT_K", "CLEW_QUERY_DEFAULT_K"),
        ("CLEW_AGNET", "CLEW_AGENT"),
        ("CLEW_PROJECT", "CLEW_PROJECT_ID"),
        ("CLEW_TOOLSETS", "CLEW_TOOLS_TOOLSETS"),
    ],
)
def test_a_variable_that_is_almost_ours_is_a_warning(tmp_path: Path, name: str, meant: str) -> None:
    assert load(tmp_path, {name: "3"}).warnings == (f"{name} is not a setting; did you mean {meant}?",)


def test_variables_outside_every_section_are_ignored(tmp_path: Path) -> None:
    resolved = load(tmp_path, {"CLEW_AGENT": "a", "CLEW_HOME": "b", "PATH": "/bin", "clew_mode": "x"})

    assert (resolved.config, resolved.warnings) == (Config(), ())


def test_sections_written_as_variables_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_text(
        '[providers]\nplugins = ["ours=0.5"]\n[providers.path]\nenabled = false\n[embedding]\nmodel = "minilm"\n',
        "utf-8",
    )
    accept(tmp_path)
    said = load(tmp_path, {}).config
    (tmp_path / "empty").mkdir()
    read = load(tmp_path / "empty", to_variables(said, "providers", "embedding")).config

    assert (read.providers, read.embedding) == (said.providers, said.embedding)
    assert read.query == Config().query
