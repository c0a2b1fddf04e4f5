"""The library of Python, as far as it is known to lack members."""

from collections.abc import Mapping

from clew.languages.library import Library

# Of Python: what has no members that anybody would ask for, and bases that bring nothing but what every object has.
MEMBERLESS = frozenset(f"builtins.{name}" for name in "NotImplemented None True False Ellipsis".split())
BARE_BASES = frozenset("builtins.object abc.ABC typing.Generic typing.Protocol typing_extensions.Protocol".split())
CONTAINERS = frozenset(f"builtins.{name}" for name in "list tuple dict set frozenset".split()) | frozenset(
    f"collections.{name}" for name in "deque defaultdict OrderedDict Counter".split()
)
GIVING_TEXT = frozenset(f"builtins.{name}" for name in "repr ascii bin hex oct chr format input".split())
OF_BASES: Mapping[str, frozenset[str]] = {  # what others bring
    "typing.NamedTuple": frozenset("count index _asdict _replace _make _fields _field_defaults".split()),
    **dict.fromkeys(
        ("enum.Enum", "enum.Flag"),
        frozenset("name value _name_ _value_ _missing_ _generate_next_value_ _ignore_ _order_ _sort_order_".split()),
    ),
}
# All that a text of Python and its own containers have, but for names between underlines: other names are not theirs.
OF_PYTHON = frozenset(
    "append appendleft clear copy count difference difference_update discard elements extend extendleft fromkeys get "
    "index insert intersection intersection_update isdisjoint issubset issuperset items keys maxlen most_common "
    "move_to_end pop popitem popleft remove reverse rotate setdefault sort subtract symmetric_difference "
    "symmetric_difference_update total union update values add send throw close default_factory asend athrow aclose "
    "gi_code gi_frame gi_running gi_yieldfrom".split()
)
OF_TEXT = frozenset(
    "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii "
    "isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip "
    "maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
    "splitlines startswith strip swapcase title translate upper zfill".split()
)
_OF_METACLASSES = frozenset({"mro", "register"})
_TEXT = "builtins.str"
LIBRARY = Library(container_members=OF_PYTHON)


def lacks(base: str, name: str) -> bool:
    """Whether a class of the library is known not to have a member."""
    if name.startswith("__") or name in _OF_METACLASSES:
        return False
    if base in BARE_BASES:
        return True
    return name not in (OF_TEXT if base == _TEXT else OF_PYTHON if base in CONTAINERS else OF_BASES.get(base, (name,)))
