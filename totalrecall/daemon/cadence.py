"""Which scheduled work is due, from when it was done last. Pure: no clock, no files, no alarm.

An alarm that comes late, twice or never changes nothing: what is due follows from the times alone (R106).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

NextAfter = Callable[[datetime], datetime | None]
"""The first time of a schedule after a moment, in UTC: Python compares times of one zone by the wall."""

DAYS_KEPT = 4


@dataclass(frozen=True, slots=True)
class Days:
    """When an agent's daily work was done: the last moment, and the last local days."""

    last: datetime
    done: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Ticks:
    """What was done last.

    Attributes:
        last: the last moment of each schedule, by its name.
        days: of the daily work, by agent.
    """

    last: Mapping[str, datetime] = field(default_factory=dict)
    days: Mapping[str, Days] = field(default_factory=dict)


def due_schedules(ticks: Ticks, schedules: Mapping[str, NextAfter], now: datetime) -> tuple[list[str], Ticks]:
    """The schedules of which a time has passed since they were done last, and the ticks with them done.

    However many times have passed, a schedule is due once. One that was never done begins to count now. A
    last time in the future is a clock that was set back: it counts from now on.
    """
    now = now.astimezone(UTC)
    due: list[str] = []
    last = dict(ticks.last)
    for name, next_after in schedules.items():
        before = min(last.get(name, now).astimezone(UTC), now)
        coming = next_after(before)
        if coming is not None and coming <= now:
            due.append(name)
            before = now
        last[name] = before
    return due, replace(ticks, last=last)


def is_day_due(days: Days, next_after: NextAfter, now: datetime) -> bool:
    """Whether the daily work is due: its time has passed since the last time, and not yet done today.

    ``now`` is aware, in the zone whose days are meant. An hour that daylight saving leaves out or repeats,
    and an alarm some seconds early or late, neither skip nor double a day.
    """
    if now.date() in days.done:
        return False
    moment = now.astimezone(UTC)
    coming = next_after(min(days.last.astimezone(UTC), moment))
    return coming is not None and coming <= moment


def day_done(days: Days, now: datetime) -> Days:
    """The same with today done. Days far in the future, of a clock that was wrong, are forgotten."""
    kept = {one for one in days.done if one <= now.date() + timedelta(days=1)} | {now.date()}
    return Days(now.astimezone(UTC), tuple(sorted(kept)[-DAYS_KEPT:]))
