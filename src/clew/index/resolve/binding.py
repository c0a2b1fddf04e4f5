"""Which of many places bind a name: parts of a class that is written in many files, files of a package."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from clew.index.facts import Values

Part = tuple[str, str]  # a path and a scope: of a class, all that belongs to it there
FEW = 4  # that are asked one by one


class Binding:
    def __init__(self, parts: Sequence[Part], bound: Callable[[str, str], Mapping[str, Values]]) -> None:
        self._parts = parts
        self._bound = bound
        self._by_name: dict[str, list[Part]] = defaultdict(list)
        for part in parts if len(parts) > FEW else ():
            for name in bound(*part):
                self._by_name[name].append(part)

    def of(self, name: str) -> Sequence[Part]:
        if len(self._parts) > FEW:
            return self._by_name.get(name, ())
        return [part for part in self._parts if name in self._bound(*part)]


def is_called(path: str, name: str) -> bool:
    """Whether a file is a module of this name: `card.rs` or `card/mod.rs`."""
    folder, _, file = path.rpartition("/")
    return file == f"{name}.rs" or (file == "mod.rs" and folder.rpartition("/")[2] == name)
