"""The watchdog library at work: its threads, and a handler that only passes paths on."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from totalrecall.daemon.folder_watch import FolderWatch, Target

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

JOIN_S = 1.0


@dataclass(frozen=True, slots=True)
class Hint:
    """An event named this file of a target; "" when it only may be worth a look."""

    target: Target
    name: str


class Listening:
    """Has the system tell of folders. ``put`` takes hints, in watchdog's threads."""

    def __init__(self, put: Callable[[Hint], None]) -> None:
        self._put = put
        self._observer: BaseObserver | None = None
        self._watches: dict[Target, ObservedWatch] = {}

    @property
    def sound(self) -> bool:
        """Whether the thread that hands events on runs, or none is needed."""
        return self._observer is None or self._observer.is_alive()

    def hears(self, target: Target) -> bool:
        """Whether the thread that reads the folder's events runs: it ends with the folder (R098)."""
        watch = self._watches.get(target)
        if watch is None or self._observer is None:
            return False
        return any(one.watch == watch and one.is_alive() for one in tuple(self._observer.emitters))

    def begin(self, folder: FolderWatch) -> None:
        """Tell of the folder from now on. Raises OSError when the system will not."""
        from watchdog.events import (
            DirDeletedEvent,
            FileCreatedEvent,
            FileDeletedEvent,
            FileModifiedEvent,
            FileMovedEvent,
        )

        self.end(folder.target)
        # Never opened and closed: our own reading would wake us (R101). What was written is told by modified.
        kinds: list[type[FileSystemEvent]] = [
            FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, DirDeletedEvent,
        ]  # fmt: skip
        handler = _handler(folder, self._put)
        # A link to the folder would be watched instead of it.
        path = os.path.realpath(folder.target.folder)
        observer = self._running()
        self._watches[folder.target] = observer.schedule(handler, path, recursive=False, event_filter=kinds)

    def end(self, target: Target) -> None:
        """Tell of it no more."""
        watch = self._watches.pop(target, None)
        if watch is not None and self._observer is not None:
            with contextlib.suppress(KeyError):
                self._observer.unschedule(watch)

    def stop(self) -> None:
        """End all threads; ``begin`` starts them again."""
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            observer.stop()
            observer.join(JOIN_S)

    def _running(self) -> BaseObserver:
        if self._observer is None:
            from watchdog.observers import Observer

            observer = Observer()
            observer.start()
            self._observer = observer
        return self._observer


def _handler(folder: FolderWatch, put: Callable[[Hint], None]) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: FileSystemEvent) -> None:
            # An exception here would end watchdog's thread, and nobody would be told (R099).
            with contextlib.suppress(Exception):
                for path in (event.src_path, event.dest_path):
                    name = os.fsdecode(path).rpartition(os.sep)[2]
                    if path and folder.told(name):
                        put(Hint(folder.target, name if folder.target.concerns(name) else ""))

    return Handler()
