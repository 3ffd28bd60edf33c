"""Adding to a file that others add to at the same time."""

from __future__ import annotations

import errno
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import FILE_MODE, resolve, sync_file, sync_folder
from totalrecall.files.failure import memory_file_error

SETTLE_S = 0.005


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the bytes stand now: from ``start`` up to ``end``."""

    start: int
    end: int


def append(path: Path, content: bytes, *, on_new_line: bool = True) -> Appended:
    """Add ``content`` at the end of ``path`` in one ``O_APPEND`` write and put it on the disk.

    With ``on_new_line`` a line break goes before it when the file ends inside a line. A new file gets
    0600. Links are followed.

    Raises:
        MemoryFileError: with the reason and the remedy. A write that was cut short is taken back.
    """
    target = resolve(path)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        created = not target.exists()
        fd = os.open(target, flags, FILE_MODE)
    except OSError as error:
        raise memory_file_error("append to", target, error) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise memory_file_error("append to", target, OSError(errno.EINVAL, "it is not a regular file"))
        written = _write(fd, _fitted(fd, content) if on_new_line else content, target)
        sync_file(fd)
        if created:
            sync_folder(target.parent)
    except OSError as error:
        raise memory_file_error("append to", target, error) from error
    finally:
        os.close(fd)
    return written


def _fitted(fd: int, content: bytes) -> bytes:
    if _ends_inside_a_line(fd):
        # Somebody else may be in the middle of a write just now, whose last byte is not there yet.
        time.sleep(SETTLE_S)
        if _ends_inside_a_line(fd):
            return b"\n" + content
    return content


def _ends_inside_a_line(fd: int) -> bool:
    size = os.fstat(fd).st_size
    return size > 0 and os.pread(fd, 1, size - 1) != b"\n"


def _write(fd: int, content: bytes, target: Path) -> Appended:
    count = os.write(fd, content)
    # Only after an O_APPEND write does the position tell where the kernel put it.
    end = os.lseek(fd, 0, os.SEEK_CUR)
    if count == len(content):
        return Appended(end - count, end)
    if os.fstat(fd).st_size == end:
        os.ftruncate(fd, end - count)
        raise memory_file_error("append to", target, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    raise MemoryFileError(
        f"Only {count} of {len(content)} bytes went to the end of {target}, and others wrote after them.",
        "Make room on that disk; the cut text stays in the file, since taking it out would touch theirs.",
    )
