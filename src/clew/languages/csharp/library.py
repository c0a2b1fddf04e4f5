"""The library of C#: .NET."""

from clew.languages.library import BOTH, FIRST, SECOND, Library, full_members, paired_names

_CSHARP = """
bool Boolean byte Byte char Char decimal Decimal double Double float Single int Int32 long Int64 object Object
sbyte SByte short Int16 string String uint UInt32 ulong UInt64 ushort UInt16
"""  # each word of the language with the type that it stands for
_GIVING = frozenset(
    "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault Find FindLast "
    "Max Min MaxBy MinBy Aggregate Peek Pop Dequeue GetValueOrDefault GetOrAdd AddOrUpdate FirstAsync "
    "FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync LastAsync".split()
)
_SAME = frozenset(
    "Where OrderBy OrderByDescending ThenBy ThenByDescending Reverse Distinct DistinctBy Take TakeLast TakeWhile "
    "Skip SkipLast SkipWhile ToList ToArray ToHashSet AsEnumerable AsQueryable AsReadOnly AsParallel Concat Union "
    "Intersect Except Append Prepend DefaultIfEmpty GetRange FindAll ToImmutableArray ToImmutableList ToListAsync "
    "ToArrayAsync AsSpan AsMemory Slice Include AsNoTracking".split()
)
_LENDING = {
    **dict.fromkeys(
        "All Any Average Count DistinctBy Exists Find FindAll FindIndex FindLast First FirstOrDefault ForEach "
        "GroupBy Last LastOrDefault LongCount Max MaxBy Min MinBy OrderBy OrderByDescending RemoveAll RemoveWhere "
        "Select SelectMany Single SingleOrDefault SkipWhile Sum TakeWhile ThenBy ThenByDescending ToDictionary "
        "ToLookup TrueForAll Where".split(),
        FIRST,
    ),
    "Aggregate": SECOND,
    "Sort": BOTH,
}
# Of texts, types, sequences and tasks, themselves or by `System.Linq`.
OF_DOTNET = frozenset(
    """
    Add AddRange Aggregate All Any Append Average Cast Clear Clone Close CompareTo Concat ConfigureAwait Contains
    ContainsKey CopyTo Count DefaultIfEmpty Dispose Distinct ElementAt ElementAtOrDefault EndsWith Equals Except First
    FirstOrDefault Flush Format GetAwaiter GetConstructor GetConstructors GetCustomAttributes GetEnumerator GetField
    GetFields GetGenericArguments GetGetMethod GetHashCode GetInterfaces GetMember GetMembers GetMethod GetMethods
    GetProperties GetProperty GetSetMethod GetType GetValue GroupBy GroupJoin IndexOf Insert Intersect Invoke
    IsAssignableFrom IsDefined IsInstanceOfType IsSubclassOf Join Last LastIndexOf LastOrDefault LongCount Max Min
    MoveNext OfType OrderBy OrderByDescending PadLeft PadRight Prepend Read Remove RemoveAt Replace Reverse Select
    SelectMany SequenceEqual SetValue Single SingleOrDefault Skip SkipWhile Sort Split StartsWith Substring Sum Take
    TakeWhile ThenBy ThenByDescending ToArray ToCharArray ToDictionary ToList ToLookup ToLower ToLowerInvariant ToString
    ToUpper ToUpperInvariant Trim TrimEnd TrimStart TryGetValue Union Wait Where Write WriteLine Zip
    """.split()
)
# Types that have objects for members: `DateTime.Now`.
OF_OBJECTS = [
    [name] for name in "CultureInfo DateTime DateTimeOffset Encoding Environment Guid String TimeSpan".split()
]
READ_OF_HOLDERS = frozenset({"Value", "Current", "Target"})  # members of a holder of one thing that are that thing
SAME_OF_HOLDERS = frozenset({"Values"})
# These give an element of a sequence, or what is made of it.
OF_SEQUENCES = _GIVING | _SAME | _LENDING.keys() | {"Cast", "OfType", "Zip", "Join"}
NAMES = paired_names("System.", _CSHARP)
LIBRARY = Library(
    names=NAMES,
    types_from="System.",
    members=full_members({"System.Object": "Equals GetHashCode ToString GetType MemberwiseClone ReferenceEquals"}),
    everything="System.Object",
    universal=frozenset({"System.Object", "System.object"}),
    giving=_GIVING,
    same=_SAME,
    lending=_LENDING,
)
