"""The looser ways to name a day that is still to come: feasts, seasons, spans, short years. Pure.

Each day is the last one that can be meant: here a day too many only keeps a note longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

_YEAR_DAYS = 366
_UNTIL = r"(?:by|until|till|through|during|in|late|before|end of|bis|ende|im jahr|bis ende|fin|fin de|hasta)"
_IN_YEAR = re.compile(rf"\b{_UNTIL}\s+(20\d{{2}})(?![\w:/-]|\.\d)|(20\d{{2}})\s?年[底末内]", re.IGNORECASE)
_YEAR_END = re.compile(
    r"\byear[\s-]?end\b|\bend of (?:the |this )?year\b|\b(?:this|later this) year\b|\bjahresende\b"
    r"|\bende (?:des|dieses) jahres\b|\b(?:dieses|heuer|dies(?:em|es)) jahr\b|\bfin d[e']? ?(?:l')?ann[ée]e\b"
    r"|\bfin(?:ales)? de(?:l)? año\b|今?年[底末内]|今年",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(?<![\d.])(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTH_OF_YEAR = re.compile(r"(?<![\d/.])(0?[1-9]|1[0-2])[/.](20\d{2})(?![\d.])")
_SHORT = re.compile(
    r"\b(?:expir\w*|valid|due|until|till|by|on|from|bis|gültig|läuft|ab|am|den|zum|vom)"
    r"\s+(?:\w{2,5}\s+)?(\d{1,2})([/.])(\d{1,2})(?![\d/]|\.\d)",
    re.IGNORECASE,
)
_SHORT_YEAR = re.compile(
    r"(?<!\w)['’](\d{2})(?!\w)|\bFY\s?(?:20)?(\d{2})\b|\bQ[1-4]\s?[/-]\s?'?(\d{2})\b", re.IGNORECASE
)
_CHINESE_MONTH = re.compile(
    r"(?<![\d个两几])(1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?![\d一二三四五六七八九十前])"
)
_SIGNS = "一二三四五六七八九十"
_FIXED_FEASTS = (
    (re.compile(r"\b(?:christmas|xmas|weihnacht\w*|heiligabend|noël|navidad)\b|圣诞", re.IGNORECASE), 12, 26),
    (re.compile(r"\b(?:new year'?s eve|silvester|nochevieja|saint-sylvestre)\b|跨年", re.IGNORECASE), 12, 31),
    (re.compile(r"\b(?:new year(?:'s day)?|neujahr|nouvel an|año nuevo)\b|元旦", re.IGNORECASE), 1, 2),
    (re.compile(r"\bhall?oween\b", re.IGNORECASE), 10, 31),
)  # fmt: skip
_MOVING_FEAST = re.compile(
    r"\b(?:easter|thanksgiving|ostern|oster\w+|pfingsten|ramadan|hanukkah|diwali|pâques|semana santa)\b"
    r"|春节|除夕|清明|端午|中秋|国庆",
    re.IGNORECASE,
)
_SOME_NEXT = re.compile(
    r"\b(?:next|coming|nächste[nrsm]?|kommende[nrsm]?|prochaine?|próxim[oa])\s+(?:spring|summer|autumn|fall"
    r"|winter|season|semester|term|birthday|anniversary|christmas|easter|frühling|frühjahr|sommer|herbst"
    r"|geburtstag|printemps|été|automne|hiver|anniversaire|primavera|verano|otoño|invierno|cumpleaños)\b"
    r"|后年|明年|来年",
    re.IGNORECASE,
)
_COUNTS = {
    word: count
    for count, words in enumerate(
        ("half halbe halben halbes demi medio 半", "a an one ein einem einer un une una uno 一",
         "two zwei deux dos couple 两 二", "three drei trois tres 三", "four vier quatre cuatro 四",
         "five fünf cinq cinco 五", "six sechs seis 六", "seven sieben sept siete 七",
         "eight acht huit ocho 八",
         "nine neun neuf nueve 九", "ten zehn dix diez 十"),
    )
    for word in words.split()
}  # fmt: skip
_MANY = (
    rf"(\d{{1,3}}|{'|'.join(sorted((word for word in _COUNTS if word.isalpha()), key=len, reverse=True))})"
)
_UNIT = (
    r"(days?|weeks?|months?|quarters?|years?|decades?|tage?n?|wochen?|monate?n?|quartale?n?|jahre?n?|jours?"
    r"|semaines?|mois|ans?|années?|días?|semanas?|mes(?:es)?|años?)"
)
_SPANS = (
    re.compile(rf"\b{_MANY}\s+(?:an?\s+|of\s+)?{_UNIT}\s+(?:from now|hence|ahead)\b", re.IGNORECASE),
    re.compile(rf"\b(?:in|within|dans|en|innerhalb von|binnen|for|für|noch)\s+(?:about\s+|a\s+|einem?\s+)?"
               rf"{_MANY}\s+(?:an?\s+|of\s+)?{_UNIT}\b", re.IGNORECASE),
    re.compile(r"(\d{1,3}|[半一二两三四五六七八九十])个?(天|周|星期|月|季度|年)[之以]?[后内]"),
)  # fmt: skip
_UNIT_DAYS = {"d": 1, "t": 1, "w": 7, "m": 31, "q": 92, "y": 366, "j": 366, "a": 366, "s": 7,
              "天": 1, "周": 7, "星": 7, "月": 31, "季": 92, "年": 366}  # fmt: skip


def days_in(text: str, told: date) -> Iterator[date]:
    """The last days that ``text`` may mean when it was told on ``told``."""
    yield from _years(text, told)
    yield from _numbers(text, told)
    yield from _feasts(text, told)
    for shape in _SPANS:
        for match in shape.finditer(text):
            yield later(told, _span_days(match[1].casefold(), match[2].casefold()))


def _years(text: str, told: date) -> Iterator[date]:
    if _YEAR_END.search(text):
        yield day_of(told.year, 12, 31)
    for match in _IN_YEAR.finditer(text):
        yield day_of(int(match[1] or match[2]), 12, 31)
    for match in _SHORT_YEAR.finditer(text):
        year = 2000 + int(match[1] or match[2] or match[3])
        if told.year <= year <= told.year + 30:
            yield day_of(year, 12, 31)
    if _SOME_NEXT.search(text):
        yield later(told, 2 * _YEAR_DAYS)


def _numbers(text: str, told: date) -> Iterator[date]:
    for match in _COMPACT.finditer(text):
        yield day_of(int(match[1]), int(match[2]), int(match[3]))
    for match in _MONTH_OF_YEAR.finditer(text):
        yield month_end(int(match[2]), int(match[1]))
    for match in _SHORT.finditer(text):
        # 12/26: the 26th of December, or December 2026; 24.12: a day.
        first, second = int(match[1]), int(match[3])
        day, month = (first, second) if match[2] == "." else (second, first)
        yield _coming(told, month, day)
        if match[2] == "/" and told.year % 100 <= second:
            yield month_end(2000 + second, first)
    for match in _CHINESE_MONTH.finditer(text):
        sign = match[1]
        month = int(sign) if sign.isdigit() else sum(_SIGNS.index(one) + 1 for one in sign)
        yield month_end(told.year + (month < told.month), month)


def _feasts(text: str, told: date) -> Iterator[date]:
    for shape, month, day in _FIXED_FEASTS:
        if shape.search(text):
            yield _coming(told, month, day)
    if _MOVING_FEAST.search(text):
        yield later(told, _YEAR_DAYS + 30)


def _span_days(count: str, unit: str) -> int:
    many = int(count) if count.isdigit() else _COUNTS[count]
    # The French "jours" begins as the German "Jahr" does.
    days = 1 if unit.startswith("jour") else 3_660 if unit.startswith("decade") else _UNIT_DAYS[unit[0]]
    return days * many if many else days // 2 + 1


def _coming(told: date, month: int, day: int) -> date:
    """The next such day; one of the last month is that one."""
    found = day_of(told.year, month, day)
    return found if found >= later(told, -31) else day_of(told.year + 1, month, day)


def month_end(year: int, month: int) -> date:
    """The last day of a month; the first of all days when there is no such month."""
    if not 1 <= month <= 12:
        return date.min
    if year >= date.max.year:
        return date.max
    return later(day_of(year + month // 12, month % 12 + 1, 1), -1)


def day_of(year: int, month: int, day: int) -> date:
    """That day; the first of all days when there is none."""
    try:
        return date(year, month, day)
    except ValueError:
        return date.min


def later(day: date, days: int) -> date:
    """The day so many days later, within the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min
