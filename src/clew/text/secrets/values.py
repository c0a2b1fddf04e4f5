"""Whether a literal can be a secret: no placeholder, no label, no reference; and how random it looks."""

import re

from clew.text.secrets.names import Suspicion

# Values that stand for a secret: variables, templates, formats, words of the language, mere punctuation.
_PLACEHOLDER = re.compile(
    rb"""\$\{.*\} | \$\(.* | \$\w+ | \#?\{.*\} | %\(?[\w.]*\)?[sdrfvq] | %\w+% | <[^>]*> | @[\w.]+@ | \[\w*\]
    | (?i:true|false|null|none|nil|yes|no|on|off|str|string|undefined|optional|required|redacted|unset|empty|default)
    | (?i:(?:your|my|change|dummy|fake|example|sample|placeholder|todo
       |(?:enter|insert|replace|put|add|some|the|an?)[-_ ])
       [-_ ]?(?:[a-z]++[-_ ]?+)*+)
    | (?i:x{3,}|(?:foo|bar|baz)+|test|testing|example|placeholder|password|passwd|secret|token|pass|pwd|passphrase|key)
    | (.)\1{2,} | .*(?:\*{3}|\.{3}).* | [^A-Za-z0-9\x80-\xff]*""",
    re.VERBOSE | re.DOTALL,
)
_INTERPOLATION = re.compile(
    rb"%[A-Z]\w+%|\$?\{[^{}]*\}|\$\([^()]*\)|\$\w+|%\([\w.]+\)[sdrf]|%[sdrv]|#\{[^{}]*\}|<[\w -]+>|\{\{.*?\}\}"
)
_LETTERS = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z\x80-\xff' .,:;!?()_/-]*+")
_KEYWORD = re.compile(rb"(?i)pass|pwd|secret|token|key|auth|cred|login|user|csrf|enter|invalid|required|forgot")
_ADDRESS = re.compile(
    rb"(?i)(?:[a-z][a-z+.-]*:)?//[^\s@]*|(?:\.{0,2}/|(?:[\w.-]+/){2})(?:[\w.-]+/)*[\w.-]*|~/.*|[a-z]:\\.*"
)
_EXPRESSION = re.compile(rb"\^.*|.*\$|.*(?:\[\^?[a-z0-9A-Z\\]-|\\[dwsb]|\(\?|\.\*|\.\+).*", re.DOTALL)
# The name of a field or a constant; a selector of a page.
_IDENTIFIER = re.compile(
    rb"(?i)[a-z_.#/-]*(?:pass|pwd|secret|token|key|auth|cred|login|user)[a-z_.#/-]*(?:\d{1,2}|_\d)?|[\w#.]*\[[\w-]+[*^$~|]?=.*\]"
)
_CONSTANT = re.compile(rb"[a-z]{2,}(?:_[a-z]{2,})+(?:_?\d{1,2})?|[A-Z]{2,}(?:_[A-Z]{2,})+(?:_?\d{1,2})?")
# A version, an address of a machine, an algorithm, a file.
_NAMED_THING = re.compile(
    rb"(?i)[~^<>=v]*\d+(?:\.[\dx*]+){1,3}(?:[-+.][\w.]+)?(?::\d+)?"
    rb"|(?:hmac|pkcs|oaep)?[-_]?(?:x25519|md5|sha1|(?:sha|md|aes|rsa|hs|rs|es|ps|utf|base|iso|ed|ec|curve|pbkdf|ecdsa-p|p)[-_]?\d{2,5})(?:[-_/]\w{1,8})*"
    rb"|[\w./@-]+\.(?:ya?ml|json|toml|txt|pem|key|pub|crt|cer|enc|p12|jks|ini|conf|cfg|env|py|[jt]sx?|rb|go|java|php|html?"
    rb"|xml|md|sh|sql|csv|log|com|org|net|io|local)"
    rb"|[a-z_/]+#[a-z_?!]+",
)
_REFERENCE = re.compile(rb"[A-Za-z_$]\w*(?:(?:\.|->|::)[A-Za-z_$]\w*)+(?:\(\))?|\w+\(.*")
_PIECE = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_DIGITS = re.compile(rb"\d+")
_CONSONANTS = re.compile(rb"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{4,}")
_MARKS = re.compile(rb"[A-Za-z0-9][!@#$%^&*?~+][A-Za-z0-9!@#$%^&*?~+]|[a-zA-Z]\d[A-Za-z]+[!@#$%^&*?~+]")
_CALL = re.compile(rb"[()<>{}\[\]=;,]|&\w+[=;]")
_OF_A_KEY = re.compile(rb"[A-Za-z0-9+/=_.~:!@#$%^&*?-]+")
_ESCAPE = re.compile(rb"\\[nrt]")
_ENOUGH = 400  # of a value, to judge it
_UUID = re.compile(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_placeholder(value: bytes) -> bool:
    """Nothing, a variable, a template, or a word that people write in place of a secret."""
    return bool(_PLACEHOLDER.fullmatch(value.strip()))


def is_possible(value: bytes) -> bool:
    """Whether it can be the secret of its name: anything but placeholders, labels, addresses and patterns."""
    value = _ESCAPE.sub(b" ", value.strip()[:_ENOUGH]).strip()
    if is_placeholder(value) or _EXPRESSION.fullmatch(value) or (_ADDRESS.fullmatch(value) and not _is_mixed(value)):
        return False
    named = value.rstrip(b":.!?= ")
    if (
        _NAMED_THING.fullmatch(named)
        or _IDENTIFIER.fullmatch(named)
        or (b"\n" in value and not all(map(_is_mixed, value.split())))
    ):
        return False
    rest = _INTERPOLATION.sub(b"", value)
    if rest != value and not any(0x30 <= code <= 0x39 for code in rest):
        return False
    return not (_LETTERS.fullmatch(value) and (b" " in value or value[:1] == b"_" or _KEYWORD.search(value)))


def is_likely(value: bytes) -> bool:
    """Whether it is more than words: for places where ordinary words are common."""
    value = value.strip()
    if len(value) < 5 or b"\n" in value or value.count(b" ") > 1:
        return False
    return _is_no_word(value) and not _CONSTANT.fullmatch(value)


def _is_no_word(value: bytes) -> bool:
    return is_possible(value) and not _LETTERS.fullmatch(value) and not _REFERENCE.fullmatch(value)


def looks_chosen(value: bytes) -> bool:
    """Whether it looks like a password that a person has chosen: letters, digits, and capitals or marks among them."""
    if not 8 <= len(value) <= 64 or not is_possible(value) or _REFERENCE.fullmatch(value) or b"://" in value:
        return False
    if not (_DIGITS.search(value) and re.search(rb"[A-Za-z]", value)) or _CALL.search(value):
        return False
    return bool(_MARKS.search(value)) or bool(re.fullmatch(rb"(?=.*[a-z].*\d.*[A-Za-z])(?=.*[A-Z])\w+", value))


def looks_random(value: bytes) -> bool:
    """Whether it looks generated: digits and letters mixed, in runs shorter than those of words and versions."""
    value = value.strip()[:_ENOUGH]
    if len(value) < 12 or not _OF_A_KEY.fullmatch(value) or not is_possible(value):
        return False
    if len(set(value)) < 6:
        return False
    return bool(_UUID.fullmatch(value)) or _is_mixed(value)


def _is_mixed(value: bytes) -> bool:
    """Digits and letters in turns; words with a number behind them have no short runs of letters."""
    digits = sum(map(len, _DIGITS.findall(value)))
    pieces = _PIECE.findall(value)
    runs = [piece for piece in pieces if not piece[:1].isdigit()]
    if not digits or not runs or b"://" in value or (digits < 2 and len(value) < 20):
        return False
    clusters = sum(len(run) // 3 for run in _CONSONANTS.findall(value))
    if not clusters and sum(len(run) < 3 for run in runs) * 4 < len(runs):
        return False
    return (digits + sum(map(len, runs))) / (len(pieces) + clusters) < (3 if len(value) < 20 else 3.4)


def is_secret(value: bytes, name: Suspicion, *, indirect: bool = False, bare: bool = False) -> bool:
    """By the name before it; `indirect` if it is not simply assigned, `bare` without quotes in a file of code."""
    value = value.strip()
    if name is Suspicion.STRONG:
        if bare:
            return (looks_random(value) and not _REFERENCE.fullmatch(value)) or (
                len(value) >= 15 and value.isdigit() and len(set(value)) > 5
            )
        return is_likely(value) if indirect else is_possible(value)
    if name is Suspicion.SOME:
        return looks_random(value) if indirect or bare else len(value) > 2 and b" " not in value and _is_no_word(value)
    is_other = _UUID.fullmatch(value) or _REFERENCE.fullmatch(value)
    return name is Suspicion.FAINT and len(value) >= 20 and looks_random(value) and not is_other
