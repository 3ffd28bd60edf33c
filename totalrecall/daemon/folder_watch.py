"""One folder that is watched: what stands in it, what changed since the last look, and how it is watched."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from totalrecall.transcripts.filenames import FileKind, classify

# A folder that tells of more than this is looked at instead, as long as it goes on: a busy agent writes
# hundreds of times a second, and each event costs more than a look at the file (R101).
BURST_PER_S = 40.0
BURST_WINDOW_S = 0.5
HOT_POLL_S = 0.1
HOT_FOR_S = 10.0
CALM_S = 2.0
POLL_S = 10.0
LIST_GAP_S = 1.0
# Listings take this share of a core at most.
LIST_SHARE = 1 / 50
WAKE_EVERY = 32

Stamp = tuple[int, int, int]


class Mode(StrEnum):
    """How a folder is watched.

    MISSING: it does not stand. EVENTS: the system tells. BURST: it tells so much that looking is cheaper.
    POLLING: the system does not tell, or not of this folder.
    """

    MISSING = "missing"
    EVENTS = "events"
    BURST = "burst"
    POLLING = "polling"


@dataclass(frozen=True, slots=True)
class Target:
    """A folder to watch for an agent: its transcripts, or only the files of these names."""

    agent: str
    folder: Path
    files: frozenset[str] = frozenset()

    def concerns(self, name: str) -> bool:
        """Whether a file of that name says that something was said."""
        if self.files:
            return name in self.files
        return ".jsonl" in name and classify(name).kind in {FileKind.LIVE, FileKind.ENDED}


class FolderWatch:
    """The folder of a target. Only ``told`` is called from another thread.

    Attributes:
        mode: how it is watched.
        identity: device and inode when it was looked at last.
        events: how many events came; ``last_event_s`` the time of the last one, 0.0 for never.
        last_look_s: when it was last gone through; ``last_change_s`` when something had changed.
        suspect: when a change was found that no event had told of, and when it was looked at before that.
        deaf: how often in a row that was so.
        why: why it is polled, one sentence, "".
        retry_s: when events are tried again.
    """

    def __init__(self, target: Target, now_s: Callable[[], float]) -> None:
        self.target = target
        self.mode = Mode.MISSING
        self.identity: tuple[int, int] | None = None
        self.events = 0
        self.last_event_s = 0.0
        self.last_look_s = 0.0
        self.last_change_s = 0.0
        self.suspect: tuple[float, float] | None = None
        self.deaf = 0
        self.why = ""
        self.retry_s: float | None = None
        self._now_s = now_s
        self._files: dict[str, Stamp] = {}
        self._hot: dict[str, float] = {}
        self._folder_mtime_ns = 0
        self._window = (0.0, 0)
        self._list_gap_s = HOT_POLL_S

    def told(self, name: str) -> bool:
        """An event named this file; whether somebody should look."""
        self.events += 1
        self.last_event_s = self._now_s()
        # Also for files that do not concern us: too many events of them are a burst as well.
        return self.target.concerns(name) or self.events % WAKE_EVERY == 0

    def stat(self) -> os.stat_result | None:
        """The folder's own state, None when it does not stand or cannot be entered."""
        try:
            return self.target.folder.stat()
        except OSError:
            return None

    def look(self) -> bool:
        """Go through the folder; whether anything changed since the last time, its disappearance included."""
        began_s = self._now_s()
        before, self._files = self._files, self._listed()
        changed = {name for name, stamp in self._files.items() if before.get(name) != stamp}
        took_s = self._now_s() - began_s
        self.last_look_s = began_s
        self._list_gap_s = max(HOT_POLL_S, took_s / LIST_SHARE)
        self._hot |= dict.fromkeys(changed, began_s)
        if changed or before.keys() - self._files.keys():
            self.last_change_s = began_s
            return True
        return False

    def hint(self, name: str) -> None:
        """A file that is written just now, as an event says: they are heard."""
        self._hot[name] = self.last_change_s = self._now_s()
        self.deaf = 0
        # What was told is no news to the next scan.
        stamp = self._stamp(name)
        if stamp is None:
            self._files.pop(name, None)
        else:
            self._files[name] = stamp

    def is_burst(self) -> bool:
        """Whether more events come than it is worth listening to."""
        now_s = self._now_s()
        since_s, count = self._window
        if now_s - since_s < BURST_WINDOW_S:
            return False
        self._window = (now_s, self.events)
        # A window that lay open for long says nothing of the last half second.
        return now_s - since_s < 4 * BURST_WINDOW_S and self.events - count > BURST_PER_S * (now_s - since_s)

    def poll_hot(self) -> bool:
        """Look at the files that are written just now; the whole folder only where that costs little."""
        now_s = self._now_s()
        self._hot = {name: at for name, at in self._hot.items() if now_s - at < HOT_FOR_S}
        changed = False
        for name in self._hot:
            stamp = self._stamp(name)
            if stamp is not None and stamp != self._files.get(name):
                self._files[name] = stamp
                self._hot[name] = now_s
                changed = True
        if changed:
            self.last_change_s = now_s
        status, since_s = self.stat(), now_s - self.last_look_s
        came = status is not None and status.st_mtime_ns != self._folder_mtime_ns
        self._folder_mtime_ns = status.st_mtime_ns if status else 0
        if since_s >= self._list_gap_s and (came or since_s >= LIST_GAP_S):
            return self.look() or changed
        return changed

    @property
    def calm(self) -> bool:
        """Whether nothing has changed for a while."""
        return self._now_s() - self.last_change_s >= CALM_S

    def begin_burst(self) -> None:
        """From now on it is looked at instead of listened to."""
        self.mode = Mode.BURST
        self.last_change_s = self._now_s()

    def forget(self) -> None:
        """It stands no more; what comes in its place is new."""
        self.mode, self.identity, self.suspect = Mode.MISSING, None, None
        self._hot = {}

    def _listed(self) -> dict[str, Stamp]:
        found: dict[str, Stamp] = {}
        concerns = self.target.concerns
        try:
            if self.target.files:
                names = list(self.target.files)
                found = {name: stamp for name in names if (stamp := self._stamp(name)) is not None}
            else:
                with os.scandir(self.target.folder) as entries:
                    for entry in entries:
                        if concerns(entry.name) and (stamp := _stamp_of(entry)) is not None:
                            found[entry.name] = stamp
        except OSError:
            # Gone, or not ours to read: the job's run says so.
            return {}
        return found

    def _stamp(self, name: str) -> Stamp | None:
        try:
            status = os.stat(os.path.join(self.target.folder, name))  # noqa: PTH116, PTH118 -- ten times a second
        except (OSError, ValueError):
            return None
        return status.st_size, status.st_mtime_ns, status.st_ino


def _stamp_of(entry: os.DirEntry[str]) -> Stamp | None:
    try:
        status = entry.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino
