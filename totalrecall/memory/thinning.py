"""Which backups of the log stay. Pure.

Ten stay: the newest, the newest good one, the oldest, and of the rest those that are spread best over time. A
backup that holds far fewer words than another is not good: after damage, those that keep only the damage must
never push out the last one that is whole (R076, R077).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

KEPT = 10
NEWEST_KEPT = 3
GOOD_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class BackupFacts:
    """One backup: its name, when it was made, and the words in it."""

    name: str
    made_at: datetime
    words: int


def newest_good(backups: Sequence[BackupFacts]) -> BackupFacts | None:
    """The newest backup that holds at least half the words of the largest; None without one that has any."""
    most = max((one.words for one in backups), default=0)
    whole = [one for one in backups if one.words and one.words >= most * GOOD_SHARE]
    return max(whole, key=lambda one: (one.made_at, one.name), default=None)


def to_prune(backups: Sequence[BackupFacts], *, now: datetime, kept: int = KEPT) -> list[BackupFacts]:
    """The backups that go, so that ``kept`` stay."""
    stay = sorted(backups, key=lambda one: (one.made_at, one.name), reverse=True)
    good = newest_good(backups)
    gone: list[BackupFacts] = []
    while len(stay) > kept:
        # The oldest stays: without it the rest would slide along with the newest, and none would be old.
        choice = [place for place in range(NEWEST_KEPT, len(stay) - 1) if stay[place] != good]
        crowded = min(choice, key=lambda place: _room(stay, place, now))
        gone.append(stay.pop(crowded))
    return gone


def _room(backups: Sequence[BackupFacts], place: int, now: datetime) -> float:
    """The time that this backup alone stands for, by its age: old ones may lie farther apart."""
    span_s = (backups[place - 1].made_at - backups[place + 1].made_at).total_seconds()
    return span_s / max(1.0, (now - backups[place].made_at).total_seconds())
