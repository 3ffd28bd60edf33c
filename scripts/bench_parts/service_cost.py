"""What the service costs: idle, beside an agent that writes a thousand lines a second."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
import threading
import time
from pathlib import Path

from scripts.bench_parts._part import Row
from tests.integration.service_process import ServiceProcess, present, service, until
from tests.lab import Lab
from tests.soak import sentence

IDLE_S = 60.0
FLOOD_S = 20.0
LINES_PER_S = 1000
STEP_S = 0.02
IN_MODIFY = 2
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def rows() -> list[Row]:
    """Both; takes about four minutes."""
    return [*_idle(), *_flood()]


def _idle() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        lab = present(Path(folder))
        for number in range(20):
            lab.say(sentence(number), session=f"session-{number}")
        # As it is by default, but for the observer, whose tick may or may not fall into this minute.
        with service(lab, TOTALRECALL_SCHEDULE_REFLECTOR="0 * * * *") as running:
            # What its start has to say is written down after a minute.
            time.sleep(130 - time.time() % 60)
            cpu_s, switches = _cpu_s(running.pid), _switches(running.pid)
            time.sleep(IDLE_S)
            share = (_cpu_s(running.pid) - cpu_s) / IDLE_S * 100
            woken = _switches(running.pid) - switches
            rss_mb = running.rss_mb()
    return [
        Row("idle for a minute: CPU (% of a core)", share, 0.1, share / 0.1, "< 1"),
        Row("the same: times a thread went to sleep", woken, 10, woken / 10, "< 1"),
        Row("the same: memory (MB)", rss_mb, 60, rss_mb / 60, "< 1"),
    ]


def _flood() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        lab = present(Path(folder))
        lab.env = {"OBSERVER_COOLDOWN_SECS": "86400"}
        with service(lab) as running:
            # The run that the first lines start is over before the measure: this is about watching.
            for number in range(40):
                lab.say(sentence(number))
            assert until(lambda: running.events("run_due")), running.err
            time.sleep(2)
            ours, behind_s = _share(lab, running.pid, running)
        bare = _bare_share(lab)
    return [
        Row("1,000 lines a second: CPU (% of a core)", ours, 5, ours / 5, "< 1"),
        Row("the same, against a loop that reads inotify and counts lines", ours, bare, ours / bare, "-"),
        Row("the same: behind at the end (s)", behind_s, 1, behind_s, "< 1"),
    ]


def _share(lab: Lab, pid: int, running: ServiceProcess) -> tuple[float, float]:
    """The service's share of a core while lines are written, and how late it saw the last one."""
    cpu_s, began = _cpu_s(pid), time.monotonic()
    _write(lab)
    took_s = time.monotonic() - began
    share = (_cpu_s(pid) - cpu_s) / took_s * 100
    # A compaction at the end is told at once, cooldown or not: that is how late it is.
    cut = {"type": "compaction", "id": "c0ffee01", "timestamp": "2026-12-01T00:00:00.000Z", "summary": "s"}
    lab.append(cut)
    written = time.monotonic()
    before = len(running.events("run_due"))
    assert until(lambda: len(running.events("run_due")) > before, 60), running.err
    return share, time.monotonic() - written


def _write(lab: Lab) -> None:
    lines = [f"{json.dumps(lab.entry('user', [{'type': 'text', 'text': sentence(number)}]))}\n".encode()
             for number in range(int(LINES_PER_S * FLOOD_S))]  # fmt: skip
    began, written = time.monotonic(), 0
    while written < len(lines):
        due = min(len(lines), int((time.monotonic() - began) * LINES_PER_S))
        for line in lines[written:due]:
            with lab.path().open("ab", buffering=0) as file:
                file.write(line)
        written = max(written, due)
        time.sleep(STEP_S)


def _bare_share(lab: Lab) -> float:
    """The share of a core of a thread that reads every event and counts the new lines, at the same pace."""
    libc = ctypes.CDLL(None)
    fd = libc.inotify_init()
    libc.inotify_add_watch(fd, os.fsencode(lab.sessions), IN_MODIFY)
    spent: list[float] = []
    done = threading.Event()

    def read() -> None:
        lines = 0
        with lab.path().open("rb") as file:
            file.seek(0, os.SEEK_END)
            while not done.is_set():
                os.read(fd, 65_536)
                lines += file.read().count(b"\n")
        spent.append(time.thread_time())

    reader = threading.Thread(target=read)
    reader.start()
    _write(lab)
    done.set()
    lab.say("the end")
    reader.join()
    os.close(fd)
    return spent[0] / FLOOD_S * 100


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def _switches(pid: int) -> int:
    count = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text().splitlines()
        count += next(int(line.split()[1]) for line in lines if line.startswith("voluntary"))
    return count
