"""Reading log files: the last lines of one with its older ones, and what is added from now on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

# More older files than anybody keeps; more bytes than any of them holds.
OLDER_MOST = 9
FILE_BYTES = 16_000_000
_CHUNK_BYTES = 65_536


def last_lines(path: Path, count: int, wanted: Callable[[bytes], bool]) -> list[bytes]:
    """The last ``count`` wanted lines of a log and its older files (``x.log.1`` and so on), oldest first.

    Files that are turned over meanwhile give at worst a line less. What cannot be read gives none.
    """
    kept: deque[bytes] = deque(maxlen=count)
    for number in range(OLDER_MOST, -1, -1):
        one = path.with_name(f"{path.name}.{number}") if number else path
        kept.extend(line for line in _lines(one) if wanted(line))
    return list(kept)


class LogFollower:
    """What is added to some logs from now on, also when a file is turned over in between."""

    def __init__(self, paths: list[Path]) -> None:
        self._places = {path: _end(path) for path in paths}

    def new_lines(self) -> list[bytes]:
        """Whole lines that were added since the last call, log by log."""
        return [line for path in self._places for line in self._new_in(path)]

    def _new_in(self, path: Path) -> list[bytes]:
        inode, offset = self._places[path]
        now, _ = _end(path)
        older: list[bytes] = []
        if now != inode:
            turned = path.with_name(f"{path.name}.1")
            older = _read_on(turned, offset)[0] if inode and _end(turned)[0] == inode else []
            offset = 0
        lines, offset = _read_on(path, offset)
        self._places[path] = (now, offset)
        return older + lines


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            read = 0
            for line in file:
                read += len(line)
                if read > FILE_BYTES:
                    return
                if line.endswith(b"\n"):
                    yield line.rstrip(b"\n")
    except OSError:
        return  # not there, or closed to us: the folder's finding in `doctor` says so


def _end(path: Path) -> tuple[int, int]:
    """Inode and size; zeros when there is none."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_ino, status.st_size


def _read_on(path: Path, offset: int) -> tuple[list[bytes], int]:
    """The whole lines from ``offset`` on, and where they end; from the start in a file that was cut."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return [], offset
    try:
        if os.fstat(descriptor).st_size < offset:
            offset = 0
        content = b""
        while len(content) < FILE_BYTES and (
            chunk := os.pread(descriptor, _CHUNK_BYTES, offset + len(content))
        ):
            content += chunk
    except OSError:
        return [], offset
    finally:
        os.close(descriptor)
    whole, newline, _ = content.rpartition(b"\n")
    return (whole.split(b"\n"), offset + len(whole) + 1) if newline else ([], offset)
