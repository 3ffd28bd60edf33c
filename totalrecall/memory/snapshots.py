"""Task snapshots in the daily logs: finding them all, and adding one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from totalrecall.domain.snapshot import Snapshot, TaskPicture
from totalrecall.files.lock import hold
from totalrecall.memory.daily import DailyLog, append_to_day, daily_logs, daily_path, daily_text
from totalrecall.memory.snapshot_format import parse_snapshots, render_snapshot
from totalrecall.memory.snapshot_words import MARK

LOCK_WAIT_S = 10.0
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A snapshot with the place where it stands: the daily log, and the line of its heading from 1."""

    snapshot: Snapshot
    path: Path
    line: int


def all_snapshots(memory_dir: Path, *, zone: tzinfo | None = None) -> list[StoredSnapshot]:
    """Every snapshot in all daily logs, newest first by its time; logs that cannot be read are passed by.

    ``zone`` is the user's, for times that an agent wrote with an offset.
    """
    return sorted(_walk(daily_logs(memory_dir), zone), key=_order, reverse=True)


def newest_snapshots(memory_dir: Path, count: int = 1, *, zone: tzinfo | None = None) -> list[StoredSnapshot]:
    """The ``count`` newest snapshots, newest first, without reading logs that can hold none of them."""
    found: list[StoredSnapshot] = []
    for log in daily_logs(memory_dir):
        # A snapshot may be of the day before its log's, never much later than it.
        if len(found) >= count and log.day + _DAY < found[count - 1].snapshot.taken.date():
            break
        found = sorted([*found, *_in_log(log, zone)], key=_order, reverse=True)
    return found[:count]


def unreadable_logs(memory_dir: Path) -> list[Path]:
    """The daily logs that are there and cannot be read."""
    return [log.path for log in daily_logs(memory_dir) if daily_text(log) is None]


def add_snapshot(memory_dir: Path, picture: TaskPicture, taken: datetime, lock_path: Path) -> StoredSnapshot:
    """The picture as the next snapshot of its day, at the end of that day's log. Nothing else is touched.

    ``taken`` is the user's local time. The lock makes the number of the day unique among writers of ours.

    Raises:
        MemoryFileError: the log cannot be written; it is as it was.
        BusyError: another process of ours kept the lock for too long.
    """
    local = taken.replace(tzinfo=None, microsecond=0)
    with hold(lock_path, wait_s=LOCK_WAIT_S, command="totalrecall snapshot"):
        log = DailyLog(local.date(), daily_path(memory_dir, local.date()))
        snapshot = Snapshot(_next_id(log), local, picture)
        append_to_day(memory_dir, local.date(), render_snapshot(snapshot))
    written = [one for one in _in_log(log) if one.snapshot.snapshot_id == snapshot.snapshot_id]
    return written[-1] if written else StoredSnapshot(snapshot, log.path, 0)


def _walk(logs: list[DailyLog], zone: tzinfo | None) -> Iterator[StoredSnapshot]:
    for log in logs:
        yield from _in_log(log, zone)


def _in_log(log: DailyLog, zone: tzinfo | None = None) -> list[StoredSnapshot]:
    text = daily_text(log)
    if not text or MARK not in text:
        return []
    return [StoredSnapshot(one, log.path, line) for line, one in parse_snapshots(text, log.day, zone)]


def _order(one: StoredSnapshot) -> tuple[datetime, date, int]:
    return (one.snapshot.taken, _day(one), one.line)


def _day(one: StoredSnapshot) -> date:
    return date.fromisoformat(one.path.stem)


def _next_id(log: DailyLog) -> str:
    """``YYYY-MM-DD-NN``, one more than the highest of the day, whoever wrote that."""
    head = f"{log.day.isoformat()}-"
    numbers = [one.snapshot.snapshot_id.removeprefix(head) for one in _in_log(log)]
    highest = max(
        (int(one) for one in numbers if one.isascii() and one.isdigit() and len(one) < 7), default=0
    )
    return f"{head}{highest + 1:02d}"
