"""Resolution of names that Java, Kotlin and Scala share."""

from collections.abc import Iterator

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.source_index import SourceIndex
from clew.languages.kotlin.source_sets import set_of, visible_files

_LANGUAGES = ("java", "kotlin", "scala")


class JvmRules(LanguageRules):
    """Files of one package see each other, in whichever of the languages they are."""

    family = "jvm"
    overloads = True
    inherits_types = True
    methods_apart = True
    call_operator = "invoke"
    sees_outer_packages = False
    bare_members = True
    declares_types = True
    constructors_take_functions = True

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
