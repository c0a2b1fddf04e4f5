"""The files under deploy/ name settings and files that exist."""

import re
from pathlib import Path

import yaml

from clew.runtime.environment import read

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"


def test_every_variable_is_a_setting() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    variables = compose["services"]["clew"]["environment"]
    settings = {name: "1" for name in variables if name.startswith("CLEW_")} | {"CLEW_STORAGE_URL": "postgresql://a/b"}

    assert len(settings) >= 5
    assert read(settings).warnings == ()


def test_the_image_is_made_of_files_that_are_there() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()]
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8")

    assert "src" in copied
    assert [name for name in copied if not (ROOT / name).exists() or f"!{name}" not in allowed] == []
    assert (DEPLOY / "create-role.sh").stat().st_mode & 0o111
