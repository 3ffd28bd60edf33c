"""Watching real folders with the real system: what is written is noticed, whatever happens to folders and threads."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from watchdog.observers import inotify_c

from tests.unit.daemon.waiting import until
from totalrecall.daemon import folder_watch
from totalrecall.daemon.folder_watch import Mode, Target
from totalrecall.daemon.inbox import Inbox
from totalrecall.daemon.listening import Hint
from totalrecall.daemon.watcher import Watcher

LINE = b'{"type":"message"}\n'


class Watching:
    """A watcher over one folder, turned by hand as the service turns it."""

    def __init__(self, folder: Path, files: frozenset[str] = frozenset()) -> None:
        self.folder = folder
        self.inbox: Inbox[Hint] = Inbox()
        self.changes = 0
        self.warnings: list[tuple[str, Mapping[str, Any]]] = []
        self.ahead_s = 0.0
        self.watcher = Watcher(self.inbox.put, self._changed, self._warn, self._now_s)
        self.watcher.set_targets([Target("main", folder, files)])

    def _now_s(self) -> float:
        return time.monotonic() + self.ahead_s

    def _changed(self, agent: str) -> None:
        assert agent == "main"
        self.changes += 1

    def _warn(self, event: str, values: Mapping[str, Any]) -> None:
        self.warnings.append((event, values))

    def mode(self) -> Mode:
        (folder,) = self.watcher.folders
        return folder.mode

    def turn(self) -> int:
        for hint in self.inbox.take(0):
            self.watcher.hint(hint)
        self.watcher.turn()
        return self.changes

    def scan(self) -> int:
        self.turn()
        self.watcher.scan()
        return self.changes

    def notices(self, act: Callable[[], object]) -> bool:
        """Whether what ``act`` does is noticed by events, without a scan."""
        self.turn()
        before = self.changes
        act()
        return until(lambda: self.turn() > before, 2.0)

    def write(self, name: str = "s.jsonl") -> None:
        with (self.folder / name).open("ab") as file:
            file.write(LINE)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    """A folder with a watcher that is stopped at the end, and leaves neither thread nor descriptor."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    made = Watching(folder)
    yield made
    made.watcher.stop()
    assert until(lambda: threading.active_count() == threads, 5)
    assert until(lambda: len(os.listdir("/proc/self/fd")) == descriptors, 5)  # noqa: PTH208


def test_what_is_written_is_noticed(watching: Watching) -> None:
    """A new file, an append, a rename, a replacement, a deletion."""
    folder = watching.folder
    assert watching.mode() is Mode.EVENTS
    assert watching.notices(watching.write)
    assert watching.notices(watching.write)
    assert watching.notices(
        lambda: (folder / "s.jsonl").rename(folder / "s.jsonl.reset.2026-03-02T12-05-00.000Z")
    )
    (folder / "x.tmp").write_bytes(LINE)
    assert watching.notices(lambda: (folder / "x.tmp").replace(folder / "s.jsonl"))
    assert watching.notices((folder / "s.jsonl").unlink)


@pytest.mark.report("R101", "R124")
def test_reading_and_other_files_wake_nobody(watching: Watching) -> None:
    """Our own reading, locks, temporary and trajectory files."""
    watching.write()
    time.sleep(0.2)
    before = watching.turn()
    for _ in range(5):
        (watching.folder / "s.jsonl").read_bytes()
        list(watching.folder.iterdir())
    for name in ("s.jsonl.lock", "sessions.json.1.tmp", "s.trajectory.jsonl", "notes.md"):
        (watching.folder / name).write_bytes(LINE)
    time.sleep(0.3)
    assert watching.turn() == before
    assert watching.scan() == before


def test_of_a_database_only_the_file_and_its_log_count(tmp_path: Path) -> None:
    """Not the index of shared memory, which every reader touches."""
    database = "openclaw-agent.sqlite"
    watching = Watching(tmp_path, frozenset({database, f"{database}-wal"}))
    try:
        assert watching.notices(lambda: watching.write(database))
        assert watching.notices(lambda: watching.write(f"{database}-wal"))
        time.sleep(0.1)
        before = watching.turn()
        watching.write(f"{database}-shm")
        time.sleep(0.2)
        assert watching.turn() == before
    finally:
        watching.watcher.stop()


@pytest.mark.report("R098")
def test_a_folder_that_vanishes_and_returns(watching: Watching) -> None:
    """Its emitter's thread is dead then; the scan has it watched again (f07)."""
    watching.write()
    shutil.rmtree(watching.folder)
    watching.scan()
    assert watching.mode() is Mode.MISSING
    watching.folder.mkdir()
    watching.write()
    before = watching.changes
    assert watching.scan() > before
    assert watching.mode() is Mode.EVENTS
    assert watching.notices(watching.write)


@pytest.mark.report("R098")
def test_a_folder_that_is_replaced_between_two_scans(watching: Watching) -> None:
    """Moved away with another one in its place, or deleted and made again: nobody saw it missing."""
    watching.folder.rename(watching.folder.with_name("old"))
    watching.folder.mkdir()
    watching.scan()
    assert watching.notices(watching.write)
    shutil.rmtree(watching.folder)
    watching.folder.mkdir()
    time.sleep(0.1)
    watching.scan()
    assert watching.notices(watching.write)


def test_a_folder_that_comes_later(tmp_path: Path) -> None:
    """Started before the folder, or its home, exists (f08)."""
    watching = Watching(tmp_path / "agents" / "main" / "sessions")
    try:
        assert watching.mode() is Mode.MISSING
        watching.folder.mkdir(parents=True)
        watching.write()
        assert watching.scan() == 1
        assert watching.notices(watching.write)
    finally:
        watching.watcher.stop()


def test_a_link_to_a_folder_is_watched_where_it_leads(tmp_path: Path) -> None:
    """A sessions folder on another disk."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    watching = Watching(tmp_path / "link")
    try:
        assert watching.notices(watching.write)
    finally:
        watching.watcher.stop()


@pytest.mark.report("R099", "R104")
def test_a_dead_thread_is_noticed_and_replaced(watching: Watching) -> None:
    """Whichever of watchdog's threads ends, the next scan has events again, and says so."""
    observer = watching.watcher._listening._observer
    assert observer is not None
    (emitter,) = observer.emitters
    emitter.stop()
    emitter.join()
    watching.scan()
    assert watching.notices(watching.write)
    observer = watching.watcher._listening._observer
    assert observer is not None
    observer.stop()
    observer.join()
    watching.scan()
    assert watching.notices(watching.write)
    assert [event for event, _ in watching.warnings] == ["watch_restarted", "watcher_restarted"]


@pytest.mark.report("R099")
def test_an_error_while_hearing_ends_nothing(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that cannot be decoded, a full queue: the next event is heard."""
    (folder,) = watching.watcher.folders
    told = folder.told
    monkeypatch.setattr(folder, "told", lambda _name: 1 / 0)
    watching.write()
    time.sleep(0.2)
    monkeypatch.setattr(folder, "told", told)
    name = os.fsdecode(b"\xff\xfe.jsonl")
    (watching.folder / name).write_bytes(LINE)
    assert watching.notices(watching.write)


@pytest.mark.report("R096")
@pytest.mark.parametrize(
    ("number", "limit"),
    [(errno.ENOSPC, "fs.inotify.max_user_watches"), (errno.EMFILE, "fs.inotify.max_user_instances")],
)
def test_exhausted_limits_are_polled_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, limit: str
) -> None:
    """It names the sysctl; later events are tried again, and then it is quiet about it (f12)."""

    def refuse(*_: object) -> int:
        ctypes.set_errno(number)
        return -1

    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    name = "inotify_add_watch" if number == errno.ENOSPC else "inotify_init"
    worked = getattr(inotify_c, name)
    monkeypatch.setattr(inotify_c, name, refuse)
    watching = Watching(tmp_path)
    try:
        assert watching.mode() is Mode.POLLING
        for _ in range(3):
            watching.ahead_s += 700
            watching.scan()
        ((event, values),) = watching.warnings
        assert event == "polling_instead_of_events"
        assert limit in values["reason"]
        before = watching.changes
        watching.write()
        watching.ahead_s += 11
        assert watching.turn() == before + 1
        assert len(os.listdir("/proc/self/fd")) <= descriptors + 3  # noqa: PTH208
        monkeypatch.setattr(inotify_c, name, worked)
        watching.ahead_s += 700
        watching.scan()
        assert watching.mode() is Mode.EVENTS
        assert watching.notices(watching.write)
    finally:
        watching.watcher.stop()


@pytest.mark.report("R100", "R104")
def test_a_mount_without_events_is_polled(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    """Growth that no event tells of: the watch is begun anew once, then the folder is polled, with one warning (f11)."""
    monkeypatch.setattr(folder_watch.FolderWatch, "told", lambda _self, _name: False)
    for _ in range(2):
        watching.write()
        before = watching.changes
        assert watching.scan() == before + 1
        watching.ahead_s += 3
        watching.turn()
    assert watching.mode() is Mode.POLLING
    events = [event for event, _ in watching.warnings]
    assert events == ["watcher_restarted", "polling_instead_of_events"]
    before = watching.changes
    watching.write()
    watching.ahead_s += 11
    assert watching.turn() == before + 1


def test_an_event_that_is_late_is_no_silence(watching: Watching) -> None:
    """A scan that comes just before the event was taken out of the queue finds nothing suspicious."""
    for _ in range(5):
        watching.write()
        watching.watcher.scan()
        time.sleep(0.05)
        watching.ahead_s += 3
        watching.turn()
    assert watching.mode() is Mode.EVENTS
    assert watching.warnings == []


@pytest.mark.report("R097")
def test_a_flood_is_not_lost(watching: Watching) -> None:
    """Thousands of new files, more than any queue need hold: the folder is looked at instead (f10)."""
    for number in range(3000):
        (watching.folder / f"s{number}.jsonl").write_bytes(LINE)
        if number % 100 == 0:
            watching.turn()
            time.sleep(0.02)
    assert watching.mode() is Mode.BURST
    (folder,) = watching.watcher.folders
    assert until(lambda: watching.turn() and len(folder._files) == 3000, 5)


def test_a_burst_is_looked_at_and_ends(watching: Watching) -> None:
    """While an agent writes all the time files are looked at; when it is calm events count again."""
    ends = time.monotonic() + 1.1
    while time.monotonic() < ends:
        watching.write()
        watching.turn()
        time.sleep(0.002)
    assert watching.mode() is Mode.BURST
    before = watching.changes
    watching.write()
    assert until(lambda: watching.turn() > before, 1)
    before = watching.changes
    watching.write("new.jsonl")
    assert until(lambda: watching.turn() > before, 1)
    assert until(lambda: watching.turn() and watching.mode() is Mode.EVENTS, 5)
    assert watching.notices(watching.write)


@pytest.mark.report("R105")
def test_nothing_below_the_folder_is_watched(tmp_path: Path) -> None:
    """Thousands of sub-folders cost no watch: one for each target."""
    folder = tmp_path / "sessions"
    for number in range(300):
        (folder / f"sub{number}").mkdir(parents=True)
    watching = Watching(folder)
    try:
        count = 0
        for fd in os.listdir("/proc/self/fdinfo"):  # noqa: PTH208
            try:
                count += Path("/proc/self/fdinfo", fd).read_text().count("inotify wd:")
            except OSError:
                continue
        assert count == 1
    finally:
        watching.watcher.stop()
