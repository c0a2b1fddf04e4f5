"""Methods of containers, by family: those that give an element, and those that give a container of the same."""

from collections.abc import Mapping

GIVING: Mapping[str, frozenset[str]] = {
    "ecma": frozenset("get pop shift at find findLast".split()),
    "rust": frozenset(
        "get get_mut first first_mut last last_mut pop pop_front pop_back front back next next_back nth peek "
        "remove find min max min_by_key max_by_key swap_remove get_unchecked or_insert or_insert_with "
        "or_default entry unwrap expect".split()
    ),
    "jvm": frozenset(
        "get getFirst getLast first last next previous remove removeFirst removeLast poll pollFirst pollLast peek "
        "peekFirst peekLast pop take element elementAt orElse orElseGet orElseThrow getOrDefault computeIfAbsent "
        "getValue call apply join".split()
    ),
    "kotlin": frozenset(
        "get getValue getOrNull getOrElse getOrPut getOrDefault elementAt elementAtOrNull first firstOrNull last "
        "lastOrNull single singleOrNull find findLast next previous peek poll pop remove removeAt removeFirst "
        "removeLast random max min maxBy minBy value".split()
    ),
    "csharp": frozenset(
        "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault Find FindLast "
        "Max Min MaxBy MinBy Aggregate Peek Pop Dequeue GetValueOrDefault GetOrAdd AddOrUpdate FirstAsync "
        "FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync LastAsync".split()
    ),
    "c": frozenset("at back begin cbegin crbegin extract find front lower_bound rbegin top upper_bound".split()),
    "swift": frozenset("first last popLast removeFirst removeLast randomElement min max removeValue".split()),
    "ruby": frozenset("first last pop shift find detect sample fetch dig min_by max_by min max delete_at".split()),
}
# What gives something of whatever type is wanted, in Rust.
MAKING_ANYTHING = frozenset(
    "into try_into parse collect from try_from default deref deref_mut borrow borrow_mut as_ref as_mut "
    "get get_mut next unwrap expect unwrap_or unwrap_or_else unwrap_or_default clone to_owned sum product "
    "fold map and_then take replace lock read write load join recv await iter into_iter new pop "
    "downcast_ref downcast read_dir".split()
)
# And in Kotlin, besides what its containers hold.
OF_KOTLIN = "kotlin."
ANY_OF_KOTLIN = GIVING["kotlin"] | frozenset(
    "let run with use apply also takeIf takeUnless map mapNotNull flatMap fold reduce lazy requireNotNull checkNotNull "
    "getOrThrow runBlocking withContext synchronized async await component1 component2 key first second".split()
)
GIVING_ITSELF = frozenset({"default", "from", "try_from", "from_str", "from_iter"})  # of a type of Rust
# What else containers have, where another name may be one of their elements'.
OTHERS: Mapping[str, frozenset[str]] = {
    "rust": frozenset(
        "len is_empty push push_back push_front insert contains contains_key extend map iter_all keys clear "
        "sort sort_by sort_by_key sort_unstable dedup retain append truncate capacity reserve join concat "
        "to_owned clone enumerate zip fold any all for_each count position flat_map filter_map map_while sum "
        "last_mut windows chunks split_at starts_with ends_with binary_search extend_from_slice swap reverse "
        "resize fill cloned copied is_some is_none range get_or_insert_with unwrap_or_default into_keys "
        "into_values partition find_map rposition max_by min_by product reduce try_for_each try_fold scan "
        "flatten fuse unzip eq ne cmp as_ptr first_key_value".split()
    )
}
SAME: Mapping[str, frozenset[str]] = {
    "ecma": frozenset("filter slice concat reverse sort splice values toSorted toReversed flat".split()),
    "rust": frozenset(
        "iter iter_mut into_iter values values_mut drain filter rev skip take chain peekable collect as_slice "
        "as_mut_slice to_vec step_by skip_while take_while cycle as_ref as_mut by_ref inspect split_off".split()
    ),
    "jvm": frozenset(
        "iterator listIterator stream parallelStream filter sorted distinct limit skip findFirst findAny values "
        "entrySet subList toList min max or".split()
    ),
    "kotlin": frozenset(
        "iterator listIterator filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed "
        "asReversed distinct distinctBy take takeLast takeWhile drop dropLast dropWhile toList toMutableList toSet "
        "toMutableSet toTypedArray asSequence asIterable orEmpty plus minus subList onEach values toMap "
        "toMutableMap filterKeys filterValues shuffled union intersect subtract requireNoNulls stream".split()
    ),
    "csharp": frozenset(
        "Where OrderBy OrderByDescending ThenBy ThenByDescending Reverse Distinct DistinctBy Take TakeLast TakeWhile "
        "Skip SkipLast SkipWhile ToList ToArray ToHashSet AsEnumerable AsQueryable AsReadOnly AsParallel Concat Union "
        "Intersect Except Append Prepend DefaultIfEmpty GetRange FindAll ToImmutableArray ToImmutableList ToListAsync "
        "ToArrayAsync AsSpan AsMemory Slice Include AsNoTracking".split()
    ),
    "swift": frozenset("filter sorted reversed prefix suffix dropFirst dropLast values lazy shuffled".split()),
    "ruby": frozenset("select reject sort sort_by reverse compact uniq to_a filter take drop shuffle values".split()),
}
# What is passed to the functions that they take: elements, in which places.
_ONE, _TWO, _SECOND = ("fn$0$0",), ("fn$0$0", "fn$0$1"), ("fn$0$1",)
LENDING: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ecma": {
        **dict.fromkeys("every filter find findIndex findLast findLastIndex flatMap forEach map some".split(), _ONE),
        **dict.fromkeys("sort toSorted".split(), _TWO),
        **dict.fromkeys("reduce reduceRight".split(), _SECOND),
    },
    "jvm": {
        **dict.fromkeys(
            "forEach forEachOrdered map mapToInt mapToLong mapToDouble flatMap filter peek anyMatch allMatch "
            "noneMatch removeIf replaceAll takeWhile dropWhile ifPresent ifPresentOrElse thenAccept thenApply "
            "thenCompose".split(),
            _ONE,
        ),
        **dict.fromkeys("sort sorted min max".split(), _TWO),
    },
    "csharp": {
        **dict.fromkeys(
            "All Any Average Count DistinctBy Exists Find FindAll FindIndex FindLast First FirstOrDefault ForEach "
            "GroupBy Last LastOrDefault LongCount Max MaxBy Min MinBy OrderBy OrderByDescending RemoveAll RemoveWhere "
            "Select SelectMany Single SingleOrDefault SkipWhile Sum TakeWhile ThenBy ThenByDescending ToDictionary "
            "ToLookup TrueForAll Where".split(),
            _ONE,
        ),
        "Aggregate": _SECOND,
        "Sort": _TWO,
    },
    "swift": {
        **dict.fromkeys(
            "allSatisfy compactMap contains drop dropFirst filter first firstIndex flatMap forEach last map "
            "partition prefix removeAll".split(),
            ("fn$0$0", "fn$last$0"),
        ),
        **dict.fromkeys("max min sort sorted".split(), (*_TWO, "fn$last$0", "fn$last$1")),
        "reduce": ("fn$1$1", "fn$last$1"),
    },
}
# What makes something else of what it is called on, whoever has it.
MAPPING = frozenset(
    "map flatMap flat_map concatMap switchMap mergeMap mapNotNull then thenApply thenCompose reduce fold collect "
    "zip zipWith transform cast groupBy group_by values_list aggregate count exists Select".split()
)
READ_OF_CSHARP = frozenset({"Value", "Current", "Target"})  # what is read of what holds one thing, and is that
SAME_OF_CSHARP = frozenset({"Values"})
# What gives something that .NET's sequences hold, or that is made of it.
OF_SEQUENCES = GIVING["csharp"] | SAME["csharp"] | LENDING["csharp"].keys() | {"Cast", "OfType", "Zip", "Join"}
# All that containers of JavaScript have.
OF_ECMA = (
    frozenset(
        "add clear copyWithin delete difference entries fill forEach has includes indexOf intersection isDisjointFrom "
        "isSubsetOf isSupersetOf join keys lastIndexOf length next push return set size symmetricDifference throw "
        "toLocaleString toSpliced toString union unshift with constructor hasOwnProperty valueOf then catch finally "
        "Symbol".split()
    )
    | GIVING["ecma"]
    | SAME["ecma"]
    | LENDING["ecma"].keys()
)
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
