"""Days and times that a text names, also by "tomorrow" or "in three weeks". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio", "february feb februar février febrero febbraio",
            "march mar märz mrz mars marzo", "april apr avril abril aprile", "may mai mayo maggio",
            "june jun juni juin junio giugno", "july jul juli juillet julio luglio",
            "august aug août agosto", "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre", "november nov novembre noviembre",
            "december dec dezember dez décembre diciembre dicembre",
        ), 1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon montag lundi lunes lunedì 周一 星期一",
            "tuesday tue tues dienstag mardi martes martedì 周二 星期二",
            "wednesday wed mittwoch mercredi miércoles mercoledì 周三 星期三",
            "thursday thu thurs donnerstag jeudi jueves giovedì 周四 星期四",
            "friday fri freitag vendredi viernes venerdì 周五 星期五",
            "saturday sat samstag sonnabend samedi sábado sabato 周六 星期六",
            "sunday sun sonntag dimanche domingo domenica 周日 星期日 星期天 周天",
        ),
    )
    for name in names.split()
}  # fmt: skip
_OFFSETS = {
    0: "today tonight heute hoy oggi 今天 今晚 今日 "
        "aujourd'hui", 1: "tomorrow morgen mañana demain domani 明天 明日 明早",
    2: "übermorgen overmorrow 后天", -1: "yesterday gestern ayer hier ieri 昨天 昨日", -2: "vorgestern 前天",
}  # fmt: skip
_RELATIVE = {word: offset for offset, words in _OFFSETS.items() for word in words.split()}
_VAGUE = re.compile(
    r"\b(?:next|this week|coming|end of|weekend|nächst\w*|kommend\w*|diese woche|ende|wochenende"
    r"|prochain\w*|próxim\w*|prossim\w*"
    r"|last|letzt\w*|days?|weeks?|months?|tage?n?|wochen?|monate?n?)\b"
    r"|下周|下个?月|下星期|周末|月底|年底|这周|本周|上周|天后|周后|个月",
    re.IGNORECASE,
)
_IN_DAYS = re.compile(r"(\d{1,3}|an?|one|two|three|four|five|six|seven|ten|einer?|zwei|drei|vier|fünf"
    r"|sechs|一|两|二|三|四|五|十)\s*"
                      r"个?(days?|weeks?|months?|tage?n?|wochen?"
                      r"|monate?n?|天|周|星期|月)", re.IGNORECASE)  # fmt: skip
_COUNT = {
    word: count
    for count, words in (
        (1, "a an one ein eine einer 一"), (2, "two zwei 两 二"), (3, "three drei 三"), (4, "four vier 四"),
        (5, "five fünf 五"), (6, "six sechs"), (7, "seven"), (10, "ten 十"),
    )
    for word in words.split()
}  # fmt: skip
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_DMY = re.compile(r"(?<![\d.])(\d{1,2})[./](0?[1-9]|1[0-2]|[12]\d|3[01])[./](\d{4}|\d{2})?(?![.\d])")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?({_NAMES})\b\.?(?:,?\s+(?:de\s+)?(\d{{4}}))?",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?", re.IGNORECASE)
_CHINESE = re.compile(r"(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})[:：](\d{2})(?!\d)(?:\s*([ap])\.?m\b)?|\b(\d{1,2})\s*([ap])\.?m\b|\b(\d{1,2})\s*(?:uhr|h\b|o'clock)(?:\s*(\d{2})\b)?|(\d{1,2})\s*[点點](?:(\d{1,2})分|(半))?",
    re.IGNORECASE,
)
_CN_HOUR = re.compile(r"([一二三四五六七八九十两]{1,3})[点點](半)?")
_CN_DIGITS = {
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "十一": 11,
    "十二": 12,
}
_HALF_DE = re.compile(r"\bhalb\s+(\w+)", re.IGNORECASE)
_HOURS_DE = {
    "eins": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "elf": 11,
    "zwölf": 12,
}
_VAGUE_DAYS = 62


@dataclass(frozen=True, slots=True)
class DaysFound:
    """Days and times named in a text, and the text without them (so that their digits are not read twice)."""

    days: frozenset[tuple[int | None, int, int]]
    times: frozenset[tuple[int, int]]
    months: frozenset[int]
    weekdays: frozenset[int]
    rest: str


def named_days(text: str) -> DaysFound:
    """What a text names outright: dates, times of day, weekdays."""
    days: set[tuple[int | None, int, int]] = set()
    rest = text
    for shape, order in (
        (_ISO, "ymd"),
        (_CHINESE, "ymd"),
        (_DAY_MONTH, "dmy"),
        (_MONTH_DAY, "mdy"),
        (_DMY, "dmy"),
    ):
        for match in shape.finditer(rest):
            days |= _as_days(dict(zip(order, match.groups(), strict=True)), both=shape is _DMY)
        rest = shape.sub(" ", rest)
    times, rest = _times(rest)
    words = set(re.findall(r"[^\W\d_]+", text.casefold()))
    weekdays = {
        number for name, number in _WEEKDAYS.items() if name in words or (name[0] > "\u2e7f" and name in text)
    }
    months = frozenset(_MONTHS[word] for word in words if word in _MONTHS)
    return DaysFound(frozenset(days), frozenset(times), months, frozenset(weekdays), rest)


def unfounded_days(note: str, source: str, moments: Sequence[datetime]) -> tuple[list[str], str]:
    """The days and times of a note that the source neither names nor implies, and the rest of the note.

    ``moments``: when the source's messages were written; "tomorrow" is counted from each.
    """
    found, said = named_days(note), named_days(source)
    days = {moment.date() for moment in moments}
    allowed = _resolved(source, days)
    vague = bool(_VAGUE.search(source)) or bool(said.weekdays)
    missing = [
        f"{year or ''}-{month:02d}-{day:02d}"
        for year, month, day in found.days
        if not _day_holds((year, month, day), said, allowed, days if vague else set())
    ]
    clock = said.times | {(moment.hour, moment.minute) for moment in moments}
    clock |= {(hour + 12, minute) for hour, minute in clock if hour <= 12 and (hour + 12) < 24}
    clock |= {(hour - 12, minute) for hour, minute in clock if hour >= 12}
    missing += [f"{hour:02d}:{minute:02d}" for hour, minute in found.times if (hour, minute) not in clock]
    known_weekdays = said.weekdays | {day.weekday() for day in allowed}
    known_weekdays |= {day.weekday() for day in _dates(said, days)}
    missing += [
        f"weekday {number}"
        for number in found.weekdays
        if number not in known_weekdays and not _VAGUE.search(source)
    ]
    return missing, found.rest


def _day_holds(
    wanted: tuple[int | None, int, int], said: DaysFound, allowed: set[date], around: set[date],
) -> bool:  # fmt: skip
    year, month, day = wanted
    if any((month, day) == (m, d) and (year is None or y is None or y == year) for y, m, d in said.days):
        return True
    if any((month, day) == (known.month, known.day) and year in {None, known.year} for known in allowed):
        return True
    if around and month in said.months:
        return True
    for near in around:
        try:
            meant = date(year or near.year, month, day)
        except ValueError:
            return False
        if abs((meant - near).days) <= _VAGUE_DAYS:
            return True
    return False


def _resolved(source: str, days: set[date]) -> set[date]:
    """The days that relative words of the source mean, counted from each day; those days themselves too."""
    words = set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", source.casefold()))
    offsets = {0}
    offsets |= {
        offset
        for word, offset in _RELATIVE.items()
        if word in words or (word[0] > "\u2e7f" and word in source)
    }
    for match in _IN_DAYS.finditer(source):
        count = int(match[1]) if match[1].isdigit() else _COUNT.get(match[1].casefold(), 0)
        unit = match[2].casefold()
        per = 7 if unit[0] in "w周星" else 30 if unit[0] in "m月" else 1
        offsets |= {
            sign * count * per + slack
            for sign in (1, -1)
            for slack in ((-2, -1, 0, 1, 2) if per == 30 else (0,))
        }
    return {day + timedelta(days=offset) for day in days for offset in offsets}


def _dates(said: DaysFound, days: set[date]) -> set[date]:
    found = set()
    for year, month, day in said.days:
        for near in days:
            try:
                found.add(date(year or near.year, month, day))
            except ValueError:
                continue
    return found


def _as_days(parts: dict[str, str | None], *, both: bool) -> set[tuple[int | None, int, int]]:
    """A date as (year, month, day); day and month swapped as well where the writing is ambiguous."""
    month_text, day_text, year_text = parts["m"] or "", parts["d"] or "", parts["y"]
    month = _MONTHS.get(month_text.casefold()) or (int(month_text) if month_text.isdigit() else 0)
    day = int(day_text) if day_text.isdigit() else 0
    year = int(year_text) + (2000 if len(year_text) == 2 else 0) if year_text else None
    pairs = {(month, day), (day, month)} if both else {(month, day)}
    return {(year, m, d) for m, d in pairs if 1 <= m <= 12 and 1 <= d <= 31}


def _times(text: str) -> tuple[set[tuple[int, int]], str]:
    times: set[tuple[int, int]] = set()
    for match in _CLOCK.finditer(text):
        hour = int(next(part for part in (match[1], match[4], match[6], match[8]) if part))
        minute = 30 if match[10] else int(match[2] or match[7] or match[9] or 0)
        half = (match[3] or match[5] or "").lower()
        if half and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour < 24 and minute < 60:
            times.add((hour, minute))
    for match in _CN_HOUR.finditer(text):
        if hour := _CN_DIGITS.get(match[1], 0):
            times.add((hour, 30 if match[2] else 0))
    for match in _HALF_DE.finditer(text):
        if hour := _HOURS_DE.get(match[1].casefold(), int(match[1]) if match[1].isdigit() else 0):
            times.add(((hour - 1) % 24, 30))
    return times, _CN_HOUR.sub(" ", _CLOCK.sub(" ", text))
