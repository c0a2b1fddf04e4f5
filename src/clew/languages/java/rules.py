"""Resolution of names in Java."""

from clew.languages.jvm.rules import JvmRules


class JavaRules(JvmRules):
    language = "java"
    casts = True
    reads_are_fields = True
    inherits_overloads = True
