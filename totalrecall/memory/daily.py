"""The agent's daily logs, ``memory/YYYY-MM-DD.md``: which there are, and adding to one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.append import Appended, append
from totalrecall.files.atomic import read_state

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")


@dataclass(frozen=True, slots=True)
class DailyLog:
    """One day's log: the day and the file."""

    day: date
    path: Path


def daily_path(memory_dir: Path, day: date) -> Path:
    """Where a day's log stands, whether or not it exists."""
    return memory_dir / f"{day.isoformat()}.md"


def daily_logs(memory_dir: Path) -> list[DailyLog]:
    """Every daily log, newest day first; [] while there is no folder."""
    try:
        names = [one.name for one in memory_dir.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise MemoryFileError(f"Cannot look into {memory_dir}: {error.strerror}.") from error
    found = [DailyLog(day, memory_dir / name) for name in names if (day := _day_of(name)) is not None]
    return sorted(found, key=lambda one: one.day, reverse=True)


def daily_text(log: DailyLog) -> str | None:
    """The log's text, without a byte order mark; None when it cannot be read. Odd bytes survive."""
    try:
        content = read_state(log.path).content or b""
    except MemoryFileError:
        return None
    return content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def append_to_day(memory_dir: Path, day: date, text: str) -> Appended:
    """``text`` stands at the end of the day's log afterwards, on a new line, put there in one write.

    Raises:
        MemoryFileError: it cannot be written; the log is as it was.
    """
    return append(daily_path(memory_dir, day), text.encode("utf-8", "surrogateescape"))


def _day_of(name: str) -> date | None:
    match = _NAME.fullmatch(name)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None
