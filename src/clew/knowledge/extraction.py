"""What a text says, found without a model: names, identifiers, facts, events, causes. Pure; the text is only data.

Patterns are of English. What they do not understand stays in the text itself, which is remembered whole.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.knowledge import names
from clew.knowledge.dates import FoundDate, find_dates, without_dates

MOST_SENTENCES = 200  # of one text; what follows is remembered, but not taken apart
LONGEST_SENTENCE = 600  # characters; longer ones are data or code
LONGEST_PART = 160  # characters of a subject or object
MOST_NAMES = 40
MOST_ALIAS_WORDS = 5
_TEAM = "team"  # who `we` are


class TextFact(NamedTuple):
    """A statement; `valid_from` and `valid_to` are 0 where the text names none."""

    subject: str
    predicate: str
    object: str
    sentence: str
    confidence: float
    valid_from: int = 0
    valid_to: int = 0
    one_value: bool = False  # the text speaks of the one object, as in "the owner of X is Y"
    ends: bool = False  # the text says that this no longer holds


class TextCause(NamedTuple):
    cause: str
    effect: str
    connective: str
    sentence: str
    confidence: float


class TextEvent(NamedTuple):
    description: str
    occurred_at: int
    entities: tuple[str, ...]


class TextAlias(NamedTuple):
    """Another name of something."""

    name: str
    alias: str


class TextKnowledge(NamedTuple):
    """What was found in a text, in its order."""

    entities: tuple[str, ...] = ()
    facts: tuple[TextFact, ...] = ()
    causes: tuple[TextCause, ...] = ()
    events: tuple[TextEvent, ...] = ()
    aliases: tuple[TextAlias, ...] = ()


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9`])|\n+|(?<=[;])\s+")
_SPEAKER = re.compile(r"^\s*(?P<who>[A-Z][\w.-]{0,30}(?: [A-Z][\w.-]{0,30})?):\s+")
_IDENTIFIER = re.compile(
    r"`([^`\n]{1,120})`|\b((?:[\w.-]+/)+[\w.-]+\.\w{1,8}|[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)+(?:\(\))?|"
    r"[a-z]\w*_\w+(?:\(\))?|[A-Za-z_]\w*\(\)|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)"
)
_NAME = re.compile(
    r"\b(?:[A-Z][\w&'-]*[A-Za-z0-9]|[A-Z]{2,}\d*)(?:\s+(?:of|the|de|van|von|and|&)\s+(?=[A-Z])|\s+(?=[A-Z0-9]))?"
    r"(?:(?:[A-Z][\w&'-]*|\d+)(?:\s+(?:of|the|de|van|von)\s+(?=[A-Z])|\s+(?=[A-Z]))?)*"
)
_NO_NAMES = frozenset(
    "i a an the this that these those it he she we they you my our your his her its their there here what which who "
    "when where why how if then so but and or not no yes ok okay hi hello hey thanks thank please well also still just "
    "now today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june july august september october november december after before since until because although though while "
    "as at by for from in into of on to with without is are was were be been do does did have has had will would can "
    "could should must might all any some each every both many most more another other one two three first last next "
    "let lets im ive id ill its thats whats wow great good nice sure oh yeah aw cool awesome sounds wish".split()
)  # fmt: skip

# Verbs of statements; longer alternatives first. Each is the predicate as it is stored.
_COPULA = r"(?P<copula>is|are|was|were|became|becomes|has become|remains)"
_STATES = (
    "owned by", "maintained by", "led by", "managed by", "written in", "written by", "based on", "based in",
    "located in", "located at", "deployed to", "deployed on", "hosted on", "hosted by", "assigned to", "married to",
    "employed by", "responsible for", "part of", "member of", "stored in", "called", "named", "set to", "pinned to",
    "replaced by", "created by", "built by", "built with", "powered by", "backed by", "blocked by", "deprecated by",
    "allergic to", "interested in", "afraid of", "engaged to", "born in", "born on", "due on", "due", "from",
)  # fmt: skip
_VERBS = (
    "works at", "works for", "works with", "works on", "works as", "lives in", "lives at", "lives with", "moved to",
    "moved from", "migrated to", "switched to", "belongs to", "depends on", "relies on", "reports to", "talks to",
    "listens to", "runs on", "runs", "requires", "needs", "uses", "calls", "owns", "maintains", "leads", "manages",
    "prefers", "likes", "loves", "hates", "dislikes", "enjoys", "supports", "contains", "includes", "provides",
    "implements", "extends", "replaces", "wraps", "stores", "reads", "writes to", "writes", "sends", "returns",
    "retries", "handles", "speaks", "plays", "studies", "studies at", "teaches", "has", "bought", "sold", "joined", "left",
    "founded", "created", "built", "wrote", "designed", "chose", "picked", "adopted", "married", "visited", "drives",
    "costs", "supersedes", "deprecates", "introduced", "fixed", "broke", "released", "shipped", "deployed", "merged",
    "reviewed", "approved", "decided on", "decided to", "wants", "plans to", "hired", "acquired", "directed", "won",
)  # fmt: skip
_PLURALS = {re.sub(r"^(\w+?)(?:s)\b", r"\1", verb): verb for verb in _VERBS if re.match(r"\w+s\b", verb)}
_PLURALS |= {"have": "has", "study": "studies", "retry": "retries", "study at": "studies at"}
_BARE = "|".join(re.escape(one) for one in sorted({*_VERBS, *_PLURALS}, key=lambda one: (-len(one), one)))
_PAST = "|".join(re.escape(one) for one in sorted(_STATES, key=lambda one: (-len(one), one)))
_PART = r"[^,;:.!?]{1,160}?"
_ADVERB = (
    r"(?:(?:now|also|still|currently|always|usually|really|just|actually|recently|already|then|mostly|mainly)\s+)?"
)
_STATEMENTS = tuple(
    (kind, re.compile(rule, re.IGNORECASE))
    for kind, rule in (
        (
            "change",
            rf"^(?P<subject>{_PART})\s+(?:have |has |had )?{_ADVERB}(?P<predicate>migrated|switched|changed|moved|upgraded)"
            rf"\s+from\s+(?P<old>{_PART})\s+to\s+(?P<object>.+)$",
        ),
        ("attribute", rf"^(?:the\s+)?(?P<predicate>[\w -]{{2,60}}?)\s+(?:of|for)\s+(?P<subject>{_PART})\s+{_COPULA}\s+{_ADVERB}(?P<object>.+)$"),
        ("possessive", rf"^(?P<subject>my|our|[\w .-]{{1,60}}?(?:'s|s'))\s+(?P<predicate>[\w -]{{2,60}}?)\s+{_COPULA}\s+{_ADVERB}(?P<object>.+)$"),
        ("state", rf"^(?P<subject>{_PART})\s+{_COPULA}\s+{_ADVERB}(?P<predicate>{_PAST})\s+(?P<object>.+)$"),
        ("verb", rf"^(?P<subject>{_PART})\s+{_ADVERB}(?P<negated>(?:does|do|did)(?:n't| not)\s+|never\s+)?(?P<ended>no longer\s+|used to\s+|stopped\s+)?(?P<predicate>{_BARE})\s+(?P<object>.+)$"),
        ("copula", rf"^(?P<subject>{_PART})\s+{_COPULA}\s+(?P<negated>not\s+)?(?P<ended>no longer\s+)?{_ADVERB}(?P<object>.+)$"),
    )
)  # fmt: skip
_CAUSAL = tuple(
    (name, confidence, re.compile(rule, re.IGNORECASE))
    for name, confidence, rule in (
        ("because", 0.95, r"^(?P<effect>.+?),?\s+\bbecause(?: of)?\s+(?P<cause>.+)$"),
        ("because", 0.95, r"^because(?: of)?\s+(?P<cause>.+?),\s+(?P<effect>.+)$"),
        ("due to", 0.9, r"^(?P<effect>.+?),?\s+(?:is |are |was |were )?\b(?:due to|owing to|thanks to|on account of)\s+(?P<cause>.+)$"),
        ("due to", 0.9, r"^(?:due to|owing to|as a result of)\s+(?P<cause>.+?),\s+(?P<effect>.+)$"),
        ("caused", 0.95, r"^(?P<effect>.+?)\s+(?:is|was|were|are)\s+(?:caused|triggered|brought about) by\s+(?P<cause>.+)$"),
        ("led to", 0.9, r"^(?P<cause>.+?),?\s+(?:which\s+)?(?:led to|leads to|caused|causes|resulted in|results in|triggered|triggers|made us)\s+(?P<effect>.+)$"),
        ("so that", 0.7, r"^(?P<cause>.+?),\s+(?:so|therefore|hence|thus|which is why|that is why|that's why|as a result|consequently)\s*,?\s+(?P<effect>.+)$"),
        ("in order to", 0.7, r"^(?P<effect>.+?)\s+(?:in order to|so as to|to avoid|to prevent)\s+(?P<cause>.+)$"),
        ("since", 0.6, r"^since\s+(?P<cause>(?!\d|then|last|yesterday)[^,]+?),\s+(?P<effect>.+)$"),
        ("after", 0.5, r"^after\s+(?P<cause>[^,]+?),\s+(?P<effect>(?:we|i|they|the team)\b.+)$"),
    )
)  # fmt: skip
_HAPPENED = re.compile(
    r"\b(?:went|failed|crashed|broke|happened|occurred|released|shipped|deployed|merged|launched|started|began|ended|"
    r"finished|moved|migrated|switched|joined|left|met|visited|bought|sold|fixed|lost|won|died|was born|got|held|"
    r"announced|signed|hired|resigned|rolled back|reverted|discovered|found|decided|introduced|removed|added|had)\b",
    re.IGNORECASE,
)
_A_NAME = r"(?:the |our )?[^,;:.!?()]{2,60}?"
_OTHER_NAMES = tuple(
    re.compile(rule)
    for rule in (
        rf"^(?P<name>{_A_NAME})(?:,| \() ?(?:aka|a\.k\.a\.|also (?:known as|called)|better known as|nicknamed|formerly|alias|or) (?P<alias>[^,;:()]{{2,40}}?)(?: for short)?[,)]",
        rf"^(?P<name>{_A_NAME}),? (?:whom|which|who|that) (?:everybody|everyone|people|they|we|all|colleagues|the \w+|most of us) (?:calls?|refers? to as|knows? as|nicknamed?) (?P<alias>[^,;:.()]{{2,40}})",
        rf"^(?P<alias>{_A_NAME}) (?:is|was|are) (?:our |the |an? |his |her |just )?(?:internal |code |old |former |short |other |working |project |nick)*(?:name|nickname|codename|alias|abbreviation|acronym|shorthand|short) (?:for|of) (?P<name>{_A_NAME})$",
        rf"^(?P<alias>[A-Z\"'`][^,;:.()]{{1,40}}?) (?:stands for|is short for|means|refers to) (?P<name>{_A_NAME})$",
        rf"^(?:[Ww]e|[Ee]verybody|[Ee]veryone|[Pp]eople|[Tt]hey) (?:calls?|nicknamed) (?P<name>{_A_NAME}) (?P<alias>[A-Z\"'`][^,;:.()]{{1,40}})$",
        rf"^(?P<name>{_A_NAME}) (?:is|was|are) (?:also |now |internally |usually |often |commonly |better |affectionately )*(?:called|named|known as|nicknamed|dubbed|referred to as|renamed(?: to)?|abbreviated(?: as| to)?) (?P<alias>[A-Z\"'`\d][^,;:.()]{{1,40}})$",
    )
)  # fmt: skip
_NO_SUBJECTS = re.compile(r"^(?:my|i|he|she|it|they|this|that|his|her|their|your)\b", re.IGNORECASE)
_QUESTION = re.compile(r"\?\s*$")


def extract(text: str, said_at: int, speaker: str = "") -> TextKnowledge:
    """What a text says; relative dates count from `said_at`, and `I` is the speaker."""
    entities: dict[str, None] = {}
    facts: list[TextFact] = []
    causes: list[TextCause] = []
    events: list[TextEvent] = []
    aliases: list[TextAlias] = []
    last = ""  # the subject that pronouns mean
    for sentence, who in _sentences(text, speaker):
        dates = find_dates(sentence, said_at)
        own = dict.fromkeys(name for name in find_names(sentence) if _is_name(name, sentence, text))
        entities.update(own)
        if _QUESTION.search(sentence):
            continue
        bare = without_dates(sentence, dates).strip().rstrip(".!;, ")
        aliases += find_aliases(sentence.rstrip(".!; "))
        causal = _find_cause(bare, sentence)
        if causal:
            causes.append(causal)
        for statement in _find_facts(causal.effect if causal else bare, sentence, who or last, dates):
            if causal and statement.subject == _TEAM:
                continue  # what we do for a reason is told by the causal link
            facts.append(statement)
            entities.setdefault(statement.subject)
            if statement.subject[:1].isupper():
                last = statement.subject
        if dates and _HAPPENED.search(sentence):
            events.append(TextEvent(_of_speaker(bare, who), dates[0].at, tuple(own)))
    return TextKnowledge(tuple(entities)[:MOST_NAMES], tuple(facts), tuple(causes), tuple(events), tuple(aliases))


def find_aliases(sentence: str) -> Iterator[TextAlias]:
    """Other names that a sentence states. `X is a Y, which we call Z` names X twice, if Y is written as a name."""
    for rule in _OTHER_NAMES:
        found = rule.match(sentence)
        if found is None:
            continue
        bare, _, kind = re.sub(r"\s+(?:is|are|was)\s+(?:the|an?)\s+", "\0", found["name"]).partition("\0")
        name = _bare_name(bare)
        for alias in (_bare_name(found["alias"]), _bare_name(kind) if kind[:1].isupper() else ""):
            fitting = alias and len(alias.split()) <= MOST_ALIAS_WORDS and len(name.split()) <= MOST_ALIAS_WORDS + 1
            if fitting and not _NO_SUBJECTS.match(name) and names.fold(name) != names.fold(alias):
                yield TextAlias(name, alias)
        return


def _bare_name(text: str) -> str:
    return re.sub(r"^(?:the|our|an?)\s+", "", names.clean(text), flags=re.IGNORECASE)


def find_names(sentence: str) -> Iterator[str]:
    """Identifiers and capitalised names of a sentence, in order."""
    found = [
        (match.start(), match.end(), (match[1] or match[2]).removesuffix("()"))
        for match in _IDENTIFIER.finditer(sentence)
    ]
    spans = [(start, end) for start, end, _ in found]
    for match in _NAME.finditer(sentence):
        if any(match.start() < end and start < match.end() for start, end in spans):
            continue
        words = match[0].split()
        while words and words[0].lower().replace("'", "") in _NO_NAMES:
            words = words[1:]
        name = " ".join(words).removesuffix("'s").strip("'-& ")
        if len(name) > 1 and name.lower().replace("'", "") not in _NO_NAMES and not name.isdigit():
            found.append((match.start(), match.end(), name))
    for _, _, name in sorted(found):
        yield names.clean(name)


def _is_name(name: str, sentence: str, text: str) -> bool:
    """A single word that opens a sentence is capitalised whatever it is: it must be a name somewhere else, or speak."""
    if " " in name or not name.istitle() or not sentence.startswith(name):
        return True
    rest = sentence[len(name) :]
    if re.match(rf"(?:'s\b|\s+(?:{_BARE}|is|was|has|and [A-Z])\b)", rest):
        return not name.endswith("s") or name.lower() not in text
    return bool(re.search(rf"(?<![.!?]\s)(?<!^)\b{re.escape(name)}\b", text[1:]))


def _sentences(text: str, speaker: str) -> Iterator[tuple[str, str]]:
    who = speaker
    for number, part in enumerate(_SENTENCE.split(text)):
        if number >= MOST_SENTENCES:
            return
        sentence = part.strip().lstrip("-*># ").strip()
        if said := _SPEAKER.match(sentence):
            who, sentence = said["who"], sentence[said.end() :]
        if 3 <= len(sentence) <= LONGEST_SENTENCE:
            yield sentence, who


def _find_cause(bare: str, sentence: str) -> TextCause | None:
    for connective, confidence, pattern in _CAUSAL:
        found = pattern.match(bare)
        if found is None:
            continue
        cause, effect = (_clause(found[name]) for name in ("cause", "effect"))
        if len(cause.split()) >= 1 and len(effect.split()) >= 2 and cause.lower() != effect.lower():
            return TextCause(cause, effect, connective, sentence, confidence)
    return None


def _find_facts(bare: str, sentence: str, who: str, dates: list[FoundDate]) -> list[TextFact]:
    """The statement of a sentence; a change says two: what ended, and what holds since."""
    start, end = _interval(sentence, dates)
    for kind, pattern in _STATEMENTS:
        found = pattern.match(bare)
        if found is None or (groups := found.groupdict()).get("negated"):
            continue
        subject, predicate, one_value = _of_statement(kind, groups, who)
        value = re.sub(r"^(?:called|named)\s+", "", _TRAILING.sub("", _clause(groups["object"] or "")))
        if not (subject and value and predicate) or len(subject.split()) > 8 or len(value) > LONGEST_PART:
            continue
        if subject.lower() in _NO_NAMES or value.lower() in _NO_NAMES:
            continue
        fact = TextFact(subject, predicate, value, sentence, _CONFIDENCE[kind], start, end, one_value)
        if groups.get("old"):
            return [fact._replace(object=_clause(groups["old"] or ""), ends=True), fact]
        return [fact._replace(ends=bool(groups.get("ended")))]
    return []


_CONFIDENCE = {"attribute": 0.9, "possessive": 0.9, "state": 0.9, "change": 0.9, "verb": 0.8, "copula": 0.6}
# Nouns of which a thing has one: "the API limit is 100" states the limit of the API.
_ATTRIBUTES = frozenset(
    "limit timeout version status port price deadline owner maintainer lead manager size cost budget address email name "
    "title age password license url branch color colour birthday password threshold interval region language".split()
)


def _of_statement(kind: str, groups: dict[str, str | None], who: str) -> tuple[str, str, bool]:
    """Subject, predicate, and whether the text speaks of the one object."""
    subject = _subject(groups["subject"] or "", who)
    said = " ".join((groups.get("predicate") or "").lower().split())
    single = (groups.get("copula") or "").lower() in _ONE
    if kind == "copula":
        words = subject.split()
        if single and len(words) > 1 and words[-1].lower() in _ATTRIBUTES:
            return " ".join(words[:-1]), words[-1].lower(), True
        return subject, "is", False
    if kind in ("attribute", "possessive"):
        words = [word for word in said.split() if word not in ("current", "new", "own", "latest")]
        return subject, " ".join(words), single
    if kind == "change":
        return subject, "lives in" if said == "moved" else "uses", False
    return subject, _MOVES.get(said, _PLURALS.get(said, said)), False


_ONE = ("is", "was", "became", "becomes", "has become", "remains")

# Verbs after which something holds, as what then holds.
_MOVES = {
    "moved to": "lives in", "moved to live in": "lives in", "migrated to": "uses", "switched to": "uses", "joined": "works at",
    "live in": "lives in", "work at": "works at", "work for": "works for", "owns": "owns",
}  # fmt: skip


def _subject(said: str, who: str) -> str:
    bare = names.clean(said)
    lowered = bare.lower()
    if lowered in ("he", "she", "they", "his", "her", "their"):
        return who
    if lowered in ("i", "my", "i'm", "im", "me", "we", "our"):
        return who or (_TEAM if lowered in ("we", "our") else "user")
    bare = re.sub(r"(?:'s|s')$", lambda found: "s" if found[0] == "s'" else "", bare)
    return re.sub(r"^(?:the|a|an|our|my)\s+", "", bare, flags=re.IGNORECASE)


def _interval(sentence: str, dates: list[FoundDate]) -> tuple[int, int]:
    """When a statement begins and ends to hold, as its sentence says."""
    start = end = 0
    for one in dates:
        lead = f"{sentence[max(0, one.start - 12) : one.start]}{one.text}".lower()
        if re.search(r"\b(?:until|till|through|up to)\b", lead):
            end = one.at
        elif not start:
            start = one.at
    return (start, end) if not end or end > start else (start, 0)


def _clause(text: str) -> str:
    return names.clean(
        re.split(r"\s+(?:but|although|though|however|which|while|and then)\s+|[;:]", text, maxsplit=1)[0]
    ).strip(" ,.")


_TRAILING = re.compile(
    r"\s+(?:now|nowadays|currently|these days|today|anymore|any more|again|too|as well|instead)$", re.IGNORECASE
)


def _of_speaker(text: str, who: str) -> str:
    return re.sub(r"^(?:I|We)\b", who, text) if who else text
