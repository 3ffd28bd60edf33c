"""What ten thousand runs leave behind in the service: nothing."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path

from scripts.bench_parts._part import Row
from tests.integration.service_process import present
from tests.soak import sentence
from totalrecall.bootstrap.machine import Machine
from totalrecall.daemon.agents import AgentDoor
from totalrecall.daemon.gate import Gate
from totalrecall.daemon.jobs import JOBS
from totalrecall.daemon.worker import STOP, AgentWorker, Surroundings

RUNS = int(os.environ.get("BENCH_SERVICE_RUNS", "10000"))


def rows() -> list[Row]:
    """This process after many runs of the observer, against the same after the first hundreds."""
    with tempfile.TemporaryDirectory() as folder:
        lab = present(Path(folder))
        lab.say(*[sentence(number) for number in range(20)])
        ended = threading.Event()
        machine = Machine(lab.environment(), lab.root, lambda: time.time_ns() // 1_000_000)
        around = Surroundings(
            jobs=JOBS, gate=Gate(1), stop=lambda: False, now_ms=machine.now_ms,
            ended=lambda _agent, _job: ended.set(), threshold_run=lambda _agent: None,
        )  # fmt: skip
        worker = AgentWorker(AgentDoor(machine, "main"), around)
        worker.start()
        first, began = (0.0, 0, 0), time.monotonic()
        for number in range(RUNS):
            ended.clear()
            worker.tell("observe")
            assert ended.wait(30)
            if number == RUNS // 20:
                first = _held()
        took_s, last = time.monotonic() - began, _held()
        worker.tell(STOP)
        worker.join(10)
    name = f"after {RUNS:,} runs (after {RUNS // 20})"
    return [
        Row(f"memory {name}, MB", last[0], first[0], last[0] / first[0], "< 1.1"),
        Row(f"threads {name}", last[1], first[1], last[1] - first[1], "<= 0"),
        # The look that follows a run may have the ledger open just then.
        Row(f"open files {name}", last[2], first[2], last[2] - first[2], "<= 4"),
        Row("a run with nothing new (ms; all of them, s)", took_s / RUNS * 1000, took_s, 0, "-"),
    ]


def _held() -> tuple[float, int, int]:
    """Memory in MB, threads, open files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    memory_kb = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return memory_kb / 1024, threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
