"""The times that a cron expression means in a zone, daylight saving considered. Pure.

APScheduler's own trigger goes back by an hour, again and again, while daylight saving repeats one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo

from totalrecall.config.cron import Cron

# The 29th of February may be eight years away.
_DAYS_AHEAD = 8 * 366 + 1
_SHIFT = timedelta(hours=4)


def next_time(cron: Cron, zone: tzinfo, moment: datetime) -> datetime | None:
    """The first time after ``moment``, in UTC; None when none comes within eight years.

    A local time that the clock leaves out stands for the moment it would have been (02:30 is then 03:30); one
    that the clock shows twice comes twice.
    """
    local = moment.astimezone(zone)
    # Near a change of the clock a later local time may come first.
    uneven = (local - _SHIFT).utcoffset() != (local + _SHIFT).utcoffset()
    floor = local.replace(tzinfo=None) - (_SHIFT if uneven else timedelta(0))
    best: datetime | None = None
    ceiling: datetime | None = None
    for naive in _local_times(cron, floor):
        if ceiling is not None and naive > ceiling:
            break
        for instant in _instants(naive, zone):
            if instant > moment and (best is None or instant < best):
                best = instant
        if best is not None and ceiling is None:
            ceiling = naive + _SHIFT if uneven else naive
    return best


def _local_times(cron: Cron, floor: datetime) -> Iterator[datetime]:
    """The local times from ``floor`` on, in the order of a clock that never changes."""
    for ahead in range(_DAYS_AHEAD):
        day = floor.date() + timedelta(days=ahead)
        if not _fits(cron, day):
            continue
        for hour in cron.hours:
            if not ahead and hour < floor.hour:
                continue
            for minute in cron.minutes:
                at = datetime(day.year, day.month, day.day, hour, minute)  # noqa: DTZ001 -- the wall's time
                if at >= floor:
                    yield at


def _fits(cron: Cron, day: date) -> bool:
    return day.month in cron.months and day.day in cron.days and day.isoweekday() % 7 in cron.weekdays


def _instants(naive: datetime, zone: tzinfo) -> Iterator[datetime]:
    first = naive.replace(tzinfo=zone, fold=0).astimezone(UTC)
    yield first
    if first.astimezone(zone).replace(tzinfo=None) == naive:
        yield naive.replace(tzinfo=zone, fold=1).astimezone(UTC)
