"""SESSION_STATE.md on the disk: no edit is lost, and what cannot be read is left alone."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from totalrecall.errors import ConfigError, MemoryFileError
from totalrecall.memory.session_state import (
    COPIES_KEPT,
    StateFile,
    StateRead,
    StateWritten,
    projects_in,
    state_path,
)
from totalrecall.memory.session_state_check import findings_of
from totalrecall.memory.session_state_format import Document, parse_document

NOW = datetime(2026, 2, 14, 12, 0, tzinfo=UTC)
LIKED = "---\n# mine\ntask: 'x'   # y\nstatus: active\nnext_steps:\n- a\n---\n\nbody\n"
BROKEN = "---\ntask: fix: it\n---\nkeep\n"


@pytest.fixture
def file(tmp_path: Path) -> StateFile:
    """A state file that is not there yet."""
    return StateFile(tmp_path / "SESSION_STATE.md", tmp_path / "lock")


def test_a_change_meets_the_file_as_it_stands(file: StateFile) -> None:
    """A hand edit between reading and writing is kept, and asked about again."""
    file.path.write_text(LIKED)
    asked = []

    def wanted(read: StateRead) -> dict[str, str]:
        asked.append(read.state.status)
        if len(asked) == 1:
            file.path.write_text(LIKED.replace("active", "blocked").replace("body", "my words"))
        return {"task": "z"}

    assert isinstance(file.write(wanted), StateWritten)
    assert asked == ["active", "blocked"]
    edited = LIKED.replace("active", "blocked").replace("body", "my words")
    assert file.path.read_text() == edited.replace("'x'", "'z'")


def test_none_writes_nothing(file: StateFile) -> None:
    """Neither does a dry run, nor a change that changes nothing."""
    assert isinstance(file.write(lambda _read: None), StateRead)
    done = file.write(lambda _read: {"task": "x"}, dry_run=True)
    assert isinstance(done, StateWritten)
    assert b'task: "x"' in done.after
    assert not file.path.exists()
    file.path.write_text(LIKED)
    before = file.path.stat().st_mtime_ns
    file.write(lambda _read: {"task": "x"})
    assert file.path.stat().st_mtime_ns == before


@pytest.mark.report("R084")
def test_what_cannot_be_read_is_left_alone_and_copied_once(file: StateFile) -> None:
    """Each version lies beside the file once; more than five are not kept."""
    for number in range(COPIES_KEPT + 3):
        text = BROKEN.replace("it", f"it {number}")
        file.path.write_text(text)
        read = file.write(lambda _read: {"task": "never"})
        assert isinstance(read, StateRead)
        first = file.set_aside(read, NOW + timedelta(seconds=number))
        again = file.set_aside(read, NOW + timedelta(hours=1 + number))
        assert first == again
        assert first is not None
        assert first.read_text() == file.path.read_text() == text
        assert first.name == f"SESSION_STATE.md.unreadable-20260214T1200{number:02d}"
    assert len(list(file.path.parent.glob("*.unreadable-*"))) == COPIES_KEPT


def test_two_versions_of_one_second_are_both_kept(file: StateFile) -> None:
    """Neither takes the other's place, and what stands in the way is left alone."""
    (file.path.parent / "SESSION_STATE.md.unreadable-20260214T120000").mkdir()
    copies = []
    for text in (BROKEN, BROKEN.replace("it", "that")):
        file.path.write_text(text)
        copies.append(file.set_aside(file.read(), NOW))
    assert [one.read_text() for one in copies if one is not None] == [BROKEN, BROKEN.replace("it", "that")]


def test_a_copy_that_cannot_be_made_hides_no_fault(file: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk or a folder without rights: what is wrong with the file is told all the same."""

    def full(*_rest: object, **_options: object) -> None:
        raise MemoryFileError("No space left.")

    monkeypatch.setattr("totalrecall.memory.session_state.replace", full)
    file.path.write_text(BROKEN)
    assert file.set_aside(file.read(), NOW) is None


@pytest.mark.report("R084")
def test_a_time_of_the_future_does_not_count_as_an_edit(file: StateFile) -> None:
    """Else our picture would never come through again; the file system's time is taken."""
    file.path.write_text("---\ntask: x\nupdated: 2099-01-01T00:00:00Z\n---\n")
    os.utime(file.path, (NOW.timestamp() - 60,) * 2)
    assert file.read().edited_at(NOW) == NOW - timedelta(seconds=60)
    file.path.write_text("---\ntask: x\nupdated: 2026-02-14T11:30:00Z\n---\n")
    os.utime(file.path, (NOW.timestamp() - 7200,) * 2)
    assert file.read().edited_at(NOW) == NOW - timedelta(minutes=30)


def _writer(path: Path, number: int) -> None:
    file = StateFile(path, path.parent / "lock")
    for turn in range(3):
        step = f"writer {number} turn {turn}"

        def added(read: StateRead, step: str = step) -> dict[str, list[str]]:
            return {"next_steps": [*read.state.next_steps, step]}

        file.write(added)


def test_ten_writers_at_once_lose_nothing(file: StateFile) -> None:
    """Each sees what the others wrote; comments and body survive all of it."""
    file.path.write_text(LIKED)
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_writer, args=(file.path, number)) for number in range(10)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(60)
    assert [one.exitcode for one in writers] == [0] * 10
    assert len(set(file.read().state.next_steps)) == 31
    text = file.path.read_text()
    assert text.startswith("---\n# mine\ntask: 'x'   # y\nstatus: active\nnext_steps:\n- a\n- \"writer ")
    assert text.endswith("---\n\nbody\n")


def _full(path: Path, limit_bytes: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    file = StateFile(path, path.parent / "lock")
    file.read()
    with (path.parent / "lock").open("a"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    with pytest.raises(MemoryFileError):
        file.write(lambda _read: {"task": "much longer than before"})


@pytest.mark.parametrize("limit_bytes", [0, 10, 60])
def test_a_full_disk_leaves_the_file_whole(file: StateFile, limit_bytes: int) -> None:
    """The old file stays, and no temporary one is left."""
    file.path.write_text(LIKED)
    child = multiprocessing.get_context("fork").Process(target=_full, args=(file.path, limit_bytes))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert file.path.read_text() == LIKED
    assert not list(file.path.parent.glob("*.tmp"))


def _crash(path: Path) -> None:
    file = StateFile(path, path.parent / "lock")
    Path.replace = lambda *_args: os._exit(9)  # type: ignore[method-assign]
    file.write(lambda _read: {"task": "new"})


def test_a_crash_right_before_the_replacement_changes_nothing(file: StateFile) -> None:
    """The lock is free again, and the next write goes through."""
    file.path.write_text(LIKED)
    child = multiprocessing.get_context("fork").Process(target=_crash, args=(file.path,))
    child.start()
    child.join(30)
    assert child.exitcode == 9
    assert file.path.read_text() == LIKED
    file.write(lambda _read: {"task": "new"})
    assert file.read().state.task == "new"


def test_projects_have_names_and_no_paths(tmp_path: Path) -> None:
    """Nothing outside the folder can be reached."""
    assert state_path(tmp_path, "atlas-2.0") == tmp_path / "state" / "atlas-2.0.md"
    assert state_path(tmp_path, "炉子") == tmp_path / "state" / "炉子.md"
    for name in ("..", "../x", "a/b", "/etc/x", ".hidden", "a\\b", "x" * 80, "a\0b", "a b", "-x", "~", "a\n"):
        with pytest.raises(ConfigError):
            state_path(tmp_path, name)
    StateFile(state_path(tmp_path, "atlas"), tmp_path / "lock").write(lambda _read: {"task": "x"})
    assert projects_in(tmp_path) == ["atlas"]


@pytest.mark.parametrize(
    ("text", "line", "what", "serious"),
    [
        (LIKED + "", 0, "Not set: project", False),
        ("---\ntask: x\nstatus: on\n---\n", 3, "status is 'on'", True),
        ("---\ntask: x\n---\n", 0, "status is empty", True),
        ("---\ntask: [x]\nstatus: active\n---\n", 2, "task should be a text", True),
        ("---\ntask: x\nstatus: done\nupdated: soon\n---\n", 4, "no time", True),
        ("---\ntask: x\nstatus: done\nupdated: 2099-01-01\n---\n", 4, "future", False),
        ("---\ntask: x\nstatus: done\nnext_steps: one\n---\n", 4, "should be a list", False),
        ("my notes", 1, "no front matter", False),
    ],
)  # fmt: skip
def test_validation_names_the_line(text: str, line: int, what: str, serious: bool) -> None:
    """What is wrong stands in a sentence with its line; what only helps less is no error."""
    parts = parse_document(text.encode())
    assert isinstance(parts, Document)
    found = findings_of(parts, NOW)
    (one,) = [one for one in found if what in one.what]
    assert (one.line, one.serious) == (line, serious)


def test_a_cleared_file_is_valid() -> None:
    """All fields empty, the status too."""
    text = '---\nproject: ""\ntask: ""\nstatus: ""\nlast_action: ""\nnext_steps: []\nupdated: "2026-02-14T11:00:00Z"\n---\n'
    parts = parse_document(text.encode())
    assert isinstance(parts, Document)
    assert findings_of(parts, NOW) == []
