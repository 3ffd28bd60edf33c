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
    Where it was started in a terminal, and that was closed, SIGHUP stops it as well.
    """
    in_terminal = os.isatty(0)

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            os._exit(0)
        stopping.set()
        put(Order.STOP)

    def hang_up(number: int, frame: FrameType | None) -> None:
        if in_terminal and not os.isatty(0):
            stop(number, frame)
        else:
            put(Order.RELOAD)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, hang_up)
