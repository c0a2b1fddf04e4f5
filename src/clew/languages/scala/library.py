"""The library of Scala."""

from clew.languages.jvm.library import GIVING, LENDING, METHODS, SAME
from clew.languages.library import Library, full_members, full_names

_SCALA = "println print require assert assume identity implicitly locally summon printf readLine ??? sys math"
LIBRARY = Library(
    names=full_names("scala.", _SCALA),
    types_from="scala.",
    members=full_members(
        {
            "scala.Any": "equals hashCode toString getClass eq ne isInstanceOf asInstanceOf",
            "scala.Product": "copy productIterator productPrefix apply unapply",
        }
    ),
    universal=frozenset({"scala.Any", "scala.AnyRef"}),
    methods=METHODS,
    giving=GIVING,
    same=SAME,
    lending=LENDING,
)
