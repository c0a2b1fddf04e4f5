"""The library of Go."""

from clew.languages.library import Library, full_names

_GO = """
append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte
comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32
uint64 uintptr any
"""
_METHODS = frozenset(
    """
Abs AddDate Addr After Before Bytes CanInterface CanSet Cap Context Cookie Cookies Day Deadline Elem Err Field
FieldByName FindStringSubmatch FormValue Format Header Hostname Hour Index Interface IsNil IsValid IsZero Kind
LoadOrStore MapIndex MapKeys MatchString Method Microseconds Milliseconds Minute Minutes Month NumField NumMethod
ParseForm PathValue Port ReadByte ReadFrom ReadRune ReadString ReplaceAllString Round Scan Second Seconds Seek Since
Store Sub Swap Tag Text Truncate TryLock Type Unix UnixMilli UnixNano Unwrap UserAgent Weekday WriteByte WriteHeader
WriteRune WriteString WriteTo Year
    """.split()
)
LIBRARY = Library(names=full_names("builtins.", _GO), methods=_METHODS)
