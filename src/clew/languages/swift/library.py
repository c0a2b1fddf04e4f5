"""The library of Swift."""

from clew.languages.library import BOTH, Library, full_members, full_names

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
            ("fn$0$0", "fn$last$0"),
        ),
        **dict.fromkeys("max min sort sorted".split(), (*BOTH, "fn$last$0", "fn$last$1")),
        "reduce": ("fn$1$1", "fn$last$1"),
    },
)
