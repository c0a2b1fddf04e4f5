"""Entry points: why external code may call a symbol without callers: a framework, a test runner, the language.

Based only on the symbol itself: its decorators, base classes and name.
"""

import re

from clew.graph.elements import Element
from clew.graph.possible_callers import Look, above
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.words import CLASSES, Kind
from clew.text.paths import is_test_path

MOST = 3  # of each reason, that are told
RUN = "a test, which a runner calls"

_DECORATOR = re.compile(r"[\w.:]+")
# What only marks or wraps a thing, and gives it to nobody who would call it by another way than its name.
_MARKS = frozenset(
    "staticmethod classmethod property setter getter deleter cached_property abstractmethod overload final "
    "wraps contextmanager asynccontextmanager lru_cache cache dataclass total_ordering no_type_check deprecated "
    "suppresswarnings safevarargs functionalinterface nullable nonnull notnull visiblefortesting checkreturnvalue "
    "canignorereturnvalue jvmstatic jvmoverloads jvmfield jvmname suppress publishedapi throws optin tailrec nowarn "
    "obsolete methodimpl conditional debuggerstepthrough compilergenerated pure returntypewillchange "
    "discardableresult available inlinable usablefrominline mainactor "
    "inline must_use allow warn deny expect cfg cfg_attr doc derive cold track_caller non_exhaustive repr".split()
)
_OVERRIDING = re.compile(r"override", re.IGNORECASE)
_HIDDEN = re.compile(r"\bprivate\b|(?<!\w)#\w")
_TEST = re.compile(r"(?:test|Test|Benchmark|Fuzz|Example)(?![a-z])")
_OF_ECMA = re.compile(r"toString|toJSON|valueOf|\[Symbol\.\w+\]")
# Names by which languages call things themselves; in all of them programs begin with `main`.
_ITS_OWN = {
    "python": re.compile(r"__\w+__"),
    "php": re.compile(r"__\w+"),
    "go": re.compile("init"),
    "csharp": re.compile("Main|Deconstruct|GetEnumerator"),
    "kotlin": re.compile(r"component\d+"),
    "ruby": re.compile(
        r"to_s|to_str|inspect|hash|eql\?|coerce|method_missing|respond_to_missing\?|inherited|included|extended|prepended"
    ),
    "javascript": _OF_ECMA,
    "typescript": _OF_ECMA,
    "tsx": _OF_ECMA,
}
_BY_SHAPE = frozenset({"go"})  # languages where nothing says what a type implements
_SAID_TO_BE_PUBLIC = {"rust": re.compile(r"\s*pub\b")}  # what a trait asks for is not


def reasons(look: Look, element: Element) -> tuple[str, ...]:
    """In plain words, the surest first; none if nothing speaks for it."""
    found = (*_by_decorators(element), *_called_so(element), *_by_override(element), *_by_base_classes(look, element))
    return found or (("it is exported",) if element.exported else ())


def _by_decorators(element: Element) -> list[str]:
    names = [one.group() for text in element.decorators if (one := _DECORATOR.search(text))]
    given = [one for one in names if re.split("[.:]", one)[-1].lower() not in _MARKS and not _OVERRIDING.fullmatch(one)]
    return [f"decorated with {one}" for one in given[:MOST]]


def _called_so(element: Element) -> list[str]:
    """By its name."""
    name = element.name.rpartition(".")[2]
    if name == "main" or ((own := _ITS_OWN.get(element.language)) and own.fullmatch(name)):
        return ["the language calls it by this name"]
    is_test = _TEST.match(name) and is_test_path(element.path)
    return [RUN] if is_test else []


def _by_override(element: Element) -> list[str]:
    marks = (*element.decorators, *(word for word in element.signature.partition("(")[0].split()))
    return ["it overrides something"] if any(_OVERRIDING.fullmatch(one) for one in marks) else []


def _by_base_classes(look: Look, element: Element) -> list[str]:
    """External base classes of its class or of itself."""
    if element.kind is Kind.METHOD:
        holder = element.id.rpartition(SCOPE)[0]
        public = _SAID_TO_BE_PUBLIC.get(element.language)
        if _HIDDEN.search(element.signature) or (public and public.match(element.signature)):
            return []
        if element.language in _BY_SHAPE:
            return ["an interface may ask for it"] * bool(element.exported)
    elif element.kind in CLASSES:
        holder = element.id
    else:
        return []
    outer = [one.removeprefix(EXTERNAL) for one in above(look, holder) if one.startswith(EXTERNAL)]
    strange = [one for one in outer if not one.startswith("builtins.")]
    name = split_id(holder)[1].rpartition(SCOPE)[2]
    return [f"{name} extends {' and '.join(strange[:MOST])}"] if strange else []
