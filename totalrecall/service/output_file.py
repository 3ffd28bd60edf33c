"""The file that launchd lets the service print into, kept short: launchd never cuts it."""

from __future__ import annotations

import os
from pathlib import Path

MAX_BYTES = 1_000_000
KEPT_BYTES = 100_000


def keep_short(path: Path, max_bytes: int = MAX_BYTES, kept_bytes: int = KEPT_BYTES) -> bool:
    """Cut the file to its last whole lines once it is too long; False when nothing was to be done.

    It is cut in place: launchd holds it open, for appending. What is printed during the cut may be lost; the
    rotated logs keep it. Never raises: a log must not stop the service.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        size = os.fstat(fd).st_size
        if size <= max_bytes:
            return False
        tail = os.pread(fd, kept_bytes, size - kept_bytes)
        os.ftruncate(fd, 0)
        os.write(fd, tail[tail.find(b"\n") + 1 :])
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(fd)
