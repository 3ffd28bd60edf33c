"""The worker of an agent: one job at a time, and no error ends it."""

from __future__ import annotations

import gc
import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lab import Lab
from tests.unit.daemon.waiting import until
from totalrecall.bootstrap.machine import Machine
from totalrecall.daemon import worker as worker_module
from totalrecall.daemon.agents import AgentDoor
from totalrecall.daemon.gate import Gate
from totalrecall.daemon.health import Seen, troubles_of
from totalrecall.daemon.jobs import Job, Outcome
from totalrecall.daemon.tally import RECORDS_PER_LOOK
from totalrecall.daemon.worker import LOOK, STOP, AgentWorker, Surroundings
from totalrecall.errors import ModelUnreachableError
from totalrecall.files.lock import hold
from totalrecall.jobs.context import AgentContext

Work = Callable[[AgentContext, Callable[[], bool]], Outcome]


class Team:
    """Workers over labs, with jobs of the test's own; ``ahead_s`` moves their clocks."""

    def __init__(self, root: Path, jobs: Mapping[str, Work], places: int = 4) -> None:
        self.root = root
        self.ahead_s = 0.0
        self.stop = threading.Event()
        self.ended: list[tuple[str, str]] = []
        self.threshold_runs: list[str] = []
        self.around = Surroundings(
            jobs={
                name: Job(work, deadline_s=60.0, reads=name in {"observe", "recover"})
                for name, work in jobs.items()
            },
            gate=Gate(places),
            stop=self.stop.is_set,
            now_ms=lambda: round((time.time() + self.ahead_s) * 1000),
            ended=lambda agent, job: self.ended.append((agent, job)),
            threshold_run=self.threshold_runs.append,
            now_s=lambda: time.monotonic() + self.ahead_s,
        )
        self.workers: list[AgentWorker] = []

    def worker(self, name: str = "main", **env: str) -> AgentWorker:
        machine = Machine({"TZ": "UTC", **env}, self.root, self.around.now_ms)
        made = AgentWorker(AgentDoor(machine, name), self.around)
        self.workers.append(made)
        made.start()
        return made


@contextmanager
def team(root: Path, places: int = 4, **jobs: Work) -> Iterator[Team]:
    """Workers that are stopped at the end, all of them."""
    made = Team(root, jobs, places)
    try:
        yield made
    finally:
        made.stop.set()
        for worker in made.workers:
            worker.tell(STOP)
            assert worker.join(10)


def well(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
    """A job that goes well."""
    return Outcome()


@pytest.mark.report("R031")
def test_whatever_a_job_raises_the_next_one_runs(lab: Lab) -> None:
    """An outage and a bug are counted as failures, with their reasons; after three health is red."""
    raised: list[Exception] = [ModelUnreachableError("No model answers."), ZeroDivisionError(), KeyError("x")]

    def bad(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        raise raised.pop(0)

    with team(lab.root, observe=bad, daily=well) as made:
        worker = made.worker()
        for number in range(1, 4):
            worker.tell("observe")
            assert until(lambda n=number: len(made.ended) == n)  # type: ignore[misc]
        state = worker.state.jobs["observe"]
        assert (state.ok, state.failures) == (False, 3)
        assert "KeyError" in state.reason
        seen = Seen({"main": worker.state}, {}, [], dict)
        assert [one.severity for one in troubles_of(seen)] == ["red"]
        worker.tell("daily")
        assert until(lambda: worker.state.jobs.get("daily"))
        assert worker.state.jobs["daily"].ok


def test_an_observer_that_goes_well_makes_good_a_recovery_that_did_not(lab: Lab) -> None:
    """Recoveries failed while the model was away: once everything is read, health is green without another."""

    def bad(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        return Outcome(ok=False, reason="The model is away.")

    with team(lab.root, recover=bad, observe=well, daily=well) as made:
        worker = made.worker()

        def after(*jobs: str) -> list[str]:
            for job in jobs:
                before = len(made.ended)
                worker.tell(job)
                assert until(lambda n=before: len(made.ended) > n)  # type: ignore[misc]
            return [one.severity for one in troubles_of(Seen({"main": worker.state}, {}, [], dict))]

        assert after("recover", "recover", "recover", "daily") == ["red"]
        assert after("observe") == []


@pytest.mark.report("R107")
def test_a_job_that_hangs_is_told(lab: Lab) -> None:
    """Beyond its deadline it counts as hanging; after three scans in a row health is red. Others go on."""
    let_go = threading.Event()

    def hang(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        let_go.wait(20)
        return Outcome()

    (lab.state_dir / "agents" / "work" / "sessions").mkdir(parents=True)
    with team(lab.root, observe=hang, daily=well) as made:
        worker, other = made.worker(), made.worker("work")
        worker.tell("observe")
        assert until(lambda: worker.state.running == "observe")
        assert not worker.overdue
        made.ahead_s = 61.0
        overdue = [worker.overdue, worker.alive]
        other.tell("daily")
        assert until(lambda: other.state.jobs.get("daily"))
        (trouble,) = troubles_of(Seen({"main": worker.state}, {"main": 3}, [], dict))
        let_go.set()
        assert until(lambda: worker.state.running == "")
        assert [*overdue, worker.overdue] == [True, True, False]
        assert (trouble.severity, trouble.agent) == ("red", "main")


def test_only_so_many_agents_work_at_once(lab: Lab) -> None:
    """TOTALRECALL_WORKERS: the others wait their turn, each agent with one job at a time."""
    most: list[int] = []
    inside: list[str] = []

    def slow(ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        inside.append(ctx.agent)
        most.append(len(inside))
        time.sleep(0.05)
        inside.remove(ctx.agent)
        return Outcome()

    names = [f"a{number}" for number in range(5)]
    for name in names:
        (lab.state_dir / "agents" / name / "sessions").mkdir(parents=True)
    with team(lab.root, places=2, observe=slow) as made:
        for name in names:
            made.worker(name).tell("observe")
        assert until(lambda: len(made.ended) == 5)
    assert max(most) == 2


def test_an_agent_that_is_busy_elsewhere_is_tried_again(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process works for it: that is a skip and no failure, and the run comes later."""
    monkeypatch.setattr(worker_module, "BUSY_RETRY_S", 0.1)

    def locked(ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        with hold(ctx.state_dir / "job.lock"):
            return Outcome()

    with team(lab.root, observe=locked) as made:
        worker = made.worker()
        with hold(made.root / ".local" / "state" / "total-recall" / "main" / "job.lock"):
            worker.tell("observe")
            assert until(lambda: worker.state.skips >= 2)
            assert made.ended == []
        assert until(lambda: made.ended == [("main", "observe")])
        assert worker.state.skips == 0
        assert worker.state.jobs["observe"].ok


def test_a_quiet_session_is_finished(lab: Lab) -> None:
    """One line, then nothing for the quiet minutes: the observer runs once."""
    runs: list[int] = []

    def count(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        runs.append(1)
        return Outcome()

    with team(lab.root, observe=count) as made:
        worker = made.worker(TOTALRECALL_QUIET_MIN="2")
        lab.say("one")
        worker.tell(LOOK)
        assert until(lambda: worker.state.due_ms)
        assert worker.state.new_entries == 1
        made.ahead_s = 119.0
        worker.tell(LOOK)
        time.sleep(0.2)
        assert runs == []
        made.ahead_s = 121.0
        worker.tell(LOOK)
        assert until(lambda: runs == [1])
        time.sleep(0.2)
        assert (runs, made.threshold_runs) == ([1], [])


def test_a_cooldown_puts_off_and_then_runs(lab: Lab) -> None:
    """Ten bursts over the threshold in one cooldown are one run now and one at its end."""
    runs: list[float] = []

    def count(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        runs.append(made.around.now_s())
        return Outcome()

    env = {"OBSERVER_LINE_THRESHOLD": "3", "OBSERVER_COOLDOWN_SECS": "100"}
    with team(lab.root, observe=count) as made:
        worker = made.worker(**env)
        for number in range(10):
            lab.say(*[f"{number} {one}" for one in range(3)])
            worker.tell(LOOK)
            time.sleep(0.08)
        assert until(lambda: len(runs) == 1 and worker.state.due_ms)
        made.ahead_s = 101.0
        worker.tell(LOOK)
        assert until(lambda: len(runs) == 2)
        assert runs[1] - runs[0] >= 100.0
        assert made.threshold_runs == ["main"] * 2


def test_a_compaction_far_behind_the_last_run_does_not_wait(lab: Lab) -> None:
    """Thousands of lines came in the cooldown, more than one look reads: the boundary behind them is met all the same."""
    runs: list[int] = []

    def count(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        runs.append(1)
        return Outcome()

    with team(lab.root, observe=count, recover=count) as made:
        worker = made.worker(OBSERVER_LINE_THRESHOLD="3", OBSERVER_COOLDOWN_SECS="86400")
        lab.say("one", "two", "three")
        worker.tell(LOOK)
        assert until(lambda: runs == [1])
        lab.say(*[f"number {number}" for number in range(RECORDS_PER_LOOK + 10)])
        worker.tell(LOOK)
        assert until(lambda: worker.state.due_ms)
        lab.append({"type": "compaction", "id": "c0ffee01", "timestamp": "2026-03-02T15:00:00.000Z"})
        worker.tell(LOOK)
        assert until(lambda: runs == [1, 1])


def test_what_was_being_rewritten_is_looked_at_once_more(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Soon after, and not for ever: an agent that writes all the time would cost a call every few seconds."""
    monkeypatch.setattr(worker_module, "MORE_WAIT_S", 0.05)
    runs: list[int] = []

    def rewriting(_ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
        runs.append(1)
        return Outcome(again=True)

    with team(lab.root, observe=rewriting) as made:
        made.worker().tell("observe")
        assert until(lambda: len(runs) == 2)
        time.sleep(0.3)
        assert len(runs) == 2


def test_an_agent_that_is_gone_is_no_end(lab: Lab) -> None:
    """Its home was moved away: the worker says why, and goes on when it is back."""
    with team(lab.root, observe=well) as made:
        worker = made.worker()
        lab.state_dir.rename(lab.root / "away")
        worker.tell("observe")
        worker.tell(LOOK)
        assert until(lambda: made.ended)
        assert not worker.state.jobs["observe"].ok
        (lab.root / "away").rename(lab.state_dir)
        worker.tell("observe")
        assert until(lambda: len(made.ended) == 2)
        assert worker.state.jobs["observe"].ok


def test_many_runs_leave_nothing_behind(lab: Lab) -> None:
    """Memory, threads and descriptors are the same afterwards as after the first ones."""
    with team(lab.root, daily=well) as made:
        worker = made.worker()

        def work(times: int) -> None:
            for _ in range(times):
                made.ended.clear()
                worker.tell("daily")
                worker.tell(LOOK)
                assert until(lambda: made.ended, every_s=0.001)

        def held() -> tuple[int, int, int]:
            time.sleep(0.2)
            gc.collect()
            descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
            return tracemalloc.get_traced_memory()[0], threading.active_count(), descriptors

        tracemalloc.start()
        try:
            work(20)
            first = held()
            work(60)
            last = held()
        finally:
            tracemalloc.stop()
    assert last[1:] == first[1:]
    assert last[0] - first[0] < 60 * 200
