"""The short soak: all that can happen to a running service, in some seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import Plan, soak


@pytest.mark.report("R024", "R027", "R097", "R106", "R108")
def test_nothing_is_lost_or_doubled_under_fire(tmp_path: Path) -> None:
    """Renames, resets, rewrites, outages, SIGKILL and restart while several sessions are written: coverage 100 %."""
    found = soak(
        tmp_path, Plan(5.0, sessions=5, lines_per_s=40, kill_every_s=2.0, outage_every_s=2.5, outage_s=0.8)
    )
    assert found.kills == 2
    assert found.said > 100
    assert found.whole, found
    assert found.behind < found.said
