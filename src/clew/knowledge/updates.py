"""Which text of two takes the place of the other: a later one that states the same thing anew, or that tells of a change. Pure.

Only what two texts say is compared, so nothing is stored, and a later text can be forgotten without a trace. Texts about
what happened on a day do not replace one another.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from clew.knowledge.evidence import split_words
from clew.text.terms import FILLERS, Lexicon

LONGEST = 400  # characters; longer texts say too many things to be replaced as a whole
FRAME_SHARED = 0.99  # of the later text's frame that the earlier one has, where only measures differ
FRAME_NEAR = 0.6  # the same, where the later one says that it states a change

_MAIN = re.compile(
    r"\s*(?:[;:]|,?\s+(?:because|since (?!\d|january|february|march|april|may|june|july|august|september|october|november|december|\w+day)|as (?:we|the|it|they|legal)|so that|although|but|which|after|until we)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|"
    "fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|once|twice|an? (?=hour|day|week|month|year|minute|second|quarter)"
)
# What is measured or dated: by kind, so that a duration is compared with a duration.
_MEASURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rule, re.IGNORECASE))
    for kind, rule in (
        ("often", r"\b(?:(?:every|each)(?: (?:other|second|third|\w+day|\d+))? ?(?:hours?|days?|weeks?|months?|years?|nights?|quarters?|minutes?)?|hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|once a \w+|twice a \w+)\b"),
        ("duration", rf"\b(?:\d[\d.,]*|{_NUMBERS})[ -]?(?:milliseconds?|ms|seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?)\b"),
        ("date", rf"\b(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:{_MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|q[1-4])\b"),
        ("time", r"\b\d{1,2}(?::\d\d)(?: ?(?:am|pm|utc|cet))?\b|\b\d{1,2} ?(?:am|pm|o'clock)\b"),
        ("number", rf"(?<![\w.])(?:[$€£] ?)?(?!\d+(?:st|nd|rd|th)\b)\d[\d.,]*\w{{0,2}}%?|\b(?:{_NUMBERS})\b"),
    )
)  # fmt: skip
_CUE = re.compile(
    rf"\b(?:now|nowadays|instead|anymore|any more|no longer|from now on|as of (?:now|today|{_MONTHS}|\d)|meanwhile|in the meantime|"
    rf"since (?:{_MONTHS}|\d{{4}}|yesterday|today|last \w+)|these days|these are|has changed|have changed|changed (?:to|from)|"
    r"moved|migrated|switched|transferred|relocated|rewritten|replaced|superseded|upgraded|downgraded|renamed|rebranded|"
    r"postponed|pushed|extended|shortened|brought forward|rescheduled|raised|lowered|increased|reduced|cut|bumped|dropped|"
    r"took over|taken over|takes over|succeed(?:s|ed)(?! in\b)|stepped down|handed over|became|becomes|reverted to|turned into|"
    r"converted|ported|swapped|updated|grew|rose|fell|new)\b",
    re.IGNORECASE,
)
_HAPPENED_ON = re.compile(
    rf"\b(?:on|at|in|last|yesterday|today|this morning)\b[^.]{{0,24}}(?:\d|{_MONTHS}|week|month|day|night|friday)[^.]*\b(?:was|were|had|went|[a-z]{{3,}}ed)\b"
    rf"|\b(?:was|were|had|went|failed|crashed|met|visited|held|ran|[a-z]{{3,}}ed)\b[^.]{{0,60}}\b(?:on|at|yesterday|last)\b(?: (?:\w+ )?(?:\d|{_MONTHS}|\w+day|week|month|night))",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:no longer|any ?more|never again|stopped)\b", re.IGNORECASE)
_VALUE = re.compile(
    r"(?P<what>[^,;:.!?]{3,80}?) (?:is|was|became) (?:now )?(?:called |named |set to |at )?(?P<value>[^,;!?]{1,60})$",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?:favou?rite|preferred|primary|current|default|main|minimum|maximum|official|latest|colou?r|name|number|e-?mail|address|"
    r"contact|branch|theme|language|editor|version|status|owner|lead|price|deadline|title|age|size|url|port|region|time ?zone|"
    r"password|limit|provider|manager|boss|employer|job|role|goal|threshold|timeout|budget|capital|headquarters|nickname|salary)\b",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:is|are|due|deadline|starts?|ends?|takes? place|scheduled|planned|expires?|closes?|opens?)\b", re.IGNORECASE
)
# A change that names what ended: the old value, and what it was of.
_FROM_TO = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        r"\b(?:replaced|swapped|swap|replace|dropped|abandoned|retired|ditched)\s+(?:the\s+)?(?P<old>[^,;.]{2,60}?)\s+(?:by|with|for|in favou?r of)\s+(?P<new>[^,;.]{2,60})",
        r"\b(?:moved|migrated|switched|changed|went|upgraded|downgraded|converted|ported|renamed|relocated|transitioned|raised|"
        r"lowered|increased|reduced)\b[^,;.]{0,40}?\bfrom\s+(?:the\s+)?(?P<old>[^,;.]{2,60}?)\s+(?:to|over to)\s+(?P<new>[^,;.]{2,60})",
        r"\b(?P<new>[^,;.]{2,60}?)\s+(?:replaces|replaced|supersedes|superseded|succeeds|succeeded)\s+(?!in\b)(?:the\s+)?(?P<old>[^,;.]{2,60}?)(?=\s+(?:as|in|on|at|for|of|by|with)\b|[,;.]|$)",
        r"\b(?:took|takes|taken)\s+over\b.{0,60}?\bfrom\s+(?P<old>[^,;.]{2,60})",
        r"\b(?:left|quit|resigned from|stopped (?:using|working (?:at|for|with))|gave up|cancelled|terminated|ended)\s+(?:the\s+)?(?P<old>[^,;.]{2,60}?)(?=\s+and\b|\s+for\b|[,;.]|$)",
        r"\binstead of\s+(?:the\s+)?(?P<old>[^,;.]{2,60})",
        r"\b(?P<old>[^,;.]{2,60}?)\s+(?:is|was|were|has been|have been)\s+(?:replaced|superseded|succeeded)\s+by\s+(?P<new>[^,;.]{2,60})",
    )
)  # fmt: skip
_STATES = (
    r"\b(?:lives?|works?|runs?|running|uses?|using|hosted|located|based|kept|stored|built|written|made|favou?rite|prefers?|"
    r"goes to|go to|stays?|sits?|keeps?|drives?|rides?|attends?|studies|(?:is|are|was|were) (?:at|in|on|with))\b"
)
# Nouns of a change of place, use or date, and what the earlier text says instead.
_SHIFTS = tuple(
    (re.compile(cue, re.IGNORECASE), re.compile(earlier, re.IGNORECASE))
    for cue, earlier in (
        (r"\b(?:moved|relocated|transferred|migrated|switched|ported|converted) (?:\w+ ){0,4}?(?:to|into|over to|onto)\b|\bswitched\b", _STATES),
        (r"\b(?:rewritten|ported|rebuilt|reimplemented) (?:in|with|on|to|using)\b", r"\b(?:written|built|made|uses?|implemented|runs?|based)\b"),
        (r"\b(?:upgraded|downgraded|bumped|updated|promoted|changed) (?:to|from)\b", r"."),
        (
            r"\b(?:pushed|postponed|extended|moved|shifted|rescheduled|brought forward|delayed)\b",
            rf"\b(?:due|deadline|planned|scheduled|until|starts?|ends?|takes? place|launch\w*|releas\w*|ships?|opens?|closes?)\b.*(?:\d|{_MONTHS}|day|week|month|quarter)",
        ),
        (r"\b(?:took over|takes over|taken over|succeed(?:s|ed)(?! in\b)|stepped down)\b", r"\b(?:leads?|led|owns?|owned|runs?|heads?|headed|manages?|managed|maintain\w*|responsible|charge|lead|owner|manager|hook)\b"),
        (r"\b(?:raised|lowered|increased|reduced|cut|dropped|grew|rose|fell|extended|shortened|doubled|halved)\b", r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred)\b"),
    )
)  # fmt: skip


_OPENING = re.compile(r"\S+ (?:\S+ )?\d\S*(?=\s)")  # a number among the first words is a name: `room 12`


class _Shift(NamedTuple):
    """A change of place, use or date: its subject, where it may stand, and what the earlier text must say."""

    subject: frozenset[str]
    reach: int
    earlier: re.Pattern[str]


class _Statement(NamedTuple):
    """A text taken apart: the terms of its main clause without measures, the measures by kind, and what changed."""

    frame: tuple[str, ...]
    measures: dict[str, frozenset[str]]
    words: frozenset[str]
    happened: bool
    has_cue: bool
    ended: tuple[tuple[str, ...], ...]  # what the text says was replaced
    over: frozenset[str]  # what it says no longer holds
    attribute: tuple[str, ...]  # the one attribute of a thing that it gives a value
    value: tuple[str, ...]
    shifts: tuple[_Shift, ...]


def replaces(later: str, earlier: str) -> bool:
    """Whether what the later text says takes the place of what the earlier one says."""
    new, old = _read(later), _read(earlier)
    return new is not None and old is not None and _replaces(new, old, earlier)


def outdated_by(texts: Sequence[tuple[str, int]]) -> dict[int, int]:
    """Of texts with their times: the place of each that a later one replaces, and the place of the last that does."""
    found: dict[int, int] = {}
    order = [
        place
        for place in sorted(range(len(texts)), key=lambda place: (texts[place][1], place))
        if _read(texts[place][0])
    ]
    for at, early in enumerate(order):
        old = _read(texts[early][0])
        for late in order[at + 1 :]:
            new = _read(texts[late][0])
            if texts[late][1] > texts[early][1] and new and old and _replaces(new, old, texts[early][0]):
                found[early] = late
    return found


def _replaces(new: _Statement, old: _Statement, earlier: str) -> bool:
    if not new.words & old.words or (
        new.words == old.words and new.measures == old.measures and new.has_cue == old.has_cue
    ):
        return False
    return _names_the_old(new, old) or _restates(new, old, earlier) or _shifts(new, old, earlier)


def _names_the_old(new: _Statement, old: _Statement) -> bool:
    """`We replaced A by B for C`, said after `C runs on A`."""
    for ended in new.ended:
        named = sum(term in old.words for term in ended)
        if named and named >= min(len(ended), 2) and (new.words & old.words) - set(ended):
            return True
    return False


def _restates(new: _Statement, old: _Statement, earlier: str) -> bool:
    """The same frame with another measure, or with one other word and a word that says that it changed."""
    if new.happened or old.happened:
        return False
    if new.over and new.over <= old.words:
        return True
    if len(new.attribute) > 1 and new.attribute == old.attribute and new.value != old.value:
        return True
    frame = set(new.frame)
    lacking = len(frame - set(old.frame))
    if len(frame) - lacking < 2 and new.frame != old.frame:
        return False
    shared = 1 - lacking / len(frame)
    differing = [kind for kind, said in new.measures.items() if kind in old.measures and said - old.measures[kind]]
    if differing and shared >= FRAME_SHARED and ("date" not in differing or _STATED.search(earlier)):
        return True
    starts_alike = new.frame[0] in old.frame[:2] or old.frame[0] in new.frame[: None if differing else 2]
    return new.has_cue and shared >= FRAME_NEAR and starts_alike


def _shifts(new: _Statement, old: _Statement, earlier: str) -> bool:
    """`X moved to B`, said after `X is at A`: the subjects are the same, and the earlier text says where it was."""
    return not old.happened and any(
        shift.subject <= set(old.frame[: shift.reach]) and shift.earlier.search(earlier) for shift in new.shifts
    )


@lru_cache(maxsize=1 << 13)
def _read(text: str) -> _Statement | None:
    """None for what is too long, a question, or says nothing."""
    if len(text) > LONGEST or text.rstrip().endswith("?"):
        return None
    main = _MAIN.sub("", text.strip()) or text
    measures: dict[str, frozenset[str]] = {}
    start = _OPENING.match(main)
    opening, bare = (start[0], main[start.end() :]) if start else ("", main)
    for kind, rule in _MEASURES:
        if said := frozenset(match[0].strip().casefold() for match in rule.finditer(bare)):
            measures[kind] = said
            bare = rule.sub(" ", bare)
    frame = tuple(_content(_CUE.sub(" ", f"{opening} {bare}")))
    if not frame:
        return None
    ended = tuple(tuple(_content(change["old"])) for rule in _FROM_TO if (change := rule.search(text)))
    over = frozenset(_content(_ENDS.sub(" ", text))) if _ENDS.search(text) else frozenset()
    value = _VALUE.match(text.strip().rstrip(".!"))
    single = value is not None and _SINGLE.search(value["what"]) is not None
    return _Statement(
        frame,
        measures,
        frozenset(_content(text)),
        _HAPPENED_ON.search(text) is not None,
        _CUE.search(text) is not None,
        ended,
        over,
        tuple(_content(_CUE.sub(" ", value["what"]))) if value and single else (),
        tuple(_content(value["value"])) if value else (),
        tuple(_find_shifts(text)),
    )


def _find_shifts(text: str) -> Iterator[_Shift]:
    for cue, before in _SHIFTS:
        if (found := cue.search(text)) is None:
            continue
        role = re.search(r"\b(?:as|for)\b(.*)$", text[found.end() :], re.IGNORECASE)
        said = _content(text[: found.start()]) or _content(role[1] if role else "")
        if subject := frozenset(term for term in said if term not in _attributes()):
            yield _Shift(subject, len(said) + 1, before)


@cache
def _attributes() -> frozenset[str]:
    """Nouns that name what of a thing has changed."""
    words = (
        "deadline date launch release address price limit timeout version plan budget owner lead location office size"
    )
    return frozenset(_content(words))


def _content(text: str) -> list[str]:
    """The terms of a text in order, without filling words."""
    lexicon = _lexicon()
    return [term for word in split_words(text) if word.lower() not in FILLERS for term in lexicon.terms(word)[:1]]


@cache
def _lexicon() -> Lexicon:
    return Lexicon()
