"""Cron expressions of five fields, read as cron reads them. Pure.

Minute, hour, day of the month, month, day of the week; each ``*``, numbers, ranges ``1-5``, steps ``*/15``,
lists of these. Months and days of the week also by their first three English letters; Sunday is 0 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class CronError(ValueError):
    """An expression that makes no sense; the message says which part and why."""


@dataclass(frozen=True, slots=True)
class Cron:
    """When something is to be done: the minutes, hours, days, months and days of the week that fit.

    ``weekdays`` counts from Sunday, 0.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("weekday", 0, 7, _WEEKDAYS),
)


def parse_cron(text: str) -> Cron:
    """The times that ``text`` means.

    Raises:
        CronError: it is no such expression, names a day that never comes, or restricts both the day of the
            month and that of the week, which every cron reads differently.
    """
    parts = text.lower().split()
    if len(parts) != len(_FIELDS):
        raise CronError(f"it has {len(parts)} of 5 fields")
    minutes, hours, days, months, weekdays = (
        _values(part, field) for part, field in zip(parts, _FIELDS, strict=True)
    )
    weekdays = tuple(sorted({day % 7 for day in weekdays}))
    if len(days) < 31 and len(weekdays) < 7:
        raise CronError("day and weekday cannot both be restricted")
    if min(days) > max(_LONGEST[month - 1] for month in months):
        raise CronError("no such day ever comes")
    return Cron(minutes, hours, days, months, weekdays)


def _values(part: str, field: _Field) -> tuple[int, ...]:
    found: set[int] = set()
    for piece in part.split(","):
        span, slash, step = piece.partition("/")
        low, high = _span(span, field, open_end=bool(slash))
        if slash and not (step.isascii() and step.isdigit() and 0 < int(step) <= field.high):
            raise CronError(f"the {field.name} has the step {step[:20]!r}")
        found.update(range(low, high + 1, int(step) if slash else 1))
    return tuple(sorted(found))


def _span(text: str, field: _Field, *, open_end: bool) -> tuple[int, int]:
    if text == "*":
        return field.low, min(field.high, 6) if field.names == _WEEKDAYS else field.high
    first, dash, last = text.partition("-")
    low = _number(first, field)
    if not dash:
        return low, field.high if open_end else low
    high = _number(last, field)
    if high < low:
        raise CronError(f"the {field.name} runs backwards: {text[:20]!r}")
    return low, high


def _number(text: str, field: _Field) -> int:
    if text in field.names:
        return field.names.index(text) + field.low
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else -1
    if not field.low <= number <= field.high:
        raise CronError(f"the {field.name} is {text[:20]!r}, not {field.low} to {field.high}")
    return number
