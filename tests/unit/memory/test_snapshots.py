"""Snapshots in the daily logs: the newest is found by its time, and adding one loses nothing."""

from __future__ import annotations

import multiprocessing
import resource
import signal
from datetime import datetime
from pathlib import Path

import pytest

from totalrecall.domain.snapshot import TaskPicture
from totalrecall.errors import MemoryFileError
from totalrecall.memory.snapshots import add_snapshot, all_snapshots, newest_snapshots, unreadable_logs

NOON = datetime.fromisoformat("2026-02-14T12:00:00")


def add(folder: Path, goal: str, at: datetime = NOON) -> str:
    """One snapshot more; its id."""
    return add_snapshot(folder, TaskPicture(goal=goal), at, folder / "lock").snapshot.snapshot_id


def goals(folder: Path, count: int = 0) -> list[str]:
    """The goals, newest first."""
    found = newest_snapshots(folder, count) if count else all_snapshots(folder)
    return [one.snapshot.picture.goal for one in found]


def test_the_newest_is_told_by_its_time_over_all_logs(tmp_path: Path) -> None:
    """Not by its place in the file, nor by the order in which they were written."""
    add(tmp_path, "third", NOON.replace(day=15))
    add(tmp_path, "second", NOON)
    add(tmp_path, "first", NOON.replace(hour=9))
    add(tmp_path, "fourth", NOON.replace(day=15, hour=13))
    text = (tmp_path / "2026-02-15.md").read_text()
    late = text.replace("2026-02-15T12:00:00", "2026-02-14T11:00:00").replace("third", "written a day late")
    (tmp_path / "2026-02-16.md").write_text("# Day\n" + late)
    expected = ["fourth", "fourth", "third", "second", "written a day late", "first"]
    assert goals(tmp_path) == expected
    for count in range(1, 8):
        assert goals(tmp_path, count) == expected[:count]


def test_ids_count_the_day(tmp_path: Path) -> None:
    """Two digits at least, one more than the highest, whoever wrote that; each day begins anew."""
    assert [add(tmp_path, "x") for _ in range(2)] == ["2026-02-14-01", "2026-02-14-02"]
    path = tmp_path / "2026-02-14.md"
    path.write_text(path.read_text().replace("2026-02-14-02", "2026-02-14-99"))
    assert add(tmp_path, "x") == "2026-02-14-100"
    assert add(tmp_path, "x", NOON.replace(day=15)) == "2026-02-15-01"


def test_a_snapshot_is_only_added(tmp_path: Path) -> None:
    """What stood in the log stays byte for byte, and the place that is told is the snapshot's."""
    path = tmp_path / "2026-02-14.md"
    before = "\ufeff# Tag\r\n\r\n- 决定 🔴\r\nno newline".encode()
    path.write_bytes(before)
    stored = add_snapshot(tmp_path, TaskPicture(goal="x"), NOON, tmp_path / "lock")
    content = path.read_bytes()
    assert content.startswith(before + b"\n\n---\n\n## Task Snapshot -- 12:00\n")
    assert content.decode().split("\n")[stored.line - 1] == "## Task Snapshot -- 12:00"


def test_a_log_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """It is passed by and named."""
    add(tmp_path, "x")
    (tmp_path / "2026-02-15.md").mkdir()
    assert goals(tmp_path) == goals(tmp_path, 1) == ["x"]
    assert unreadable_logs(tmp_path) == [tmp_path / "2026-02-15.md"]


def _ten(folder: Path, number: int) -> None:
    for turn in range(3):
        add(folder, f"writer {number} turn {turn}")


def test_ten_writers_at_once_have_ids_of_their_own(tmp_path: Path) -> None:
    """Each snapshot is whole, none is lost, no number comes twice; the agent's own lines survive between them."""
    (tmp_path / "2026-02-14.md").write_text("")
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_ten, args=(tmp_path, number)) for number in range(10)]
    for one in writers:
        one.start()
    for number in range(30):
        with (tmp_path / "2026-02-14.md").open("a") as log:
            log.write(f"- the agent's line {number}\n")
    for one in writers:
        one.join(30)
    assert [one.exitcode for one in writers] == [0] * 10
    found = all_snapshots(tmp_path)
    assert sorted(one.snapshot.snapshot_id for one in found) == [f"2026-02-14-{n:02d}" for n in range(1, 31)]
    assert len({one.snapshot.picture.goal for one in found}) == 30
    text = (tmp_path / "2026-02-14.md").read_text()
    assert text.count("- the agent's line") == 30


def _full(folder: Path, limit_bytes: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    with pytest.raises(MemoryFileError):
        add(folder, "too much")


@pytest.mark.parametrize("room_bytes", [0, 1, 40, 300])
def test_a_full_disk_leaves_the_log_as_it_was(tmp_path: Path, room_bytes: int) -> None:
    """Wherever the space ends, the cut write is taken back and the newest snapshot is the one before."""
    add(tmp_path, "before")
    path = tmp_path / "2026-02-14.md"
    before = path.read_bytes()
    child = multiprocessing.get_context("fork").Process(
        target=_full, args=(tmp_path, len(before) + room_bytes)
    )
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert path.read_bytes() == before
    assert add(tmp_path, "after") == "2026-02-14-02"


def test_a_torn_snapshot_does_not_hide_the_one_before(tmp_path: Path) -> None:
    """After a power cut in the middle of a write."""
    add(tmp_path, "whole")
    path = tmp_path / "2026-02-14.md"
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2])
    assert goals(tmp_path) == ["whole"]
    add(tmp_path, "next", NOON.replace(hour=13))
    assert goals(tmp_path) == ["next", "whole"]
