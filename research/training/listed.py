"""What the model learns from: `sources.txt`, a line per source with its version, its licence and its part."""

from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).with_name("sources.txt")


class Source(NamedTuple):
    """`version` is a commit, or that of a package. `part` is what it is used for: `train`, or `check`."""

    name: str
    version: str
    licence: str
    part: str

    @property
    def is_repository(self) -> bool:
        return "/" in self.name

    @property
    def file_name(self) -> str:
        return self.name.replace("/", "+")

    def wheel(self, folder: Path) -> Path | None:
        """The package's file in a folder; its name may be spelled otherwise."""
        wanted = _plain(f"{self.name}-{self.version}-")
        return next((one for one in sorted(folder.iterdir()) if _plain(one.name).startswith(wanted)), None)

    def is_there(self, clones: Path, wheels: Path) -> bool:
        return (clones / self.file_name / "repo").exists() if self.is_repository else self.wheel(wheels) is not None


def _plain(name: str) -> str:
    return name.replace("-", "_").replace(".", "_").lower()


def listed() -> list[Source]:
    lines = LIST.read_text("utf-8").splitlines()
    return [Source(*line.split()) for line in lines if line and not line.startswith("#")]
