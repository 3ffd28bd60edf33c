"""Where to begin reading a JSONL transcript, decided from what is known of it. Pure and total."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.session import StoreKind
from totalrecall.transcripts.store import Opening, Start

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 4096


class Rest(StrEnum):
    """What stands after the cursor's position.

    ``BLANK``: only white space and NUL bytes. ``TORN``: half a record. ``FINISHED``: a whole record whose
    newline is missing. ``LINES``: at least one newline with something before it, or more than was looked at.
    """

    NONE = "none"
    BLANK = "blank"
    TORN = "torn"
    FINISHED = "finished"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class Probe:
    """A transcript as it is now, looked at with one cursor's position in mind.

    Attributes:
        size: bytes.
        head: ``head_hash`` for the cursor's position.
        tail: ``tail_hash`` for the cursor's position.
        rest: what follows the position.
        settled: unchanged long enough that no rewrite is going on (about a second).
        quiet: unchanged long enough that a last line without newline counts as finished (a few seconds).
    """

    size: int
    head: str = ""
    tail: str = ""
    rest: Rest = Rest.NONE
    settled: bool = True
    quiet: bool = True


def head_hash(head: bytes, position: int) -> str:
    """The hash of the first line in ``head``, the transcript's first bytes (HEAD_BYTES of them are enough).

    It ends at ``position`` if that comes earlier: a header without newline that was taken because the file
    was quiet keeps its hash when the next record is glued to it.
    """
    first, _, _ = head[: min(position, HEAD_BYTES)].partition(b"\n")
    return _hash(first) if position > 0 else ""


def tail_hash(before: bytes) -> str:
    """The hash of the last TAIL_BYTES of ``before``, the bytes that end at the position."""
    return _hash(before[-TAIL_BYTES:]) if before else ""


def reconcile(cursor: Cursor | None, probe: Probe) -> Opening:
    """Where to begin, for every cursor and every probe.

    A position never goes back but by RESCAN. OpenClaw 2026.7 empties the live file and writes the same
    content again after nearly every turn; a file that is empty or shorter just now is therefore waited for,
    and one with the same bytes before the position is read on, whatever its inode or age.
    """
    if cursor is None or cursor.position <= 0:
        return _first_look(probe)
    position = cursor.position
    if probe.size == 0:
        return Opening(Start.NOTHING, position, "empty") if probe.settled else _wait(position, "emptied")
    if cursor.store is not StoreKind.JSONL:
        return Opening(Start.RESCAN, 0, "other store")
    if probe.size < position:
        return Opening(Start.RESCAN, 0, "shorter") if probe.settled else _wait(position, "shorter")
    if (cursor.head, cursor.tail) != (probe.head, probe.tail):
        return Opening(Start.RESCAN, 0, "other content")
    return _go_on(probe, position)


def _first_look(probe: Probe) -> Opening:
    if probe.size == 0:
        return Opening(Start.NOTHING, 0, "empty")
    opening = _go_on(probe, 0)
    return Opening(Start.FRESH, 0, "first look") if opening.start is Start.RESUME else opening


def _go_on(probe: Probe, position: int) -> Opening:
    match probe.rest:
        case Rest.LINES:
            return Opening(Start.RESUME, position, "new lines")
        case Rest.FINISHED if probe.quiet:
            return Opening(Start.RESUME, position, "finished line")
        case Rest.TORN | Rest.FINISHED if not probe.quiet:
            return _wait(position, "unfinished line")
        case Rest.TORN:
            return Opening(Start.NOTHING, position, "torn line")
        case _:
            return Opening(Start.NOTHING, position, "no change")


def _wait(position: int, reason: str) -> Opening:
    return Opening(Start.WAIT, position, reason)


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()
