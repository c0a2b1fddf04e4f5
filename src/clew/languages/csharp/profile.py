"""The profile of C#."""

from clew.languages.jvm.profile import DECLARED_PUBLIC
from clew.languages.profile import TYPE_PATH, ClassTokens, Language, lazy

# .NET types with members that return their last type argument.
HOLDERS = frozenset(
    "IEnumerable IAsyncEnumerable IEnumerator ICollection IReadOnlyCollection IList IReadOnlyList List LinkedList ISet "
    "HashSet SortedSet IReadOnlySet Queue Stack ConcurrentQueue ConcurrentStack ConcurrentBag BlockingCollection "
    "Collection ReadOnlyCollection ObservableCollection ImmutableArray ImmutableList ImmutableHashSet IImmutableList "
    "IQueryable IOrderedEnumerable IOrderedQueryable Span ReadOnlySpan Memory ReadOnlyMemory ArraySegment "
    "IDictionary IReadOnlyDictionary Dictionary SortedDictionary SortedList ConcurrentDictionary ImmutableDictionary "
    "FrozenDictionary FrozenSet KeyValuePair Lazy Nullable ThreadLocal AsyncLocal IOptions WeakReference".split()
)

CSHARP = Language(
    "csharp",
    (".cs",),
    "tree_sitter_c_sharp",
    queries=("csharp",),
    doc_before=frozenset({"comment"}),
    imports_things=True,
    members_in_scope=True,
    large_members=True,
    this_words=frozenset({"this"}),
    super_words=frozenset({"base"}),
    implicit=frozenset({"value", "_"}),
    is_exported=DECLARED_PUBLIC.shows,
    string="String",
    every_type="Object",
    typed_overloads=True,
    typing_of=lazy("clew.languages.csharp.typing:typing_of"),
    parted_overloads=True,
    holders=HOLDERS,
    module_files=lazy("clew.languages.csharp.imports:files_of"),
    bindings_of=lazy("clew.languages.csharp.closures:untyped_parameters"),
    callbacks_of=lazy("clew.languages.csharp.closures:callback_types"),
    class_tokens=ClassTokens(rf"typeof\(\s*{TYPE_PATH}\s*\)", "<"),
    readable=lazy("clew.languages.csharp.shims:readable"),
    annotations=frozenset({"attribute_list"}),
    rules="clew.languages.csharp.rules:CSharpRules",
    services="clew.languages.csharp.services:FORMS",
    manifests=(".csproj",),
    shares_names=True,
    method_values=True,
    shown_by_word=True,
    reopens_classes=True,
    own_calls="Main|Deconstruct|GetEnumerator",
    opening_words=frozenset({"partial"}),
    types_first=True,
)
