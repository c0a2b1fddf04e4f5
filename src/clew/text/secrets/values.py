"""Whether a literal can be a secret: no placeholder, no label, no reference; and how random it looks."""

import re
from enum import IntEnum
from functools import lru_cache

from clew.text.late_patterns import compile_late

# How much an identifier says that its value is a secret, judged by its words.

# Found in small letters; each name of a secret has one of them.
KEYWORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"auth", b"cred")


class Suspicion(IntEnum):
    """How much must be expected of a value before it counts as a secret."""

    NONE = 0
    FAINT = 1  # any key: only a value that looks random
    SOME = 2  # a bare token: a value that is not just a word
    TOKEN = 3  # a token of something: a value that is not just words, however it is given
    STRONG = 4  # a password: any value that is not a placeholder


_WORD = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORDS = tuple("password passwords passwd passphrase passcode pwd passwort pword".split())
_SECRET_KEYS = frozenset(
    "api secret access private encryption encrypt decryption decrypt crypt crypto cipher signing sign account"
    " auth master shared service subscription admin client consumer hmac jwt aes rsa ssh webhook deploy"
    " integration app license storage functions function host server security session cookie salt rest bot"
    " token".split()
)
_OTHER_KEYS = frozenset(
    "public pub socket primary foreign cache sort partition hash translation object dict map event hot idx"
    " natural schema sequence bucket routing row group lookup index unique composite candidate alternate"
    " parent child column field state storage publishable".split()
)
# Before `token`: what opens something. A token may also be a name under which code finds a value.
_SECRET_TOKENS = frozenset(
    "api access auth refresh bearer bot session personal deploy app user admin client server service account secret"
    " private security oauth login registry publish push pull job runner webhook jwt cli rest root vault"
    " install".split()
)
_OTHER_TOKENS = frozenset(
    "csrf xsrf authenticity id next page pagination continuation sync public cancel cancellation start end"
    " eos bos pad unk sep cls mask special stop syntax lexer parser max min num count per total prompt input"
    " output completion punctuation operator antiforgery current previous prev last first peek expected actual"
    " comment string type name".split()
)
_NEVER_AFTER = frozenset(
    "id ids name names url uri urls file files filename path paths dir directory type types kind endpoint"
    " length len size label labels field fields input form forms placeholder title text hint help message"
    " messages msg error errors alias format algorithm algo alg regex pattern rule rules validator validators"
    " policy expiry expires expiration ttl lifetime timeout age date time at count limit max min index idx"
    " list map set store ring board code codes event events press pressed up down left right frame frames pair"
    " pairs word words stroke binding bindings mapping mappings usage version provider service class factory"
    " generator manager handler middleware backend backends view views page method methods header headers"
    " prefix suffix separator column columns table tables model schema attribute attr attributes option"
    " options enabled disabled required exists valid invalid strength confirm confirmation reset change"
    " changed changing forgot forgotten hasher hashers hash hashed hashing iterations source sources ref scope"
    " scopes issuer audience role roles user users username owner stream position pos line offset node nodes"
    " tree parser lexer spec specs vault arn info status state mode algorithms language domain domains host"
    " port realm template templates prompt description selector property properties var variable variables env"
    " envvar accessor accessors counts budget cost price limits estimate only less free reader writer"
    " fingerprint digest checksum thumbprint signature prop props cookie param params parameter parameters arg"
    " args group groups request requests response responses callback".split()
)
_FINE_AFTER = frozenset(
    "value val str string plain plaintext raw default base b64 64 hex bytes prod production dev development"
    " test testing staging stage old new live sandbox primary secondary backup main v1 v2 a b c s".split()
)
_SECRET_ENDS = tuple(
    "apikey secretkey privatekey encryptionkey signingkey masterkey accountkey authkey sharedkey licensekey"
    " sharedaccesskey accesstoken authtoken apitoken refreshtoken bottoken bearertoken clientsecret appsecret"
    " apisecret".split()
)


@lru_cache(maxsize=4096)
def suspicion(name: bytes) -> Suspicion:
    """How much an identifier, such as `db_password` or `X-Auth-Token`, suggests a secret."""
    words = [word.lower() for word in _WORD.findall(name.decode("ascii", "replace"))]
    if words[:1] in (["not"], ["non"], ["no"]):
        return Suspicion.NONE
    at = max((at for at, word in enumerate(words) if any(key.decode() in word for key in KEYWORDS)), default=None)
    if at is None:
        return Suspicion.NONE
    rated = _rate(words[:at], words[at])
    for after in words[at + 1 :]:
        if after in _NEVER_AFTER:
            return Suspicion.NONE
        if not after.isdigit() and after not in _FINE_AFTER:
            rated = min(rated, Suspicion.FAINT)
    return rated


def _rate(before: list[str], word: str) -> Suspicion:
    previous = before[-1] if before else ""
    if word.endswith(_PASSWORDS):
        return Suspicion.STRONG
    if word in ("secret", "secrets"):
        return Suspicion.STRONG if word == "secret" else Suspicion.SOME
    if word.endswith(_SECRET_ENDS):
        return Suspicion.STRONG
    if word in ("token", "tokens", "authtokens"):
        if previous in _OTHER_TOKENS:
            return Suspicion.NONE
        if not before or word != "token":
            return Suspicion.SOME
        return Suspicion.STRONG if previous in _SECRET_TOKENS else Suspicion.TOKEN
    if word in ("key", "keys"):
        if previous in _SECRET_KEYS:
            return Suspicion.STRONG if word == "key" else Suspicion.SOME
        return Suspicion.NONE if previous in _OTHER_KEYS else Suspicion.FAINT
    if word in ("pass", "pw", "auth", "authorization", "authentication", "credential", "credentials", "cred", "creds"):
        return Suspicion.SOME
    if word.endswith(("secret", "token", "accesskey")):
        return Suspicion.SOME
    if word.endswith("pass") and word not in ("bypass", "compass", "encompass", "surpass", "trespass", "overpass"):
        return Suspicion.FAINT
    return Suspicion.NONE


# Values that stand for a secret: variables, templates, formats, words of the language, mere punctuation.
_PLACEHOLDER = compile_late(
    rb"""\$\{.*\} | \$\(.* | \$\w+ | \#?\{.*\} | %\(?[\w.]*\)?[sdrfvq] | %\w+% | <[^>]*> | @[\w.]+@ | \[\w*\]
    | (?i:true|false|null|none|nil|yes|no|on|off|str|string|undefined|optional|required|redacted|unset|empty|default)
    | (?i:(?:your|my|change|dummy|fake|example|sample|placeholder|todo
       |(?:enter|insert|replace|put|add|some|the|an?)[-_ ])
       [-_ ]?(?:[a-z]++[-_ ]?+)*+)
    | (?i:x{3,}|(?:foo|bar|baz)+|test|testing|example|placeholder|password|passwd|secret|token|pass|pwd|passphrase|key)
    | (.)\1{2,} | .*(?:\*{3}|\.{3}).* | [^A-Za-z0-9\x80-\xff]*""",
    re.VERBOSE | re.DOTALL,
)
# Within a word, `$` leads to a variable only if words follow: else it is a sign of a password.
_INTERPOLATION = compile_late(
    rb"""%[A-Z]\w+%|\$?\{[^{}]*\}|\$\([^()]*\)|(?<![A-Za-z0-9])\$\w+
    |\$(?:[a-z]{2,}(?:[A-Z_][a-z]{2,})*|[A-Z_]{2,})(?!\w)|%\([\w.]+\)[sdrf]|%[sdrv]|\#\{[^{}]*\}|<[\w\ -]+>
    |\{\{.*?\}\}""",
    re.VERBOSE,
)
_LETTERS = compile_late(rb"[A-Za-z_\x80-\xff][A-Za-z\x80-\xff' .,:;!?()_/-]*+")
_KEYWORD = compile_late(rb"(?i)pass|pwd|secret|token|key|auth|cred|login|user|csrf|enter|invalid|required|forgot")
_ADDRESS = compile_late(
    rb"(?i)(?:[a-z][a-z+.-]*:)?//[^\s@/]*(?:/\S*)?|(?:\.{0,2}/|(?:[\w.-]+/){2})(?:[\w.-]+/)*[\w.-]*|~/.*|[a-z]:\\.*"
)
_EXPRESSION = compile_late(
    rb"\^.*|[A-Za-z_/.-]*\$|.*[\^\[(\\*+|].*\$|.*(?:\[\^?[a-z0-9A-Z\\]-|\\[dwsb]|\(\?|\.\*|\.\+).*", re.DOTALL
)
# The name of a field or a constant; a selector of a page.
_IDENTIFIER = compile_late(
    rb"(?i)[a-z_.#/-]*(?:pass|pwd|secret|token|key|auth|cred|login|user)[a-z_.#/-]*(?:\d{1,2}|_\d)?|[\w#.]*\[[\w-]+[*^$~|]?=.*\]"
)
_CONSTANT = compile_late(rb"[a-z]{2,}(?:_[a-z]{2,})+(?:_?\d{1,2})?|[A-Z]{2,}(?:(?:_[A-Z]{2,})+(?:_?\d{1,2})?|_\d{1,2})")
# A version, an address of a machine, an algorithm, a file.
_NAMED_THING = compile_late(
    rb"(?i)[~^<>=v]*\d+(?:\.[\dx*]+){1,3}(?:[-+.][\w.]+)?(?::\d+)?"
    rb"|(?:hmac|pkcs|oaep)?[-_]?(?:x25519|md5|sha1|(?:sha|md|aes|rsa|hs|rs|es|ps|utf|base|iso|ed|ec|curve|pbkdf|ecdsa-p|p)[-_]?\d{2,5})(?:[-_/]\w{1,8})*"
    rb"|[\w./@-]+\.(?:ya?ml|json|toml|txt|pem|key|pub|crt|cer|enc|p12|jks|ini|conf|cfg|env|py|[jt]sx?|rb|go|java|php|html?"
    rb"|xml|md|sh|sql|csv|log|com|org|net|io|local)"
    rb"|[a-z_/]+#[a-z_?!]+|sha(?:1|256|384|512)-[a-z0-9+/]{20,}={0,2}",
)
_REFERENCE = compile_late(rb"[A-Za-z_$]\w*(?:(?:\.|->|::)[A-Za-z_$]\w*)+(?:\(\))?|\w+\((?:[^)]*|.*\)[\w.;]*)")
_PIECE = compile_late(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_DIGITS = compile_late(rb"\d+")
_CONSONANTS = compile_late(rb"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{4,}")
_MARKS = compile_late(rb"[A-Za-z0-9][!@#$%^&*?~+][A-Za-z0-9!@#$%^&*?~+]|[a-zA-Z]\d[A-Za-z]+[!@#$%^&*?~+]")
_CALL = compile_late(rb"[()<>{}\[\]=;,]|&\w+[=;]")
_OF_A_KEY = compile_late(rb"[A-Za-z0-9+/=_.~:!@#$%^&*?-]+")
_ESCAPE = compile_late(rb"\\[nrt]")
_ENOUGH = 400  # of a value, to judge it
_UUID = compile_late(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


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
    return is_possible(value) and not _is_made_of_words(value) and not _REFERENCE.fullmatch(value)


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


def _is_made_of_words(value: bytes) -> bool:
    """Letters alone, in pieces that can be spoken."""
    pieces = _PIECE.findall(value)
    is_spoken = len(value) < 10 or len(pieces) * 3 <= len(value)
    return (
        bool(_LETTERS.fullmatch(value))
        and is_spoken
        and not any(len(one) > 4 and _CONSONANTS.search(one) for one in pieces)
    )


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
    if name is Suspicion.TOKEN and (_is_made_of_words(value) or _CONSTANT.fullmatch(value)):
        return False
    if name >= Suspicion.TOKEN:
        if bare:
            return (looks_random(value) and not _REFERENCE.fullmatch(value)) or (
                len(value) >= 15 and value.isdigit() and len(set(value)) > 5
            )
        return is_likely(value) if indirect else is_possible(value)
    if name is Suspicion.SOME:
        if indirect or bare:
            return looks_random(value)
        return len(value) > 2 and b" " not in value and _is_no_word(value) and not _CONSTANT.fullmatch(value)
    is_other = _UUID.fullmatch(value) or _REFERENCE.fullmatch(value)
    return name is Suspicion.FAINT and len(value) >= 20 and looks_random(value) and not is_other
