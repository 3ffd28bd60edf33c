"""The service: one loop that hears what comes, passes it to the workers, and keeps time and health."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from totalrecall.bootstrap.machine import Machine
from totalrecall.daemon.agents import AgentDoor
from totalrecall.daemon.crew import Crew
from totalrecall.daemon.gate import Gate
from totalrecall.daemon.health import Seen, StateFile
from totalrecall.daemon.inbox import Inbox
from totalrecall.daemon.jobs import JOBS, Job
from totalrecall.daemon.listening import Hint
from totalrecall.daemon.notify import Notifier
from totalrecall.daemon.schedule import DAILY, SCAN, Timetable
from totalrecall.daemon.signals import Order
from totalrecall.daemon.timekeeper import Timekeeper
from totalrecall.daemon.watcher import Watcher
from totalrecall.daemon.worker import LOOK, RELOAD, AgentWorker, Surroundings
from totalrecall.domain.service_state import AgentState
from totalrecall.errors import ConfigError
from totalrecall.service.output_file import keep_short
from totalrecall.service.plan import OUTPUT_NAME

# The alarm rings each minute; a silence longer than this is looked into.
IDLE_S = 75.0
# A clock that moved by more than this against the one that is never set was set, or the machine slept.
MOVED_S = 10.0
# Between two rounds while events come: what comes meanwhile is looked at together.
SETTLE_S = 0.02
FAILED_S = 5.0
STOP_S = 3.5
FIRST_JOB = "recover"


@dataclass(frozen=True, slots=True)
class Ring:
    """The alarm rang."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A job of an agent ended."""

    agent: str
    job: str


@dataclass(frozen=True, slots=True)
class ThresholdRun:
    """The line threshold started a run of this agent."""

    agent: str


Item = Ring | Ended | ThresholdRun | Hint | Order


class Service:
    """Works until it is ordered to stop.

    All of it runs in the thread that calls ``run``; the workers' threads and those of the watcher and the
    alarm only put things into ``inbox``, as signal handlers do. ``stopping`` is set with the order to stop.
    """

    def __init__(
        self,
        machine: Machine,
        notifier: Notifier,
        stopping: threading.Event,
        jobs: Mapping[str, Job] = JOBS,
    ) -> None:
        self.inbox: Inbox[Item] = Inbox()
        self._machine = replace(machine, should_stop=stopping.is_set)
        self._notifier = notifier
        self._stopping = stopping
        self._jobs = jobs
        self._crew = Crew(self._machine, self._worker_for)
        here = self._crew.here
        self._gate = Gate(here.loaded.settings.workers)
        self._time = Timekeeper(
            here.state_root, self._timetable(), lambda: self.inbox.put(Ring()), machine.now_ms
        )
        self._watcher = Watcher(self.inbox.put, self._changed, self._warn)
        self._file = StateFile(here.state_root, machine.now_ms(), machine.now_ms, time.monotonic)
        self._overdue: dict[str, int] = {}
        self._clock = (machine.now_ms(), time.monotonic())
        self._pinged_s = time.monotonic()
        self._next_s: float | None = None

    def run(self) -> bool:
        """Serve until the order to stop comes; afterwards, whether every thread has ended."""
        self._meet(self._crew.refresh(anew=True))
        self._time.start()
        self._tick()
        self._crew.log.info("started", agents=len(self._crew.workers))
        self._notifier.say("READY=1", f"STATUS=watching {len(self._crew.workers)} agents")
        while not self._stopping.is_set():
            try:
                self._turn()
            except Exception as error:  # noqa: BLE001 -- the service's loop: log, and go on without haste
                self._warn("turn_failed", {"error": error})
                self._stopping.wait(FAILED_S)
        return self._end()

    def _turn(self) -> None:
        self._show()
        items = self.inbox.take(self._wait_s())
        for item in items:
            self._handle(item)
        self._mind_the_clock(silent=not items)
        self._next_s = self._watcher.turn()
        if any(isinstance(one, Hint) for one in items):
            time.sleep(SETTLE_S)

    def _wait_s(self) -> float:
        limit_s = min(IDLE_S, self._notifier.watchdog_s / 3 or IDLE_S)
        return limit_s if self._next_s is None else min(limit_s, max(0.0, self._next_s - time.monotonic()))

    def _handle(self, item: Item) -> None:
        match item:
            case Hint():
                self._watcher.hint(item)
            case Ring():
                self._tick()
            case ThresholdRun(agent):
                self._time.threshold_run(agent)
            case Ended(agent, job) if job == DAILY:
                self._time.daily_done(agent)
            case Order.RELOAD:
                self._reload()
            case _:
                pass

    def _tick(self) -> None:
        """Start what is due by the clock. An alarm too many does nothing."""
        due = self._time.due(self._crew.workers)
        if SCAN in due.schedules:
            self._scan()
        for name in due.schedules & self._jobs.keys() - {DAILY}:
            for worker in self._crew.workers.values():
                worker.tell(name)
        for agent in due.daily:
            # It may have gone in the scan just now.
            if agent in self._crew.workers:
                self._crew.workers[agent].tell(DAILY)

    def _scan(self, *, anew: bool = False) -> None:
        """Look for what no event tells of: agents, folders, changes, jobs that hang."""
        self._meet(self._crew.refresh(anew=anew))
        self._watcher.scan()
        keep_short(self._crew.here.state_root / OUTPUT_NAME)
        for name in self._crew.replace_dead():
            self._warn("worker_replaced", {"agent": name})
        for name, worker in self._crew.workers.items():
            before = self._overdue.get(name, 0)
            self._overdue[name] = before + 1 if worker.overdue else 0
            if worker.overdue and not before:
                self._warn("job_hangs", {"agent": name, "job": worker.state.running})

    def _meet(self, names: list[str]) -> None:
        """Begin with agents that are new: what was said while nobody listened comes first."""
        for name in names:
            self._crew.log.info("agent_found", agent=name)
            self._crew.workers[name].tell(FIRST_JOB)
        self._watcher.set_targets(self._crew.targets())

    def _mind_the_clock(self, *, silent: bool) -> None:
        now_ms, now_s = self._machine.now_ms(), time.monotonic()
        moved_s = (now_ms - self._clock[0]) / 1000 - (now_s - self._clock[1])
        self._clock = (now_ms, now_s)
        if abs(moved_s) > MOVED_S:
            self._crew.log.info("clock_moved", seconds=round(moved_s))
            self._time.start()
            self._tick()
        elif silent:
            if not self._time.rings:
                self._warn("alarm_restarted", {})
                self._time.start()
            self._tick()

    def _reload(self) -> None:
        self._notifier.reloading()
        self._scan(anew=True)
        try:
            self._crew.here.loaded.require()
        except ConfigError as error:
            # The values that make sense count; who waits for the others says so itself.
            self._crew.log.warning("settings_refused", error=error)
        self._gate.set_places(self._crew.here.loaded.settings.workers)
        self._time.start(self._timetable())
        for worker in self._crew.workers.values():
            worker.tell(RELOAD)
        self._crew.log.info("settings_read")
        self._notifier.say("READY=1")

    def _show(self) -> None:
        """Health, for ``status`` and for systemd. Its watchdog hears of us only while no job hangs."""
        states = {name: worker.state for name, worker in self._crew.workers.items()}
        settings = "; ".join(str(one) for one in self._crew.here.loaded.errors)
        self._file.show(
            Seen(states, self._overdue, self._watcher.folders, self._time.next_runs_ms, settings),
            stopped=self._stopping.is_set(),
        )
        now_s = time.monotonic()
        span_s = self._notifier.watchdog_s
        if span_s and now_s - self._pinged_s >= span_s / 4 and not any(self._overdue.values()):
            self._pinged_s = now_s
            self._notifier.say("WATCHDOG=1", f"STATUS={_status(states.values())}")

    def _end(self) -> bool:
        """Let the jobs end between two steps, for a short while; every step is on the disk already."""
        self._notifier.say("STOPPING=1")
        ends_s = time.monotonic() + STOP_S
        workers = self._crew.stop()
        self._time.stop()
        self._watcher.stop()
        ended = [worker.join(max(0.0, ends_s - time.monotonic())) for worker in workers]
        self._show()
        self._crew.log.info("stopped", cut_short=ended.count(False))
        return all(ended)

    def _worker_for(self, door: AgentDoor) -> AgentWorker:
        around = Surroundings(
            jobs=self._jobs,
            gate=self._gate,
            stop=self._stopping.is_set,
            now_ms=self._machine.now_ms,
            ended=lambda agent, job: self.inbox.put(Ended(agent, job)),
            threshold_run=lambda agent: self.inbox.put(ThresholdRun(agent)),
        )
        age_s = self._time.threshold_age_s(door.name)
        return AgentWorker(door, around, None if age_s is None else time.monotonic() - age_s)

    def _timetable(self) -> Timetable:
        return Timetable.of(self._crew.here.loaded.settings, self._crew.zone())

    def _changed(self, agent: str) -> None:
        worker = self._crew.workers.get(agent)
        if worker is not None:
            worker.tell(LOOK)

    def _warn(self, event: str, values: Mapping[str, Any]) -> None:
        self._crew.log.warning(event, **values)


def _status(states: Iterable[AgentState]) -> str:
    """One line for ``systemctl status``."""
    every = tuple(states)
    busy = [one.running for one in every if one.running]
    return f"{len(every)} agents; " + (f"at work: {', '.join(busy)}" if busy else "waiting")
