"""Which scheduled work is due now, remembered over restarts; and the alarm that wakes the service for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from totalrecall.daemon.cadence import Days, day_done, due_schedules, is_day_due
from totalrecall.daemon.last_runs import read_last_runs, write_last_runs
from totalrecall.daemon.schedule import DAILY, SCAN, Alarm, Timetable
from totalrecall.errors import TotalRecallError


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be done now: the schedules whose time came, and the agents whose daily work is due."""

    schedules: frozenset[str]
    daily: tuple[str, ...]


class Timekeeper:
    """Keeps time by ``now_ms``, in the zone of the timetable; ``ring`` is called when a time comes."""

    def __init__(
        self, state_root: Path, timetable: Timetable, ring: Callable[[], None], now_ms: Callable[[], int]
    ) -> None:
        self._state_root = state_root
        self._now_ms = now_ms
        self._timetable = timetable
        self._alarm = Alarm(timetable, ring)
        self._runs = read_last_runs(state_root)
        # What was asked for and is not done yet: asking again would do it twice.
        self._asked: dict[str, date] = {}

    def start(self, timetable: Timetable | None = None) -> None:
        """Begin, or begin anew: by another timetable, or because the clock was set."""
        self._timetable = timetable or self._timetable
        self._alarm.set(self._timetable)

    def stop(self) -> None:
        """Ring no more."""
        self._alarm.stop()

    @property
    def rings(self) -> bool:
        """Whether the alarm's thread runs."""
        return self._alarm.alive

    def due(self, agents: Iterable[str]) -> Due:
        """What is due, counted as done from now on; daily work only with ``daily_done``."""
        now = self._now()
        names, ticks = due_schedules(self._runs.ticks, self._timetable.times(), now)
        new = {agent: Days(now.astimezone(UTC)) for agent in agents}
        days = {**new, **{agent: one for agent, one in ticks.days.items() if agent in new}}
        daily = tuple(agent for agent in new if self._is_asked(agent, days[agent], now))
        before, self._runs = self._runs, replace(self._runs, ticks=replace(ticks, days=days))
        # A scan is not worth a write each minute: none is missed for long.
        if set(names) - {SCAN} or not before.ticks.last or before.ticks.days.keys() != days.keys():
            self._keep()
        return Due(frozenset(names), daily)

    def daily_done(self, agent: str) -> None:
        """The agent's daily work of today is done."""
        now = self._now()
        days = {**self._runs.ticks.days}
        days[agent] = day_done(days.get(agent, Days(now.astimezone(UTC))), now)
        self._runs = replace(self._runs, ticks=replace(self._runs.ticks, days=days))
        self._keep()

    def threshold_run(self, agent: str) -> None:
        """The line threshold started a run of the agent."""
        self._runs = replace(self._runs, threshold={**self._runs.threshold, agent: self._now()})
        self._keep()

    def threshold_age_s(self, agent: str) -> float | None:
        """Seconds since the line threshold started a run of the agent; None for never. Never negative."""
        last = self._runs.threshold.get(agent)
        return None if last is None else max(0.0, (self._now() - last).total_seconds())

    def next_runs_ms(self) -> dict[str, int]:
        """The next time of each schedule, milliseconds since 1970."""
        now = self._now().astimezone(UTC)
        coming = {name: times(now) for name, times in self._timetable.times().items()}
        return {name: round(at.timestamp() * 1000) for name, at in coming.items() if at is not None}

    def _is_asked(self, agent: str, days: Days, now: datetime) -> bool:
        if self._asked.get(agent) == now.date() or not is_day_due(days, self._timetable.times()[DAILY], now):
            return False
        self._asked[agent] = now.date()
        return True

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._now_ms() / 1000, self._timetable.zone)

    def _keep(self) -> None:
        # Not worth stopping for: after a restart more is done than has to be.
        with contextlib.suppress(TotalRecallError):
            write_last_runs(self._state_root, self._runs)
