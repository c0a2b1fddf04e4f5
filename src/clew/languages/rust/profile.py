"""The profile of Rust."""

from clew.languages.profile import ClassTokens, Language, lazy

CONTAINERS = frozenset(
    "Vec VecDeque LinkedList HashMap BTreeMap HashSet BTreeSet BinaryHeap IndexMap IndexSet SmallVec ArrayVec "
    "FxHashMap FxHashSet AHashMap AHashSet DashMap Iterator IntoIterator DoubleEndedIterator Peekable".split()
)
# Types that offer what their first argument does, or nearly; methods that hand on what they are called on.
TRANSPARENT = frozenset(
    "Option Result Box Rc Arc Cow RefCell Cell Mutex RwLock Pin Ref RefMut MutexGuard OnceCell OnceLock LazyLock "
    "Lazy Weak ManuallyDrop Wrapping "
    "clone cloned unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked as_ref as_mut as_deref "
    "as_deref_mut borrow borrow_mut lock to_owned ok ok_or ok_or_else map_err await by_ref context with_context".split()
)
STANDING = frozenset("AsRef AsMut Borrow BorrowMut Future IntoFuture".split())
TARGET = "Target"  # what can be taken for what: `impl Deref for Guard { type Target = Card; }`
# A test by its attributes. Read once only: rows of slashes would take for ever.
INLINE_TESTS = rb"\s*+(?:(?://[^\n]*+|#\[[^\]]*+\])\s*+)*?#\[(?:\w+::)*+(?:test|rstest|test_case)\b"

RUST = Language(
    "rust",
    (".rs",),
    "tree_sitter_rust",
    queries=("rust",),
    doc_before=frozenset({"line_comment", "block_comment"}),
    leading=frozenset({"attribute_item"}),
    is_exported=lazy("clew.languages.rust.items:is_exported"),
    imports_of=lazy("clew.languages.rust.items:imports_of"),
    readable=lazy("clew.languages.rust.items:readable"),
    separator="::",
    submodules="::",
    this_words=frozenset({"self", "Self"}),
    super_words=frozenset(),
    module_roots=frozenset({"crate", "super"}),
    rebinds=True,
    target=TARGET,
    module_files=lazy("clew.languages.rust.imports:files_of"),
    bindings_of=lazy("clew.languages.rust.patterns:pattern_bindings"),
    callbacks_of=lazy("clew.languages.rust.patterns:callback_types"),
    own_fields_of=lazy("clew.languages.rust.patterns:fields_of"),
    macro_result=lazy("clew.languages.rust.items:macro_result"),
    results_of=lazy("clew.languages.rust.patterns:results_of"),
    containers=CONTAINERS,
    transparent=TRANSPARENT,
    standing=STANDING,
    class_tokens=ClassTokens(bracket="<"),
    rules="clew.languages.rust.rules:RustRules",
    services="clew.languages.rust.services:FORMS",
    inline_tests=INLINE_TESTS,
    manifests=("Cargo.toml",),
    bare_members=False,
    shown_by_word=True,
    trait_mark=r"\s*pub\b",
    destructures=True,
    functions_apart=True,
)
