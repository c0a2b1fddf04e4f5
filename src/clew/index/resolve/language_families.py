"""Languages that are looked up alike go by one name; Python, for which the resolver was made first, goes by none."""

from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    "javascript": "ecma",
    "typescript": "ecma",
    "tsx": "ecma",
    "go": "go",
    "rust": "rust",
    "java": "jvm",
    "kotlin": "jvm",
    "scala": "jvm",
    "csharp": "csharp",
    "c": "c",
    "cpp": "c",
    "swift": "swift",
    "php": "php",
    "ruby": "ruby",
    "bash": "bash",
}
# What stands between a module and a name in it, where that is no dot.
JOINTS: Mapping[str, str] = {"rust": "::", "php": "\\"}
# Languages in which a module's name may mean another file in each file.
SEEN_FROM_FILES = frozenset({"rust", "go", "javascript", "typescript", "tsx"})
REEXPORTING = frozenset({"ecma", "rust", "c", "bash"})  # what a file takes all of, it offers too
IMPLIED_CALLS = frozenset({"ruby", "scala"})  # languages: `card.bank.open` calls bank
OVERLOADING = frozenset({"jvm", "csharp", "swift", "c"})  # a name may have several definitions, by what they take
INHERITED_CONSTRUCTORS = frozenset({"ecma", "php", "ruby", "swift"})
INHERITED_TYPES = frozenset({"jvm", "csharp", "swift", "ruby"})  # what stands in a class goes by its name in heirs
UNTYPED = frozenset({"javascript", "ruby", "php"})  # languages in which a class may count on what only its heirs have
# What a class lacks that a value is told to be of, it has by one of its heirs: `this` of a builder, `T extends Card`.
CASTING = frozenset({"typescript", "tsx", "java", "csharp"})
APART = frozenset({"rust", "jvm", "php", "ruby"})  # a method and a field may have one name: its use tells which
# The method that is called when an object is.
CALLED: Mapping[str, str] = {
    "scala": "apply",
    "jvm": "invoke",
    "c": "operator()",
    "php": "__invoke",
    "swift": "callAsFunction",
}
