"""Resolution of names in Kotlin."""

from clew.languages.jvm.rules import JvmRules


class KotlinRules(JvmRules):
    language = "kotlin"
    pair_value = "value"
    reads_are_fields = True
    defaults_left_out = True
