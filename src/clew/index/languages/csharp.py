"""C#: .NET types with members that return their last type argument."""

HOLDERS = frozenset(
    "IEnumerable IAsyncEnumerable IEnumerator ICollection IReadOnlyCollection IList IReadOnlyList List LinkedList ISet "
    "HashSet SortedSet IReadOnlySet Queue Stack ConcurrentQueue ConcurrentStack ConcurrentBag BlockingCollection "
    "Collection ReadOnlyCollection ObservableCollection ImmutableArray ImmutableList ImmutableHashSet IImmutableList "
    "IQueryable IOrderedEnumerable IOrderedQueryable Span ReadOnlySpan Memory ReadOnlyMemory ArraySegment "
    "IDictionary IReadOnlyDictionary Dictionary SortedDictionary SortedList ConcurrentDictionary ImmutableDictionary "
    "FrozenDictionary FrozenSet KeyValuePair Lazy Nullable ThreadLocal AsyncLocal IOptions WeakReference".split()
)
