"""CLEW_SECTION_KEY variables, read and written; other programs' variables are none of our business."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from clew.runtime import fixed_settings
from clew.runtime.fixed_settings import FIXED
from clew.runtime.keys import KEYS, Given, SettingKey, SettingsLayer, find, first_match, suggestion, variable, walk
from clew.runtime.settings import Config
from clew.runtime.values import to_literal

AGENT, SESSION = "CLEW_AGENT", "CLEW_SESSION"  # who calls: no setting of a project

_PREFIX = "CLEW_"
_NEAR = 0.75  # how alike a name must be without what all of ours begin with: other programs have variables too
_KEYS = {key.variable: key for key in KEYS.values()}
_CHUNKING = re.compile(r"CLEW_CHUNKING_(\w+)_MAX_TOKENS")
_FIXED = {variable(pattern): pattern for pattern in FIXED}
_SECTIONS = tuple({f"{variable(name.partition('.')[0])}_" for name in KEYS if "." in name})


def read(environ: Mapping[str, str]) -> SettingsLayer:
    """The settings from the environment, in the order of the variables' names."""
    given: list[Given] = []
    warnings: list[str] = []
    for name, text in sorted(environ.items()):
        if key := _key(name):
            given.append(key.accept(key.rule.parse(text), f"environment {name}"))
        elif pattern := first_match(name, _FIXED):
            fixed_settings.check(_FIXED[pattern], name, fixed_settings.parse(text), "environment")
        elif strange := _strange(name):
            warnings.append(strange)
    return SettingsLayer(tuple(given), tuple(warnings))


def _strange(name: str) -> str:
    """A warning about an unknown variable that resembles a setting; else empty."""
    if not name.startswith(_PREFIX) or name in (AGENT, SESSION):
        return ""
    if name.startswith(_SECTIONS):
        return f"{name} is not a setting{suggestion(name, _KEYS)}"
    bare, known = name.removeprefix(_PREFIX), [one.removeprefix(_PREFIX) for one in (*_KEYS, AGENT, SESSION)]
    near = [one for one in known if one.endswith(f"_{bare}")] or get_close_matches(bare, known, n=1, cutoff=_NEAR)
    return f"{name} is not a setting; did you mean {_PREFIX}{near[0]}?" if near else ""


def to_variables(config: Config, *sections: str) -> dict[str, str]:
    """Some sections as the variables that would say the same."""
    values = ((key, value) for key, value in walk(config) if key.name.partition(".")[0] in sections)
    return {key.variable: value if isinstance(value, str) else to_literal(value) for key, value in values}


def _key(name: str) -> SettingKey | None:
    if language := _CHUNKING.fullmatch(name):
        return find(f"chunking.{language[1].lower()}.max_tokens")
    return _KEYS.get(name)
