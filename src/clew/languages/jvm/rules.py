"""Resolution of names that Java, Kotlin and Scala share."""

from collections.abc import Iterator, Sequence

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.abstract_values import Found
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.overloads import OverloadTypes
from clew.index.resolve.source_index import SourceIndex
from clew.languages.java.overloads import OVERLOAD_TYPES
from clew.languages.jvm.library import PACKAGE_ROOTS
from clew.languages.kotlin.source_sets import set_of, visible_files

_LANGUAGES = ("java", "kotlin", "scala")


class JvmRules(LanguageRules):
    """Files of one package see each other, in whichever of the languages they are."""

    family = "jvm"
    overloads = True
    inherits_types = True
    open_packages = True
    functional_interfaces = True
    function_types = True
    no_bare_outside = True
    class_object = "java.lang.Class"
    methods_apart = True
    call_operator = "invoke"
    sees_outer_packages = False
    bare_members = True
    declares_types = True
    constructors_take_functions = True

    @property
    def overload_types(self) -> OverloadTypes:
        return OVERLOAD_TYPES

    def is_package(self, tree: SourceIndex, path: str, name: str) -> bool:
        return name in PACKAGE_ROOTS or tree.starts_package(path, name)

    def is_class_path(self, tree: SourceIndex, module: str, files: Sequence[str]) -> bool:
        return not of_jvm(tree, module)

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        is_outside = name in PACKAGE_ROOTS and not tree.starts_package(path, name)
        return [tree.outside(name)] if is_outside else []

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """The package; in Scala those around it too, and in the object of one, that."""
        package = package_of_object(tree, path) or tree.facts(path).package
        if not package:
            yield self.package_files(tree, path)
        own = set_of(path)
        while package:
            files = of_jvm(tree, package)
            yield (("jvm", package, own), visible_files(own, files)) if own else (("jvm", package), files)
            package = package.rpartition(".")[0] if self.sees_outer_packages else ""

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        """A package; without a name, it is all files of the folder that say none."""
        package = tree.facts(path).package
        if not package:
            files = [one for one in tree.world.folders.get(folder_of(path), ()) if tree.family(one) == self.family]
            return ("jvm", "", folder_of(path)), [file for file in files if not tree.facts(file).package]
        return ("jvm", package), of_jvm(tree, package)


def of_jvm(tree: SourceIndex, package: str) -> list[str]:
    """The files of a package; none, if there is none of this name."""
    return [file for language in _LANGUAGES for file in tree.world.packages.get((language, package), ())]


def package_of_object(tree: SourceIndex, path: str) -> str:
    """The package of a Scala file's package object: by convention, `package.scala` in the package's folder."""
    folder, _, file = path.rpartition("/")
    last = folder.rpartition("/")[2]
    if file != "package.scala" or last not in tree.facts(path).kinds:
        return ""
    around = tree.facts(path).package
    return f"{around}.{last}" if around else last
