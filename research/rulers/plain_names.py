"""Names that a plain pattern sees defined in a text, whatever a grammar makes of it: most of them, by language."""

import re
from collections.abc import Iterator

_LINE = r"//[^\n]*"
_BLOCK = r"/\*.*?\*/"
_STRING = r'"(?:\\.|[^"\\\n])*"'
_QUOTED = r"'(?:\\.|[^'\\\n])*'"
_CHARACTER = r"'(?:\\[^\n]{1,8}?|[^'\\\n])'"
_THREE = r'"""(?:\\.|[^\\])*?"""'
_TEMPLATE = r"`(?:\\.|[^`\\])*`"
_HEREDOC = r"<<[~-]?([\"'`]?)(?P<mark>[A-Z_]\w*)\1(?P<rest>[^\n]*)\n.*?^[ \t]*(?P=mark)\b"

# What is no code, by language: comments and texts.
_ASIDE = {
    "python": (r"#[^\n]*", _THREE, r"'''(?:\\.|[^\\])*?'''", _STRING, _QUOTED),
    "ruby": (r"^=begin\b.*?^=end\b", r"^__END__$.*", _HEREDOC, r"(?<![\w$?])#[^\n]*", _STRING, _QUOTED),
    "bash": (_HEREDOC, r"(?<!\S)#[^\n]*", r'"(?:\\.|[^"\\])*"', r"'[^']*'"),
    "rust": (_LINE, _BLOCK, r'\br(?P<mark>#*)".*?"(?P=mark)', r'"(?:\\.|[^"\\])*"', _CHARACTER),
    "go": (_LINE, _BLOCK, r"`[^`]*`", _STRING, _CHARACTER),
    "php": (r"(?<!:)//[^\n]*", _BLOCK, r"#(?!\[)[^\n]*", r"<<<(['\"]?)(?P<mark>\w+)\1\n.*?^\s*(?P=mark)\b",
            r'"(?:\\.|[^"\\])*"', r"'(?:\\.|[^'\\])*'", r"\?>.*?<\?php"),
    "csharp": (_LINE, _BLOCK, r'"{3,}.*?"{3,}', r'\$?@\$?"(?:""|[^"])*"', _STRING, _CHARACTER),
    "javascript": (_LINE, _BLOCK, _TEMPLATE, _STRING, _QUOTED),
    "c": (r"^[ \t]*#(?:\\\r?\n|[^\n])*", _LINE, _BLOCK, _STRING, _CHARACTER),
    "java": (_LINE, _BLOCK, _THREE, _STRING, _CHARACTER),
}  # fmt: skip
_LIKE = {
    "typescript": "javascript",
    "tsx": "javascript",
    "cpp": "c",
    "kotlin": "java",
    "scala": "java",
    "swift": "java",
}

_NAME = r"(?P<name>[^\W\d][\w$]*)"
_ATTRIBUTES = r"(?:@[\w.:]+(?:\([^()\n]*\))?\s+|\[[^\]\n]*\]\s*)*"
_WORDS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|inline|suspend|override|async|export"
    r"|default|declare|pub(?:\([^)\n]*\))?|unsafe|virtual|partial|readonly|implicit|case|lazy|tailrec|operator|infix"
    r"|fileprivate|package|mutating|nonmutating|extern|external|expect|actual|annotation|inner|value|record|native|new|ref"
    r"|required|convenience|indirect|nonisolated|non-sealed|strictfp|opaque|transparent|file|fun|const|enum|distributed"
    r")\s+)*"
)
_HEAD = rf"^[ \t]*{_ATTRIBUTES}{_WORDS}"
_TYPED = r"(?:<[^(){};=]*>\s*)?[\w.]+(?:<[^(){};=]*>)?[\w<>\[\],.?]*\s+"  # what a method gives
_SEEN = {
    "python": (rf"^[ \t]*(?:async\s+)?def\s+{_NAME}\s*[\[(]", rf"^[ \t]*class\s+{_NAME}\s*[\[(:]"),
    "ruby": (r"^[ \t]*def\s+(?:self\.)?(?P<name>[A-Za-z_]\w*[?!=]?)(?=[\s(;])",
             r"^[ \t]*(?:class|module)\s+(?:\w+::)*(?P<name>[A-Z]\w*)"),
    "bash": (r"^[ \t]*(?:function\s+)?(?P<name>[\w:.-]+)\s*\(\)\s*\{",),
    "rust": (rf"{_HEAD}fn\s+{_NAME}\s*[<(]", rf"{_HEAD}(?:struct|enum|trait|union)\s+{_NAME}\b(?!\s*!)",
             rf"^{_WORDS}(?:const|static)\s+(?:mut\s+)?{_NAME}\s*:", rf"{_HEAD}type\s+{_NAME}\s*[=<:;]",
             rf"^[ \t]*macro_rules!\s*{_NAME}"),
    "go": (rf"^func\s+(?:\([^)\n]*\)\s*)?{_NAME}\s*[\[(]", rf"^type\s+{_NAME}\b(?:\[[^\n]*\])?\s+[\w*\[(]"),
    "php": (rf"{_HEAD}function\s+&?\s*{_NAME}\s*\(", rf"{_HEAD}(?:class|interface|trait|enum)\s+{_NAME}\b(?!\s*\()"),
    "csharp": (rf"{_HEAD}(?:class|interface|struct|enum|record(?:\s+(?:class|struct))?)\s+{_NAME}\b"
               rf"(?=\s*[<({{:;]|\s*$)",
               rf"^[ \t]*{_ATTRIBUTES}(?:(?:public|private|protected|internal|static|virtual|override|abstract|async"
               rf"|sealed|partial)\s+)+(?!new\b|implicit\b|explicit\b){_TYPED}{_NAME}\s*(?:<[^>]*>)?\s*\("),
    "javascript": (rf"{_HEAD}function\b\s*\*?\s*{_NAME}\s*\(", rf"{_HEAD}class\s+{_NAME}\s*[\w{{]"),
    "typescript": (rf"{_HEAD}function\b\s*\*?\s*{_NAME}\s*[(<]", rf"{_HEAD}class\s+{_NAME}\s*[\w{{<]",
                   rf"{_HEAD}interface\s+{_NAME}\s*[\w{{<]", rf"{_HEAD}enum\s+{_NAME}\s*\{{",
                   rf"^[ \t]*(?:export\s+)?(?:declare\s+)?type\s+{_NAME}\s*[=<]"),
    "java": (rf"{_HEAD}(?:class|interface|enum|record|@interface)\s+{_NAME}\s*[\w{{<(]",
             rf"^[ \t]*{_ATTRIBUTES}"
             rf"(?:(?:public|private|protected|static|final|abstract|default|synchronized|native)\s+)+(?!new\b|class\b|record\b|enum\b|interface\b){_TYPED}{_NAME}\s*\((?=[^;]*[{{;])"),
    "kotlin": (rf"{_HEAD}(?:class|interface|object|typealias)\s+{_NAME}",
               rf"{_HEAD}fun\s+(?:<[^>\n]*>\s*)?(?:[\w<>?., *]+\.)?{_NAME}\s*\("),
    "scala": (rf"{_HEAD}def\s+{_NAME}(?=[\s\[(:=])", rf"{_HEAD}(?:class|object|trait|enum)\s+(?!derives\b){_NAME}",
              rf"{_HEAD}type\s+{_NAME}\s*[\[=<>]",
              rf"{_HEAD}given\s+{_NAME}(?=\s*(?:\[[^\n]*\]\s*)?(?:\([^\n]*\)\s*)*:)"),
    "swift": (rf"{_HEAD}func\s+{_NAME}\s*[<(]", rf"{_HEAD}(?:class|struct|enum|protocol|actor|typealias)\s+"
              rf"(?!func\b|var\b|let\b|subscript\b){_NAME}"),
    "c": (r"^(?!else\b|typedef\b|return\b)[A-Za-z_][\w \t*&:<>,]*?[\s*&](?P<name>[a-zA-Z_]\w*)\s*"
          r"\((?:[^;{}()]|\([^;{}()]*\))*\)\s*\{",
          r"^(?:typedef\s+)?(?:struct|union|enum)\s+(?P<name>\w+)\s*\{",
          r"^[A-Za-z_][\w \t*]*?[\s*](?P<name>[a-z_]\w*)\s*\([\w\s,]+\)\s*\n(?:[ \t]*[A-Za-z_][\w\s*,\[\]]*;\s*)+\{"),
    "cpp": (r"^[ \t]*(?:class|struct|enum\s+class|union)\s+(?P<name>[A-Za-z_]\w*)\s*(?:final\s*)?"
            r"(?::[^:;(){}][^;(){}]*)?\{",
            rf"^[ \t]*concept\s+{_NAME}\s*=", rf"^[ \t]*using\s+{_NAME}\s*="),
}  # fmt: skip
_NO_NAMES = frozenset(
    "if for while switch return catch when else do try new in is where with extends lock using get set init function "
    "class interface await throw sizeof yield typeof as of to".split()
)


def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.MULTILINE) for one in patterns)


_SEEN["tsx"] = _SEEN["typescript"]
_SEEN["cpp"] += _SEEN["c"]
_PATTERNS = {language: _compiled(patterns) for language, patterns in _SEEN.items()}
LANGUAGES = frozenset(_PATTERNS)


def names_in(language: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Each with its line, and how it is introduced."""
    code = _code(language, text)
    for pattern in _PATTERNS[language]:
        for found in pattern.finditer(code):
            if found["name"] not in _NO_NAMES:
                line = code.count("\n", 0, found.start("name")) + 1
                yield line, found["name"], " ".join(found[0].split())[:100]


def _code(language: str, text: str) -> str:
    """The text with what is no code blanked, places staying as they are."""
    aside = _ASIDE[_LIKE.get(language, language)]
    either = re.compile("|".join(f"(?:{_numbered(one, at)})" for at, one in enumerate(aside)), re.MULTILINE | re.DOTALL)
    return either.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _numbered(pattern: str, at: int) -> str:
    """With marks of its own, where several patterns are one."""
    return pattern.replace("<mark>", f"<mark{at}>").replace("(?P=mark)", f"(?P=mark{at})").replace("?P<rest>", "?:")
