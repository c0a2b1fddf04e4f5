"""Resolution of names in Scala."""

from clew.index.resolve.abstract_values import Found
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.languages.jvm.rules import JvmRules
from clew.languages.scala.library import LIBRARY
from clew.languages.scala.packages import PackageObjects, star_import


class ScalaRules(JvmRules):
    language = "scala"
    library = LIBRARY
    implied_calls = True
    reads_containers = True
    call_operator = "apply"
    sees_outer_packages = True
    companions = True
    passes_results_on = True
    imports_own_members = True  # of an object

    def surrounding_members(self, scope: CrossFileScope, path: str, name: str) -> Found:
        return [*scope.language_index(PackageObjects).around(path, name)]

    def package_members(self, scope: CrossFileScope, package: str, name: str) -> Found:
        return [*scope.language_index(PackageObjects).member(package, name)]

    def star_import(self, scope: CrossFileScope, path: str, star: str, name: str) -> Found:
        return star_import(scope, path, star, name)
