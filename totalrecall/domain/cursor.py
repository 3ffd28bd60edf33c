"""How far a session has been read."""

from __future__ import annotations

from dataclasses import dataclass

from totalrecall.domain.session import StoreKind


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in one transcript, with what is needed to notice that the transcript is no longer the same.

    Attributes:
        store: the store the position belongs to.
        position: the first byte (JSONL) or sequence number (SQLite) not yet consumed.
        head: JSONL: hash of the first line; SQLite: the rewrite generation of the session ("" if none).
        tail: hash of what stands just before ``position`` (JSONL: up to 4,096 bytes; SQLite: the last event).
        carry: what the reading must remember across a cut (open machine turn, recent texts for the
            duplicate rule), encoded by ``transcripts.noise``; "" at the start of a session.
    """

    store: StoreKind
    position: int = 0
    head: str = ""
    tail: str = ""
    carry: str = ""
