"""What every store of transcripts offers. The contract suite in ``tests/contracts`` holds them to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Record
from totalrecall.domain.session import Session


class Start(StrEnum):
    """Where to begin reading a session, as ``transcripts.cursor.reconcile`` decides."""

    RESUME = "resume"
    RESCAN = "rescan"
    FRESH = "fresh"
    NOTHING = "nothing"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Opening:
    """The decision for one session.

    Attributes:
        start: RESUME reads on at ``position``; RESCAN reads from 0 because the transcript is not the one the
            cursor knew (known identities are skipped by the job); FRESH reads from 0 for the first time;
            NOTHING: not a byte is new; WAIT: it is being rewritten just now (size 0 or shorter than a moment
            ago), look again later, nothing ended.
        position: where to begin.
        reason: for the log, one or two words.
    """

    start: Start
    position: int = 0
    reason: str = ""


class TranscriptStore(Protocol):
    """One agent's transcripts in one store. Never writes, locks, renames or checkpoints anything."""

    def sessions(self) -> Sequence[Session]:
        """Every session that may be read, oldest change first; deleted ones and copies left out."""

    def open(self, session: Session, cursor: Cursor | None) -> Opening:
        """Compare the transcript with the cursor and say where to begin. Cheap: reads a few kilobytes."""

    def read(self, session: Session, position: int) -> Iterator[Record]:
        """Complete records from ``position`` on, in order, in bounded memory.

        Closing the iterator frees what it holds. A transcript that vanishes or shrinks meanwhile ends it
        without an error. Raises SourceError when it cannot be read at all.
        """

    def cursor_at(self, session: Session, position: int, carry: str) -> Cursor:
        """The cursor for ``position``, with the hashes of what stands before it now."""

    def last_entries(self, session: Session, cursor: Cursor | None = None) -> str:
        """A hash of the last 50 complete entries: before ``cursor``, or of the whole transcript without one.

        Cheap, whatever the transcript's size. "" when it cannot be told: the transcript is gone or empty, it
        is not the one that the cursor was made for, or its last entry is too large. Raises SourceError.
        """
