"""Backups of the log: ten stay, spread over time, and never only those that hold the damage."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.memory.backups import back_up, backups, new_backup
from totalrecall.memory.thinning import KEPT, BackupFacts, newest_good, to_prune

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def facts(*words: int, step: timedelta = timedelta(hours=1)) -> list[BackupFacts]:
    """Backups with so many words, oldest first."""
    return [
        BackupFacts(f"b{place:03}", NOW - step * (len(words) - place), some)
        for place, some in enumerate(words)
    ]


def run(words: list[int], step: timedelta) -> list[BackupFacts]:
    """What is left when each backup is followed by a thinning."""
    left: list[BackupFacts] = []
    for one in facts(*words, step=step):
        left.append(one)
        for gone in to_prune(left, now=one.made_at):
            left.remove(gone)
    return left


@pytest.mark.report("R076")
def test_backups_that_hold_only_the_damage_do_not_push_out_the_last_good_one() -> None:
    """A whole log, then thirty backups of one line: the whole one is still there, and it is the good one."""
    left = run([9000, *[6] * 30], timedelta(hours=1))
    assert len(left) == KEPT
    assert [one.words for one in left if one.words > 6] == [9000]
    good = newest_good(left)
    assert good is not None
    assert good.words == 9000


@pytest.mark.report("R077")
def test_slow_loss_leaves_backups_of_every_age() -> None:
    """Two hundred rewrites, each a little smaller: what stays reaches far back, the newest three among it."""
    left = run([10_000 - 40 * place for place in range(200)], timedelta(hours=6))
    assert len(left) == KEPT
    assert [one.name for one in left[-3:]] == ["b197", "b198", "b199"]
    assert left[0].name == "b000"
    ages = [(left[-1].made_at - one.made_at).total_seconds() / 3600 for one in left[:-3]]
    assert sum(age > 24 * 7 for age in ages) >= 3
    assert sum(age <= 24 * 7 for age in ages) >= 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0, 1, 50, 4_000, 9_000, 12_000]), max_size=40), st.sampled_from([1, 60, 3_000])
)
def test_the_newest_good_one_is_never_pruned(words: list[int], minutes: int) -> None:
    """Whatever comes: ten at most, the newest, and the newest that is not much smaller than the largest."""
    left: list[BackupFacts] = []
    for one in facts(*words, step=timedelta(minutes=minutes)):
        left.append(one)
        good = newest_good(left)
        gone = to_prune(left, now=one.made_at)
        left = [other for other in left if other not in gone]
        assert len(left) <= KEPT
        assert one in left
        assert good is None or good in left


def test_a_backup_is_private_and_its_name_tells_when(tmp_path: Path) -> None:
    """0600 in a folder of 0700; a second one in the same second gets a name of its own."""
    folder = tmp_path / "memory" / "observation-backups"
    for content in (b"one two", b"three"):
        back_up(new_backup(folder, NOW), content, now=NOW)
    assert sorted(one.name for one in folder.iterdir()) == [
        "observations-20261130T120000Z-2.md", "observations-20261130T120000Z.md",
    ]  # fmt: skip
    assert {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(one.words for one in backups(folder)) == [1, 2]


def test_files_of_others_in_the_folder_stay(tmp_path: Path) -> None:
    """What has another name is neither counted nor removed."""
    (tmp_path / "observations-before-holiday.md").write_text("mine")
    for hour in range(15):
        at = NOW + timedelta(hours=hour)
        back_up(new_backup(tmp_path, at), b"some words", now=at)
    names = {one.name for one in tmp_path.iterdir()}
    assert "observations-before-holiday.md" in names
    assert len(names) == KEPT + 1
