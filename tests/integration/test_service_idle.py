"""With nothing to do the service sleeps, and holds no more than before it had something to do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.integration.service_process import present, service, until

WINDOW_S = 1.5
ROUNDS = 2


def _naps(pid: int) -> int:
    """How often its threads went to sleep so far: each time is a time they were awake."""
    count = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text().splitlines()
        count += next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
    return count


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.report("R101", "R105")
def test_idle_it_sleeps_and_holds_nothing(tmp_path: Path) -> None:
    """After runs and reading: no wake-up, no processor time, as many threads and files as before, little memory."""
    lab = present(tmp_path)
    lab.env = {"OBSERVER_LINE_THRESHOLD": "1", "OBSERVER_COOLDOWN_SECS": "1"}
    with service(lab) as running:
        held = []
        for number in range(ROUNDS):
            lab.say(f"we decided: host h{number} listens on port {8000 + number}")
            assert until(lambda n=number: f"{8000 + n}" in lab.notes), running.err  # type: ignore[misc]
            time.sleep(1.1)
            held.append((running.threads(), running.descriptors()))
        assert held[0] == held[-1]
        windows = []
        for _ in range(2):
            naps, cpu_s = _naps(running.pid), _cpu_s(running.pid)
            time.sleep(WINDOW_S)
            windows.append((_naps(running.pid) - naps, _cpu_s(running.pid) - cpu_s))
        # In one of the two a minute may begin.
        assert min(windows) <= (1, 0.01), windows
        assert running.rss_mb() < 60
        assert running.stop()[0] == 0
