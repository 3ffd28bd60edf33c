"""Watching the folders of transcripts. Events are hints; a scan finds what none told of.

Whoever relies on watchdog's threads alone is deaf one day without knowing it: an emitter ends with its folder
and does not come back (R098), an overflow is silent (R097), some mounts tell nothing (R100), a thread that
ends is missed by nobody (R099, R104). So threads, folders and scans are compared.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from totalrecall.daemon.folder_watch import HOT_POLL_S, POLL_S, FolderWatch, Mode, Target
from totalrecall.daemon.listening import Hint, Listening

SUSPECT_S = 2.0
RETRY_S = 600.0
_LIMITS = {errno.ENOSPC: "fs.inotify.max_user_watches", errno.EMFILE: "fs.inotify.max_user_instances"}

Say = Callable[[str, Mapping[str, Any]], None]
"""How the watcher warns: an event's name, and its values."""


class Watcher:
    """Watches the targets and tells which agent's transcripts changed. For one thread.

    ``put`` is called from watchdog's threads and takes hints, which come back through ``hint``. ``changed``
    is told the agent. ``turn`` is to be called when it says, and ``scan`` from time to time.
    """

    def __init__(
        self,
        put: Callable[[Hint], None],
        changed: Callable[[str], None],
        warn: Say,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._changed = changed
        self._warn = warn
        self._now_s = now_s
        self._folders: dict[Target, FolderWatch] = {}
        self._listening = Listening(put)
        self._warned: set[str] = set()

    @property
    def folders(self) -> tuple[FolderWatch, ...]:
        """Every target as it is watched now."""
        return tuple(self._folders.values())

    def set_targets(self, targets: Iterable[Target]) -> None:
        """Watch these and no others."""
        wanted = set(targets)
        for gone in self._folders.keys() - wanted:
            self._listening.end(gone)
            del self._folders[gone]
        for new in sorted(wanted - self._folders.keys(), key=lambda one: str(one.folder)):
            folder = self._folders[new] = FolderWatch(new, self._now_s)
            self._attend(folder)
            folder.look()

    def hint(self, hint: Hint) -> None:
        """A hint has come out of the queue."""
        folder = self._folders.get(hint.target)
        if folder is not None and hint.name:
            folder.hint(hint.name)
            self._changed(hint.target.agent)

    def scan(self) -> None:
        """Go through every folder: what changed without a word, came, went, was replaced, or fell silent."""
        if not self._listening.sound:
            self._restart("its thread has ended")
        for folder in self._folders.values():
            before_s = folder.last_look_s
            self._attend(folder)
            if not folder.look():
                continue
            self._changed(folder.target.agent)
            if folder.mode is Mode.EVENTS and folder.last_event_s < before_s and folder.suspect is None:
                # Its event may be on the way; it is missed only if it does not come.
                folder.suspect = (self._now_s(), before_s)

    def turn(self) -> float | None:
        """Do what is due by now, and say when to call again; None when nothing is."""
        next_s: list[float] = []
        for folder in self._folders.values():
            if folder.mode is Mode.EVENTS and folder.is_burst():
                self._listening.end(folder.target)
                folder.begin_burst()
            if folder.mode is Mode.BURST:
                next_s.append(self._burst(folder))
            elif folder.mode is Mode.POLLING:
                next_s.append(self._poll(folder))
            if folder.suspect is not None:
                next_s.append(self._suspect(folder, *folder.suspect))
        return min(next_s, default=None)

    def stop(self) -> None:
        """End all threads."""
        self._listening.stop()

    def _attend(self, folder: FolderWatch) -> None:
        """Have the folder watched as well as it can be, whatever became of it since the last time."""
        status = folder.stat()
        if status is None:
            self._listening.end(folder.target)
            folder.forget()
            return
        identity = (status.st_dev, status.st_ino)
        replaced = folder.identity != identity
        folder.identity = identity
        silent = folder.mode is Mode.EVENTS and not self._listening.hears(folder.target)
        again = folder.retry_s is not None and folder.retry_s <= self._now_s()
        if silent and not replaced:
            self._warn("watch_restarted", {"folder": folder.target.folder, "agent": folder.target.agent})
        if replaced or silent or again:
            self._listen(folder)

    def _listen(self, folder: FolderWatch) -> None:
        """Have the system tell of the folder; poll it where it will not."""
        folder.retry_s, folder.suspect = None, None
        try:
            self._listening.begin(folder)
        except FileNotFoundError:
            folder.forget()
        except (OSError, RuntimeError) as error:
            # RuntimeError: no more threads.
            limit = _LIMITS.get(getattr(error, "errno", None) or 0)
            why = (
                f"The limit {limit} of this system is reached." if limit else f"The system refuses: {error}."
            )
            remedy = f"Raise it: sudo sysctl {limit}=<more>." if limit else ""
            self._fall_back(folder, f"{why} {remedy}".strip())
            folder.retry_s = self._now_s() + RETRY_S
        else:
            folder.mode, folder.why = Mode.EVENTS, ""

    def _fall_back(self, folder: FolderWatch, why: str) -> None:
        folder.mode, folder.why = Mode.POLLING, why
        # Once for all folders and all times: it does not get truer by being repeated (R096).
        if why not in self._warned:
            self._warned.add(why)
            values = {"folder": folder.target.folder, "agent": folder.target.agent}
            self._warn("polling_instead_of_events", {**values, "reason": why, "every_s": POLL_S})

    def _restart(self, why: str) -> None:
        self._warn("watcher_restarted", {"reason": why})
        self._listening.stop()
        for folder in self._folders.values():
            if folder.mode is Mode.EVENTS:
                self._listen(folder)

    def _burst(self, folder: FolderWatch) -> float:
        if folder.poll_hot():
            self._changed(folder.target.agent)
        if folder.calm:
            self._listen(folder)
            if folder.look():
                self._changed(folder.target.agent)
        return self._now_s() + HOT_POLL_S

    def _poll(self, folder: FolderWatch) -> float:
        if folder.last_look_s + POLL_S <= self._now_s() and folder.look():
            self._changed(folder.target.agent)
        return folder.last_look_s + POLL_S

    def _suspect(self, folder: FolderWatch, found_s: float, before_s: float) -> float:
        """A change that no event told of: was it only late, is the watch deaf, or is the whole mount?"""
        now_s = self._now_s()
        if folder.last_event_s >= before_s or folder.mode is not Mode.EVENTS:
            folder.suspect = None
        elif now_s >= found_s + SUSPECT_S:
            folder.suspect = None
            folder.deaf += 1
            if folder.deaf == 1:
                self._restart(f"no event told of a change in {folder.target.folder}")
            else:
                self._listening.end(folder.target)
                self._fall_back(folder, "No events come from there, as from network and container mounts.")
        return found_s + SUSPECT_S
