"""C++: facts that a query cannot extract."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_STATIC = re.compile(rb"\bstatic\b")
_ITERATOR = re.compile(r">\s*::\s*(?:const_)?(?:reverse_)?iterator\b")

# What stands for what it points to, and what holds many.
POINTERS = frozenset("unique_ptr shared_ptr weak_ptr optional reference_wrapper".split())
CONTAINERS = frozenset(
    "vector deque list forward_list array span set multiset unordered_set unordered_multiset queue priority_queue "
    "stack map multimap unordered_map unordered_multimap initializer_list".split()
)

# Types of `std` that hold nothing of a program; `std::move(card)` may be read as one, too.
OWN_TYPES = frozenset(
    """
    string wstring u8string u16string u32string string_view wstring_view u8string_view u16string_view u32string_view
    ios ios_base istream ostream iostream wistream wostream ifstream ofstream fstream wifstream wofstream stringstream
    istringstream ostringstream wstringstream streambuf stringbuf filebuf locale thread jthread mutex recursive_mutex
    timed_mutex shared_mutex shared_timed_mutex condition_variable condition_variable_any once_flag stop_token
    exception logic_error invalid_argument domain_error length_error out_of_range runtime_error range_error
    overflow_error underflow_error system_error bad_alloc bad_cast bad_function_call bad_variant_access error_code
    error_condition error_category exception_ptr regex wregex smatch cmatch random_device mt19937 mt19937_64
    default_random_engine type_info type_index path directory_entry directory_iterator recursive_directory_iterator
    """.split()
)


def element_type(name: str, given: list[str]) -> str:
    """The element type of a container, by its type arguments: for `map<int, Card>`, the value type."""
    return given[1] if "map" in name and len(given) > 1 else given[0]


def pointee_type(text: str) -> str:
    """The element type of an iterator; unchanged, for one that is used like its element."""
    found = _ITERATOR.search(text)
    return text[: found.start() + 1] if found else ""


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    """Static definitions are private to their file, except in a class; so are those of an anonymous namespace."""
    around = node
    while (parent := around.parent) is not None:
        if parent.type == "namespace_definition" and parent.child_by_field_name("name") is None:
            return False
        if parent.type == "field_declaration_list":
            return True
        around = parent
    return _STATIC.search(before) is None
