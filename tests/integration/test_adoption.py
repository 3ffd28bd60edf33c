"""From where on messages count: the look-back window applies once, to what existed at adoption."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.integration.counting import assert_whole, recount, token
from tests.lab import Lab, iso
from totalrecall.domain.state import MessageState

OTHER = "11111111-aaaa-4aaa-8aaa-000000000002"


def _at(lab: Lab, now: datetime, *words: str, session: str = OTHER) -> None:
    lab.now = now - timedelta(seconds=1)
    lab.say(*[f"it is {word}" for word in words], session=session)


@pytest.mark.parametrize(
    ("now", "zone", "window_min"),
    [
        (datetime(2026, 3, 2, 12, 0, tzinfo=UTC), "UTC", 15),
        (datetime(2026, 3, 2, 7, 30, tzinfo=UTC), "UTC", 480),
        (datetime(2026, 3, 2, 7, 30, tzinfo=UTC), "Asia/Shanghai", 15),
        (datetime(2026, 3, 2, 23, 30, tzinfo=UTC), "Asia/Shanghai", 480),
    ],
)
def test_the_window_is_short_by_day_and_long_in_the_morning(
    tmp_path: Path, now: datetime, zone: str, window_min: int
) -> None:
    """15 minutes; before 8 o'clock in the user's zone 480. What is older is "before adoption" for good."""
    lab = Lab(tmp_path, env={"TOTALRECALL_TIMEZONE": zone})
    lab.workspace.mkdir(parents=True)
    edge = now - timedelta(minutes=window_min)
    _at(lab, edge - timedelta(minutes=2), token(1))
    _at(lab, edge + timedelta(minutes=1), token(2))
    lab.now = now
    assert lab.observe().adopted
    found = assert_whole(lab, [token(2)])
    assert found.states[MessageState.BEFORE_ADOPTION] == 1
    _at(lab, now + timedelta(hours=30), token(3))
    lab.observe()
    assert_whole(lab, [token(2), token(3)])


def test_later_sessions_are_read_from_their_start_however_late_we_come(lab: Lab) -> None:
    """The laptop is closed for 9 hours, and for two weeks: everything said meanwhile is noted."""
    _at(lab, lab.now + timedelta(hours=1), token(1))
    lab.now += timedelta(hours=9)
    lab.observe()
    _at(lab, lab.now + timedelta(days=1), token(2), session="11111111-aaaa-4aaa-8aaa-000000000003")
    lab.now += timedelta(days=14)
    lab.observe()
    assert_whole(lab, [token(1), token(2)])
    assert "Date: 2026-03-02" in lab.notes
    assert "Date: 2026-03-03" in lab.notes


def test_a_fork_made_after_adoption_brings_no_old_message(tmp_path: Path) -> None:
    """A new session with copied entries: the old ones stay before adoption, new ones are noted."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    old = [lab.entry("user", f"it is {token(number)}") for number in range(700)]
    lab.append(*old)
    lab.now += timedelta(days=1)
    lab.observe()
    lab.append(*old, lab.entry("user", f"it is {token(1000)}"), session=OTHER)
    lab.observe()
    found = assert_whole(lab, [token(1000)])
    assert found.states[MessageState.BEFORE_ADOPTION] == 700


def test_a_copy_under_another_name_brings_no_old_message(tmp_path: Path) -> None:
    """The same transcript with the same header under another name is nothing new, before adoption or after."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    lab.say(f"it is {token(1)}")
    lab.now += timedelta(days=1)
    lab.observe()
    lab.say(f"it is {token(2)}")
    lab.observe()
    lab.path("the-copy").write_bytes(lab.path().read_bytes())
    lab.observe()
    assert_whole(lab, [token(2)])


def test_an_old_session_that_reset_closed_brings_no_old_message(tmp_path: Path) -> None:
    """A file with messages from before adoption is renamed, and a new one comes under the same id."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    lab.say(f"it is {token(1)}")
    lab.now += timedelta(days=1)
    lab.observe()
    lab.say(f"it is {token(2)}")
    lab.path().rename(lab.path().with_name(lab.path().name + ".reset.2026-03-03T12-00-09.000Z"))
    lab.say(f"it is {token(3)}")
    lab.observe()
    found = assert_whole(lab, [token(2), token(3)])
    assert found.states[MessageState.BEFORE_ADOPTION] == 1


@pytest.mark.parametrize("back", [timedelta(minutes=30), timedelta(days=400)])
def test_a_clock_that_is_set_back_loses_nothing(tmp_path: Path, back: timedelta) -> None:
    """Messages with times before the adoption, appended after it, are noted; older ones stay out."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    lab.now -= timedelta(hours=2)
    lab.say(f"it is {token(1)}")
    lab.now += timedelta(hours=2)
    lab.say(f"it is {token(2)}")
    lab.observe()
    lab.now -= back
    lab.say(f"it is {token(3)}")
    lab.observe()
    lab.say(f"it is {token(4)}")
    lab.observe()
    found = assert_whole(lab, [token(2), token(3), token(4)])
    assert found.states[MessageState.BEFORE_ADOPTION] == 1


def test_a_wrong_time_in_an_old_session_lets_nothing_old_in(tmp_path: Path) -> None:
    """One old entry dated years ahead does not make what follows it new."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    lab.say(f"it is {token(1)}")
    wrong = lab.entry("user", f"it is {token(2)}")
    wrong["timestamp"] = iso(lab.now + timedelta(days=2000))
    wrong["message"]["timestamp"] = int((lab.now + timedelta(days=2000)).timestamp() * 1000)
    lab.append(wrong)
    lab.say(f"it is {token(3)}")
    lab.now += timedelta(days=1)
    lab.observe()
    lab.say(f"it is {token(4)}")
    lab.observe()
    assert_whole(lab, [token(2), token(4)])


def test_an_entry_without_a_time_counts_by_its_place(tmp_path: Path) -> None:
    """Before the first new entry it is old, behind it it is new."""
    lab = Lab(tmp_path)
    lab.workspace.mkdir(parents=True)
    for number in (1, 3):
        timeless = lab.entry("user", f"it is {token(number)}")
        del timeless["timestamp"], timeless["message"]["timestamp"]
        lab.append(timeless)
        if number == 1:
            lab.now += timedelta(days=1)
            lab.say(f"it is {token(2)}")
            lab.observe()
    lab.observe()
    assert_whole(lab, [token(2), token(3)])
    assert recount(lab).states[MessageState.BEFORE_ADOPTION] == 1


def test_a_second_agent_may_come_late_to_a_shared_workspace(tmp_path: Path) -> None:
    """The other's notes are no sign of a lost ledger; both note into one file."""
    first, second = Lab(tmp_path), Lab(tmp_path, agent="scout")
    first.state_dir.mkdir()
    (first.state_dir / "openclaw.json").write_text(
        '{agents: {list: [{id: "main", workspace: "workspace"}, {id: "scout", workspace: "workspace"}]}}',
        encoding="utf-8",
    )
    first.adopt()
    first.say("it is a first word")
    first.observe()
    second.now = first.now
    second.adopt()
    second.say("it is a second word")
    second.observe()
    assert "first word" in first.notes
    assert "second word" in first.notes
