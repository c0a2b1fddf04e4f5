"""Tokens that providers give a recognizable format, as one table.

A format is literal text with character classes in braces: `{w36}` is 36 letters or digits, `{w20+}` at least 20,
`{w5-9}` from 5 to 9. The classes are `w` letters and digits, `h` hexadecimal in either case, `u` capitals and digits,
`l` small letters and digits, `d` digits, `b` letters, digits, `_` and `-`, `e` the same with `.` and `=`, and `s` the
alphabets of Base64. Every format has a stretch of at least 20 characters of class `b`: the search starts from those.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from clew.text.late_patterns import compile_late

_LEAST = 20  # the shortest stretch that holds a token
_CLASSES = {
    "w": "[A-Za-z0-9]", "h": "[0-9A-Fa-f]", "u": "[A-Z0-9]", "l": "[a-z0-9]", "d": "[0-9]",
    "b": r"[\w-]", "e": r"[\w.=-]", "s": "[A-Za-z0-9+/=_-]",
}  # fmt: skip
_UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"

FORMATS: dict[str, tuple[str, ...]] = {
    "1password": ("ops_eyJ{s60+}", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}", "A3-{u6}-{u11}-{u5}-{u5}-{u5}"),
    "adafruit": ("aio_{w28}",),
    "adobe": ("p8e-{b32}",),
    "age": ("AGE-SECRET-KEY-1{u58}", "AGE-PLUGIN-{u1-20}-1{u20+}"),
    "airtable": ("pat{w14}.{h64}",),
    "aiven": ("AVNS_{b18+}",),
    "alibaba": ("LTAI{w17-24}",),
    "anthropic": ("sk-ant-{b20+}",),
    "apify": ("apify_api_{b30+}",),
    "artifactory": ("AKCp{w69}", "cmVmdGtu{w56}"),
    "atlassian": ("ATATT3{s20+}", "ATCTT3{s20+}", "ATBB{e20+}", "BBDC-{s40-50}"),
    "aws": ("AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}", "ABSK{s100+}", "bedrock-api-key-{s20+}"),
    "bannerbear": ("bb_pr_{h30}", "bb_ma_{h30}"),
    "brevo": ("xkeysib-{h64}-{w16}", "xsmtpsib-{h64}-{w16}"),
    "buildkite": ("bkua_{h40}", "bkct_{w40}"),
    "cargo": ("cio{w32}",),
    "checkout": ("sk_sbox_{b20+}",),
    "circleci": ("CCIPAT_{w22}_{h40}", "CCIPRJ_{w22}_{h40}"),
    "clickhouse": ("4b1d{w38}",),
    "clojars": ("CLOJARS_{w60}", "clojars_{w60}"),
    "cloudflare": ("cfut_{w40}{h8}", "cfat_{w40}{h8}", "cfk_{w40}{h8}", "v1.0-{h24}-{h146}", "v1.0-{b171}"),
    "contentful": ("CFPAT-{b43}",),
    "databricks": ("dapi{h32}",),
    "defined-networking": ("dnkey-{e26}-{e52}",),
    "deno": ("ddp_{w36}", "ddw_{w36}"),
    "digitalocean": ("dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"),
    "discord": tuple(f"{first}{{b22-24}}.{{b6}}.{{b27-38}}" for first in "MT MD Mj Mz ND NT Nj Nz OD OT".split()),
    "docker": ("dckr_pat_{b20+}", "dckr_oat_{b20+}"),
    "doppler": (*(f"dp.{kind}.{{w40-44}}" for kind in "ct pt sa scim audit st".split()), "dp.st.{b2-35}.{w40-44}"),
    "dropbox": ("sl.{e100+}", "sl.u.{e100+}"),
    "duffel": ("duffel_test_{e40+}", "duffel_live_{e40+}"),
    "dynatrace": ("dt0c01.{w24}.{w64}", "dt0s01.{w24}.{w64}", "dt0s16.{w8-24}.{w64}"),
    "easypost": ("EZAK{w54}", "EZTK{w54}"),
    "elevenlabs": ("sk_{h48}",),
    "facebook": ("{d15-16}|{b27-40}", "EAAM{w100+}", "EAAC{w100+}", "EAACEdEose0cBA{w20+}"),
    "figma": ("figd_{e36+}", "figp_{e36+}", "figo_{e36+}"),
    "flexport": ("shltm_{b40}",),
    "flutterwave": ("FLWSECK-{l32}-X", "FLWSECK_TEST-{l12-32}", "FLWPUBK_TEST-{l32}-X"),
    "fly": ("fo1_{b43}", "fm1a_{s100+}", "fm1r_{s100+}", "fm2_{s100+}"),
    "frameio": ("fio-u-{e64}",),
    "gcp": ("AIza{b35}", "GOCSPX-{b24+}"),
    "github": ("ghp_{w20+}", "gho_{w20+}", "ghu_{w20+}", "ghs_{w20+}", "ghr_{w20+}", "github_pat_{b20+}"),
    "gitlab": (
        *(f"gl{kind}-{{e20+}}" for kind in "pat dt rt rtr ptt ft cbt soat imt agent oas ffct wt".split()),
        "GR1348941{b20}",
    ),
    "google-oauth": ("ya29.{b20+}",),
    "grafana": ("glsa_{w32}_{h8}", "glc_{s32+}", "eyJrIjoi{s60+}"),
    "groq": ("gsk_{w40+}",),
    "harness": ("pat.{b22}.{w24}.{w20}", "sat.{b22}.{w24}.{w20}"),
    "heroku": ("HRKU-{b36+}",),
    "hubspot": (f"pat-na1-{_UUID}", f"pat-eu1-{_UUID}"),
    "huggingface": ("hf_{w34}", "api_org_{w34}"),
    "infracost": ("ico-{w32}",),
    "intra42": ("s-s4t2ud-{h64}", "s-s4t2af-{h64}", "u-s4t2ud-{h64}", "u-s4t2af-{h64}"),
    "jwt": ("eyJ{b17+}.eyJ{b8+}.{b8+}", "eyJ{b17+}.eyJ{b17+}.", "ey{b18+}.ey{b17+}.{b10+}", "ZXlK{s100+}"),
    "klaviyo": ("pk_{h34}", "pk_{w6}_{h34}"),
    "langsmith": ("lsv2_pt_{h32}_{h10}", "lsv2_sk_{h32}_{h10}"),
    "launchdarkly": (f"sdk-{_UUID}", f"api-{_UUID}", f"mob-{_UUID}"),
    "linear": ("lin_api_{w40}", "lin_oauth_{w40+}"),
    "mailchimp": ("{h32}-us{d1-2}",),
    "mailgun": ("key-{l32}",),
    "mapbox": ("sk.eyJ{e40+}", "pk.eyJ{e40+}", "pk.{l60}.{l22}"),
    "maxmind": ("{w6}_{w29}_mmk",),
    "neon": ("napi_{l60+}",),
    "netlify": ("nfp_{w36+}",),
    "newrelic": ("NRAK-{w27}", "NRAA-{w27+}", "NRII-{b25+}", "NRIQ-{b25+}", "NRJS-{h19}", "NRBR-{h19}", "NRRA-{h42}",
                 "AA{h40}-NRMA", "{h32}FFFFNRAL", "eu01xx{h26}FFFFNRAL"),
    "nightfall": ("NF-{w32}",),
    "notion": ("ntn_{w40+}", "secret_{w43}"),
    "npm": ("npm_{w36}",),
    "nuget": ("oy2{l43}",),
    "nvidia": ("nvapi-{b60+}",),
    "octopus": ("API-{u26}",),
    "openai": ("sk-{b20+}",),
    "openshift": ("sha256~{b43}",),
    "pagarme": ("ak_live_{w30}", "ak_test_{w30}"),
    "paystack": ("sk_live_{l40}", "sk_test_{l40}"),
    "perplexity": ("pplx-{w40+}",),
    "pinecone": ("pcsk_{w5-6}_{w60+}",),
    "plaid": tuple(f"access-{stage}-{_UUID}" for stage in ("sandbox", "development", "production")),
    "planetscale": ("pscale_tkn_{e32+}", "pscale_oauth_{e32+}", "pscale_pw_{e32+}"),
    "posthog": ("phx_{b40+}", "phs_{b40+}"),
    "postman": ("PMAK-{h24}-{h34}",),
    "prefect": ("pnu_{w36}", "pnb_{w36}"),
    "pubnub": (f"pub-c-{_UUID}", f"sub-c-{_UUID}", "sec-c-{s40+}"),
    "pulumi": ("pul-{h40}",),
    "pypi": ("pypi-AgE{b16+}",),
    "ramp": ("ramp_sec_{w48}", "ramp_id_{w40}"),
    "razorpay": ("rzp_live_{w14}", "rzp_test_{w14}"),
    "readme": ("rdme_{l70}",),
    "recharge": ("sk_1x1_{h64}", "sk_2x2_{h64}", "sk_test_1x1_{h64}"),
    "replicate": ("r8_{b37}",),
    "robinhood": (f"rh-api-{_UUID}",),
    "rootly": ("rootly_{h64}",),
    "rubygems": ("rubygems_{h48}",),
    "salad": ("salad_cloud_{w1-7}_{w7+}",),
    "salesforce": ("3MVG9{s80+}", "5AEP861{e80+}"),
    "scalingo": ("tk-us-{b48}",),
    "scaleway": (f"SCW{_UUID}",),
    "sendgrid": ("SG.{b16-24}.{b39-50}", "SG.{e66}"),
    "sentry": ("sntrys_eyJ{s40+}", "sntryu_{h64}"),
    "settlemint": ("sm_aat_{w16}", "sm_pat_{w16}", "sm_sat_{w16}"),
    "shippo": ("shippo_live_{h40}", "shippo_test_{h40}"),
    "shopify": ("shpat_{h32}", "shpca_{h32}", "shppa_{h32}", "shpss_{h32}", "shptka_{h32}"),
    "slack": ("xoxa-{b15+}", "xoxb-{b15+}", "xoxe-{b15+}", "xoxo-{b15+}", "xoxp-{b15+}", "xoxr-{b15+}", "xoxs-{b15+}",
              "xoxd-{b15+}", "xoxc-{b15+}", "xoxe.xoxp-1-{b20+}", "xoxe.xoxb-1-{b20+}", "xapp-{d1}-{u6+}-{d6+}-{l20+}"),
    "sonar": ("squ_{h40}", "sqp_{h40}", "sqa_{h40}", "sqco_{w50+}"),
    "sourcegraph": ("sgp_{h40}", "sgp_{w5-16}_{h40}", "slk_{h64}", "sgd_{h64}"),
    "square": ("sq0atp-{b22+}", "sq0csp-{b22+}", "sq0idp-{b22+}", "sq0idb-{b22+}", "EAAA{b56-64}"),
    "stripe": (
        *(f"{kind}_{stage}_{{w14+}}" for kind in ("sk", "rk") for stage in ("live", "test", "prod", "org")),
        "whsec_{s24+}", "pi_{w24}_secret_{w25}",
    ),
    "supabase": ("sbp_{h40}", "sb_secret_{b20+}"),
    "tailscale": tuple(f"tskey-{kind}-{{b20+}}" for kind in ("api", "auth", "client", "scim", "webhook")),
    "telegram": ("{d5-16}:A{b34}",),
    "terraform": ("{w14}.atlasv1.{e60+}",),
    "together": ("tgp_v1_{b40+}",),
    "trufflehog": ("thog-key-{h16}", "thog-secret-{h32}"),
    "twilio": ("SK{h32}",),
    "typeform": ("tfp_{e40+}",),
    "ubidots": ("BBFF-{w30}",),
    "vault": ("hvs.{b20+}", "hvb.{b20+}", "hvr.{b20+}", "s.{w24}"),
    "voiceflow": ("VF.DM.{h24}.{w16}", "VF.WS.{h24}.{w16}", "VF.{h24}.{w16}"),
    "wakatime": (f"waka_{_UUID}",),
    "xai": ("xai-{b60+}",),
    "yandex": ("AQVN{b35-38}", "YC{b38}", "t1.{b16+}.{b86}", "y0_{b40+}"),
    "zoho": ("1000.{h32}.{h32}",),
}  # fmt: skip

_PART = compile_late(r"\{(\w)(\d+)(?:(\+)|-(\d+))?\}")
_IS_STRETCH = bytes(ord("w") if chr(code) in "_-" or (chr(code).isalnum() and code < 128) else 0 for code in range(256))
_STRETCH = b"w" * _LEAST
_JOINED = bytes(code for code in range(128) if chr(code).isalnum() or chr(code) in "_-.=+/:~|")
_BEFORE = 40  # of a stretch: what else may belong to its token
_DIGIT = compile_late(rb"[0-9]")
_SEGMENT = compile_late(rb"[A-Za-z0-9]++")
_REPEATED = compile_late(rb"([A-Za-z*])\1{5}")
_WORDS = compile_late(rb"[A-Za-z]{1,4}[-_](?:[a-z]+[-_])*[a-z]+")


class ProviderToken(NamedTuple):
    kind: str
    start: int
    end: int


class _Format(NamedTuple):
    kind: str
    literal: bytes  # what it begins with, or else has inside
    form: str


def find_tokens(data: bytes) -> Iterator[ProviderToken]:
    """Tokens of the table, in order: one pass over the text, then a closer look at long stretches with a digit."""
    classes = data.translate(_IS_STRETCH)
    at = classes.find(_STRETCH)
    done = 0
    while at >= 0:
        end = classes.find(b"\0", at)
        end = len(data) if end < 0 else end
        if _DIGIT.search(data, at, end):
            before = data[max(done, at - _BEFORE) : at]
            begin = at - (len(before) - len(before.rstrip(_JOINED)))
            inner = _ANYWHERE_IN if _INSIDE.search(data, begin, end + _BEFORE) else ()
            for segment in _SEGMENT.finditer(data, begin, end):
                if token := _token_at(data, max(segment.start(), done), inner):
                    yield token
                    done = token.end
        elif data[at : at + 2] in _BY_BEGINNING and (token := _token_at(data, at, ())):
            yield token
            done = token.end
        at = classes.find(_STRETCH, max(end, done))


def _token_at(data: bytes, place: int, inner: tuple[_Format, ...]) -> ProviderToken | None:
    """The one that begins there, or right after an escape's letters, as in `\\nTOKEN` or `%3DTOKEN`."""
    escape = data[place - 1 : place]
    if escape == b"\\" and data[place : place + 1] in (b"n", b"r", b"t"):
        place += 1
    elif escape == b"%":
        place += 2
    for known in (*_BY_BEGINNING.get(data[place : place + 2], ()), *inner):
        if known.form[0] != "{" and not data.startswith(known.literal, place):
            continue
        match = _expression(known.form).match(data, place)
        if match and not _is_placeholder(match[0]):
            return ProviderToken(known.kind, *match.span())
    return None


def _is_placeholder(token: bytes) -> bool:
    return bool(_REPEATED.search(token) or _WORDS.fullmatch(token))


# A bracket after a token is where a stand-in begins: what stood there went on as the token did.
@cache
def _expression(form: str) -> re.Pattern[bytes]:
    parts, at = [], 0
    for part in _PART.finditer(form):
        name, least, more, most = part.groups()
        times = f"{{{least},}}" if more else f"{{{least},{most}}}" if most else f"{{{least}}}"
        parts += [re.escape(form[at : part.start()]), _CLASSES[name], times]
        at = part.end()
    return re.compile(f"{''.join([*parts, re.escape(form[at:])])}(?![A-Za-z0-9\\[])".encode())


def _literal(form: str) -> str:
    """The text before the first class, or for a form that begins with one, the longest text inside."""
    texts = _PART.sub("\0", form).split("\0")
    return texts[0] or max(texts, key=len)


_ALL = tuple(
    _Format(kind, _literal(form).encode(), form)
    for kind, forms in FORMATS.items()
    for form in sorted(forms, key=len, reverse=True)
)
_ANYWHERE_IN = tuple(one for one in _ALL if one.form[0] == "{")
_INSIDE = compile_late(b"|".join(re.escape(one.literal) for one in _ANYWHERE_IN))
_BY_BEGINNING: defaultdict[bytes, list[_Format]] = defaultdict(list)
for _one in sorted(_ALL, key=lambda one: -len(one.literal)):
    if _one.form[0] != "{":
        _BY_BEGINNING[_one.literal[:2]].append(_one)
