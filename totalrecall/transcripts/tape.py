"""An open transcript file: what it is now, and what was read from it last."""

from __future__ import annotations

import os
import stat
from pathlib import PurePath

from totalrecall.domain.cursor import Cursor
from totalrecall.errors import SourceError
from totalrecall.transcripts.cursor import HEAD_BYTES, TAIL_BYTES, Rest, head_hash, tail_hash
from totalrecall.transcripts.lines import BLANK, BOM, finished_bytes

_LOOK_BYTES = 64 * 1024
_OVERLAP_BYTES = 64


class Tape:
    """A transcript that is read forwards, and the last bytes that were read.

    The agent empties, rewrites and replaces files under the reader. Each read looks again at the last bytes
    of the one before; when they are no longer the same, the transcript has changed and the tape is at its
    end. The hashes of the places read last stay known when the file is closed: a cursor must belong to the
    content that was delivered, not to what replaced it meanwhile.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._head = os.pread(descriptor, HEAD_BYTES, 0)
        self._pieces: list[tuple[int, bytes]] = []

    def begin(self, position: int, promised: Cursor | None) -> bool:
        """Go to ``position``; False if the file ends before it or does not fit ``promised``, made for it."""
        tail = _bytes_before(self._descriptor, position)
        if len(tail) < min(position, TAIL_BYTES):
            return False
        self._pieces = [(position - len(tail), tail)]
        if promised is None or promised.position != position:
            return True
        return (head_hash(self._head, position), tail_hash(tail)) == (promised.head, promised.tail)

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``offset`` on; empty at the end, or when the content has changed."""
        known = self._before(offset)[-_OVERLAP_BYTES:]
        if os.pread(self._descriptor, len(known), offset - len(known)) != known:
            return b""
        piece = os.pread(self._descriptor, size, offset)
        if piece:
            self._pieces = [*self._pieces[-1:], (offset, piece)]
            if offset <= len(self._head) < HEAD_BYTES:
                self._head = (self._head[:offset] + piece)[:HEAD_BYTES]
        return piece

    def hashes_at(self, position: int) -> tuple[str, str] | None:
        """Head and tail hash for ``position``, or None if it was not read lately."""
        tail = self._before(position)
        return (head_hash(self._head, position), tail_hash(tail)) if tail else None

    def _before(self, position: int) -> bytes:
        """The TAIL_BYTES (or all, near the start) before ``position``, as they were read; else nothing."""
        wanted = min(position, TAIL_BYTES)
        tail = b""
        for offset, piece in reversed(self._pieces):
            place = position - len(tail) - offset
            if 0 < place <= len(piece):
                tail = piece[max(0, place - wanted + len(tail)) : place] + tail
            if len(tail) == wanted:
                return tail
        return b""


def open_for_reading(location: PurePath) -> int | None:
    """A descriptor of a regular file; None if there is none. Raises SourceError when it may not be read."""
    try:
        descriptor = os.open(location, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise source_error(location, error) from error
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def age_ms(descriptor: int, now_ms: int) -> int:
    """Milliseconds since the last change of the file; a time in the future counts by its distance.

    Clocks jump and are wrong on other machines: a file must not be waited for because of that.
    """
    return abs(now_ms - os.fstat(descriptor).st_mtime_ns // 1_000_000)


def hashes_now(descriptor: int, position: int) -> tuple[str, str]:
    """Head and tail hash for ``position`` of the file as it stands there now."""
    head = os.pread(descriptor, min(HEAD_BYTES, position), 0) if position > 0 else b""
    return head_hash(head, position), tail_hash(_bytes_before(descriptor, position))


def rest_after(descriptor: int, position: int, size: int) -> Rest:
    """What stands after ``position``, judged by its first bytes."""
    content = os.pread(descriptor, _LOOK_BYTES, position)
    if not content:
        return Rest.NONE
    if position == 0:
        content = content.removeprefix(BOM)
    meat = content.lstrip(BLANK)
    if b"\n" in meat or position + _LOOK_BYTES < size:
        return Rest.LINES
    if not meat:
        return Rest.BLANK
    return Rest.FINISHED if finished_bytes(meat) else Rest.TORN


def source_error(location: PurePath, error: OSError) -> SourceError:
    """The error to raise when the system refuses to let us read ``location``."""
    why = (error.strerror or type(error).__name__).lower()
    hint = "Give your user the right to read it (ls -ld shows who has it)."
    return SourceError(f"Cannot read {location}: {why}.", hint if isinstance(error, PermissionError) else "")


def _bytes_before(descriptor: int, position: int) -> bytes:
    start = max(0, position - TAIL_BYTES)
    return os.pread(descriptor, position - start, start)
