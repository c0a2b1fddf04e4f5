"""Package objects of Scala: their own and inherited members belong to the package."""

from collections import defaultdict

from clew.index.resolve.abstract_values import Place
from clew.index.resolve.source_index import SourceIndex
from clew.index.resolve.visible_files import package_of_object


class PackageObjects:
    def __init__(self, tree: SourceIndex) -> None:
        self._tree = tree
        self._files: dict[str, list[str]] | None = None  # by package

    def member(self, package: str, name: str) -> list[Place]:
        last = package.rpartition(".")[2]
        homes = (self._tree.home(file, last) for file in self._by_package().get(package, ()))
        return [place for home in homes for place in self._tree.members(home, name)[:1]]

    def around(self, path: str, name: str) -> list[Place]:
        """Of the packages that a file is in, from the innermost on."""
        package = self._tree.facts(path).package if self._tree.language(path) == "scala" and self._by_package() else ""
        while package:
            if found := [place for place in self.member(package, name) if place[0] != path]:
                return found
            package = package.rpartition(".")[0]
        return []

    def _by_package(self) -> dict[str, list[str]]:
        if self._files is None:
            self._files = defaultdict(list)
            for file in self._tree.world.names.get("package.scala", ()):
                if package := package_of_object(self._tree, file):
                    self._files[package].append(file)
        return self._files
