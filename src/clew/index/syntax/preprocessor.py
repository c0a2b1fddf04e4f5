"""C and C++ that their grammars cannot parse without preprocessing: directives that cut statements in two are blanked
out.

The result has the length of the source, so that places are the same. Names and texts are still taken from the source
itself.
"""

import re
from dataclasses import dataclass, field

from clew.index.syntax.ranges import Range, blank_ranges

LONGEST_MEMBER = 200  # bytes of a type and a name, before what is said of them

_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?\*/"
    rb"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    rb"|^[ \t]*\#[ \t]*(?P<word>\w*)(?:\\.|\\\r\n|/\*.*?\*/|[^\n\\])*"
    rb"|(?P<bracket>[(){}])",
    re.MULTILINE | re.DOTALL,
)
_OPENS = frozenset({b"if", b"ifdef", b"ifndef"})
_TURNS = frozenset({b"elif", b"else", b"elifdef", b"elifndef"})
_LINES = frozenset({b"include", b"define", b"undef", b"pragma"})
_REMARK = re.compile(rb"/\*.*?\*/", re.DOTALL)
_RARE = re.compile(rb"\bif\s+0\b|WIN|MSC")  # conditions of a branch to be read last

# `class API Card : Base {`, and a line that is nothing but a macro: `BEGIN_NAMESPACE`.
_API = rb"[A-Z][A-Z0-9_]*(?:\([^()\n]*\))?"
_EXPORTS = re.compile(
    rb"\b(?:class|struct|union|enum)\s+(" + _API + rb")(?=\s+[A-Za-z_][\w:]*(?:<[^;{}]*>)?\s*(?:final\s*)?[:{])"
)
_FORWARDS = re.compile(rb"\bclass\s+(" + _API + rb")(?=\s+[A-Za-z_][\w:]*(?:<[^;{}]*>)?\s*;)")  # `class API Card;`
# `API void f(`, `CONSTEXPR auto x`, `INLINE Card::Card(`: a macro where a specifier may stand. (A directive is matched
# to be left alone.)
_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
_PART = rb"\w+(?:<[^;{}()<>]*>)?::"  # of a path; one that could be split in several ways would take forever
_SPECIFIERS = re.compile(
    rb"^[ \t]*\#(?:\\\r?\n|[^\n])*"
    rb"|(?<!\w)(" + _MACRO + rb"(?:\([^()\n]*\))?)(?=\s+(?:" + _MACRO + rb"\s+){0,4}(?:"
    rb"(?:auto|inline|static|constexpr|const|void|int|bool|char|long|unsigned|double|float|virtual|explicit|template"
    rb"|class|struct|typename|using|friend|operator|extern|size_t|std)\b"
    rb"|[A-Za-z]\w*(?:::\w+)*(?:<[^;{}()]*>)?[\s*&]+(?:" + _PART + rb")*~?\w+\("
    rb"|(?:" + _PART + rb")+~?\w+\())",
    re.MULTILINE,
)
_TRAILERS = re.compile(
    rb"\)(?:\s*(?:const|noexcept|override|final)\b)*((?:\s+" + _MACRO + rb"(?:\([^()\n]*\))?)+)"
    rb"(?=\s*(?:[;{:]|override\b|final\b|=\s*(?:0|default|delete)\b))"
)
# `CONSTEXPR Card(int x) : x_(x) {}` where Card is a class, and `if CONSTEXPR (`.
_CLASSES = re.compile(rb"\b(?:class|struct)\s+(?:" + _MACRO + rb"\s+)?(\w+)")
_BEFORE_NAMES = re.compile(
    rb"(?:^|[;{}>]|\b(?:constexpr|explicit|inline|if))[ \t]*(" + _MACRO + rb")\s+(\w*)\(", re.MULTILINE
)
# `Card* card GUARDED_BY(mutex);`, which reads as a function of that name; `static int MAX_OF(int a);` is one.
_ANNOTATIONS = re.compile(rb"[ \t](" + _MACRO + rb"\([^()\n]*\))(?=\s*[;={])")
_ANNOTATED = re.compile(rb"(?<![\w.])([\w:>]+)(?:[ \t]*[*&]+[ \t]*const[ \t]+|[ \t*&]+)(\w+)(?:\[[^\]\n]*\])?[ \t]*$")
_WORDS = frozenset(
    b"return else throw case goto delete new if while do typedef using const static extern inline constexpr volatile "
    b"struct class union enum auto operator".split()
)
_TYPES = _WORDS.union(b"unsigned signed int char long short double float bool void".split())
_OPENERS = re.compile(rb"^[ \t]*(" + _MACRO + rb")[ \t]*\{", re.MULTILINE)  # `PAY_TRY {`
_DEFAULTS = re.compile(rb"(=\s*\{\s*\})(?=\s*[,)])")  # `const Card& card = {})`
# What Qt's own compiler knows, and which are macros of nothing: `signals:`, `private slots:`, `emit paid(card);`.
_SECTIONS = re.compile(
    rb"^[ \t]*(?:(?:public|protected|private)[ \t]+([A-Za-z_]\w*)[ \t]*(?=:(?!:))|((?:signals|Q_SIGNALS)[ \t]*:(?!:)))",
    re.MULTILINE,
)
_EMITS = re.compile(rb"\b(emit|Q_EMIT)(?=\s+[A-Za-z_][\w:]*(?:(?:->|\.)\w+)*\s*\()")
_ALONE = re.compile(rb"^[ \t]*([A-Z][A-Z0-9_]{3,})[ \t]*\r?$(?<!\\)", re.MULTILINE)


@dataclass(slots=True)
class _Branch:
    start: int  # behind its directive
    end: int
    depths: list[int]  # of parentheses, by brace, where it ends
    whole: bool  # it closes what it opens, and nothing else


@dataclass(slots=True)
class _Group:
    """`#if` to `#endif`: the places of its directives, and the text between them."""

    depths: list[int]
    inside: bool  # of a statement
    words: list[bytes]
    directives: list[Range]
    branches: list[_Branch] = field(default_factory=list)
    lowest: int = 0
    has_else: bool = False
    cuts: bool = True  # every branch ends inside of a statement


def readable(source: bytes, *, is_broken: bool = True) -> bytes:
    """The source without syntax that a grammar cannot parse; the source itself if there is none.

    If the parse succeeded, only syntax that the grammar misreads is blanked.
    """
    blanks = [m.span(1) for pattern in (_EXPORTS, _FORWARDS, _EMITS) for m in pattern.finditer(source)]
    blanks += [m.span(1) for m in _ANNOTATIONS.finditer(source) if _is_annotated(source, m.start())]
    if is_broken:
        blanks += _misread_ranges(source)
    return blank_ranges(source, blanks) if blanks else source


def without_cuts(source: bytes) -> bytes:
    """The source without the branches of conditional groups that cut a statement in two, but for one of each."""
    return blank_ranges(source, _split_groups(source))


def _is_annotated(source: bytes, end: int) -> bool:
    """Whether a line up to here ends with a type and a name."""
    found = _ANNOTATED.search(source, max(source.rfind(b"\n", 0, end) + 1, end - LONGEST_MEMBER), end)
    return found is not None and found[1] not in _WORDS and found[2] not in _TYPES


def _misread_ranges(source: bytes) -> list[Range]:
    classes = {b"", *(m[1] for m in _CLASSES.finditer(source))}
    blanks = [*_split_groups(source), *(m.span(1) for m in _ALONE.finditer(source))]
    blanks += [m.span(1) for m in _BEFORE_NAMES.finditer(source) if m[2] in classes]
    blanks += [m.span(1) for pattern in (_TRAILERS, _OPENERS, _DEFAULTS) for m in pattern.finditer(source)]
    blanks += [m.span(m.lastindex or 0) for m in _SECTIONS.finditer(source)]
    return blanks + [m.span(1) for m in _SPECIFIERS.finditer(source) if m[1]]


def _split_groups(source: bytes) -> list[Range]:
    """The ranges to blank so that no conditional group cuts a statement, a block or a list in two."""
    blanks: list[Range] = []
    groups: list[_Group] = []
    depths = [0]
    lists = [False]  # by brace, whether it opens a list of values
    inside, edge = False, 0
    for token in _TOKEN.finditer(source):
        if between := source[edge : token.start()].strip():
            inside = between[-1:] not in b";{}:" or (between == b":" and _is_head(source, edge))
        edge = token.end()
        if bracket := token["bracket"]:
            if bracket == b"{":
                lists.append(between[-1:] == b"=" or (not between[:-1] and between in b"," and lists[-1]))
            elif bracket == b"}" and len(lists) > 1:
                lists.pop()
            inside = bracket in b"()"
            lowest = _step(depths, bracket)
            if groups:
                groups[-1].lowest = min(groups[-1].lowest, lowest)
            continue
        word = token["word"]
        if word in _LINES:
            blanks += [token.span()] if lists[-1] else _remarks(token)
        elif word in _OPENS:
            groups.append(_Group(list(depths), inside, [token[0]], [token.span()], lowest=len(depths)))
        elif groups and (word in _TURNS or word == b"endif"):
            group = groups[-1]
            _end_branch(group, token.start(), depths)
            group.cuts = group.cuts and inside
            group.directives.append(token.span())
            group.words.append(token[0])
            group.has_else = group.has_else or word == b"else"
            depths = list(group.depths)
            if word == b"endif":
                groups.pop()
                depths = _close(group, blanks)
                if groups:
                    groups[-1].lowest = min(groups[-1].lowest, len(depths))
    return blanks


def _remarks(directive: re.Match[bytes]) -> list[Range]:
    """Comments in the middle of a macro, where a grammar takes it to end."""
    start, text = directive.start(), directive[0].rstrip()
    spans = [m.span() for m in _REMARK.finditer(text)]
    return [(start + first, start + last) for first, last in spans if last < len(text)]


def _is_head(source: bytes, end: int) -> bool:
    """Whether the text up to this parenthesis is the head of a constructor, and not `case MAX_OF(3)`."""
    if source[end - 1 : end] != b")":
        return False
    start = max(source.rfind(mark, 0, end) for mark in (b";", b"{", b"}"))
    return not source[start + 1 : end].lstrip().startswith(b"case")


def _step(depths: list[int], bracket: bytes) -> int:
    """Count a bracket; returns how many braces are open, and one more."""
    if bracket == b"{":
        depths.append(0)
    elif bracket == b"}" and len(depths) == 1:
        return 0  # it closes what is not open here
    elif bracket == b"}":
        depths.pop()
    else:
        depths[-1] = max(depths[-1] + (1 if bracket == b"(" else -1), 0)
    return len(depths)


def _end_branch(group: _Group, end: int, depths: list[int]) -> None:
    whole = depths == group.depths and group.lowest == len(group.depths)
    group.branches.append(_Branch(group.directives[-1][1], end, list(depths), whole))
    group.lowest = len(group.depths)


def _close(group: _Group, blanks: list[Range]) -> list[int]:
    """Choose one branch if the group cannot stay; where there is no `#else`, that may be none. Returns the depths."""
    cuts = group.inside or (group.cuts and group.has_else)
    if group.depths[-1] == 0 and not cuts and all(branch.whole for branch in group.branches):
        return group.depths
    whole = next((branch for branch in group.branches if branch.whole), None)
    kept = whole or (_likeliest(group) if group.has_else else None)
    blanks += group.directives
    blanks += [(branch.start, branch.end) for branch in group.branches if branch is not kept]
    return kept.depths if kept else group.depths


def _likeliest(group: _Group) -> _Branch:
    pairs = zip(group.branches, group.words, strict=False)
    return next((branch for branch, words in pairs if not _RARE.search(words)), group.branches[0])
