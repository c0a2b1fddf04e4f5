"""Packages that lie in a folder as installers leave them."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent


def install(
    site: Path,
    name: str,
    entries: Mapping[str, str],
    files: Mapping[str, str],
    version: str = "1.0",
    group: str = "clew.languages",
) -> None:
    """A package whose modules are `files`, and which offers `entries` to a group."""
    about = site / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True)
    lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: no\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[{group}]\n{lines}", "utf-8")
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(dedent(text), "utf-8")
