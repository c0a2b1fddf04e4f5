"""The profile of Kotlin."""

from clew.languages.jvm.profile import HIDING, jvm
from clew.languages.profile import TYPE_PATH, ClassTokens, Visibility, lazy

HOLDERS = frozenset(
    "Iterable MutableIterable Collection MutableCollection List MutableList ArrayList Set MutableSet HashSet "
    "LinkedHashSet Map MutableMap HashMap LinkedHashMap SortedMap Sequence Array Iterator MutableIterator "
    "ListIterator ArrayDeque Deque Queue Stack LinkedList Flow StateFlow Lazy".split()
)
_FACTORY = r"((?:[A-Z]\w*\.)*[A-Z]\w*[a-z]\w*)\s*(?:<[^()]*>\s*)?(?=\()"

KOTLIN = jvm(
    "kotlin",
    (".kt", ".kts"),
    Visibility(private=HIDING, closed=frozenset({"block", "lambda_literal"})),
    every_type="Any",
    typed_overloads=True,
    holders=HOLDERS,
    callbacks_of=lazy("clew.languages.kotlin.closures:callback_types"),
    spelled=lazy("clew.languages.kotlin.expressions:normalise_expression"),
    either=lazy("clew.languages.kotlin.expressions:branch_expressions"),
    literal_type=lazy("clew.languages.kotlin.expressions:literal_type"),
    readable=lazy("clew.languages.kotlin.shims:readable"),
    rules="clew.languages.kotlin.rules:KotlinRules",
    services="clew.languages.kotlin.services:FORMS",
    manifests=("build.gradle.kts",),
    class_tokens=ClassTokens(rf"{TYPE_PATH}::class(?:\.java\w*)?", "<", _FACTORY, blocks=True),
    shares_names=True,
    at_types=True,
    bare_colons=True,
    colon_methods=True,
    nests_comments=True,
    inner_receivers=True,
    holder_modules=("java.", "kotlin."),
    narrowings_of=lazy("clew.languages.kotlin.lambdas:narrowings_of"),
    typing_of=lazy("clew.languages.kotlin.typing:typing_of"),
    own_calls=r"component\d+",
    opening_words=frozenset({"expect", "actual"}),
)
