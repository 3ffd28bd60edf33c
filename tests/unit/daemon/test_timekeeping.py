"""The service's clockwork as a whole: what it starts when the clock goes on, jumps, or is set back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.lab import Lab
from tests.unit.daemon.waiting import until
from totalrecall.bootstrap.machine import Machine
from totalrecall.daemon.jobs import Job, Outcome
from totalrecall.daemon.notify import Notifier
from totalrecall.daemon.runtime import Ring, Service
from totalrecall.daemon.schedule import Timetable
from totalrecall.daemon.signals import Order
from totalrecall.daemon.timekeeper import Timekeeper
from totalrecall.jobs.context import AgentContext

START = datetime(2026, 5, 4, 1, 1, tzinfo=UTC)
EXPRESSIONS = {"observe": "*/15 * * * *", "scan": "* * * * *", "daily": "30 3 * * *"}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START

    def ms(self) -> int:
        return int(self.now.timestamp() * 1000)

    def set(self, hours: float, days: int = 0) -> None:
        self.now = START.replace(hour=0, minute=0) + timedelta(days=days, hours=hours)


def keeper(folder: Path, clock: Clock) -> Timekeeper:
    """One that rings for nobody."""
    return Timekeeper(folder, Timetable(EXPRESSIONS, UTC), lambda: None, clock.ms)


def test_daily_work_is_asked_for_once_until_it_is_done(tmp_path: Path) -> None:
    """For each agent, at its time; not again while it is at work; again after a restart if it was not done."""
    clock = Clock()
    keeping = keeper(tmp_path, clock)
    assert keeping.due(["main", "work"]).daily == ()
    clock.set(3.6)
    assert keeping.due(["main", "work"]).daily == ("main", "work")
    assert keeping.due(["main", "work"]).daily == ()
    keeping.daily_done("main")
    again = keeper(tmp_path, clock)
    assert again.due(["main", "work"]).daily == ("work",)
    again.daily_done("work")
    clock.set(23.9)
    assert again.due(["main", "work"]).daily == ()
    clock.set(3.6, days=1)
    assert again.due(["main", "work"]).daily == ("main", "work")


def test_a_new_agent_waits_for_its_first_time(tmp_path: Path) -> None:
    """What was to be done today before it came is not made up for."""
    clock = Clock()
    keeping = keeper(tmp_path, clock)
    clock.set(12)
    assert keeping.due(["main"]).daily == ()
    clock.set(12, days=1)
    assert keeping.due(["main", "new"]).daily == ("main",)


def test_a_cooldown_outlives_a_restart(tmp_path: Path) -> None:
    """A service that is restarted all the time does not run all the time; a clock set back does not stop it."""
    clock = Clock()
    keeping = keeper(tmp_path, clock)
    assert keeping.threshold_age_s("main") is None
    keeping.threshold_run("main")
    clock.now += timedelta(seconds=100)
    again = keeper(tmp_path, clock)
    assert again.threshold_age_s("main") == 100.0
    clock.now -= timedelta(hours=1)
    assert again.threshold_age_s("main") == 0.0


def test_a_folder_that_cannot_be_written_does_not_stop_time(tmp_path: Path) -> None:
    """A full or read-only disk: what is due is done all the same."""
    clock = Clock()
    (tmp_path / "state").write_text("a file where the folder should be")
    keeping = keeper(tmp_path / "state", clock)
    keeping.due(["main"])
    clock.set(2)
    assert "observe" in keeping.due(["main"]).schedules


class Running:
    """The service in a thread, over a clock that is set by hand."""

    def __init__(self, lab: Lab) -> None:
        self.clock = Clock()
        self.runs: list[str] = []
        self.stopping = threading.Event()
        jobs = {name: Job(self._work(name), 60.0) for name in ("recover", "observe", "daily")}
        machine = Machine(lab.environment(), lab.root, self.clock.ms)
        self.service = Service(machine, Notifier(), self.stopping, jobs)
        self.thread = threading.Thread(target=self.service.run)
        self.thread.start()

    def _work(self, name: str) -> Callable[[AgentContext, Callable[[], bool]], Outcome]:
        def work(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
            self.runs.append(name)
            return Outcome()

        return work

    def ring(self, *expected: str) -> bool:
        """Whether after some rings of the alarm these jobs have run, each once, and no others."""
        self.runs.clear()
        for _ in range(3):
            self.service.inbox.put(Ring())
            if not until(lambda: len(self.runs) >= len(expected), 3):
                return False
            until(lambda: len(self.runs) > len(expected), 0.1)
        return sorted(self.runs) == sorted(expected)


@pytest.fixture
def running(lab: Lab) -> Iterator[Running]:
    """The service, stopped at the end."""
    made = Running(lab)
    assert until(lambda: made.runs == ["recover"])
    yield made
    made.stopping.set()
    made.service.inbox.put(Order.STOP)
    made.thread.join(10)
    assert not made.thread.is_alive()


@pytest.mark.report("R106")
def test_after_a_long_sleep_each_thing_is_done_once(running: Running) -> None:
    """Eight hours over 32 observer times and the daily one; then it goes on as before (f20)."""
    assert running.ring()
    running.clock.set(9.1)
    assert running.ring("observe", "daily")
    running.clock.set(9.2)
    assert running.ring()
    running.clock.set(9.3)
    assert running.ring("observe")


@pytest.mark.report("R106")
def test_a_clock_that_is_set_back_stops_nothing(running: Running) -> None:
    """An hour back: the next quarter of an hour by the new clock has its run, and the day is not done twice."""
    running.clock.set(4.1)
    assert running.ring("observe", "daily")
    running.clock.set(3.1)
    assert running.ring()
    running.clock.set(3.6)
    assert running.ring("observe")
    running.clock.set(3.6, days=1)
    assert running.ring("observe", "daily")


@pytest.mark.report("R104")
def test_an_alarm_that_died_is_replaced(running: Running) -> None:
    """Its silence is noticed, and what was due meanwhile is done."""
    running.service._time.stop()
    running.clock.set(1.3)
    running.service._mind_the_clock(silent=True)
    assert running.service._time.rings
    assert until(lambda: "observe" in running.runs)
