"""The places where a name is given a value: in code, in settings, on command lines, in headers, markup and prose.

A search begins at each keyword of `names`. An expression reads no further than a line or a few, in linear time.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.text.late_patterns import compile_late
from clew.text.secrets import tables, values
from clew.text.secrets.values import KEYWORDS, Suspicion, suspicion

_SETTINGS = frozenset(
    "env yaml yml toml ini cfg conf config properties npmrc pypirc yarnrc sh bash zsh envrc dockerfile containerfile"
    " tfvars netrc pgpass mk makefile service plist cnf".split()
)
_PROSE = frozenset("md markdown rst txt adoc mdx org log ipynb".split())

_QUOTED = rb"""(?:[bBfFrRuUNE$@]{0,2}+ (?:
    \"\"\"(?P<d3>(?:[^"\\]|\\.|"(?!"")){0,2000}+)\"\"\" | '''(?P<s3>(?:[^'\\]|\\.|'(?!'')){0,2000}+)'''
  | \\"\\"\\"(?P<g>[^"\\\n]*+)\\"\\"\\"
  | "(?P<d>(?:[^"\\\n]|\\.)*+)" | '(?P<s>(?:[^'\\\n]|\\.)*+)' | `(?P<b>(?:[^`\\\n]|\\.)*+)`
  | \\+"(?P<e>[^"\\\n]*+)\\+" | \\+'(?P<f>[^'\\\n]*+)\\+' | &quot;(?P<h>[^&\n]*+)&quot; ))"""
# After a name: what closes it, then how the value is given.
_CLOSE = rb"""(?P<close>(?:\\*["'`]|&quot;)?+ [)\]]?+) [?!]?+ [ \t]*+"""
_DIRECT = compile_late(
    _CLOSE
    + rb"""(?: :[ \t]*+[\w\[?*&][\w.|\[\]<>?*&', ]{0,60}+=(?!=) | \{[ ]get;[^{}"\n]{0,40}\}[ \t]*=
    | [ \t]*+[\w.\[\]*<>]{1,40}[ \t]+=(?!=)
    | (?:\?\?|\|\||[?.+]|:{1,3})?=(?![=~>]) | => | := | :(?!:) )[ \t]*+(?:\\?\r?\n[ \t]++)?"""
    + _QUOTED,
    re.VERBOSE | re.DOTALL,
)
_CALLED = rb"(?:(?:new[ ])?[\w.:!]{0,60}+[(\[{][&*]?\s*+){1,3}"
_WRAPPED = compile_late(
    _CLOSE
    + rb"(?: (?::[ \t]*+[\w.|\[\]<>, ]{1,60}+)?=(?![=~>]) | => | :=? )[ \t]*+(?P<wrap>"
    + _CALLED
    + rb")"
    + _QUOTED,
    re.VERBOSE | re.DOTALL,
)
_INDIRECT = compile_late(
    _CLOSE
    + rb"""(?: (?P<compare>[=!]==?) | (?P<either>\|\||\?\?|\bor\b|\?:|:-|-[ ]) | (?P<comma>,\s*+) | (?P<call>\()
    | (?P<block>\{) | \.(?i:equals|eq)\( | \.(?:unwrap_or|get_?[oO]r|or)_?(?:[eE]lse|[dD]efault)?\(
    | (?P<gap>(?<=[ ])) )\s*+"""
    + _QUOTED,
    re.VERBOSE | re.DOTALL,
)
_NEXT_OF_LIST = compile_late(rb"\s*+(?:[,:]|=>)\s*+(?:\w{1,20}=|Some\()?" + _QUOTED, re.VERBOSE | re.DOTALL)
_NEXT_PART = compile_late(rb"\s*+(?:[+.]|\\)?\s*+" + _QUOTED, re.VERBOSE | re.DOTALL)
# The name is itself a value, and the secret is the value that belongs to it.
_PAIR = compile_late(
    rb"""(?:["']|&quot;|</\w+>|[ \t]*\r?\n)?+ [ \t]*+ (?:[,;/]|\{[^{}]{0,300}?)?+ (?:/?>)? \s*+
    (?:\w{1,20}=["'][^"'\n]{0,60}["']\s++)?
    (?:<|-[ ]++)? ["']?\b(?i:value|default|defaultvalue|val|content)\b["']? \s*+ (?:=>|[:=>])\s*+
    (?:""" + _QUOTED + rb"""|(?P<bare>[^\s"'`<>{}\[\],&*!|][^\n<]*+))""",
    re.VERBOSE | re.DOTALL,
)  # fmt: skip
_PAIR_BLOCK = compile_late(
    rb"""["']?[ \t]*(?:\{|:)[ \t]*\r?\n(?:[ \t]+(?!default)[\w.-]+[ \t]*[:=][^\n]*\n){0,6}?
    [ \t]+(?i:default)[ \t]*[:=][ \t]*+
    (?:""" + _QUOTED + rb"""|(?P<bare>[^\s"'`<>{}\[\],&*!|][^\n]*+))""",
    re.VERBOSE | re.DOTALL,
)  # fmt: skip
_DEFAULT = compile_late(rb":[-=]?(?P<bare>[^{}\s+?][^{}\s]{3,200}+)\}")
_OF_A_MAP = compile_late(rb"""["']?[ \t]*:[ \t]+(?P<bare>[^\s,{}\[\]"'`<>|*!]+)""")
_PROPERTY = compile_late(rb"</\w+>\s*<string>(?P<bare>[^<>]{1,500})</")
_VARIABLE = compile_late(rb"\$\{[\w.-]*$")
_TAG = compile_late(rb"<\w+(?::|\s[^<>\n]*=[\"'][\w.-]{0,60})$")
_ELEMENT = compile_late(
    rb"""["']?(?:\s[^<>\n]{0,200})?>(?:<!\[CDATA\[)?(?P<bare>[^<>\]]{1,4000}+)(?:\]\]>)?</""", re.DOTALL
)
_SCALAR = compile_late(
    rb"""["']?[ \t]*:[ \t]*[|>][+-]?\d?[ \t]*\r?\n(?P<block>(?:[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\n){1,100}+)"""
)
_NESTED = compile_late(rb"[\"']?:[ \t]*\r?\n(?P<block>(?:[ \t]+(?:-[ ]|[\w.-]+:[ ])[^\n]*(?:\n|\Z)){1,50}+)")
_BEFORE_SETTING = compile_late(
    rb"""[ \t]*+(?:-[ \t]++)?(?:(?:export|ENV|ARG|set|setx|local|readonly|declare|-\w)[ \t]++)*["']?[\w./:-]{0,80}"""
)
_SETTING = compile_late(
    rb"""["']?[ \t]*+(?:[?:+]?=|:)[ \t]*+(?:(?:!!str|&\w+)[ \t]++)?(?P<bare>[^\s"'`\[{|>&*!#(][^\n]*+)"""
)
_COMMENT = compile_late(rb"[ \t][#;]")
_BARE = rb"""[^\s"'`<>(){}\[\],;&|$\\]{6,}+"""
_LOOSE = compile_late(rb"""["']?(?P<space>[ \t]*+)(?P<how>[:=])[ \t]*+(?P<bare>""" + _BARE + rb""")(?![(\[{])""")
_FLAG = compile_late(rb"[ \t]+(?P<bare>[^\s\"'`<>$-][^\s\"'`<>$]*+)")
_LOGIN = compile_late(rb"(?:machine\s+\S+\s+(?:login\s+\S+\s+)?|default\s+login\s+\S+\s+)$")
_NETRC = compile_late(rb"\s+(?P<bare>\S+)")
_NETRC_IN_CODE = compile_late(rb"""[ \t]+(?P<bare>[^\s"'`<>\\]+)""")  # up to the end of the text that it stands in
_SAID = rb"""["'`*_]{0,3}+[ \t]*+(?:\|[ \t]*|(?:is|was|are|to|[:=])[ \t]*+){0,2}+"""
_SPOKEN = compile_late(_SAID + rb"""\\?["'(]?(?<![\w/.-])(?P<bare>[^\s`"'|*<>&;,\\]{6,}+)""")
_CHOSEN = compile_late(_SAID + rb"""["']?(?<![\w/.-])(?P<bare>[^\s`"'|<>\\]{8,64}+)(?:(?=\\n)|(?![`"'|<>\\]))""")
_QUOTED_IN_PROSE = compile_late(_SAID + rb"(?:`{1,2}(?P<b>[^`\n]{4,200})`|\*\*(?P<s>[^*\n]{4,200})\*\*)")
_CELL = compile_late(rb"""["'`*]{0,2}[ \t]*\|[ \t]*["'`*]{0,2}(?P<bare>[^\s|`"'*]{4,}+)["'`*]{0,2}[ \t]*\|""")
_HEADER = compile_late(
    rb"""(?:\\*["'`]|&quot;)?\]?[ \t]*+(?:[:=,]|=>)[ \t]*+(?:\\*["'`]|&quot;)?
    (?:(?P<scheme>(?i:basic|bearer|token|api-?key|digest|negotiate|key|bot|oauth|splunk|sso-key|genie-?key))[ \t]++)?
    (?P<bare>[A-Za-z0-9+/=_.~:-]{8,}+)""",
    re.VERBOSE,
)  # fmt: skip
_SCHEME_ALONE = compile_late(rb"\w+ (?P<bare>[A-Za-z0-9+/=_.~-]{12,}+)")
_USER = compile_late(
    rb"""curl\b(?:[^\n\\]|\\.){0,400}?[ \t](?:-u|--user|--proxy-user|-U)[ =]?[ \t]*
    (?:["']?\{?[^\s:"'$<]{0,100}["']?:["']?\{?(?P<bare>[^\s"'`$<>{}]{3,200})|["']?(?P<user>[^\s:"'$<]{8,100}):["'\s])""",
    re.VERBOSE | re.DOTALL,
)
_MYSQL = compile_late(rb"""\w+(?:-dump)?\b[^\n|;]{0,200}?[ \t]-p(?P<bare>[^\s"'$][^\s"'|;]{2,100})""")
_SHORT_FLAG = compile_late(
    rb"""[\w -]+?\b[^\n|;]{0,200}?[ \t]-(?:p|a|w|P)[ =]?["']?(?P<bare>[^\s"'$-][^\s"'|;]{3,100})"""
)
_REDIS = compile_late(rb"""[\w -]+?\b[^\n|;]{0,200}?[ \t](?:-a|--pass)[ =]?["']?(?P<bare>[^\s"'$-][^\s"'|;]{3,100})""")
# What follows a quote that closes, as in `"IDENTIFIED BY ", name`, starts no password.
_IDENTIFIED = compile_late(
    rb"""\w+ \w+ (?:PASSWORD )?(?P<quote>["'])(?P<bare>[^"'\n\s,;:+.)\]}][^"'\n]{2,199})(?P=quote)"""
)
_SIGNATURE = compile_late(rb"sig=(?P<bare>[\w%+/=-]{24,})")
_OPENSSL = compile_late(
    rb"""\w+ [^\n|;]{0,200}?[ \t](?:-k[ \t]+|-pass(?:in|out)?[ \t]+pass:)["']?(?P<bare>[^\s"'$-][^\s"'|;]{3,100})"""
)
_HTPASSWD = compile_late(
    rb"""\w+[ \t]+(?:-\w+[ \t]+){1,5}[^\s"'|;]{1,200}[ \t]+["']?[\w.@-]{1,64}["']?[ \t]+["']?
    (?P<bare>[^\s"'$|;-][^\s"'|;]{3,100})""",
    re.VERBOSE,
)
_PIPED = compile_late(
    rb"""\w+[ \t]+(?:-n[ \t]+)?["']?(?P<bare>[^\s"'$|;]{4,200})["']?[ \t]*\|[^\n|;]{1,200}--password-stdin"""
)
_QUOTES = (b'"', b"'", b"`")
_CODE = compile_late(rb"""\s*+[+,.;)\]}&|:][^"'`\n]*[+,.(\[{=&|:]\s*+[bBfFrRuU@$]{0,2}""")
_AZURE_LOGIN = compile_late(
    rb"""[\w ]+[^\n|;]{0,200}?[ \t](?:-p|--password)[ =]["']?(?P<bare>[^\s"'$-][^\s"'|;]{3,100})"""
)
_CHANGED = compile_late(
    rb"""\w+[ \t]+(?:-\w[ \t]+)?["']?[\w.-]{1,32}+:(?P<bare>[^\s"'$|;]{4,200})["']?[ \t]*\|[ \t]*(?:sudo[ ])?chpasswd"""
)
_COMMANDS = (
    (b"curl ", _USER), (b"mysql", _MYSQL), (b"mariadb", _MYSQL), (b"sshpass ", _SHORT_FLAG),
    (b"redis-cli ", _REDIS), (b"docker login ", _SHORT_FLAG), (b"ldapsearch ", _SHORT_FLAG),
    (b"sqlcmd ", _SHORT_FLAG), (b"mongo", _SHORT_FLAG), (b"DENTIFIED BY ", _IDENTIFIED),
    (b"dentified by ", _IDENTIFIED), (b"sig=", _SIGNATURE), (b"openssl ", _OPENSSL), (b"htpasswd ", _HTPASSWD),
    (b"echo ", _PIPED), (b"echo ", _CHANGED), (b"az login", _AZURE_LOGIN),
)  # fmt: skip
_URL = compile_late(rb"""://[^\s:/@"'`<>]{0,128}+:(?P<bare>[^\s/@"'`<>]{1,256}+)@""")
_WEBHOOKS = tuple(
    (host, compile_late(re.escape(host) + rest))
    for host, rest in (
        (b"hooks.slack.com/", rb"(?:services|workflows|triggers)/(?P<bare>[\w/+]{20,})"),
        (b"/webhooks/", rb"(?P<bare>\d{10,}/[\w-]{30,})"),  # Discord
        (b"webhook.office.com/", rb"webhookb2/(?P<bare>[\w@/-]{40,})"),
        (b"hooks.zapier.com/", rb"hooks/catch/(?P<bare>[\w/]{10,})"),
        (b"tines.com/webhook/", rb"(?P<bare>[0-9a-z/]{40,})"),
    )
)
_AZURE = compile_late(rb"(?<![\w~.-])[\w~.]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~.-])")
_REFRESH = compile_late(rb"(?<![\w/])1//0[\w-]{30,}")

_READS = tuple(b"get check verify validate is has find test".split())
# Functions whose nth argument is a password or a key.
_OPTIONAL = rb"\s*+(?:Some\()?"
_ARGUMENT = rb"""\s*+(?:\\+"[^"\\\n]{0,300}+\\+"|"[^"\n]{0,300}+"|'[^'\n]{0,300}+'
    |[^"'`,()\n]{1,80}+(?:\([^()\n]{0,80}+\))?)\s*+,"""
_PASSED = tuple(
    (name, compile_late(re.escape(name) + _ARGUMENT * (place - 1) + _OPTIONAL + _QUOTED, re.VERBOSE | re.DOTALL))
    for name, place in (
        (b"getConnection(", 3), (b"mysqli(", 3), (b"mysql_connect(", 3), (b"mysqli_connect(", 3), (b"PDO(", 3),
        (b"WiFi.begin(", 2), (b"Fernet(", 1), (b"jwt.encode(", 2), (b"jwt.sign(", 2), (b"jwt.verify(", 2),
        (b"jwt.decode(", 2), (b"JWT.encode(", 2), (b"JWT.decode(", 2), (b"hmac.new(", 1), (b"createHmac(", 2),
        (b"hash_hmac(", 3), (b"login(", 2), (b"FTP(", 3), (b"ldap_bind(", 3), (b"PlainAuth(", 3),
        (b"DBI->connect(", 3), (b"HMAC256(", 1), (b"HMAC.hexdigest(", 2), (b"cookieParser(", 1),
        (b"SecretKeySpec(", 1),
    )
)  # fmt: skip
_DATA_SOURCE = compile_late(rb"""[\w.-]{1,60}+:(?P<bare>[^\s:@/"'`<>]{3,100})$""")
_COOKIE = compile_late(
    rb"""ookie: [^\n]{0,500}?\b(?i:\w*sess\w*|\w{0,20}sid|jwt|auth\w*|\w*token)=(?P<bare>[\w.%+/=-]{16,})"""
)
_LOGGED_IN = compile_late(_SAID + rb"""["']?[\w.@-]{1,40}+[ \t]*+[:/][ \t]*+(?P<bare>[^\s`"'|<>\\,]{6,64})""")

_OF_NAMES = bytes(code for code in range(128) if chr(code).isalnum() or chr(code) in "_-")
_OF_ENDS = _OF_NAMES + b"."
_LONGEST_NAME = 64
_MARK = b"[REDACTED]"


# How a value can follow; nearly all names in code go on differently.
_GATE = compile_late(
    rb"""(?:\\*["'`]|&quot;)?+[)\]]?+[?!]?+[ \t]*+(?: (?P<gives>:{1,3}+=?(?!=)|=(?!=)|(?:\?\?|\|\|)=)
    | [=|>?*] | \!= | -[ ]["'`] | [,(]\s*+[bBfFrRuU@$]{0,2}+["'`\\&] | [+.]= | or\b | \.(?i:eq)
    | \{[ \t]*(?:\\*["'`]|\r?\n|(?:type|default|desc)) | [\w.*\[\]<>]{1,40}+[ \t]+=
    | \r?\n[ \t]*+["'<-]?[ ]?["']?(?i:val|def)
    | (?<=[ ])["'] | \.(?:unwrap_or|get_?[oO]r|or) | \{[ ]get
    | [</;][ \t]*+/?[\w] | (?:is|was|are|to)[ ]["'`] )
    | [ \t,;/]*+["']?(?i:val|def|content) | ["'][ \t]*+(?:,[ \t\r\n]*+["'][vV]al|,?[ \t]*+\w+=["']|/?>)""",
    re.VERBOSE,
)


_DOCUMENT_END = compile_late(rb"\n---")
_OF_SECRETS = compile_late(rb"(?m)^[ \t]*kind:[ \t]*[\"']?[Ss]ecret[\"']?[ \t\r]*$")
_MANIFEST_DATA = compile_late(
    rb"(?m)^[ \t]*(?P<how>stringData|data):[ \t\r]*\n((?:[ \t]+[^\n]*(?:\n|\Z)|[ \t\r]*\n)++)"
)
_MANIFEST_VALUE = compile_late(
    rb"""(?m)^[ \t]+(?:-[ \t]++)?(?:["']?[\w.-]+["']?:[ \t]*+(?![|>{#])["']?)?
    (?P<bare>[^\s"'{}\#|>:][^\s"'{}]*+)["']?[ \t\r]*$""",
    re.VERBOSE,
)
# Files that have a password in each line.
_LISTS = {"pgpass": compile_late(rb"(?m)^(?:[^:\n]*:){4}(.+)$"), "htpasswd": compile_late(rb"(?m)^[^:\s#]+:(\S+)$")}


class Find(NamedTuple):
    kind: str
    start: int
    end: int


class Identifier(NamedTuple):
    """An identifier in the text."""

    start: int
    end: int
    suspicion: Suspicion
    text: bytes

    @property
    def is_pair(self) -> bool:
        """Whether it may be of a user and a password."""
        small = self.text.lower()
        return b"auth" in small or b"cred" in small

    @property
    def is_header(self) -> bool:
        return self.text.lower().endswith((b"auth", b"authorization"))

    @property
    def kind(self) -> str:
        small = self.text.lower()
        for word, kind in _KINDS:
            if word in small:
                return kind
        return "key"


_KINDS = ((b"pass", "password"), (b"pwd", "password"), (b"token", "token"), (b"secret", "secret"), (b"key", "key"),
          (b"auth", "authorization"), (b"cred", "credential"))  # fmt: skip


def find_values(data: bytes, path: str) -> Iterator[Find]:
    """Values of names that promise a secret."""
    return (one for one in _all_values(data, path) if not _is_between_literals(data, one))


def _is_between_literals(data: bytes, find: Find) -> bool:
    """Whether its quotes end one literal and begin the next: `"?token=" + token + "&page="`."""
    start, end = find.start, find.end
    if data[start : start + 1] not in _QUOTES:
        start, end = start - 1, end + 1
    is_quoted = start >= 0 and data[start : start + 1] in _QUOTES and data[start : start + 1] == data[end - 1 : end]
    return is_quoted and _CODE.fullmatch(data, start + 1, end - 1) is not None


def _all_values(data: bytes, path: str) -> Iterator[Find]:
    name_of_file = path.rpartition("/")[2].lower()
    ending = name_of_file.rpartition(".")[2]
    in_settings = name_of_file.startswith((".env", "dockerfile")) or ending in _SETTINGS
    in_prose = not path or ending in _PROSE or ("." not in name_of_file and not in_settings)
    for name in _names(data, data.lower()):
        yield from _values_of(data, name, in_settings=in_settings, in_prose=in_prose)
    yield from _in_addresses(data)
    yield from _on_command_lines(data)
    yield from _positional_arguments(data)
    yield from _in_characters(data)
    yield from (Find("password", *one) for one in tables.find_cells(data, ending, in_prose=in_prose))
    if ending in ("yaml", "yml") and b"ecret" in data:
        yield from _in_manifests(data)
    if ending in _LISTS:
        yield from (Find("password", *one.span(1)) for one in _LISTS[ending].finditer(data) if _MARK not in one[1])


def _names(data: bytes, lowered: bytes) -> Iterator[Identifier]:
    """Each identifier with a keyword, once."""
    for at_keyword, keyword in enumerate(KEYWORDS):
        at = lowered.find(keyword)
        while at >= 0:
            after = at + len(keyword)
            before = data[max(0, at - _LONGEST_NAME) : at]
            start = at - (len(before) - len(before.rstrip(_OF_NAMES)))
            behind = data[after : after + _LONGEST_NAME]
            end = after + len(behind) - len(behind.lstrip(_OF_ENDS))
            text = data[start:end].rstrip(b".-")
            if b"." in text and data[end : end + 1] == b"(":  # a method's name is not part of it
                text = text[: max(after - start, text.rindex(b"."))]
            end = start + len(text)
            if rated := suspicion(text):
                small = lowered[start:end]
                if not any(earlier in small for earlier in KEYWORDS[:at_keyword]):
                    yield Identifier(start, max(end, after), rated, text)
            at = lowered.find(keyword, max(end, after))


def _values_of(data: bytes, name: Identifier, *, in_settings: bool, in_prose: bool) -> Iterator[Find]:
    spans: list[tuple[int, int]] = []
    if gate := _GATE.match(data, name.end):
        spans = list(_quoted_of(data, name, given=bool(gate["gives"]))) or list(
            _bare_of(data, name, in_settings=in_settings)
        )
    if not spans:
        spans = list(_after_a_space(data, name, in_prose=in_prose, in_settings=in_settings))
    for start, end in spans:
        if start < end and _MARK not in data[start:end]:
            yield Find(name.kind, start, end)


_Spans = Iterator[tuple[int, int]]


def _span(match: re.Match[bytes]) -> tuple[int, int]:
    for group in ("bare", "d3", "s3", "d", "s", "b", "e", "f", "g", "h"):
        if group in match.re.groupindex and match[group] is not None:
            return match.span(group)
    return match.span()


def _quoted_of(data: bytes, name: Identifier, *, given: bool) -> _Spans:
    """Values in quotes; `given` if the name goes on with `:` or `=`."""
    if (match := _DIRECT.match(data, name.end)) and not _opens_block(data, match):
        yield from _direct(data, name, match)
    elif given:
        if match := _WRAPPED.match(data, name.end):
            yield from _in_brackets(data, name, match)
        elif match := _PAIR_BLOCK.match(data, name.end):
            yield from _pair(data, name, match)
    elif match := _PAIR.match(data, name.end) or _PAIR_BLOCK.match(data, name.end):
        yield from _pair(data, name, match)
    elif match := _INDIRECT.match(data, name.end):
        start, end = _span(match)
        if _gives(data, name, match) and values.is_secret(data[start:end], name.suspicion, indirect=True):
            yield start, end
        second = _NEXT_OF_LIST.match(data, match.end()) if match["call"] and name.is_pair else None
        if second and values.is_likely(data[slice(*_span(second))]):
            yield _span(second)


def _direct(data: bytes, name: Identifier, match: re.Match[bytes]) -> _Spans:
    start, end = _span(match)
    if name.is_header:
        yield from _header(data, name)
    elif values.is_secret(data[start:end], name.suspicion):
        yield start, end
        following = _NEXT_PART.match(data, match.end())
        while following and not values.is_placeholder(data[slice(*_span(following))]):
            yield _span(following)
            following = _NEXT_PART.match(data, following.end())


def _pair(data: bytes, name: Identifier, match: re.Match[bytes]) -> _Spans:
    start, end = _trim(data, *_span(match))
    if values.is_secret(data[start:end], name.suspicion, indirect=True):
        yield start, end


def _opens_block(data: bytes, match: re.Match[bytes]) -> bool:
    """Whether it is the end of a signature, and the literal the documentation of the function below it."""
    return match["close"].endswith(b")") and b"\n" in data[match.start() : _span(match)[0]]


def _gives(data: bytes, name: Identifier, match: re.Match[bytes]) -> bool:
    """A comma gives a value to a quoted name only, and a call to the name of a setter or a parameter."""
    quoted = bool(match["close"].strip(b")]"))
    if match["comma"]:
        return quoted or name.text.isupper() or data[name.start - 1 : name.start] == b":"
    if match["gap"] is not None:
        return not match["close"] and name.suspicion >= Suspicion.TOKEN
    if match["call"] or match["block"]:
        return not name.text.lower().startswith(
            (b"get", b"check", b"verify", b"validate", b"is", b"has", b"find", b"test")
        )
    return True


def _in_brackets(data: bytes, name: Identifier, match: re.Match[bytes]) -> _Spans:
    """Literals inside of brackets or a call: a list of secrets, or the pair of a user and a password."""
    opened = match["wrap"].rstrip()
    if opened.endswith(b"[") and opened[-2:-1] not in (b"", b" ", b"[", b"{", b"(", b"]"):  # something is looked up
        return
    suspicions = name.suspicion if not name.is_pair else Suspicion.SOME
    following: re.Match[bytes] | None = match
    place = 0
    while following and place < 50:
        start, end = _span(following)
        value = data[start:end]
        second = name.is_pair and place == 1
        fits = values.is_likely(value) if second else values.is_secret(value, suspicions, indirect=True)
        if fits:
            yield start, end
        place += 1
        following = _NEXT_OF_LIST.match(data, following.end())


def _header(data: bytes, name: Identifier) -> _Spans:
    match = _HEADER.match(data, name.end)
    if match and (values.looks_random(match["bare"]) or (match["scheme"] and values.is_likely(match["bare"]))):
        yield match.span("bare")


def _bare_of(data: bytes, name: Identifier, *, in_settings: bool) -> _Spans:
    """Values without quotes."""
    before = data[name.start - 1 : name.start]
    spans = list(_header(data, name)) if name.is_header else []
    if not spans and in_settings:
        spans = list(_setting(data, name))
    if spans:
        yield from spans
    elif before in (b"{", b".") and (match := _DEFAULT.match(data, name.end)) and _in_variable(data, name):
        if values.is_likely(match["bare"]):
            yield match.span("bare")
    elif _is_tag(data, name) and (match := _ELEMENT.match(data, name.end)):
        yield from _element(data, name, match)
    elif before == b">" and (match := _PROPERTY.match(data, name.end)):
        if values.is_secret(match["bare"], name.suspicion):
            yield match.span("bare")
    elif match := _LOOSE.match(data, name.end):
        value = match["bare"].rstrip(b".:!")
        assigned = match["how"] == b"=" and not match["space"]
        follows = data[match.end() : match.end() + 1]
        is_parameter = before in (b"?", b"&", b";") or name.text[:1] == b"-" or follows in (b";", b"&")
        is_passed = name.text == b"pass" and not match["space"] and not data[name.end + 1 : name.end + 2].isspace()
        strict = not ((assigned and (name.text.isupper() or is_parameter)) or is_passed)
        if before in (b'"', b"'") and follows == before:  # a header, as curl has it
            strict = not re.search(rb"\d", value)
        if values.is_secret(value, name.suspicion, bare=strict, indirect=True):
            yield match.start("bare"), match.start("bare") + len(value)


def _in_variable(data: bytes, name: Identifier) -> bool:
    """`${DB_PASSWORD` or `${db.password`, whose default follows."""
    return bool(_VARIABLE.search(data[max(0, name.start - 80) : name.start]))


def _is_tag(data: bytes, name: Identifier) -> bool:
    """`<password`, `<db:password` or `<property name="password"`."""
    before = data[name.start - 1 : name.start]
    return before == b"<" or (before in b"\"':." and bool(_TAG.search(data[max(0, name.start - 80) : name.start])))


def _element(data: bytes, name: Identifier, match: re.Match[bytes]) -> _Spans:
    start, end = _trim(data, *match.span("bare"))
    if values.is_secret(data[start:end], name.suspicion):
        yield start, end
    else:
        for word in re.finditer(rb"[^\s{}]{16,}", data[start:end]):
            if values.looks_random(word[0]):
                yield start + word.start(), start + word.end()


def _after_a_space(data: bytes, name: Identifier, *, in_prose: bool, in_settings: bool) -> _Spans:
    """The value of a flag, of a line in a netrc file or in other settings, or of a word in prose."""
    if name.suspicion >= Suspicion.TOKEN and name.text[:2] == b"--":
        match = _FLAG.match(data, name.end)
        if match and values.is_likely(match["bare"]):
            yield match.span("bare")
    elif data[name.start - 4 : name.start] in (b"ENV ", b"ARG ", b"etx ", b"set ", b" -x ", b"-gx ", b"-Ux "):
        match = _FLAG.match(data, name.end)
        if match and values.is_secret(match["bare"], name.suspicion, indirect=True):
            yield match.span("bare")
    elif name.text == b"password" and _LOGIN.search(data[max(0, name.start - 200) : name.start]):
        if match := (_NETRC if in_settings else _NETRC_IN_CODE).match(data, name.end):
            yield match.span("bare")
    elif in_settings and data[name.start - 1 : name.start] in (b"", b"\n"):
        match = _FLAG.match(data, name.end)
        if match and (values.looks_chosen(match["bare"]) or values.looks_random(match["bare"])):
            yield match.span("bare")
    elif in_prose or _in_comment(data, name):
        yield from _in_prose(data, name)


def _in_comment(data: bytes, name: Identifier) -> bool:
    before = data[max(0, name.start - 120) : name.start]
    return before[before.rfind(b"\n") + 1 :].lstrip().startswith((b"#", b"//", b"*", b"--", b"/*", b"<!--", b";"))


def _setting(data: bytes, name: Identifier) -> _Spans:
    """`name: value` or `NAME=value` on a line of its own."""
    earliest = max(0, name.start - 200)
    line = data.rfind(b"\n", earliest, name.start) + 1
    if (earliest and not line) or not _BEFORE_SETTING.fullmatch(data, line, name.start):
        before = data[max(line, name.start - 40) : name.start].rstrip()
        match = _OF_A_MAP.match(data, name.end) if before.endswith((b"{", b",")) else None
        if match and values.is_likely(match["bare"]):
            yield match.span("bare")
        return
    if match := _SCALAR.match(data, name.end):
        indent = len(data[line : name.start]) - len(data[line : name.start].lstrip())
        for content in re.finditer(rb"(?m)^([ \t]+)(\S[^\n]*?)[ \t\r]*$", data[slice(*match.span("block"))]):
            if len(content[1]) <= indent:
                break
            if values.is_secret(content[2], name.suspicion):
                yield match.start("block") + content.start(2), match.start("block") + content.end(2)
    elif match := _NESTED.match(data, name.end):
        for content in _MANIFEST_VALUE.finditer(data, *match.span("block")):
            if values.looks_chosen(content["bare"]) or values.looks_random(content["bare"]):
                yield content.span("bare")
    elif match := _SETTING.match(data, name.end):
        start, end = match.span("bare")
        comment = _COMMENT.search(data, start, end)
        start, end = _trim(data, start, comment.start() if comment else end)
        value = data[start:end]
        if (
            name.suspicion >= Suspicion.TOKEN
            and not values.is_placeholder(value)
            and not value.endswith((b"(", b"{", b"["))
        ):
            if values.is_secret(value, name.suspicion) or (b" " in value and b"=" in data[name.end : start]):
                yield start, end
        elif values.is_secret(value, name.suspicion):
            yield start, end


def _in_prose(data: bytes, name: Identifier) -> _Spans:
    """In prose: marked as code, in the cell of a table beside the name, or a word that only a machine would make."""
    pair = _LOGGED_IN.match(data, name.end) if name.is_pair else None
    if pair and (values.looks_chosen(pair["bare"]) or values.looks_random(pair["bare"])):
        yield pair.span("bare")
    elif match := _QUOTED_IN_PROSE.match(data, name.end) or _CELL.match(data, name.end):
        start, end = _span(match)
        if values.is_secret(data[start:end], name.suspicion, indirect=True):
            yield start, end
    elif name.suspicion is Suspicion.STRONG and (match := _CHOSEN.match(data, name.end)) and _is_chosen(match):
        yield match.start("bare"), match.start("bare") + len(match["bare"].rstrip(b".,;:"))
    elif match := _SPOKEN.match(data, name.end):
        value = match["bare"].rstrip(b".,;:!?)")
        if values.is_secret(value, name.suspicion, bare=True):
            yield match.start("bare"), match.start("bare") + len(value)


def _is_chosen(match: re.Match[bytes]) -> bool:
    return values.looks_chosen(match["bare"].rstrip(b".,;:"))


def _in_manifests(data: bytes) -> Iterator[Find]:
    """The values of a Kubernetes secret, whatever their names are; words only if they are in Base64."""
    at = 0
    for document in _DOCUMENT_END.split(data):
        if _OF_SECRETS.search(document) and (block := _MANIFEST_DATA.search(document)):
            for one in _MANIFEST_VALUE.finditer(document, *block.span(2)):
                value = one["bare"]
                fits = values.is_likely(value) if block["how"] == b"stringData" else not values.is_placeholder(value)
                if fits and not value.isdigit() and _MARK not in value:
                    yield Find("secret", at + one.start("bare"), at + one.end("bare"))
        at += len(document) + len(b"\n---")


def _positional_arguments(data: bytes) -> Iterator[Find]:
    """Passwords and keys that functions take by their place."""
    for name, expression in _PASSED:
        for match in _matches_at(data, name, expression):
            value = data[slice(*_span(match))]
            if values.is_likely(value) and _MARK not in value:
                yield Find("password", *_span(match))


def _in_characters(data: bytes) -> Iterator[Find]:
    """Passwords as Java takes them: in characters."""
    at = data.find(b".toCharArray()")
    while at >= 0:
        before = data[max(0, at - 200) : at]
        text = before.rstrip(b'"\\')
        start = max(0, at - 200) + text.rfind(b'"') + 1
        value = data[start : start + len(text) - text.rfind(b'"') - 1]
        if len(text) < len(before) and b'"' in text and (values.looks_chosen(value) or values.looks_random(value)):
            yield Find("password", start, start + len(value))
        at = data.find(b".toCharArray()", at + 1)


def _in_addresses(data: bytes) -> Iterator[Find]:
    for network in (b"@tcp(", b"@unix("):  # as Go names a database
        at = data.find(network)
        while at >= 0:
            match = _DATA_SOURCE.search(data, max(0, at - 161), at)
            if match and values.is_possible(match["bare"]) and _MARK not in match["bare"]:
                yield Find("password", *match.span("bare"))
            at = data.find(network, at + 1)
    if b"@" in data:
        for match in _matches_at(data, b"://", _URL):
            if not values.is_placeholder(match["bare"]) and _MARK not in match["bare"]:
                yield Find("password", *match.span("bare"))
    for host, expression in _WEBHOOKS if b"hook" in data else ():
        for match in _matches_at(data, host, expression):
            yield Find("webhook", *match.span("bare"))
    if b"Q~" in data:
        yield from (Find("azure", *match.span()) for match in _AZURE.finditer(data))
    if b"1//0" in data:
        yield from (Find("google-oauth", *match.span()) for match in _REFRESH.finditer(data))


def _on_command_lines(data: bytes) -> Iterator[Find]:
    for word in (b"earer ", b"asic "):
        for match in _matches_at(data, word, _SCHEME_ALONE):
            if values.looks_random(match["bare"]):
                yield Find("authorization", *match.span("bare"))
    for match in _matches_at(data, b"ookie: ", _COOKIE):
        if values.looks_random(match["bare"]):
            yield Find("token", *match.span("bare"))
    for word, expression in _COMMANDS:
        for match in _matches_at(data, word, expression):
            value = match[match.lastgroup or 0]
            if values.is_possible(value) and _MARK not in value:
                yield Find("password", *match.span(match.lastgroup or 0))


def _matches_at(data: bytes, literal: bytes, expression: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Matches that begin with a literal, found faster than the expression would find it."""
    at = data.find(literal)
    while at >= 0:
        match = expression.match(data, at)
        if match:
            yield match
        at = data.find(literal, match.end() if match else at + len(literal))


def _trim(data: bytes, start: int, end: int) -> tuple[int, int]:
    value = data[start:end]
    return start + len(value) - len(value.lstrip()), end - (len(value) - len(value.rstrip()))
