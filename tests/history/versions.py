"""Two versions of a few files, compared."""

from collections.abc import Mapping

from clew.history.differ import Difference, SymbolDelta
from clew.history.trees import ChangedFile, Reader, compare
from clew.languages import BUILT_IN
from clew.text.secrets import Scrubber


class Texts:
    """A tree of given texts."""

    def __init__(self, files: Mapping[str, str], label: str = "texts") -> None:
        self.files = files
        self.label = label

    def contents(self, paths: object) -> list[tuple[str, bytes]]:
        return [(path, text.encode()) for path, text in sorted(self.files.items())]

    def changed_files(self, newer: object) -> list[ChangedFile]:
        assert isinstance(newer, Texts)
        paths = sorted({*self.files, *newer.files})
        old, new = self.files, newer.files
        return [ChangedFile(p, old.get(p, ""), new.get(p, "")) for p in paths if old.get(p) != new.get(p)]


def reader() -> Reader:
    return Reader(BUILT_IN, Scrubber(False, ()))


def changed(old: Mapping[str, str], new: Mapping[str, str]) -> Difference:
    return compare(Texts(old), Texts(new), reader())


def ids(deltas: tuple[SymbolDelta, ...], *, files: bool = False) -> list[str]:
    return sorted(one.id for one in deltas if files or one.kind != "file")


def origins(deltas: tuple[SymbolDelta, ...], *, files: bool = False) -> dict[str, str]:
    return {one.id: one.origin for one in deltas if files or one.kind != "file"}
