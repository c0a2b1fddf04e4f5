"""The profiles of C and C++."""

from clew.languages.profile import Language, Visibility, lazy

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

C = Language(
    "c",
    (".c", ".h"),
    "tree_sitter_c",
    queries=("c", "clew.languages.c:plain"),
    readable=lazy("clew.languages.c.shims:readable"),
    wrappers=frozenset({"declaration", "type_definition"}),
    doc_before=frozenset({"comment"}),
    separator="/",
    is_exported=Visibility(private=frozenset({b"static"})).shows,
    preprocessed=True,
    redeclares=True,
    declarators=True,
    nested_paths=True,
    module_files=lazy("clew.languages.c.imports:files_of"),
    this_words=frozenset(),
    super_words=frozenset(),
    by_content=lazy("clew.languages.c.headers:language_of_header"),
    rules="clew.languages.c.rules:CRules",
    services="clew.languages.c.services:FORMS",
    shares_names=True,
    member_arrows=True,
    colon_methods=True,
    declared_apart=True,
    side="c",
    types_first=True,
    bodies_define=True,
    functions_apart=True,
)
CPP = Language(
    "cpp",
    (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".tpp", ".cppm", ".ixx", ".ccm", ".cxxm"),
    "tree_sitter_cpp",
    queries=("c", "clew.languages.c:cpp"),
    readable=lazy("clew.languages.c.shims:readable_cpp"),
    wrappers=frozenset(
        {"declaration", "type_definition", "template_declaration", "field_declaration", "friend_declaration"}
    ),
    doc_before=frozenset({"comment"}),
    separator="/",
    is_exported=lazy("clew.languages.c.cpp:is_exported"),
    preprocessed=True,
    redeclares=True,
    members_in_scope=True,
    large_members=True,
    typed_overloads=True,
    own_types=OWN_TYPES,
    transparent=POINTERS,
    holders=CONTAINERS,
    held_by=lazy("clew.languages.c.cpp:element_type"),
    pointed=lazy("clew.languages.c.cpp:pointee_type"),
    declarators=True,
    nested_paths=True,
    module_files=lazy("clew.languages.c.imports:files_of"),
    this_words=frozenset({"this"}),
    super_words=frozenset(),
    rules="clew.languages.c.rules:CppRules",
    services="clew.languages.c.services:FORMS",
    shares_names=True,
    member_arrows=True,
    bare_colons=True,
    method_values=True,
    colon_methods=True,
    takes_of=lazy("clew.languages.c.signatures:takes_of"),
    typing_of=lazy("clew.languages.c.signatures:typing_of"),
    declared_apart=True,
    side="c",
    types_first=True,
    bodies_define=True,
)
