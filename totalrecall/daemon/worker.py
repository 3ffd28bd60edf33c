"""The worker of one agent: a thread that counts what is new, decides, and runs one job at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from totalrecall.daemon.agents import AgentDoor
from totalrecall.daemon.gate import Gate
from totalrecall.daemon.inbox import Inbox
from totalrecall.daemon.jobs import Job, Outcome
from totalrecall.daemon.tally import Tally
from totalrecall.daemon.triggers import Ignore, Reason, RunNow, Situation, WaitUntil, decide
from totalrecall.domain.service_state import AgentState, JobState
from totalrecall.errors import BusyError, SourceError, TotalRecallError

# Looks take this share of a core at most, and are never closer together than the gap.
LOOK_SHARE = 1 / 40
LOOK_GAP_S = 0.05
FAILED_GAP_S = 5.0
BUSY_RETRY_S = 30.0
MORE_WAIT_S = 5.0

LOOK = "look"
RELOAD = "reload"
STOP = "stop"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all workers share.

    Attributes:
        jobs: by name, in the order in which they go first.
        gate: lets so many agents work at once.
        stop: asked between the steps of a job.
        now_ms: the clock.
        ended: told the agent and the job, when one ended.
        threshold_run: told the agent, when the line threshold starts a run.
        now_s: a clock that is never set.
    """

    jobs: Mapping[str, Job]
    gate: Gate
    stop: Callable[[], bool]
    now_ms: Callable[[], int]
    ended: Callable[[str, str], None]
    threshold_run: Callable[[str], None]
    now_s: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Due:
    """What is to be done when; seconds of the clock that is never set."""

    jobs: dict[str, float] = field(default_factory=dict)
    look_s: float | None = None
    decide_s: float | None = None

    def next_s(self) -> float | None:
        """The earliest of all."""
        return min((*self.jobs.values(), *_given(self.look_s, self.decide_s)), default=None)


class AgentWorker:
    """Works for one agent until it is told to stop, and is never ended by an error.

    ``state`` may be read from any thread. ``threshold_run_s`` is when the line threshold started a run the
    last time, before a restart.
    """

    def __init__(self, door: AgentDoor, around: Surroundings, threshold_run_s: float | None = None) -> None:
        self._door = door
        self._around = around
        self._inbox: Inbox[str] = Inbox()
        self._due = _Due()
        self._tally = Tally(around.now_s, enough=1)
        self._look_free_s = 0.0
        self._look_took_s = 0.0
        self._running_since_s = 0.0
        self._again = False
        self._threshold_run_s = threshold_run_s
        self._stopped = False
        self._said = ""
        self.state = AgentState()
        self._thread = threading.Thread(target=self._run, name=f"agent-{door.name}", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def tell(self, what: str) -> None:
        """Have it do a job by its name, ``LOOK``, ``RELOAD`` its settings, or ``STOP``. Never blocks."""
        self._inbox.put(what)

    def join(self, timeout_s: float) -> bool:
        """Wait for its end; whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread.is_alive()

    @property
    def overdue(self) -> bool:
        """Whether the job at work is beyond its deadline: it hangs (R107)."""
        job, since_s = self._around.jobs.get(self.state.running), self._running_since_s
        return job is not None and self._around.now_s() - since_s > job.deadline_s

    def _run(self) -> None:
        while not self._stopped:
            for told in self._inbox.take(self._wait_s()):
                self._hear(told)
            try:
                self._step()
            except Exception as error:  # noqa: BLE001 -- the worker's loop: log, count, go on
                self._say_once("look_failed", error)
                self._due.look_s, self._due.decide_s = None, None
                self._look_free_s = self._around.now_s() + FAILED_GAP_S

    def _wait_s(self) -> float | None:
        due_s = self._due.next_s()
        return None if due_s is None else max(0.0, due_s - self._around.now_s())

    def _hear(self, told: str) -> None:
        now_s = self._around.now_s()
        if told == STOP:
            self._stopped = True
        elif told in {LOOK, RELOAD}:
            self._due.look_s = self._due.look_s or max(now_s, self._look_free_s)
            if told == RELOAD:
                self._door.forget()
        else:
            self._want(told, now_s)

    def _want(self, job: str, at_s: float) -> None:
        if job in self._around.jobs:
            self._due.jobs[job] = at_s

    def _step(self) -> None:
        if self._stopped or self._around.stop():
            return
        now_s, due = self._around.now_s(), self._due
        ready = [name for name in self._around.jobs if due.jobs.get(name, now_s + 1) <= now_s]
        if ready:
            self._job(ready[0])
        elif due.look_s is not None and due.look_s <= now_s:
            self._look()
        elif due.decide_s is not None and due.decide_s <= now_s:
            self._decide()

    def _look(self) -> None:
        began_s = time.thread_time()
        self._due.look_s = None
        self._tally.enough = self._door.found.rules.line_threshold
        with self._door.for_look() as ctx:
            self._tally.look(ctx)
        took_s = time.thread_time() - began_s
        # The first look is slow by what it imports, and says nothing of the next.
        cost_s, self._look_took_s = min(took_s, self._look_took_s), took_s
        self._look_free_s = self._around.now_s() + max(LOOK_GAP_S, cost_s / LOOK_SHARE)
        if self._tally.unfinished:
            self._due.look_s = self._look_free_s
        self._decide()
        self._said = ""

    def _decide(self) -> None:
        """Run, wait or leave it. What speaks for a run is counted again first: others may have noted it."""
        verdict = self._verdict()
        # At a boundary there is no time to lose, and a run that finds nothing new costs nothing.
        if isinstance(verdict, RunNow) and verdict.reason is not Reason.BOUNDARY:
            with self._door.for_look() as ctx:
                self._tally.recount(ctx)
            if self._tally.unfinished:
                self._due.look_s = self._look_free_s
            verdict = self._verdict()
        self._due.decide_s = verdict.at_s if isinstance(verdict, WaitUntil) else None
        wait_s = 0.0 if self._due.decide_s is None else self._due.decide_s - self._around.now_s()
        due_ms = 0 if self._due.decide_s is None else self._around.now_ms() + round(wait_s * 1000)
        self.state = replace(self.state, new_entries=self._tally.new_entries, due_ms=due_ms)
        if isinstance(verdict, RunNow):
            if verdict.reason is Reason.THRESHOLD:
                self._threshold_run_s = self._around.now_s()
                self._around.threshold_run(self._door.name)
            self._door.log.info("run_due", reason=verdict.reason.value, entries=self._tally.new_entries)
            # What was cut or ended is wanted at once: where the model does not answer, a stand-in comes.
            self._job("recover" if verdict.reason is Reason.BOUNDARY else "observe")

    def _verdict(self) -> RunNow | WaitUntil | Ignore:
        situation = Situation(self._tally.waiting, self._tally.boundary, self._threshold_run_s)
        return decide(self._door.found.rules, situation, self._around.now_s())

    def _job(self, name: str) -> None:
        self._due.jobs.pop(name, None)
        with self._around.gate.passed(self._around.stop) as entered:
            if not entered:
                return
            began_ms, self._running_since_s = self._around.now_ms(), self._around.now_s()
            self.state = replace(self.state, running=name, running_since_ms=began_ms)
            outcome = self._outcome(name)
        now_s = self._around.now_s()
        self._due.look_s = max(now_s, self._look_free_s)
        if outcome is None:
            self._due.jobs[name] = now_s + BUSY_RETRY_S
            self.state = replace(self.state, running="", running_since_ms=0, skips=self.state.skips + 1)
            return
        # Once only: an agent that writes all the time would be asked about all the time.
        self._again = outcome.again and not self._again
        if outcome.more or self._again:
            self._want("observe", now_s + MORE_WAIT_S)
        self.state = replace(
            self.state,
            running="",
            running_since_ms=0,
            skips=0,
            jobs=self._made_good(name, outcome) | {name: self._job_state(name, outcome, began_ms)},
        )
        self._around.ended(self._door.name, name)

    def _outcome(self, name: str) -> Outcome | None:
        """What became of the job; None when somebody else works for the agent just now."""
        job = self._around.jobs[name]
        try:
            with self._door.for_job() as ctx:
                if job.reads:
                    self._due.decide_s = None
                    with suppress(SourceError):  # the run tells it
                        self._tally.start_over(ctx)
                return job.work(ctx, self._around.stop)
        except BusyError as error:
            self._say_once("agent_busy", error)
            return None
        except TotalRecallError as error:
            self._say_once("job_failed", error, job=name)
            return Outcome(ok=False, reason=f"{error.title} {error.hint}".strip())
        except Exception as error:  # noqa: BLE001 -- the worker's loop: log, count, go on
            self._say_once("job_crashed", error, job=name)
            return Outcome(ok=False, reason=f"A bug: {type(error).__name__}. See observer-watcher.log.")

    def _made_good(self, name: str, outcome: Outcome) -> dict[str, JobState]:
        """The states so far. A run that read all that was unread makes good what others like it could not."""
        known = self._around.jobs
        if not (outcome.ok and known[name].reads):
            return dict(self.state.jobs)
        return {
            one: replace(state, failures=0) if one in known and known[one].reads else state
            for one, state in self.state.jobs.items()
        }

    def _job_state(self, name: str, outcome: Outcome, began_ms: int) -> JobState:
        ended_ms = self._around.now_ms()
        before = self.state.jobs.get(name)
        failures = 0 if outcome.ok else (before.failures if before else 0) + 1
        return JobState(ended_ms, max(0, ended_ms - began_ms), outcome.ok, outcome.reason, failures)

    def _say_once(self, event: str, error: Exception, **values: str) -> None:
        """Log what goes wrong, and not again as long as it goes wrong in the same way."""
        said = f"{event} {error}"
        if said != self._said:
            self._said = said
            self._door.log.error(event, error=error, **values)


def _given(*times: float | None) -> Iterator[float]:
    return (at for at in times if at is not None)
