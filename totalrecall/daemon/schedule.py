"""The alarm: APScheduler wakes the service when a schedule's time comes. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING, Any

from totalrecall.config.cron import parse_cron
from totalrecall.config.settings import Settings
from totalrecall.daemon.cadence import NextAfter
from totalrecall.daemon.cron_times import next_time

if TYPE_CHECKING:
    from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]

OBSERVE, REFLECT, SCAN, DAILY = "observe", "reflect", "scan", "daily"


@dataclass(frozen=True, slots=True)
class Timetable:
    """The cron expressions by the name of what they start, in the user's zone."""

    expressions: Mapping[str, str]
    zone: tzinfo

    @classmethod
    def of(cls, settings: Settings, zone: tzinfo) -> Timetable:
        """As the settings say."""
        expressions = {
            OBSERVE: settings.schedule_observe,
            REFLECT: settings.schedule_reflect,
            SCAN: settings.schedule_scan,
            DAILY: settings.schedule_daily,
        }
        return cls(expressions, zone)

    def next_after(self, name: str, moment: datetime) -> datetime | None:
        """The first time of that schedule after ``moment``, in UTC."""
        return next_time(parse_cron(self.expressions[name]), self.zone, moment)

    def times(self) -> dict[str, NextAfter]:
        """``next_after`` of each schedule."""
        return {name: partial(self.next_after, name) for name in self.expressions}


class Alarm:
    """Calls ``ring`` when a time of the timetable comes. One thread, asleep in between."""

    def __init__(self, timetable: Timetable, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timetable = timetable
        self._scheduler: BackgroundScheduler | None = None

    def start(self) -> None:
        """Begin, or begin anew: after a change of the clock the times are reckoned from now."""
        from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped]
        from apscheduler.schedulers.background import BackgroundScheduler

        self.stop()
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            # In the scheduler's own thread: ringing takes no time, and a pool would wake up as well.
            executors={"default": DebugExecutor()},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        for name in self._timetable.expressions:
            self._scheduler.add_job(self._ring, _trigger_of(self._timetable, name), id=name, name=name)
        self._scheduler.start()

    def set(self, timetable: Timetable) -> None:
        """Go by another timetable from now on."""
        self._timetable = timetable
        self.start()

    def stop(self) -> None:
        """End without waiting for anything."""
        if self._scheduler is not None:
            scheduler, self._scheduler = self._scheduler, None
            scheduler.shutdown(wait=False)

    @property
    def alive(self) -> bool:
        """Whether its thread runs."""
        thread = getattr(self._scheduler, "_thread", None)
        return thread is not None and bool(thread.is_alive())


def _trigger_of(timetable: Timetable, name: str) -> Any:
    """APScheduler's view of a schedule: the next time after now.

    What was missed is not gone through one by one: after a month's sleep, or with a clock that began in 1970,
    that would take minutes and all memory.
    """
    from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped]

    class NextTime(BaseTrigger):  # type: ignore[misc]
        def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime | None:
            return timetable.next_after(name, max(previous or now, now))

    return NextTime()
