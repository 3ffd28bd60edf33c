"""How long one waits for the command itself."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from scripts.bench_parts._part import Row

ROUNDS = 15
HELP_MS = 150


def rows() -> list[Row]:
    """``--help`` against its limit, and the same beside an interpreter that does nothing."""
    shown, bare = _median_ms(["-m", "totalrecall", "--help"]), _median_ms(["-c", "pass"])
    return [
        Row(f"--help, ms against {HELP_MS}", shown, HELP_MS, shown / HELP_MS, "< 1"),
        Row("--help, ms against python -c pass", shown, bare, shown / bare, "-"),
    ]


def _median_ms(arguments: list[str]) -> float:
    """As on a user's machine: with bytecode files."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times: list[float] = []
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=env, check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - begin) * 1000)
    # The first run writes the bytecode.
    return statistics.median(times[1:])
