"""Waiting for something that another thread or process does, no longer than it takes."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], timeout_s: float = 10.0, every_s: float = 0.01) -> bool:
    """Wait until ``true`` is; False when it does not become so in time."""
    ends = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > ends:
            return False
        time.sleep(every_s)
    return True
