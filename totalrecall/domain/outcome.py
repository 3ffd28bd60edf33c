"""How a job ended, and the exit code that says so."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command. README, "Exit codes"."""

    OK = 0
    BUG = 1
    USAGE = 2
    PARTIAL = 3
    UNREACHABLE = 69
    BUSY = 75
    CONFIG = 78
    INTERRUPTED = 130
