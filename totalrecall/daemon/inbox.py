"""What threads tell each other: things that wait to be looked at, each at most once."""

from __future__ import annotations

import queue
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class Inbox(Generic[_Item]):
    """A queue in which nothing waits twice, however often it is put.

    ``put`` never blocks, and a signal handler may call it.
    """

    def __init__(self) -> None:
        # SimpleQueue.put is the one that may interrupt itself, as a signal handler does.
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._waiting: set[_Item] = set()

    def put(self, item: _Item) -> None:
        """Have ``item`` looked at; nothing changes when it waits already."""
        if item not in self._waiting:
            self._waiting.add(item)
            self._queue.put(item)

    def take(self, timeout_s: float | None = None) -> list[_Item]:
        """Everything that waits, oldest first; empty when nothing came within ``timeout_s`` (None: for ever).

        What is put while it is worked on waits for the next time.
        """
        items: list[_Item] = []
        try:
            items.append(self._taken(timeout_s))
            while True:
                items.append(self._taken(0))
        except queue.Empty:
            return items

    def _taken(self, timeout_s: float | None) -> _Item:
        item = self._queue.get(timeout=timeout_s) if timeout_s != 0 else self._queue.get_nowait()
        # Before the work on it begins: what comes from here on is news.
        self._waiting.discard(item)
        return item
