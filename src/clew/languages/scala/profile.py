"""The profile of Scala."""

from clew.languages.jvm.profile import HIDING, jvm
from clew.languages.profile import TYPE_PATH, ClassTokens, Visibility, lazy

SCALA = jvm(
    "scala",
    (".scala", ".sc"),
    Visibility(private=HIDING, closed=frozenset({"block", "indented_block"})),
    companions=True,
    spelled=lazy("clew.languages.scala.expressions:normalise_expression"),
    rules="clew.languages.scala.rules:ScalaRules",
    services="clew.languages.scala.services:FORMS",
    manifests=("build.sbt",),
    class_tokens=ClassTokens(rf"{TYPE_PATH}\.class"),
    shares_names=True,
    at_types=True,
    method_values=True,
)
