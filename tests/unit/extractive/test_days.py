"""Days are resolved against the message's own day in its own zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.unit.extractive.talk import compress, user
from totalrecall.llm.extractive.dates import named_days, with_days

THURSDAY = date(2026, 1, 1)


@pytest.mark.report("R068")
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("call Ann tomorrow", "2026-01-02"),
        ("the day after tomorrow", "2026-01-03"),
        ("next Tuesday at 9", "2026-01-06"),
        ("on Friday", "2026-01-02"),
        ("last Monday", "2025-12-29"),
        ("in three weeks", "2026-01-22"),
        ("in a month", "2026-02-01"),
        ("until the end of the month", "2026-01-31"),
        ("deploy on Friday 16 January", "2026-01-16"),
        ("by March 20th, 2027", "2027-03-20"),
        ("from 28 December", "2025-12-28"),
        ("15/02/2026", "2026-02-15"),
        ("übermorgen", "2026-01-03"),
        ("nächsten Montag um 9", "2026-01-05"),
        ("am Mittwoch", "2026-01-07"),
        ("die Frist ist der 31.01.", "2026-01-31"),
        ("am 12. August", "2026-08-12"),
        ("bis Ende der Woche", "2026-01-02"),
        ("in zwei Tagen", "2026-01-03"),
        ("明天上午", "2026-01-02"),
        ("大后天", "2026-01-04"),
        ("下周五下午三点", "2026-01-09"),
        ("周日", "2026-01-04"),
        ("8月5日之前", "2026-08-05"),
        ("下个月3号", "2026-02-03"),
        ("三天后", "2026-01-04"),
        ("月底前", "2026-01-31"),
    ],
)
def test_days_are_resolved(text: str, day: str) -> None:
    """Relative and yearless days get their date behind them, and keep their words."""
    written = with_days(text, named_days(text, THURSDAY))
    assert f"({day})" in written
    assert written.replace(f" ({day})", "") == text


@pytest.mark.parametrize(
    "text",
    [
        "guten Morgen",
        "version 4.2.0 on 10.20.0.14",
        "every Friday",
        "每周三",
        "you may 5 times",
        "03/04/2026",
        "31 February",
        "on 2026-01-09",
        "port 8443",
        "am Morgen",
    ],
)
def test_what_names_no_single_day_is_left_alone(text: str) -> None:
    """Versions, habits, ambiguous and impossible dates are not resolved; full dates are not doubled."""
    assert with_days(text, named_days(text, THURSDAY)) == text


@pytest.mark.report("R068")
def test_tomorrow_counts_from_the_messages_day_in_its_zone() -> None:
    """At 00:30 in Shanghai it is still yesterday in UTC; the note says the user's day and hour."""
    at = datetime(2026, 5, 31, 16, 30, tzinfo=UTC).astimezone(ZoneInfo("Asia/Shanghai"))
    [draft] = compress(user("明天要给陈工交报告"), at=at).notes
    assert (draft.note.day, draft.note.time) == (date(2026, 6, 1), "00:30")
    assert "明天 (2026-06-02)" in draft.note.text


@pytest.mark.report("R068")
def test_each_message_counts_from_its_own_day() -> None:
    """Talk on both sides of midnight in one batch: each message has its own tomorrow."""
    at = datetime(2026, 3, 3, 23, 59, 45, tzinfo=ZoneInfo("America/New_York"))
    drafts = compress(user("Dentist tomorrow at 9"), user("I need to call Bo tomorrow at 10"), at=at).notes
    assert [one.note.day.day for one in drafts] == [3, 4]
    assert "(2026-03-04)" in drafts[0].note.text
    assert "(2026-03-05)" in drafts[1].note.text


def test_the_end_of_the_calendar_is_survived() -> None:
    """A day beyond year 9999 is left as it was said."""
    assert with_days("tomorrow", named_days("tomorrow", date.max)) == "tomorrow"
