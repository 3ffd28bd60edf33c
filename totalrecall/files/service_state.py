"""Whether the service runs, and what it last said of itself: for ``status`` and ``doctor``."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from totalrecall.domain.service_state import FILE_NAME, LOCK_NAME, ServiceState, decode
from totalrecall.errors import TotalRecallError
from totalrecall.files.atomic import read_state
from totalrecall.files.lock import holder


@dataclass(frozen=True, slots=True)
class ServiceLook:
    """The service from outside.

    Attributes:
        running: whether a process holds its lock.
        holder: who that is, in words, "" when nobody does.
        state: what it wrote last, None when there is nothing to read. Old when ``running`` is False.
    """

    running: bool
    holder: str
    state: ServiceState | None


def look_at_service(state_root: Path) -> ServiceLook:
    """The service whose state folder this is."""
    running = is_held(state_root / LOCK_NAME)
    who = holder(state_root / LOCK_NAME) if running else ""
    return ServiceLook(running, who, read_service_state(state_root / FILE_NAME))


def read_service_state(path: Path) -> ServiceState | None:
    """What the service wrote last; None without a file, or when it cannot be understood."""
    try:
        content = read_state(path).content
    except TotalRecallError:
        return None
    return decode(content) if content else None


def is_held(lock: Path) -> bool:
    """Whether a living process has this lock for itself alone. Takes it from nobody."""
    try:
        fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        # Shared, for a moment: one that starts just now waits longer than this takes.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
