"""The log files of a workspace as one list of events, newest last."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from totalrecall.files.log_tail import LogFollower, last_lines
from totalrecall.log import LEVELS, LOG_NAMES

# What people call a log: its own name, or the job that writes it.
BY_JOB = {
    "observe": "observer",
    "flush": "observer",
    "reflect": "reflector",
    "recover": "session-recovery",
    "run": "observer-watcher",
    "service": "observer-watcher",
}
_HEAD = ("timestamp", "level", "log", "event")


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One line of a log: when (as written, UTC), how weighty, where, what, and its values."""

    at: datetime
    level: str
    log: str
    name: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which events to show.

    Attributes:
        logs: names of logs; all when empty.
        level: the least level.
        agent: only this agent's, and those of no agent; "" for all.
    """

    logs: frozenset[str] = frozenset()
    level: str = "debug"
    agent: str = ""

    def names(self) -> list[str]:
        """The logs to read."""
        return [name for name in LOG_NAMES if not self.logs or name in self.logs]

    def takes(self, event: LogEvent) -> bool:
        """Whether to show it."""
        if LEVELS.get(event.level, 0) < LEVELS[self.level]:
            return False
        return not self.agent or event.values.get("agent", self.agent) == self.agent


def last_events(folder: Path, count: int, only: LogFilter) -> list[LogEvent]:
    """The last ``count`` events of all logs in the folder, oldest first. Writes nothing."""
    if count <= 0:
        return []
    found: list[LogEvent] = []
    for name in only.names():
        found += events_in(last_lines(folder / f"{name}.log", count, _wanted(only)), only)
    found.sort(key=lambda one: one.at)
    return found[-count:]


def follower(folder: Path, only: LogFilter) -> Callable[[], list[LogEvent]]:
    """What gives the events that came since its last call, oldest first."""
    files = LogFollower([folder / f"{name}.log" for name in only.names()])
    return lambda: sorted(events_in(files.new_lines(), only), key=lambda one: one.at)


def events_in(lines: Iterable[bytes], only: LogFilter) -> list[LogEvent]:
    """The events of some lines; lines of anything else are passed over."""
    found = [event_of(line) for line in lines]
    return [one for one in found if one is not None and only.takes(one)]


def event_of(line: bytes) -> LogEvent | None:
    """A line of ours as an event, None for any other."""
    try:
        said = json.loads(line)
        at = datetime.fromisoformat(said["timestamp"])
        level, log, name = str(said["level"]), str(said["log"]), str(said["event"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if at.tzinfo is None:
        return None
    return LogEvent(at, level, log, name, {key: one for key, one in said.items() if key not in _HEAD})


def _wanted(only: LogFilter) -> Callable[[bytes], bool]:
    def wanted(line: bytes) -> bool:
        event = event_of(line)
        return event is not None and only.takes(event)

    return wanted
