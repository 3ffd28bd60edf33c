"""Cron expressions mean what they mean to cron, and what makes no sense is refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.config.cron import CronError, parse_cron
from totalrecall.config.load import load_settings
from totalrecall.config.sources import Places


def test_steps_ranges_lists_and_names() -> None:
    """All forms of a field at once; Sunday is 0 and 7."""
    found = parse_cron("*/20,1 9-17/4 * JAN,3 sun-tue,7")
    assert found.minutes == (0, 1, 20, 40)
    assert found.hours == (9, 13, 17)
    assert found.months == (1, 3)
    assert found.weekdays == (0, 1, 2)
    assert len(parse_cron("* * * * *").weekdays) == 7
    assert parse_cron("5/20 * * * *").minutes == (5, 25, 45)


@pytest.mark.report("R118")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("*/15", "1 of 5 fields"),
        ("* * * * * *", "6 of 5 fields"),
        ("60 * * * *", "minute"),
        ("-1 * * * *", "minute"),
        ("*/0 * * * *", "step"),
        ("* 5-2 * * *", "backwards"),
        ("* * 31 2,4 *", "no such day"),
        ("* * 1 * mon", "both"),
        ("* * * foo *", "month"),
        ("* * * * 8", "weekday"),
        ("9" * 5000 + " * * * *", "minute"),
        ("@hourly", "1 of 5 fields"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, said: str) -> None:
    """With the part that is wrong; never a schedule that runs all the time, or never."""
    with pytest.raises(CronError, match=said):
        parse_cron(text)


def test_a_bad_schedule_is_refused_by_name(tmp_path: Path) -> None:
    """With what is allowed; until it is corrected the default is used."""
    env = {"TOTALRECALL_SCHEDULE_OBSERVER": "every 5 minutes"}
    loaded = load_settings(Places(env=env, home_dir=tmp_path, config_dir=tmp_path))
    (problem,) = loaded.errors
    assert "TOTALRECALL_SCHEDULE_OBSERVER" in problem.what
    assert "five fields" in problem.what
    assert loaded.settings.schedule_observe == "*/15 * * * *"


@given(st.text("0123456789*/,- jan", max_size=30))
def test_parsing_is_total(text: str) -> None:
    """Any text is an expression or a CronError; an expression has at least one time."""
    try:
        found = parse_cron(text)
    except CronError:
        return
    assert all((found.minutes, found.hours, found.days, found.months, found.weekdays))
