"""Scala: the members of package objects, own and inherited ones, belong to their packages."""

from collections import defaultdict

from clew.index.facts import Attr, ScopedName, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import Found, Place
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.languages.jvm.rules import package_of_object


class PackageObjects:
    def __init__(self, scope: CrossFileScope) -> None:
        self._tree = scope.tree
        self._files: dict[str, list[str]] = defaultdict(list)  # by package
        for file in self._tree.world.names.get("package.scala", ()):
            if package := package_of_object(self._tree, file):
                self._files[package].append(file)

    def member(self, package: str, name: str) -> list[Place]:
        last = package.rpartition(".")[2]
        homes = (self._tree.home(file, last) for file in self._files.get(package, ()))
        return [place for home in homes for place in self._tree.members(home, name)[:1]]

    def around(self, path: str, name: str) -> list[Place]:
        """Of the packages that a file is in, from the innermost on."""
        package = self._tree.facts(path).package if self._files else ""
        while package:
            if found := [place for place in self.member(package, name) if place[0] != path]:
                return found
            package = package.rpartition(".")[0]
        return []


def star_import(scope: CrossFileScope, path: str, star: str, name: str) -> Found:
    """A name that a star import brings, of a package or of an object that the file sees by its name."""
    first, *rest = star.split(".")
    if not first[:1].isupper():
        return scope.resolve_import(path, star, name)
    holder: Value = ScopedName("", first) if first in scope.tree.scope_bindings(path, "") else UnboundName(first)
    for part in rest:
        holder = Attr(holder, part)
    things = [one for one in scope.tree.static(path, holder) if one.kind == value_kinds.CLASS]
    return [place for one in things for place in scope.tree.members(one, name)[:1]]
