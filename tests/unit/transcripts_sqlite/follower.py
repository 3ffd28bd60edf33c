"""What the observing job does with a store, without a model: follow every session and keep each message once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import BadRecord, Event, EventKind
from totalrecall.domain.identity import identity_of
from totalrecall.domain.session import Session
from totalrecall.transcripts.sqlite.store import SqliteStore
from totalrecall.transcripts.store import Start, TranscriptStore

FUTURE_MS = 4_000_000_000_000


def store_of(database: Path, busy_timeout_s: float = 5.0) -> SqliteStore:
    """A store over ``database`` with a clock that is ahead of every row."""
    return SqliteStore("main", database, now_ms=lambda: FUTURE_MS, busy_timeout_s=busy_timeout_s)


def session_of(store: TranscriptStore, session_id: str) -> Session:
    """The session as the store lists it now."""
    return next(one for one in store.sessions() if one.session_id == session_id)


def events_of(store: TranscriptStore, session_id: str, position: int = 0) -> list[Event]:
    """All events of a session from ``position`` on; bad records are left out."""
    records = store.read(session_of(store, session_id), position)
    return [one.body for one in records if isinstance(one.body, Event)]


def bad_of(store: TranscriptStore, session_id: str) -> list[BadRecord]:
    """The records of a session that could not be read."""
    records = store.read(session_of(store, session_id), 0)
    return [one.body for one in records if isinstance(one.body, BadRecord)]


def words_of(store: TranscriptStore, session_id: str) -> list[str]:
    """The words of a session's messages, in order."""
    return [one.text for one in events_of(store, session_id) if one.kind is EventKind.MESSAGE]


@dataclass
class Follower:
    """Cursors and known identities, as the ledger keeps them; ``noted`` is every message that was news."""

    store: TranscriptStore
    cursors: dict[str, Cursor] = field(default_factory=dict)
    known: set[bytes] = field(default_factory=set)
    noted: list[str] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)

    def run(self) -> list[str]:
        """Follow every session to its end; the words that were new."""
        before = len(self.noted)
        for session in self.store.sessions():
            self._follow(session)
        return self.noted[before:]

    def last_start(self) -> Start:
        """What the last opening decided."""
        return self.starts[-1]

    def _follow(self, session: Session) -> None:
        opening = self.store.open(session, self.cursors.get(session.session_id))
        self.starts.append(opening.start)
        if opening.start in {Start.NOTHING, Start.WAIT}:
            return
        position = opening.position
        for record in self.store.read(session, opening.position):
            position = record.end
            if isinstance(record.body, Event) and record.body.kind is EventKind.MESSAGE:
                self._note(record.body, session)
        self.cursors[session.session_id] = self.store.cursor_at(session, position, "")

    def _note(self, event: Event, session: Session) -> None:
        identity = identity_of(event, session.session_id)
        if identity not in self.known:
            self.known.add(identity)
            self.noted.append(event.text)
