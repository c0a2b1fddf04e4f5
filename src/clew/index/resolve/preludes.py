"""Built-in names of languages, with their external ids."""

from collections.abc import Mapping

_GO = """
append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte
comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32
uint64 uintptr any
"""
_ECMA = """
AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
Buffer CustomEvent DOMException DataView Date Deno Bun Element Error Event EventTarget File FileReader
FinalizationRegistry
Float32Array Float64Array FormData Function HTMLElement Headers Infinity Int16Array Int32Array Int8Array Intl Iterator
JSON Map Math MessageChannel MutationObserver NaN Node Number Object Promise Proxy RangeError ReadableStream
ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder
TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
WeakRef WeakSet WebAssembly WebSocket Worker WritableStream XMLHttpRequest alert atob btoa cancelAnimationFrame
clearImmediate clearInterval clearTimeout confirm console crypto customElements decodeURI decodeURIComponent document
encodeURI encodeURIComponent escape eval fetch global globalThis history isFinite isNaN localStorage location navigator
parseFloat parseInt performance process prompt queueMicrotask requestAnimationFrame requestIdleCallback self
sessionStorage setImmediate setInterval setTimeout structuredClone undefined unescape window
ReadonlyArray ReadonlyMap ReadonlySet Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters
ReturnType InstanceType Awaited Iterable IterableIterator AsyncIterable AsyncIterator AsyncGenerator Generator
PromiseLike ArrayLike string number boolean bigint symbol void null never
"""
_RUST = """
AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From
FromIterator Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync
ToOwned ToString TryFrom TryInto Unpin Vec drop std core alloc proc_macro test
bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize
assert! assert_eq! assert_ne! cfg! column! compile_error! concat! dbg! debug_assert! debug_assert_eq! debug_assert_ne!
env! eprint! eprintln! file! format! format_args! include! include_bytes! include_str! line! matches! module_path!
option_env! panic! print! println! stringify! thread_local! todo! unimplemented! unreachable! vec! write! writeln!
is_x86_feature_detected! addr_of! addr_of_mut!
"""
_KOTLIN = """
also apply arrayListOf arrayOf arrayOfNulls assert booleanArrayOf buildList buildMap buildSet buildString byteArrayOf
check checkNotNull charArrayOf compareBy compareByDescending doubleArrayOf emptyArray emptyList emptyMap emptySequence
emptySet enumValueOf enumValues error floatArrayOf generateSequence hashMapOf hashSetOf intArrayOf lazy lazyOf let
linkedMapOf linkedSetOf listOf listOfNotNull longArrayOf mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print
println readLine readln repeat require requireNotNull run runCatching sequence sequenceOf setOf setOfNotNull
shortArrayOf sortedMapOf sortedSetOf synchronized takeIf takeUnless to use with TODO
"""
_C = """
abort abs accept access acos asin assert atan atan2 atexit atof atoi atol atoll bind bsearch calloc ceil chmod
clearerr clock close closedir connect cos cosh ctime difftime dup dup2 execl execv execve execvp exit exp fabs fclose
fcntl fdopen feof ferror fflush fgetc fgetpos fgets fileno floor fmod fopen fork fprintf fputc fputs fread free
freopen frexp fscanf fseek fseeko fsetpos fstat fsync ftell ftello ftruncate fwrite getc getchar getcwd getenv getpid
gettimeofday gmtime gmtime_r htonl htons ioctl isalnum isalpha isatty iscntrl isdigit isgraph islower isprint ispunct
isspace isupper isxdigit kill labs ldexp listen localtime localtime_r log log10 log2 longjmp lseek lstat malloc memchr
memcmp memcpy memmove memset mkdir mkstemp mktime mmap modf munmap nanosleep ntohl ntohs offsetof open opendir pause
perror pipe poll pow printf pthread_cond_signal pthread_cond_wait pthread_create pthread_join pthread_mutex_destroy
pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock pthread_self putc putchar puts qsort raise rand read
readdir readlink realloc recv remove rename rewind rmdir round scanf select send setbuf setenv setjmp setsockopt
setvbuf shutdown sigaction signal sin sinh sizeof sleep snprintf socket sprintf sqrt srand sscanf stat strcasecmp
strcat strchr strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy
strndup strnlen strpbrk strrchr strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull
strxfrm symlink sysconf system tan tanh time tmpfile tolower toupper trunc uname ungetc unlink unsetenv usleep va_arg
va_copy va_end va_start vfprintf vprintf vsnprintf vsprintf wait waitpid write
"""
_SCALA = "println print require assert assume identity implicitly locally summon printf readLine ??? sys math"
_RUBY = """
Array Complex Float Hash Integer Rational String __callee__ __dir__ __method__ abort at_exit autoload binding
block_given? caller caller_locations catch eval exec exit exit! fail fork format freeze frozen? gets global_variables
instance_variable_get instance_variable_set is_a? kind_of? lambda load local_variables loop nil? object_id open p pp
print printf proc public_send putc puts raise rand readline readlines require require_relative respond_to? select send
set_trace_func sleep spawn sprintf srand syscall system tap test then throw trap warn yield_self instance_of? dup clone
class method methods hash inspect to_s instance_variables define_singleton_method singleton_class extend itself
Comparable Enumerable Kernel Math Mutex Object Proc Process Queue Random Range Regexp Set Struct Symbol Thread Time
StandardError RuntimeError ArgumentError NoMethodError NotImplementedError IOError KeyError TypeError IndexError
Exception NameError Dir File FileUtils ENV ARGV GC IO Module Class Method BasicObject Enumerator Fiber Marshal
ObjectSpace Signal Data Date DateTime URI JSON YAML ERB Logger StringIO Pathname Tempfile OpenStruct
"""
# What every object has, whatever its class; and what is made is mostly wrapped in Rust: in an Option, a Result, a Box.
_OBJECT = {
    "java": {
        "java.lang.Object": "equals hashCode toString getClass notify notifyAll wait clone finalize",
        "java.lang.Enum": "name ordinal values valueOf compareTo getDeclaringClass",
    },
    "kotlin": {
        "kotlin.Any": "equals hashCode toString let also apply run takeIf takeUnless to javaClass",
        "kotlin.Enum": "name ordinal values valueOf entries compareTo",
        "kotlin.data": "copy component1 component2 component3 component4",
    },
    "scala": {
        "scala.Any": "equals hashCode toString getClass eq ne isInstanceOf asInstanceOf",
        "scala.Product": "copy productIterator productPrefix apply unapply",
    },
    "csharp": {"System.Object": "Equals GetHashCode ToString GetType MemberwiseClone ReferenceEquals"},
    "ruby": {
        "Object": "new class send public_send respond_to? is_a? kind_of? instance_of? nil? tap then freeze frozen? dup "
        "clone inspect to_s hash object_id method methods instance_variable_get instance_variable_set name "
        "define_method instance_eval class_eval instance_exec extend ancestors superclass allocate itself "
        "instance_methods const_get const_set instance_method module_eval"
    },
    "swift": {"Swift.Any": "hash encode allCases rawValue"},
    "rust": {
        "std::any": "into try_into to_string to_owned type_id borrow borrow_mut from try_from clone",
        "std::Option": "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_err expect_err is_some is_none "
        "is_ok is_err ok err map map_err and_then or_else or and as_ref as_mut as_deref as_deref_mut ok_or ok_or_else "
        "cloned copied lock try_lock take replace iter is_some_and is_ok_and map_or map_or_else unwrap_unchecked "
        "downgrade upgrade get_or_insert_with get_mut into_inner deref deref_mut context with_context zip flatten "
        "filter xor insert get_or_init transpose as_ptr",
    },
}
_OF_ECMA_OBJECTS = {
    "builtins.Object": "hasOwnProperty isPrototypeOf toString valueOf toLocaleString propertyIsEnumerable",
    "builtins.Function": "call apply bind",
}
_OBJECT |= dict.fromkeys(("javascript", "typescript", "tsx"), _OF_ECMA_OBJECTS)
_JAVA_LANG = """
AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean
Byte CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException CloneNotSupportedException
Cloneable Comparable Deprecated Double Enum Error Exception ExceptionInInitializerError Float FunctionalInterface
IllegalAccessException IllegalArgumentException IllegalMonitorStateException IllegalStateException
IndexOutOfBoundsException InstantiationException Integer InterruptedException Iterable LinkageError Long Math Module
NegativeArraySizeException NoClassDefFoundError NoSuchFieldException NoSuchMethodError NoSuchMethodException
NullPointerException Number NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder
ProcessHandle Record ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs SecurityException Short
StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder
StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadGroup ThreadLocal Throwable
UnsupportedOperationException VirtualMachineError Void
"""
_CSHARP = """
bool Boolean byte Byte char Char decimal Decimal double Double float Single int Int32 long Int64 object Object
sbyte SByte short Int16 string String uint UInt32 ulong UInt64 ushort UInt16
"""  # each word of the language with the type that it stands for
_SWIFT = "Any AnyObject BitwiseCopyable Copyable Escapable Sendable SendableMetatype"  # that ask for no member
EVERYTHING = {"kotlin": "kotlin.Any", "csharp": "System.Object"}  # what is added to this type, everything has
# What .NET's texts, types, sequences and tasks have, themselves or by `System.Linq`.
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
# Types of .NET that have objects for members: `DateTime.Now`.
OF_OBJECTS = [
    [name] for name in "CultureInfo DateTime DateTimeOffset Encoding Environment Guid String TimeSpan".split()
]
# What C# adds to types outside, by their last names: files name these by what they use, which may be one of several.
ADDED = "csharp "  # and a type's last name; alone, what is added to any
# Types that every object is of: they tell nothing of what it has.
UNIVERSAL = frozenset("java.lang.Object kotlin.Any scala.Any scala.AnyRef System.Object System.object".split()) | {
    f"Swift.{name}" for name in _SWIFT.split()
}
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
PACKAGE_ROOTS = frozenset("java javax jakarta kotlin kotlinx scala android androidx org com".split())
# What a derive gives a type, by the trait.
DERIVED: Mapping[str, tuple[str, ...]] = {
    "Clone": ("clone", "clone_from"),
    "Default": ("default",),
    "Debug": ("fmt",),
    "PartialEq": ("eq", "ne"),
    "PartialOrd": ("partial_cmp", "lt", "le", "gt", "ge"),
    "Ord": ("cmp", "max", "min", "clamp"),
    "Hash": ("hash",),
}
# What Rust's own traits have, of those that have no more: a type that implements one has nothing else from it.
CLOSED: Mapping[str, frozenset[str]] = {
    **{trait: frozenset(methods) for trait, methods in DERIVED.items()},
    **dict.fromkeys("Sized Send Sync Copy Eq Unpin UnwindSafe RefUnwindSafe Termination".split(), frozenset[str]()),
    "From": frozenset({"from"}),
    "Into": frozenset({"into"}),
    "TryFrom": frozenset({"try_from"}),
    "TryInto": frozenset({"try_into"}),
    "AsRef": frozenset({"as_ref"}),
    "AsMut": frozenset({"as_mut"}),
    "Borrow": frozenset({"borrow"}),
    "Deref": frozenset({"deref"}),
    "DerefMut": frozenset({"deref_mut"}),
    "Drop": frozenset({"drop"}),
    "Display": frozenset({"fmt", "to_string"}),
    "FromStr": frozenset({"from_str"}),
    "FromIterator": frozenset({"from_iter"}),
    "IntoIterator": frozenset({"into_iter"}),
    "Any": frozenset({"type_id"}),
}


def _by_name(prefix: str, names: str) -> Mapping[str, str]:
    return {name: f"{prefix}{name}" for name in names.split()}


def _pairs(prefix: str, names: str) -> Mapping[str, str]:
    words, types = names.split()[::2], names.split()[1::2]
    return {
        name: f"{prefix}{type_}" for name, type_ in (*zip(words, types, strict=True), *zip(types, types, strict=True))
    }


_OF_ECMA = _by_name("builtins.", _ECMA)
PRELUDES: Mapping[str, Mapping[str, str]] = {
    "go": _by_name("builtins.", _GO),
    "javascript": _OF_ECMA,
    "typescript": _OF_ECMA,
    "tsx": _OF_ECMA,
    "rust": {name: name if name in ("std", "core", "alloc") else f"std::{name}" for name in _RUST.split()},
    "java": _by_name("java.lang.", _JAVA_LANG),
    "kotlin": _by_name("kotlin.", _KOTLIN),
    "scala": _by_name("scala.", _SCALA),
    "swift": _by_name("Swift.", _SWIFT),
    "ruby": _by_name("Kernel.", _RUBY),
    "c": _by_name("libc.", _C),
    "cpp": _by_name("libc.", _C),
    "csharp": _pairs("System.", _CSHARP),
}
# Where types that no file of the tree binds are from, when no import tells; those of Java are of the package then.
TYPES: Mapping[str, str] = {
    "java": "",
    "kotlin": "kotlin.",
    "scala": "scala.",
    "csharp": "System.",
    "swift": "Swift.",
}
OBJECTS: Mapping[str, Mapping[str, str]] = {
    language: {member: f"{holder}.{member}" for holder, members in table.items() for member in members.split()}
    for language, table in _OBJECT.items()
}
