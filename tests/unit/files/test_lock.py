"""A lock that the kernel holds."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from totalrecall.errors import BusyError, MemoryFileError
from totalrecall.files.lock import hold, holder

HOLDER = """
    import sys
    from pathlib import Path
    from totalrecall.files.lock import hold
    with hold(Path(sys.argv[1]), command="totalrecall observe"):
        print("held", flush=True)
        sys.stdin.read()
"""


@contextmanager
def other_holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock until its input is closed."""
    command = [sys.executable, "-c", textwrap.dedent(HOLDER), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_holder_is_told_who_and_since_when(tmp_path: Path) -> None:
    """The error names the command, the process and the time, and comes after the wait."""
    path = tmp_path / "state" / "agent.lock"
    with other_holder(path) as process:
        begin_s = time.monotonic()
        with pytest.raises(BusyError) as caught, hold(path, wait_s=0.15):
            pass
        assert time.monotonic() - begin_s >= 0.15
        assert f"totalrecall observe (process {process.pid}, since 20" in caught.value.title
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_waiting_ends_when_the_holder_is_done(tmp_path: Path) -> None:
    """A waiter gets the lock soon after it is free."""
    path = tmp_path / "agent.lock"
    with other_holder(path) as process:
        assert process.stdin is not None
        threading.Timer(0.1, process.stdin.close).start()
        with hold(path, wait_s=20):
            assert process.wait() == 0
    with hold(path):
        pass


@pytest.mark.report("R121")
def test_a_killed_holder_frees_the_lock_at_once(tmp_path: Path) -> None:
    """SIGKILL leaves the file with the dead process's number, and the lock free."""
    path = tmp_path / "agent.lock"
    with other_holder(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert json.loads(path.read_text())["pid"] == process.pid
        with hold(path):
            assert json.loads(path.read_text())["pid"] == os.getpid()
    assert path.exists()


@pytest.mark.report("R121")
@pytest.mark.parametrize("content", [b'{"pid": 1, "command": "x", "since": "y"}', b"1\n", b"\xff\0", b""])
def test_what_stands_in_the_file_holds_nobody_back(tmp_path: Path, content: bytes) -> None:
    """A file with the number of a living stranger, or with nonsense, is a free lock."""
    path = tmp_path / "agent.lock"
    path.write_bytes(content)
    with hold(path):
        assert str(os.getpid()) in holder(path)


@pytest.mark.report("R121")
def test_an_old_lock_of_a_living_holder_is_not_stolen(tmp_path: Path) -> None:
    """However old the file looks, a living holder keeps its lock."""
    path = tmp_path / "agent.lock"
    with other_holder(path):
        age = time.time() - 86_400
        os.utime(path, (age, age))
        path.write_bytes(b"")
        with pytest.raises(BusyError, match="another process"), hold(path, wait_s=0.05):
            pass


def test_a_removed_lock_file_lets_nobody_in_twice(tmp_path: Path) -> None:
    """When somebody removes the file, the next two still exclude each other."""
    path = tmp_path / "agent.lock"
    with other_holder(path):
        path.unlink()
        with hold(path), pytest.raises(BusyError), hold(path, wait_s=0.05):
            pass


def test_a_lock_file_that_is_replaced_meanwhile_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When somebody puts a new file there between opening and locking, the new one is locked."""
    path = tmp_path / "agent.lock"
    real = fcntl.flock
    replaced: list[int] = []

    def meanwhile(fd: int, operation: int) -> None:
        if not replaced:
            replaced.append(fd)
            path.unlink()
            path.touch()
        real(fd, operation)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    with hold(path, wait_s=1), pytest.raises(BusyError), hold(path, wait_s=0.05):
        pass


def test_threads_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    """The lock is not the process's: a second holder in the same process waits too."""
    path = tmp_path / "agent.lock"
    with hold(path), pytest.raises(BusyError), hold(path):
        pass


def test_a_started_program_does_not_inherit_the_lock(tmp_path: Path) -> None:
    """A program started inside the block does not keep the lock when its starter is done."""
    path = tmp_path / "agent.lock"
    with hold(path):
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, close_fds=False
        )
    with child, hold(path):
        assert child.stdin is not None
        child.stdin.close()


def test_a_signal_does_not_break_the_wait(tmp_path: Path) -> None:
    """A signal with a handler that returns leaves the wait as it was."""
    path = tmp_path / "agent.lock"
    hits: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: hits.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        with other_holder(path), pytest.raises(BusyError), hold(path, wait_s=0.2):
            pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert hits


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where the folder should be is an error with the path in it."""
    (tmp_path / "state").write_bytes(b"")
    with (
        pytest.raises(MemoryFileError, match="a file stands where a folder belongs"),
        hold(tmp_path / "state" / "x"),
    ):
        pass
