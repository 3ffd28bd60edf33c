"""What is scheduled is done as often as it should be, whatever clocks, sleep and restarts do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.config.cron import parse_cron
from totalrecall.daemon.cadence import Days, Ticks, day_done, due_schedules, is_day_due
from totalrecall.daemon.cron_times import next_time
from totalrecall.daemon.last_runs import FILE_NAME, LastRuns, read_last_runs, write_last_runs
from totalrecall.daemon.schedule import Alarm, Timetable

BERLIN = ZoneInfo("Europe/Berlin")
SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=BERLIN), datetime(2026, 10, 25, tzinfo=BERLIN)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Asia/Kolkata", "UTC")


def _times(text: str, begin: datetime, end: datetime) -> list[datetime]:
    cron, found, at = parse_cron(text), [], begin
    while (coming := next_time(cron, begin.tzinfo or UTC, at)) is not None and coming < end:
        assert coming > at
        found.append(coming)
        at = coming
    return found


def _awake(days: Days, text: str, zone: ZoneInfo, wakings: list[datetime]) -> list[date]:
    """The local days on which the daily work was done by a service that looks at these moments."""
    done = []
    for at in wakings:
        now = at.astimezone(zone)
        if is_day_due(days, lambda moment: next_time(parse_cron(text), zone, moment), now):
            done.append(now.date())
            days = day_done(days, now)
    return done


@pytest.mark.parametrize(("day", "quarters"), [(SPRING, 92), (AUTUMN, 100)])
def test_quarters_of_an_hour_go_on_evenly_over_daylight_saving(day: datetime, quarters: int) -> None:
    """A day of 23 or 25 hours has a run every fifteen minutes, none twice and none left out."""
    found = _times("*/15 * * * *", day - timedelta(seconds=1), day + timedelta(days=1))
    assert len(found) == quarters
    assert {(late - early).total_seconds() for early, late in pairwise(found)} == {900.0}


@pytest.mark.parametrize("at", ["30 2 * * *", "0 0 * * *", "59 23 * * *", "30 3 * * *"])
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("start", [datetime(2026, 3, 5, tzinfo=UTC), datetime(2026, 9, 25, tzinfo=UTC)])
def test_daily_work_is_done_once_a_day_over_daylight_saving(at: str, zone: str, start: datetime) -> None:
    """Looked at every minute for six weeks: each local day once, also where its hour is missing or doubled."""
    begin = start.astimezone(ZoneInfo(zone)).replace(hour=12)
    wakings = [start + timedelta(minutes=20 * n) for n in range(6 * 7 * 72)]
    done = _awake(Days(begin), at, ZoneInfo(zone), [one for one in wakings if one > begin])
    assert len(done) == len(set(done))
    assert [(late - early).days for early, late in pairwise(done)] == [1] * (len(done) - 1)
    assert len(done) >= 40


@given(st.lists(st.integers(1, 30 * 3600), min_size=5, max_size=60), st.sampled_from(ZONES))
def test_daily_work_with_sleep_of_any_length(gaps_s: list[int], zone: str) -> None:
    """However long the machine sleeps: never twice a day, and on every day on which it was awake late enough."""
    at, wakings = datetime(2026, 10, 20, 10, tzinfo=UTC), []
    for gap_s in gaps_s:
        at += timedelta(seconds=gap_s)
        wakings.append(at)
    done = _awake(Days(datetime(2026, 10, 20, 10, tzinfo=UTC)), "30 3 * * *", ZoneInfo(zone), wakings)
    assert len(done) == len(set(done))
    local = [one.astimezone(ZoneInfo(zone)) for one in wakings]
    first = datetime(2026, 10, 20, 10, tzinfo=UTC).astimezone(ZoneInfo(zone)).date()
    assert {one.date() for one in local if (one.hour, one.minute) >= (4, 30) and one.date() > first} <= set(
        done
    )


def test_a_clock_set_back_over_midnight_does_not_double_a_day() -> None:
    """And a clock that was a month ahead does not stop the daily work for a month."""
    days = day_done(Days(datetime(2026, 5, 1, tzinfo=UTC)), datetime(2026, 5, 2, 0, 10, tzinfo=UTC))
    now = datetime(2026, 5, 1, 23, 50, tzinfo=UTC)
    rule = parse_cron("0 0 * * *")
    assert not is_day_due(days, lambda at: next_time(rule, UTC, at), now)
    assert not is_day_due(days, lambda at: next_time(rule, UTC, at), now + timedelta(minutes=20))
    wrong = day_done(days, datetime(2026, 6, 2, 0, 10, tzinfo=UTC))
    later = datetime(2026, 5, 4, 0, 1, tzinfo=UTC)
    moved = Days(min(wrong.last, later - timedelta(minutes=2)), wrong.done)
    assert is_day_due(moved, lambda at: next_time(rule, UTC, at), later)
    assert day_done(moved, later).done[-1] == date(2026, 5, 4)


@pytest.mark.report("R106")
def test_a_long_sleep_is_one_catch_up() -> None:
    """Eight hours over 32 times of a schedule: due once when awake again, and not once more (f20)."""
    times = {"observe": lambda at: next_time(parse_cron("*/15 * * * *"), UTC, at)}
    start = datetime(2026, 5, 1, 3, 1, tzinfo=UTC)
    due, ticks = due_schedules(Ticks(), times, start)
    assert due == []
    due, ticks = due_schedules(ticks, times, start + timedelta(hours=8))
    assert due == ["observe"]
    due, ticks = due_schedules(ticks, times, start + timedelta(hours=8, seconds=1))
    assert due == []
    back, ticks = due_schedules(ticks, times, start)
    assert back == []
    assert due_schedules(ticks, times, start + timedelta(minutes=15))[0] == ["observe"]


@pytest.mark.report("R106")
def test_what_was_missed_while_the_service_was_down_is_due_at_its_start(tmp_path: Path) -> None:
    """Last runs are on the disk; a file that is torn counts as none."""
    times = {"reflect": lambda at: next_time(parse_cron("0 3 * * *"), UTC, at)}
    _, ticks = due_schedules(Ticks(), times, datetime(2026, 5, 1, 2, 59, tzinfo=UTC))
    days = {"main": Days(datetime(2026, 4, 30, 3, tzinfo=UTC), (date(2026, 4, 30),))}
    runs = LastRuns(Ticks(ticks.last, days), {"main": datetime(2026, 5, 1, tzinfo=UTC)})
    write_last_runs(tmp_path, runs)
    assert read_last_runs(tmp_path) == runs
    again = read_last_runs(tmp_path).ticks
    assert due_schedules(again, times, datetime(2026, 5, 1, 3, 1, tzinfo=UTC))[0] == ["reflect"]
    path = tmp_path / FILE_NAME
    path.write_bytes(path.read_bytes()[:40])
    assert read_last_runs(tmp_path) == LastRuns()


@pytest.fixture
def rung() -> Iterator[tuple[Alarm, threading.Event]]:
    """An alarm that is stopped at the end, and what it rings."""
    event = threading.Event()
    alarm = Alarm(Timetable({"scan": "* * * * *"}, UTC), event.set)
    yield alarm, event
    alarm.stop()


def test_the_alarm_is_one_thread_that_ends(rung: tuple[Alarm, threading.Event]) -> None:
    """It may be started anew at any time, and leaves nothing behind."""
    alarm, _ = rung
    before = threading.active_count()
    for _ in range(3):
        alarm.start()
    assert alarm.alive
    assert threading.active_count() == before + 1
    alarm.stop()
    assert threading.active_count() == before


def test_the_alarm_does_not_count_up_what_it_missed(
    rung: tuple[Alarm, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that jumps from 1970 to today rings once, at once, without going through all the minutes."""
    from apscheduler.schedulers import base  # type: ignore[import-untyped]

    jump = [timedelta(days=-20_000)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + jump[0]

    monkeypatch.setattr(base, "datetime", Clock)
    alarm, event = rung
    alarm.start()
    jump[0] = timedelta(0)
    began = time.perf_counter()
    assert alarm._scheduler is not None
    alarm._scheduler.wakeup()
    assert event.wait(5)
    assert time.perf_counter() - began < 1
