"""``memory/observations.md`` on the disk: added to so that no edit made meanwhile is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import Conflict, FileState, read_state, replace
from totalrecall.files.lock import hold

WRITE_TRIES = 20
LOCK_WAIT_S = 10.0
TAIL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a block: ``wrote`` is False when it stood there already; ``digest`` is the new one."""

    wrote: bool
    digest: str
    replaced_blocks: int = 0


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of a rewrite: ``changed`` is False when nothing was to be written; the bytes stand now."""

    changed: bool
    content: bytes


class ObservationFile:
    """The observation log of one workspace. Two agents on one workspace share the file and its lock.

    Args:
        path: ``<memory dir>/observations.md``.
        lock_path: the lock of this workspace, in our state folder.
    """

    def __init__(self, path: Path, lock_path: Path) -> None:
        self.path = path
        self._lock_path = lock_path

    @property
    def lock_path(self) -> Path:
        """The lock of this memory folder, for whatever else our processes write there."""
        return self._lock_path

    def read(self) -> str:
        """The log as it stands, "" when there is none. Bytes that are no UTF-8 survive a round trip."""
        return _text(read_state(self.path))

    def digest(self) -> str:
        """The digest of the file as it stands."""
        return read_state(self.path).digest

    def refuse_if_emptied(self, *, notes_known: bool) -> None:
        """Stop when the log is gone or empty although notes were written to it.

        Raises:
            MemoryFileError: nothing is started over behind the user's back.
        """
        if notes_known and not self.read().strip("\ufeff \t\r\n\0"):
            raise MemoryFileError(
                f"{self.path} is gone or empty, although notes were written to it.",
                "Put it back from a backup, or run 'totalrecall repair' and choose how to go on. "
                "Nothing was read or written.",
            )

    def add(
        self,
        block: str,
        marker: str,
        *,
        instead_of: Sequence[str] = (),
        about_to: Callable[[Path], None] | None = None,
    ) -> Added:
        """The block is in the log afterwards, once; blocks of ``instead_of`` that nobody edited are gone.

        ``about_to`` is told the file that is about to take the log's place.

        Raises:
            MemoryFileError: the file cannot be written; it is as it was.
            BusyError: another process of ours kept the lock for too long.
        """
        with hold(self._lock_path, wait_s=LOCK_WAIT_S):
            for _ in range(WRITE_TRIES):
                before = read_state(self.path)
                content = before.content or b""
                shorter, found = _without(content, instead_of)
                present = _has(content, marker)
                after = shorter if present else _appended(shorter, block)
                if after == content:
                    return Added(wrote=False, digest=before.digest)
                done = replace(self.path, after, expected=before, about_to=about_to)
                if not isinstance(done, Conflict):
                    return Added(wrote=not present, digest=done.state.digest, replaced_blocks=found)
        raise MemoryFileError(
            f"{self.path} is being changed all the time by another program.",
            "Nothing was written; the notes are kept and written at the next run.",
        )

    def rewrite(self, anew: Callable[[str], str], ready: Callable[[FileState, bytes], None]) -> Rewritten:
        """The log is what ``anew`` makes of it afterwards, whoever changed it in between.

        ``ready`` is told what stands there and what is about to take its place, right before it does; both
        are called again when somebody changed the log meanwhile.

        Raises:
            MemoryFileError: the file cannot be written; it is as it was.
            BusyError: another process of ours kept the lock for too long.
        """
        with hold(self._lock_path, wait_s=LOCK_WAIT_S):
            for _ in range(WRITE_TRIES):
                before = read_state(self.path)
                content = before.content or b""
                after = anew(_decoded(content)).encode("utf-8", "surrogateescape")
                if after == content:
                    return Rewritten(changed=False, content=content)
                ready(before, after)
                if not isinstance(replace(self.path, after, expected=before), Conflict):
                    return Rewritten(changed=True, content=after)
        raise MemoryFileError(
            f"{self.path} is being changed all the time by another program.", "Nothing was written."
        )


def _has(content: bytes, marker: str) -> bool:
    """Whether a block of that marker stands in the log. Looks for the bytes first: the log may be long."""
    from totalrecall.memory.observations import markers_in

    return f"tr:{marker}".encode() in content and marker in markers_in(_decoded(content))


def _without(content: bytes, blocks: Sequence[str]) -> tuple[bytes, int]:
    if not blocks:
        return content, 0
    from totalrecall.memory.observations import take_out

    shorter, found = take_out(_decoded(content), blocks)
    return shorter.encode("utf-8", "surrogateescape"), found


def _appended(content: bytes, block: str) -> bytes:
    """The log with the block at its end. Only the end is decoded: text takes four times the size."""
    from totalrecall.memory.observations import append_block

    words_end = len(content.rstrip(b" \t\r\n"))
    tail = _decoded(content[max(0, words_end - TAIL_BYTES) :])
    grown = append_block(tail, block)
    if not grown.startswith(tail):
        return grown.encode("utf-8", "surrogateescape")
    return content + grown[len(tail) :].encode("utf-8", "surrogateescape")


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _text(state: FileState) -> str:
    return _decoded(state.content or b"")
