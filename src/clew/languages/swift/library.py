"""The library of Swift."""

from clew.languages.library import BOTH, FIRST, Library, full_members, full_names
from clew.languages.member_names import LAST, PassedValue

_SWIFT = "Any AnyObject BitwiseCopyable Copyable Escapable Sendable SendableMetatype"  # ask for no member
LIBRARY = Library(
    names=full_names("Swift.", _SWIFT),
    types_from="Swift.",
    members=full_members({"Swift.Any": "hash encode allCases rawValue"}),
    universal=frozenset(f"Swift.{name}" for name in _SWIFT.split()),
    giving=frozenset("first last popLast removeFirst removeLast randomElement min max removeValue".split()),
    same=frozenset("filter sorted reversed prefix suffix dropFirst dropLast values lazy shuffled".split()),
    lending={
        **dict.fromkeys(
            "allSatisfy compactMap contains drop dropFirst filter first firstIndex flatMap forEach last map "
            "partition prefix removeAll".split(),
            (*FIRST, PassedValue(0, LAST)),
        ),
        **dict.fromkeys("max min sort sorted".split(), (*BOTH, PassedValue(0, LAST), PassedValue(1, LAST))),
        "reduce": (PassedValue(1, 1), PassedValue(1, LAST)),
    },
)
