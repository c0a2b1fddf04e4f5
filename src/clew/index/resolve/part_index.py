"""Which of many places bind a name: parts of a class that is written in many files, files of a package."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from clew.index.facts import Values

Part = tuple[str, str]  # a path and a scope: of a class, all that belongs to it there
FEW = 4  # that are asked one by one


class PartIndex:
    __slots__ = ("_by_name", "_few")

    def __init__(self, parts: Sequence[Part], bound: Callable[[str, str], Mapping[str, Values]]) -> None:
        self._few = [(part, bound(*part)) for part in parts] if len(parts) <= FEW else None
        self._by_name: dict[str, list[Part]] | None = None
        if self._few is None:
            self._by_name = defaultdict(list)
            for part in parts:
                for name in bound(*part):
                    self._by_name[name].append(part)

    def of(self, name: str) -> Sequence[Part]:
        if self._few is not None:
            return [part for part, names in self._few if name in names]
        return self._by_name.get(name, ()) if self._by_name else ()


def is_module_file(path: str, name: str) -> bool:
    """Whether a file is a module of this name: `card.rs` or `card/mod.rs`."""
    folder, _, file = path.rpartition("/")
    return file == f"{name}.rs" or (file == "mod.rs" and folder.rpartition("/")[2] == name)
