"""Signals as orders: the first to stop is obeyed in order, the second at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from enum import StrEnum
from types import FrameType


class Order(StrEnum):
    """What the service is told from outside."""

    STOP = "stop"
    RELOAD = "reload"


def obey(put: Callable[[Order], None], stopping: threading.Event) -> None:
    """From now on SIGTERM and SIGINT stop the service and SIGHUP has it read its settings again.

    A second signal to stop ends the process at once: every step of a job is on the disk when it is done.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            os._exit(0)
        stopping.set()
        put(Order.STOP)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, lambda _number, _frame: put(Order.RELOAD))
