"""C#: types of .NET's own whose members give what their last argument names."""

HOLDERS = frozenset(
    "IEnumerable IAsyncEnumerable IEnumerator ICollection IReadOnlyCollection IList IReadOnlyList List LinkedList ISet "
    "HashSet SortedSet IReadOnlySet Queue Stack ConcurrentQueue ConcurrentStack ConcurrentBag BlockingCollection "
    "Collection ReadOnlyCollection ObservableCollection ImmutableArray ImmutableList ImmutableHashSet IImmutableList "
    "IQueryable IOrderedEnumerable IOrderedQueryable Span ReadOnlySpan Memory ReadOnlyMemory ArraySegment "
    "IDictionary IReadOnlyDictionary Dictionary SortedDictionary SortedList ConcurrentDictionary ImmutableDictionary "
    "FrozenDictionary FrozenSet KeyValuePair Lazy Nullable ThreadLocal AsyncLocal IOptions WeakReference".split()
)
