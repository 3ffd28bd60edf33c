"""The agent's daily logs: found by name, read whatever stands in them, and added to in one write."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from totalrecall.memory.daily import append_to_day, daily_logs, daily_text

DAY = date(2026, 2, 14)


def test_only_days_are_daily_logs(tmp_path: Path) -> None:
    """Newest first; other notes, impossible days and a missing folder are none."""
    assert daily_logs(tmp_path / "none") == []
    for name in ("2026-02-14.md", "2026-02-13.md", "2026-02-30.md", "2026-02-14-1405.md", "observations.md"):
        (tmp_path / name).write_text("x")
    assert [one.day for one in daily_logs(tmp_path)] == [DAY, date(2026, 2, 13)]
    assert daily_logs(tmp_path / "observations.md") == []


def test_a_log_is_read_whatever_bytes_it_holds(tmp_path: Path) -> None:
    """A byte order mark goes, broken UTF-8 survives, a folder of that name is no log that can be read."""
    (tmp_path / "2026-02-14.md").write_bytes(b"\xef\xbb\xbfa\xffb\r\n")
    (tmp_path / "2026-02-13.md").mkdir()
    newest, older = daily_logs(tmp_path)
    assert daily_text(newest) == "a\udcffb\r\n"
    assert daily_text(older) is None


def test_adding_begins_a_line_and_touches_nothing_else(tmp_path: Path) -> None:
    """Whatever stood there stays byte for byte; a new log is for its owner only."""
    path = tmp_path / "memory" / "2026-02-14.md"
    append_to_day(tmp_path / "memory", DAY, "one\n")
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"\xff no newline")
    append_to_day(tmp_path / "memory", DAY, "two\n")
    assert path.read_bytes() == b"\xff no newline\ntwo\n"
