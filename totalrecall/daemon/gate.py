"""How many agents are at work at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_S = 1.0


class Gate:
    """Lets ``places`` through at a time. The number may be changed at any time."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._inside = 0
        self._free = threading.Condition()

    def set_places(self, places: int) -> None:
        """Let so many through from now on; nobody who is inside is disturbed."""
        with self._free:
            self._places = places
            self._free.notify_all()

    @contextmanager
    def passed(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Inside for the time of the block; False, and not inside, when ``stop`` says so while it waits."""
        with self._free:
            while self._inside >= self._places and not stop():
                self._free.wait(LOOK_S)
            entered = not stop()
            self._inside += entered
        try:
            yield entered
        finally:
            with self._free:
                self._inside -= entered
                self._free.notify()
