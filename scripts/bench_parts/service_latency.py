"""How long the service takes from the line that fills the threshold to the request at the model."""

from __future__ import annotations

import ctypes
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from scripts.bench_parts._part import Row
from tests.fakes.model_server import Behaviour, model_server
from tests.integration.service_process import ServiceProcess, present, service, until
from tests.lab import Lab
from tests.soak import echo, sentence

ROUNDS = 12
LINES = 40
LIMIT_MS = 150
IN_MODIFY = 2


def rows() -> list[Row]:
    """Median and slowest of some rounds: the last line alone, and the last of a quick row of lines."""
    with tempfile.TemporaryDirectory() as folder, model_server() as server:
        lab = present(Path(folder))
        lab.env = {
            "LLM_BASE_URL": f"{server.url}/v1", "OBSERVER_MODEL": "maker/one", "OBSERVER_COOLDOWN_SECS": "1",
            "TOTALRECALL_CALLS_PER_HOUR": "3600", "REFLECTOR_WORD_THRESHOLD": "1000000",
        }  # fmt: skip
        asked: list[float] = []

        def answer(raw: bytes) -> Behaviour:
            asked.append(time.perf_counter())
            return echo(raw)

        server.answer = answer
        with service(lab) as running:
            bare = [_bare_ms(Path(folder)) for _ in range(ROUNDS)]
            alone = [_round_ms(lab, running, asked, number, 0.0) for number in range(ROUNDS)]
            in_row = [_round_ms(lab, running, asked, ROUNDS + number, 0.003) for number in range(ROUNDS)]
    yardstick = statistics.median(bare)
    found = []
    for name, times in (("alone", alone), ("after 39 others, 3 ms apart", in_row)):
        median = statistics.median(times)
        what = f"line 40 {name}: to the request at the model, median (ms, against {LIMIT_MS})"
        found.append(Row(what, median, LIMIT_MS, median / LIMIT_MS, "< 1"))
        slowest = max(times)
        found.append(
            Row("the slowest of them (ms, a bare inotify read)", slowest, yardstick, slowest / yardstick, "-")
        )
    return found


def _round_ms(lab: Lab, running: ServiceProcess, asked: list[float], number: int, gap_s: float) -> float:
    """One round of lines, the last one timed."""
    count = len(asked)
    first = number * LINES
    for step in range(LINES - 1):
        lab.say(sentence(first + step))
        time.sleep(gap_s)
    if not gap_s:
        time.sleep(0.4)
    assert len(asked) == count, "asked too early"
    lab.say(sentence(first + LINES - 1))
    began = time.perf_counter()
    assert until(lambda: len(asked) > count, 20, every_s=0.002), running.err
    time.sleep(1.6)
    return (asked[count] - began) * 1000


def _bare_ms(folder: Path) -> float:
    """From a write to the wake-up of a thread that reads inotify, nothing else."""
    libc = ctypes.CDLL(None)
    path = folder / "bare.jsonl"
    path.write_bytes(b"")
    fd = libc.inotify_init()
    libc.inotify_add_watch(fd, os.fsencode(path), IN_MODIFY)
    woken: list[float] = []

    def read() -> None:
        os.read(fd, 4096)
        woken.append(time.perf_counter())

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.05)
    with path.open("ab", buffering=0) as file:
        file.write(b"x\n")
        began = time.perf_counter()
    reader.join()
    os.close(fd)
    return max(0.001, (woken[0] - began) * 1000)
