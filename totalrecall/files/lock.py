"""One at a time: a lock that the kernel holds and frees, never a file that has to be cleaned up."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from totalrecall.errors import BusyError
from totalrecall.files.atomic import FILE_MODE, make_folder
from totalrecall.files.failure import memory_file_error

POLL_S = 0.02
HOLDER_BYTES = 1000
_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}


@contextlib.contextmanager
def hold(path: Path, *, wait_s: float = 0.0, command: str = "totalrecall") -> Iterator[None]:
    """The lock at ``path``, held for the time of the ``with`` block.

    It belongs to this process as long as it lives, is never taken from a living holder however old, and is
    free the moment its holder ends, also by SIGKILL. The file stays; what stands in it is for show (R121).

    Raises:
        BusyError: somebody else still has it after ``wait_s`` seconds; the title says who and since when.
        MemoryFileError: the file cannot be made, or its file system has no locks.
    """
    fd = _acquire(path, wait_s)
    try:
        _say_who(fd, command)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
        # Said outright: a program being started holds a copy of the descriptor until its exec is done.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def holder(path: Path) -> str:
    """Who has the lock, in words, as the file says: for messages, never for decisions."""
    try:
        raw = path.read_bytes()[:HOLDER_BYTES]
        said = json.loads(raw)
        return f"{said['command']} (process {int(said['pid'])}, since {said['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _acquire(path: Path, wait_s: float) -> int:
    deadline_s = time.monotonic() + wait_s
    while True:
        fd = _try(path)
        if fd is not None:
            return fd
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise BusyError(f"{holder(path)} is at work on the same files.", "Try again when it is done.")
        time.sleep(min(POLL_S, left_s))


def _try(path: Path) -> int | None:
    """An open and locked descriptor, or None when somebody else has the lock."""
    try:
        make_folder(path.parent)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, FILE_MODE)
    except OSError as error:
        raise memory_file_error("open the lock", path, error) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _still_there(fd, path):
            return fd
    except OSError as error:
        if error.errno not in _TAKEN:
            os.close(fd)
            raise memory_file_error("lock", path, error) from error
    os.close(fd)
    return None


def _still_there(fd: int, path: Path) -> bool:
    """False when somebody removed the file meanwhile: others would lock a new one beside ours."""
    try:
        now = path.stat()
    except FileNotFoundError:
        return False
    mine = os.fstat(fd)
    return (mine.st_dev, mine.st_ino) == (now.st_dev, now.st_ino)


def _say_who(fd: int, command: str) -> None:
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    text = json.dumps({"pid": os.getpid(), "command": command, "since": since}) + "\n"
    # For show only: a full disk must not keep anybody from working.
    with contextlib.suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, text.encode(), 0)
