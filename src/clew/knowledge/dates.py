"""Dates in text, in many forms, as moments; relative ones count from a reference time. Pure."""

import calendar
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from clew.model.time import from_iso

_MONTHS = {
    name.lower(): number for names in (calendar.month_name, calendar.month_abbr) for number, name in enumerate(names)
}
_MONTHS |= {"sept": 9}
_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_UNITS = {"day": 1, "week": 7, "fortnight": 14}
_SMALL = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "couple of": 2, "few": 3}  # fmt: skip
_COUNT = (
    r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?couple of|(?:a )?few)"
)
DAY = 86_400_000_000


class FoundDate(NamedTuple):
    """A date in a text: where it stands, when it is, and how exactly in days."""

    start: int
    end: int
    text: str
    at: int
    days: int


_FORMS: tuple[tuple[str, str], ...] = (
    ("iso", r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"),
    ("slashed", r"\b(?P<a>\d{1,4})/(?P<b>\d{1,2})/(?P<c>\d{2,4})\b"),
    ("dotted", r"\b(?P<a>\d{1,2})\.(?P<b>\d{1,2})\.(?P<c>\d{4})\b"),
    ("month_day", rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{4}}))?\b"),
    ("day_month", rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b"),
    ("month_year", rf"\b{_MONTH},?\s+(?:of\s+)?(?P<year>\d{{4}})\b"),
    ("quarter", r"\bQ(?P<quarter>[1-4])\s*(?:of\s+)?(?P<year>\d{4})\b|\b(?P<year2>\d{4})[- ]Q(?P<quarter2>[1-4])\b"),
    ("relative", rf"\b{_COUNT}\s+(?P<unit>day|week|fortnight|month|year)s?\s+ago\b"),
    ("last", r"\b(?:the )?(?P<which>last|past|previous|this|next)\s+(?P<unit>day|week|month|year|weekend|night)\b"),
    ("weekday", r"\b(?P<which>last|past|previous|this|next|on)\s+(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"),
    ("word", r"\b(?P<word>yesterday|today|tomorrow|tonight|(?:the )?day before yesterday)\b"),
    ("in_month", rf"\b(?:in|since|until|by|last|during)\s+{_MONTH}(?!\w)"),
    ("year", r"\b(?:in|since|until|by|from|of|during|before|after|year)\s+(?P<year>(?:19|20)\d{2})\b"),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(form, re.IGNORECASE)) for name, form in _FORMS)


def find_dates(text: str, reference: int) -> list[FoundDate]:
    """All dates of a text in order; where two overlap, the form that says more."""
    taken: list[FoundDate] = []
    for name, pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if any(found.start() < one.end and one.start < found.end() for one in taken):
                continue
            try:
                at, days = _READ[name](found, _as_datetime(reference))
            except (ValueError, OverflowError):
                continue
            taken.append(FoundDate(found.start(), found.end(), found[0], at, days))
    return sorted(taken)


def _as_datetime(moment: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment)


def _moment(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _day(year: int, month: int, day: int) -> int:
    return _moment(datetime(year, month, day, tzinfo=UTC))


def _iso(found: re.Match[str], _: datetime) -> tuple[int, int]:
    return from_iso(found[0].replace(" ", "T")), 1


def _numbers(found: re.Match[str], _: datetime) -> tuple[int, int]:
    """Year first, or day or month first: what is above 12 is a day; else American order."""
    a, b, c = (int(found[name]) for name in "abc")
    if len(found["a"]) == 4:
        return _day(a, b, c), 1
    year = c + 2000 if c < 100 else c
    return (_day(year, b, a) if a > 12 or "." in found[0] else _day(year, a, b)), 1


def _named_day(found: re.Match[str], now: datetime) -> tuple[int, int]:
    month, day = _MONTHS[found["month"].lower()[:3]], int(found["day"])
    if found["year"]:
        return _day(int(found["year"]), month, day), 1
    at = _day(now.year, month, day)
    return (at if at <= _moment(now) + 31 * DAY else _day(now.year - 1, month, day)), 1


def _month_year(found: re.Match[str], _: datetime) -> tuple[int, int]:
    return _day(int(found["year"]), _MONTHS[found["month"].lower()[:3]], 1), 30


def _quarter(found: re.Match[str], _: datetime) -> tuple[int, int]:
    quarter, year = int(found["quarter"] or found["quarter2"]), int(found["year"] or found["year2"])
    return _day(year, 3 * quarter - 2, 1), 91


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _shift(at: datetime, months: int) -> datetime:
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, calendar.monthrange(year, month + 1)[1]))


def _relative(found: re.Match[str], now: datetime) -> tuple[int, int]:
    said = found["count"].lower().removeprefix("a ") if found["count"].lower() not in ("a", "an") else "a"
    count = int(said) if said.isdigit() else _SMALL[said]
    unit = found["unit"].lower()
    if unit in _UNITS:
        return _moment(_midnight(now) - timedelta(days=count * _UNITS[unit])), _UNITS[unit]
    return _moment(_shift(_midnight(now), -count * (12 if unit == "year" else 1))), 365 if unit == "year" else 30


def _last(found: re.Match[str], now: datetime) -> tuple[int, int]:
    step = {"this": 0, "next": 1}.get(found["which"].lower(), -1)
    unit, day = found["unit"].lower(), _midnight(now)
    if unit in ("day", "night"):
        return _moment(day + timedelta(days=step)), 1
    if unit == "week":
        return _moment(day + timedelta(days=7 * step - day.weekday())), 7
    if unit == "weekend":
        return _moment(day + timedelta(days=7 * step + 5 - day.weekday())), 2
    if unit == "month":
        return _moment(_shift(day.replace(day=1), step)), 30
    return _day(day.year + step, 1, 1), 365


def _weekday(found: re.Match[str], now: datetime) -> tuple[int, int]:
    wanted, day = _DAYS[found["weekday"].lower()], _midnight(now)
    ahead = (wanted - day.weekday()) % 7
    if found["which"].lower() in ("next", "this"):
        return _moment(day + timedelta(days=ahead or (7 if found["which"].lower() == "next" else 0))), 1
    return _moment(day - timedelta(days=(day.weekday() - wanted) % 7 or 7)), 1


def _word(found: re.Match[str], now: datetime) -> tuple[int, int]:
    word = found["word"].lower()
    step = -2 if "before" in word else {"yesterday": -1, "tomorrow": 1}.get(word, 0)
    return _moment(_midnight(now) + timedelta(days=step)), 1


def _in_month(found: re.Match[str], now: datetime) -> tuple[int, int]:
    month = _MONTHS[found["month"].lower()[:3]]
    year = now.year if month <= now.month else now.year - 1
    return _day(year, month, 1), 30


def _year(found: re.Match[str], _: datetime) -> tuple[int, int]:
    return _day(int(found["year"]), 1, 1), 365


_READ = {
    "iso": _iso, "slashed": _numbers, "dotted": _numbers, "month_day": _named_day, "day_month": _named_day,
    "month_year": _month_year, "quarter": _quarter, "relative": _relative, "last": _last, "weekday": _weekday,
    "word": _word, "in_month": _in_month, "year": _year,
}  # fmt: skip


def without_dates(text: str, dates: list[FoundDate]) -> str:
    """A text without its dates and the words that lead to them."""
    parts, at = [], 0
    for one in dates:
        parts.append(_LEAD.sub("", text[at : one.start]))
        at = one.end
    return " ".join("".join([*parts, " ", text[at:]] if parts else [text]).split())


_LEAD = re.compile(r"\s*\b(?:on|in|at|since|from|until|by|during|as of|of)\s*$", re.IGNORECASE)
