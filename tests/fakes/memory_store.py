"""A store of transcripts in memory. It keeps the same contract as the real ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Record
from totalrecall.domain.session import Session, SessionKind, StoreKind
from totalrecall.transcripts.dialects.openclaw import event_from_entry
from totalrecall.transcripts.last_entries import ENTRIES, hash_of
from totalrecall.transcripts.store import Opening, Start


@dataclass(slots=True)
class MemorySession:
    """One session as the fake agent holds it; tests change it at will."""

    entries: list[dict[str, object]] = field(default_factory=list)
    key: str = ""
    kind: SessionKind = SessionKind.MAIN
    parent_key: str = ""
    ended: bool = False
    modified_ms: int = 1_771_059_600_000
    cwd: str = ""


@dataclass(slots=True)
class MemoryStore:
    """TranscriptStore over lists of entries. A position is the number of entries before it."""

    agent: str = "main"
    held: dict[str, MemorySession] = field(default_factory=dict)
    store_kind: StoreKind = StoreKind.JSONL

    def sessions(self) -> Sequence[Session]:
        """Every session held, oldest change first."""
        found = [self._session(session_id, held) for session_id, held in self.held.items()]
        return sorted(found, key=lambda session: (session.modified_ms, session.session_id))

    def open(self, session: Session, cursor: Cursor | None) -> Opening:
        """Where to begin, by the same rules as the files."""
        entries = self._entries(session)
        if not entries:
            return Opening(Start.NOTHING, cursor.position if cursor else 0, "empty")
        if cursor is None or cursor.position == 0:
            return Opening(Start.FRESH, 0, "first look")
        if cursor.position > len(entries) or cursor != self.cursor_at(session, cursor.position, cursor.carry):
            return Opening(Start.RESCAN, 0, "rewritten")
        if cursor.position == len(entries):
            return Opening(Start.NOTHING, cursor.position, "no change")
        return Opening(Start.RESUME, cursor.position, "grown")

    def read(self, session: Session, position: int) -> Iterator[Record]:
        """Records from ``position`` on; a session deleted meanwhile ends it."""
        place = position
        while place < len(entries := self._entries(session)):
            yield Record(place, place + 1, event_from_entry(entries[place]))
            place += 1

    def cursor_at(self, session: Session, position: int, carry: str) -> Cursor:
        """The cursor for ``position``."""
        entries = self._entries(session)
        if position == 0 or not entries:
            return Cursor(self.store_kind, position, carry=carry)
        tail = "".join(_digest(entry) for entry in entries[max(0, position - 4) : position])
        return Cursor(self.store_kind, position, _digest(entries[0]), tail, carry)

    def last_entries(self, session: Session, cursor: Cursor | None = None) -> str:
        """The hash of the last entries."""
        entries = self._entries(session)
        if cursor is not None:
            if cursor != self.cursor_at(session, cursor.position, cursor.carry):
                return ""
            entries = entries[: cursor.position]
        return hash_of(json.dumps(entry).encode() for entry in entries[-ENTRIES:])

    def _entries(self, session: Session) -> list[dict[str, object]]:
        held = self.held.get(session.session_id)
        return held.entries if held else []

    def _session(self, session_id: str, held: MemorySession) -> Session:
        return Session(
            agent=self.agent,
            session_id=session_id,
            store=self.store_kind,
            location=PurePath("/memory") / f"{session_id}.jsonl",
            key=held.key,
            kind=held.kind,
            parent_key=held.parent_key,
            ended=held.ended,
            size=len(held.entries),
            modified_ms=held.modified_ms,
            cwd=held.cwd,
        )


def _digest(entry: dict[str, object]) -> str:
    return hashlib.blake2b(json.dumps(entry).encode(), digest_size=8).hexdigest()
