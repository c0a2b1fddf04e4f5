"""How much an identifier says that its value is a secret, judged by its words."""

import re
from enum import IntEnum
from functools import lru_cache

# Found in small letters; each name of a secret has one of them.
KEYWORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"auth", b"cred")


class Suspicion(IntEnum):
    """How much must be expected of a value before it counts as a secret."""

    NONE = 0
    FAINT = 1  # any key: only a value that looks random
    SOME = 2  # a bare token: a value that is not just a word
    STRONG = 3  # a password: any value that is not a placeholder


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
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
    """Of an identifier as it is written, such as `db_password`, `apiKey` or `X-Auth-Token`."""
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
        return Suspicion.STRONG if before and word == "token" else Suspicion.SOME
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
