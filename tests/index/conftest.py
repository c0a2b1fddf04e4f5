"""Packages that bring languages, for as long as a test takes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.languages import plugins
from tests.packages import install

_DEADLY = {
    "clew_deadly/__init__.py": """
        from clew.languages.profile import Language

        DEADLY = Language("deadly", (".deadly",), splitter="clew_deadly.crash")
    """,
    "clew_deadly/crash.py": """
        import os
        import signal

        def outline(language, source):
            os.kill(os.getpid(), signal.SIGKILL)
    """,
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    site = tmp_path / "site"
    site.mkdir()
    before, path = set(sys.modules), list(sys.path)
    monkeypatch.setattr(plugins, "_versions", {})
    monkeypatch.syspath_prepend(str(site))
    yield site
    for name in set(sys.modules) - before:
        if name.partition(".")[0].startswith("clew_"):
            del sys.modules[name]
    sys.path[:] = path
    plugins.load_languages.cache_clear()
    plugins.warnings.cache_clear()


@pytest.fixture
def deadly(site: Path) -> str:
    """How files end over which every reader dies, as by a crash of the parser."""
    install(site, "clew-deadly", {"deadly": "clew_deadly:DEADLY"}, _DEADLY)
    return ".deadly"
