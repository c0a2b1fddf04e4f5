"""Resolution of names in Scala."""

from clew.languages.jvm.rules import JvmRules


class ScalaRules(JvmRules):
    language = "scala"
    implied_calls = True
    reads_containers = True
    call_operator = "apply"
    sees_outer_packages = True
