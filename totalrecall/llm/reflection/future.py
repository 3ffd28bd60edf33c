"""Whether a note names a day that is not over yet. Pure; in doubt it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from totalrecall.domain.note import Note
from totalrecall.llm import dates as outright
from totalrecall.llm.extractive.dates import named_days
from totalrecall.llm.reflection.someday import day_of, days_in, later, month_end

_MONTHS = """
    january jan february feb march mar april apr may june jun july jul august aug september sept
    sep october oct november nov december dec januar februar märz mai juni juli oktober dezember janvier
    février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio
    settembre ottobre dicembre
"""
_A_MONTH = "|".join(_MONTHS.split())
_YEAR = re.compile(r"(?<![\w./:-])(20\d{2})(?![\w:])")
_YEAR_MONTH = re.compile(r"(?<!\d)(20\d{2})[-/.年]\s?(0?[1-9]|1[0-2])(?![\d])")
_MONTH_YEAR = re.compile(rf"\b({_A_MONTH})[\s.,-]{{1,2}}(?:de\s+)?(20\d{{2}})\b", re.IGNORECASE)
_MONTH_ALONE = re.compile(
    rf"\b(?:in|until|till|by|since|from|before|im|bis|ab|en|hasta|para|pour|mid|end of|ende)"
    rf"[\s-]+({_A_MONTH})\b(?!\.?\s+(?:de\s+)?\d{{4}})",
    re.IGNORECASE,
)
_LEAD = r"(?:next|coming|nächste[nrsm]?|kommende[nrsm]?|prochaine?|próxim[oa])"
_NEXT_MONTH = re.compile(rf"\b{_LEAD}\s+({_A_MONTH})\b", re.IGNORECASE)
_NEXT = re.compile(
    rf"\b{_LEAD}\s+(week|month|quarter|year|woche|monat|quartal|jahr|semaine|mois|año|mes|semana)\b"
    r"|(下周|下个?星期|下个?月|明年|下个?季度)",
    re.IGNORECASE,
)
_IN_SOME = re.compile(
    r"\b(?:in|within|innerhalb von)\s+(\d{1,3}|an?|one|two|three|four|five|six|ten|einem|zwei|drei|vier|fünf"
    r"|sechs)\s+(quarters?|years?|jahr(?:en?)?|quartal(?:en?)?)\b|(\d{1,2}|[一两二三四五])年[之以]?后",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"\bQ([1-4])(?:[\s/-]+(20\d{2}))?\b|\b(20\d{2})[\s/-]?Q([1-4])\b", re.IGNORECASE)
_YEARS_AHEAD = 30
_SPANS = {"w": 14, "s": 14, "m": 62, "q": 184, "y": 731, "j": 731, "a": 731, "下周": 14, "明": 731}


def names_coming_day(note: Note, today: date) -> bool:
    """True when the note or a child of it names today or a later day, counted from the note's own day."""
    return any(_latest(one.text, note.day) >= today for one in (note, *note.children))


def days_of(note: Note) -> frozenset[date]:
    """The days that the note and its children name, each counted from the note's own day."""
    found = set()
    for one in (note, *note.children):
        found |= {named.day for named in named_days(one.text, note.day)}
    return frozenset(found)


@lru_cache(maxsize=8192)
def _latest(text: str, told: date) -> date:
    """The last day that ``text`` names when it was told on ``told``; the first of all days for none."""
    days = [date.min, *(named.day for named in named_days(text, told))]
    found = outright.named_days(text)
    for year, month, day in found.days:
        days.append(_next(told, month, day) if year is None else day_of(year, month, day))
    # What is left without the full dates: the year of a past day is no day to come.
    days += _months(found.rest, told)
    days += _spans(found.rest, told)
    days += days_in(text, told)
    return max(days)


def _months(text: str, told: date) -> Iterator[date]:
    """The last days of months and years that are named without a day."""
    for match in _YEAR.finditer(text):
        if told.year < int(match[1]) <= told.year + _YEARS_AHEAD:
            yield date(int(match[1]), 12, 31)
    for match in _YEAR_MONTH.finditer(text):
        yield month_end(int(match[1]), int(match[2]))
    for match in _MONTH_YEAR.finditer(text):
        if number := _number_of(match[1]):
            yield month_end(int(match[2]), number)
    for match in _MONTH_ALONE.finditer(text):
        if number := _number_of(match[1]):
            yield month_end(told.year + (number < told.month), number)
    for match in _NEXT_MONTH.finditer(text):
        if number := _number_of(match[1]):
            # "Next May" said in March may be this year's or the next one's.
            yield month_end(told.year + 1, number)
    for match in _QUARTER.finditer(text):
        quarter, year = int(match[1] or match[4]), match[2] or match[3]
        end = month_end(int(year or told.year), quarter * 3)
        yield end if year or end >= told else month_end(told.year + 1, quarter * 3)


def _spans(text: str, told: date) -> Iterator[date]:
    """Generous ends of "next month" and "in two years"."""
    for match in _NEXT.finditer(text):
        unit = (match[1] or "").casefold()
        sign = match[2] or ""
        days = _SPANS["w" if unit == "semana" else unit[0]] if unit else _chinese_span(sign)
        yield later(told, days)
    for match in _IN_SOME.finditer(text):
        years = 1 if (match[2] or "").casefold().startswith("q") else 366
        count = match[1] or match[3]
        yield later(told, (int(count) if count.isdigit() else 10) * (92 if years == 1 else years))


def _chinese_span(sign: str) -> int:
    if "明年" in sign:
        return 731
    return 184 if "季" in sign else 62 if "月" in sign else 14


def _number_of(month: str) -> int:
    found = outright.named_days(f"1 {month}").days
    return next((number for _, number, _ in found), 0)


def _next(told: date, month: int, day: int) -> date:
    """The next such day from a month before ``told`` on."""
    for year in (told.year - 1, told.year, told.year + 1):
        found = day_of(year, month, day)
        if found >= later(told, -31):
            return found
    return date.min
