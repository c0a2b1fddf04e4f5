"""The profile of Java."""

from clew.languages.jvm.profile import DECLARED_PUBLIC, jvm
from clew.languages.profile import TYPE_PATH, ClassTokens, lazy

# Types of Java's own whose methods give what their last argument names.
_HOLDING = frozenset(
    "Iterable Iterator ListIterator Collection List ArrayList LinkedList CopyOnWriteArrayList Vector Stack Set HashSet "
    "LinkedHashSet TreeSet SortedSet NavigableSet Queue Deque ArrayDeque PriorityQueue BlockingQueue Map HashMap "
    "LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap EnumMap IdentityHashMap WeakHashMap "
    "Entry Optional Stream Supplier Callable Function BiFunction UnaryOperator BinaryOperator Future CompletableFuture "
    "AtomicReference ThreadLocal WeakReference SoftReference".split()
)

_HANDING = frozenset(
    {
        "java.util.Objects.requireNonNull",
        "Objects.requireNonNull",
        "org.mockito.Mockito.verify",
        "org.mockito.Mockito.spy",
    }
)


def normalise_expression(text: str) -> str:
    """`card.new Line` makes a member of the class of the card."""
    return text.replace(".new ", ".")


JAVA = jvm(
    "java",
    (".java",),
    DECLARED_PUBLIC,
    annotations=frozenset({"annotation", "marker_annotation"}),
    implicit=frozenset(),
    typed_overloads=True,
    holders=_HOLDING,
    handing=_HANDING,
    spelled=normalise_expression,
    bindings_of=lazy("clew.languages.java.closures:untyped_parameters"),
    callbacks_of=lazy("clew.languages.java.closures:callback_types"),
    readable=lazy("clew.languages.java.shims:readable"),
    rules="clew.languages.java.rules:JavaRules",
    services="clew.languages.java.services:FORMS",
    manifests=("pom.xml", "build.gradle"),
    class_tokens=ClassTokens(rf"{TYPE_PATH}\.class"),
    shares_names=True,
    at_types=True,
    colon_methods=True,
    shown_by_word=True,
    imported_holders=True,
    holder_modules=("java.", "kotlin."),
    own_holders=frozenset({"Iterable", "ThreadLocal"}),
    typing_of=lazy("clew.languages.java.typing:typing_of"),
    types_first=True,
)
