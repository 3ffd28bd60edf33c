"""When the observer runs because of what is new. Pure: the clock comes in as a number.

A decision says when, never whether a message is read: whatever it decides, the job reads from the cursors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a run is due."""

    THRESHOLD = "threshold"
    QUIET = "quiet"
    BOUNDARY = "boundary"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings ask for.

    Attributes:
        line_threshold: unseen entries that start a run (``OBSERVER_LINE_THRESHOLD``).
        cooldown_s: least seconds between two runs that the threshold starts (``OBSERVER_COOLDOWN_SECS``).
        quiet_s: seconds without a new entry that make a session quiet (``TOTALRECALL_QUIET_MIN``).
    """

    line_threshold: int
    cooldown_s: float
    quiet_s: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session with something unread: how many entries are unseen, and when the last one was noticed.

    ``entries`` may be 0: a last line that is not finished is something unread, and no entry yet.
    """

    entries: int
    noticed_s: float


@dataclass(frozen=True, slots=True)
class Situation:
    """One agent as it stands. Seconds are of a clock that is never set.

    Attributes:
        waiting: its observed sessions with something unread.
        boundary: a compaction or an end was met behind something unread.
        threshold_run_s: when the threshold started a run the last time, None for never.
    """

    waiting: Sequence[Waiting] = ()
    boundary: bool = False
    threshold_run_s: float | None = None

    @property
    def new_entries(self) -> int:
        """Unseen entries in all sessions."""
        return sum(one.entries for one in self.waiting)


@dataclass(frozen=True, slots=True)
class RunNow:
    """Run the observer."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """Decide again at ``at_s``, or when something changes before that."""

    at_s: float
    reason: Reason


@dataclass(frozen=True, slots=True)
class Ignore:
    """Nothing is unread."""


def decide(rules: Rules, situation: Situation, now_s: float) -> RunNow | WaitUntil | Ignore:
    """Whether the observer runs now, and if not, when it does. A cooldown puts a run off, never away."""
    if not situation.waiting:
        return Ignore()
    if situation.boundary:
        return RunNow(Reason.BOUNDARY)
    due_s = min(one.noticed_s for one in situation.waiting) + rules.quiet_s
    reason = Reason.QUIET
    if situation.new_entries >= rules.line_threshold:
        last_s = situation.threshold_run_s
        free_s = now_s if last_s is None else last_s + rules.cooldown_s
        if free_s <= due_s:
            due_s, reason = free_s, Reason.THRESHOLD
    return RunNow(reason) if due_s <= now_s else WaitUntil(due_s, reason)
