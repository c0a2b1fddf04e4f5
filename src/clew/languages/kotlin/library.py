"""The library of Kotlin."""

from clew.languages.jvm.library import LENDING, METHODS, PACKAGE_ROOTS
from clew.languages.library import Library, full_members, full_names

_KOTLIN = """
also apply arrayListOf arrayOf arrayOfNulls assert booleanArrayOf buildList buildMap buildSet buildString byteArrayOf
check checkNotNull charArrayOf compareBy compareByDescending doubleArrayOf emptyArray emptyList emptyMap emptySequence
emptySet enumValueOf enumValues error floatArrayOf generateSequence hashMapOf hashSetOf intArrayOf lazy lazyOf let
linkedMapOf linkedSetOf listOf listOfNotNull longArrayOf mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print
println readLine readln repeat require requireNotNull run runCatching sequence sequenceOf setOf setOfNotNull
shortArrayOf sortedMapOf sortedSetOf synchronized takeIf takeUnless to use with TODO
"""
PREFIX = "kotlin."
GIVING = frozenset(
    "get getValue getOrNull getOrElse getOrPut getOrDefault elementAt elementAtOrNull first firstOrNull last "
    "lastOrNull single singleOrNull find findLast next previous peek poll pop remove removeAt removeFirst "
    "removeLast random max min maxBy minBy value".split()
)
SAME = frozenset(
    "iterator listIterator filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed "
    "asReversed distinct distinctBy take takeLast takeWhile drop dropLast dropWhile toList toMutableList toSet "
    "toMutableSet toTypedArray asSequence asIterable orEmpty plus minus subList onEach values toMap "
    "toMutableMap filterKeys filterValues shuffled union intersect subtract requireNoNulls stream".split()
)
# May give anything, besides elements of containers.
GIVING_ANYTHING = GIVING | frozenset(
    "let run with use apply also takeIf takeUnless map mapNotNull flatMap fold reduce lazy requireNotNull checkNotNull "
    "getOrThrow runBlocking withContext synchronized async await component1 component2 key first second".split()
)
# Supertypes of the library's types, so that an extension of a collection applies to every list.
_ABOVE = {
    "MutableList": "List MutableCollection Collection MutableIterable Iterable",
    "ArrayList": "MutableList List MutableCollection Collection MutableIterable Iterable",
    "List": "Collection Iterable",
    "MutableSet": "Set MutableCollection Collection MutableIterable Iterable",
    "HashSet": "MutableSet Set MutableCollection Collection MutableIterable Iterable",
    "LinkedHashSet": "MutableSet Set MutableCollection Collection MutableIterable Iterable",
    "Set": "Collection Iterable",
    "MutableCollection": "Collection MutableIterable Iterable",
    "Collection": "Iterable",
    "MutableMap": "Map",
    "HashMap": "MutableMap Map",
    "LinkedHashMap": "MutableMap Map",
    "String": "CharSequence Comparable",
    "StringBuilder": "CharSequence Appendable",
    **dict.fromkeys("Int Long Short Byte Double Float".split(), "Number Comparable"),
}
_ROOT = "kotlin.Any"
_PACKAGES = ("java.util", "java.lang")
LIBRARY = Library(
    names=full_names(PREFIX, _KOTLIN),
    types_from=PREFIX,
    members=full_members(
        {
            "kotlin.Any": "equals hashCode toString let also apply run takeIf takeUnless to javaClass",
            "kotlin.Enum": "name ordinal values valueOf entries compareTo",
            "kotlin.data": "copy component1 component2 component3 component4",
        }
    ),
    everything=_ROOT,
    universal=frozenset({_ROOT}),
    methods=METHODS,
    giving=GIVING,
    same=SAME,
    lending=LENDING,
    vague_results=(((PREFIX,), GIVING_ANYTHING),),
)


def supertypes(path: str) -> list[str]:
    """The supertypes of an external type of Java or Kotlin, by its full name."""
    package, _, name = path.rpartition(".")
    above = [f"{PREFIX}{one}" for one in _ABOVE.get(name, "").split()] if package in ("kotlin", *_PACKAGES) else []
    above += [f"{PREFIX}{name}"] if package in _PACKAGES else []
    is_of_jvm = path.partition(".")[0] in PACKAGE_ROOTS and path != _ROOT
    return [*above, _ROOT] if is_of_jvm else []
