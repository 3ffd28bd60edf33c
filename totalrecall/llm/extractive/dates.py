"""Days that a sentence names, resolved against the day of its message (R068)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from totalrecall.llm.extractive.calendar_words import (
    CN_DIGITS,
    COUNTS,
    DAY_WORDS,
    MONTHS,
    NEXT_WORDS,
    PAST_WORDS,
    THIS_WORDS,
    WEEKDAYS,
)


class NamedDay(NamedTuple):
    """A phrase that names a day: where it stands, the day, and whether it is written out in full already."""

    start: int
    end: int
    day: date
    iso: bool = False


_GATE = (
    r"\d|day|week|month|tomorrow|tonight|heute|morgen|gestern|tag|woch|monat|mittwoch|sonnabend|[天今明后昨周月日]"
    r"|星期|礼拜"
)


def named_days(text: str, today: date) -> tuple[NamedDay, ...]:
    """The days named in ``text``, in order, without overlaps; ``today`` is the message's own day.

    Yearless dates mean the nearest such day, at most a month back. A weekday alone is the next one; with
    "next" it is the one of the coming calendar week.
    """
    if not _compiled(_GATE).search(text):
        return ()
    found: list[NamedDay] = []
    shapes = _SHAPES if _compiled(r"\d").search(text) else _SHAPES[_WITH_DIGITS:]
    for source, read in shapes:
        for match in _shape(source).finditer(text):
            start, end = match.span()
            if any(start < other.end and other.start < end for other in found):
                continue
            day = _safely(read, match, today)
            if day is not None:
                found.append(NamedDay(start, end, day, iso=day.isoformat() in match[0]))
    return tuple(sorted(found))


def with_days(text: str, days: tuple[NamedDay, ...]) -> str:
    """``text`` with each resolved day behind its phrase: ``tomorrow (2026-01-02)``."""
    parts: list[str] = []
    at = 0
    for one in days:
        if one.iso or one.day.isoformat() in text:
            continue
        end = one.end + (text[one.end : one.end + 1] == "." and text[one.end - 1].isdigit())
        parts += [text[at:end], f" ({one.day.isoformat()})"]
        at = end
    return "".join([*parts, text[at:]])


@cache
def _shape(source: Callable[[], str]) -> re.Pattern[str]:
    return _compiled(source())


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _safely(
    read: Callable[[re.Match[str], date], date | None], match: re.Match[str], today: date
) -> date | None:
    try:
        return read(match, today)
    except (ValueError, OverflowError):
        return None  # 31 February, or the end of the calendar


def _names(table: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, table), key=lambda name: (-len(name), name)))


def _weekday_prefix() -> str:
    return rf"(?:\b(?:{_latin_weekdays()})\.?,?\s+(?:(?:the|den|dem|der)\s+)?)?"


def _latin_weekdays() -> str:
    return _names({name: number for name, number in WEEKDAYS.items() if name.isascii() and len(name) > 2})


def _nearest(today: date, month: int, day: int) -> date:
    """The year in which the date comes next; a date of the past month is that one."""
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            if (found := date(year, month, day)) >= today - timedelta(days=31):
                return found
        except ValueError:
            continue
    raise ValueError(month, day)


def _year_month_day(year: str | None, month: int, day: int, today: date) -> date:
    if not year:
        return _nearest(today, month, day)
    return date(int(year) + (2000 if len(year) == 2 else 0), month, day)


def _iso(match: re.Match[str], _today: date) -> date:
    return date(int(match[1]), int(match[2]), int(match[3]))


def _day_month(match: re.Match[str], today: date) -> date:
    return _year_month_day(match[3], MONTHS[match[2].casefold()], int(match[1]), today)


def _month_day(match: re.Match[str], today: date) -> date | None:
    if match[1] in {"may", "march", "mar"}:
        return None  # "may 5 people come", "march 3 miles"
    return _year_month_day(match[3], MONTHS[match[1].casefold()], int(match[2]), today)


def _dotted(match: re.Match[str], today: date) -> date | None:
    if not match[3] and match[0].rstrip()[-1] != ".":
        return None  # 10.20 is a version or a number
    return _year_month_day(match[3], int(match[2]), int(match[1]), today)


def _of_month(match: re.Match[str], today: date) -> date:
    """The 15th: of this month, or of the next if it is past."""
    day = int(match[1])
    first = today.replace(day=1)
    return (first if day >= today.day else _month_later(first, 1)).replace(day=day)


def _slashed(match: re.Match[str], _today: date) -> date | None:
    first, second, year = int(match[1]), int(match[2]), int(match[3])
    if first <= 12 and second <= 12 and first != second:
        return None  # day first or month first: nobody can tell
    return date(year, second, first) if first > 12 else date(year, first, second)


def _chinese(match: re.Match[str], today: date) -> date:
    return _year_month_day(match[1], int(match[2]), int(match[3]), today)


def _chinese_next_month(match: re.Match[str], today: date) -> date:
    ahead = 1 if match[1].startswith("下") else 0
    first = _month_later(today.replace(day=1), ahead)
    return first.replace(day=int(match[2]))


def _relative(match: re.Match[str], today: date) -> date:
    return today + timedelta(days=DAY_WORDS[" ".join(match[0].casefold().split())])


def _count(word: str) -> int:
    return int(word) if word.isdigit() else COUNTS[word.casefold()]


def _in_some(match: re.Match[str], today: date) -> date | None:
    count, unit = _count(match[1]), match[2].casefold()
    if unit[0] in "月m":
        return _month_later(today, count)
    return today + timedelta(days=count * (7 if unit[0] in "w周星礼" else 1))


def _weekday(match: re.Match[str], today: date) -> date | None:
    lead, number = (match[1] or "").casefold().strip(), WEEKDAYS[match[2].casefold()]
    monday = today - timedelta(days=today.weekday())
    if lead in NEXT_WORDS:
        return monday + timedelta(days=7 + number)
    if lead in PAST_WORDS:
        return today - timedelta(days=(today.weekday() - number) % 7 or 7)
    if lead in THIS_WORDS and monday + timedelta(days=number) >= today:
        return monday + timedelta(days=number)
    return today + timedelta(days=(number - today.weekday()) % 7 or 7)


def _chinese_weekday(match: re.Match[str], today: date) -> date | None:
    lead, number = match[1] or "", CN_DIGITS[match[2]] - 1
    monday = today - timedelta(days=today.weekday())
    weeks = {"下下": 2, "下": 1, "上": -1, "上上": -2}.get(lead.rstrip("个"))
    if weeks is not None:
        return monday + timedelta(days=7 * weeks + number)
    day = monday + timedelta(days=number)
    return day if lead or day >= today else day + timedelta(days=7)


def _end_of(match: re.Match[str], today: date) -> date:
    unit = match[0].casefold()
    if "week" in unit or "woche" in unit or "周" in unit:
        # The working week ends on Friday, the weekend is Saturday and what follows.
        target = 5 if "wochenende" in unit or "weekend" in unit or unit.endswith("周末") else 4
        return today + timedelta(days=(target - today.weekday()) % 7)
    if "year" in unit or "jahr" in unit or "年" in unit:
        return date(today.year, 12, 31)
    return _month_later(today.replace(day=1), 1) - timedelta(days=1)


def _month_later(day: date, months: int) -> date:
    months += day.year * 12 + day.month - 1
    year, month = divmod(months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            continue
    raise ValueError(months)


_WITH_DIGITS = 8
"""The first shapes need a digit; most sentences have none."""
_SHAPES: tuple[tuple[Callable[[], str], Callable[[re.Match[str], date], date | None]], ...] = (
    (lambda: r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)", _iso),
    (lambda: r"(?<!\d)(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]", _chinese),
    (lambda: r"(下个?月|这个?月|本月)\s*(\d{1,2})\s*[日号]", _chinese_next_month),
    (
        lambda: (
            rf"{_weekday_prefix()}\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?({_names(MONTHS)})\b"
            r"\.?(?:,?\s+(\d{4})\b)?"
        ),
        _day_month,
    ),
    (
        lambda: (
            rf"{_weekday_prefix()}\b({_names(MONTHS)})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.\d])"
            r"(?:,?\s+(\d{4})\b)?"
        ),
        _month_day,
    ),
    (
        lambda: rf"{_weekday_prefix()}(?<![\d.])(\d{{1,2}})\.(0?[1-9]|1[0-2])(?:\.(\d{{4}}|"
                rf"\d{{2}})?)(?![.\d])",
        _dotted,
    ),
    (lambda: r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])", _slashed),
    (lambda: r"\bthe (\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|time|floor|century|place|version|try|"
             r"grade))", _of_month),
    (lambda: r"end of (?:the |this )?(?:week|month|year)|ende (?:der|dieser) woche|(?:ende des monats|"
             r"monatsende)"
             r"|(?:ende des jahres|jahresende)|(?:this |the )weekend|(?:am |dieses )wochenende|周末|月底|"
             r"年底",
     _end_of),
    (lambda: rf"\b(?:in|within)\s+(\d{{1,3}}|{_names(COUNTS)})\s+(days?|weeks?|months?|tag(?:en?)?|wochen?"
             rf"|monat(?:en?)?)\b", _in_some),
    (lambda: r"(\d{1,3}|[一两二三四五六七八九十])个?(天|周|星期|礼拜|月)[之以]?后", _in_some),
    (lambda: r"(?:\b((?:this|next|last|coming|past)|(?:nächst|kommend|dies|letzt|vergangen)e[nrms]?)\s+)?"
             rf"(?<!every )(?<!each )(?<!jeden )\b({_latin_weekdays()})\b", _weekday),
    (lambda: r"(下下个?|下个?|上上个?|上个?|这个?|本)?(?<!每)(?:周|星期|礼拜)([一二三四五六日天])",
     _chinese_weekday),
    (lambda: r"\b(?:the\s+)?day\s+after\s+tomorrow\b|\btomorrow\b|\byesterday\b|\btoday\b|\btonight\b"
             r"|\b(?:über)morgen\b|(?<!guten )(?<!jeden )(?<!am )(?<!\bden )\bmorgen\b|"
             r"\bvorgestern\b|"
             r"\bgestern\b"
             r"|\bheute\b|大后天|后天|明[天早晚日]|今[天晚早日]|大前天|前天|昨[天晚日]", _relative),
)  # fmt: skip
