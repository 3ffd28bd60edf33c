"""One agent's transcripts in its SQLite file, behind the same protocol as the session files."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import BadRecord, Record
from totalrecall.domain.session import Session, StoreKind
from totalrecall.transcripts.dialects.openclaw import events_from_line
from totalrecall.transcripts.sqlite.connection import (
    BUSY_TIMEOUT_S,
    GoneSourceError,
    LockedSourceError,
    newest_change_ms,
    query,
)
from totalrecall.transcripts.sqlite.rows import (
    PAGE_BYTES,
    Page,
    Row,
    fetch_page,
    generation_of,
    last_rows_hash,
    last_seq,
    tail_before,
)
from totalrecall.transcripts.sqlite.schema import has_transcripts, read_schema
from totalrecall.transcripts.sqlite.sessions import Place, Survey, survey
from totalrecall.transcripts.store import Opening, Start

_EMPTY = Survey((), frozenset(), frozenset(), {})


class Fate(StrEnum):
    """Where the rows of a session are."""

    LIVE = "live"
    COLD = "cold"
    DELETED = "deleted"


class SqliteStore:
    """The sessions of ``agent`` in ``database``: read-only, a page at a time, nothing open in between.

    ``now_ms`` is the clock: no change counts as later than it. Every method may raise LockedSourceError, a
    SourceError that means "try later"; ``open`` answers WAIT instead.
    """

    def __init__(
        self,
        agent: str,
        database: Path,
        *,
        now_ms: Callable[[], int],
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self.agent = agent
        self.database = database
        self._now_ms = now_ms
        self._busy_timeout_s = busy_timeout_s
        self._headers: dict[str, str] = {}
        # What was read, per session: a cursor made after a rewrite must not claim to know the new content.
        self._generations: dict[str, str] = {}
        self._last_pages: dict[str, list[Page]] = {}

    def holds_transcripts(self) -> bool:
        """True when the database exists and is made for transcripts, rows or none (up to 2026.7.1: not)."""
        try:
            return query(self.database, has_transcripts, self._busy_timeout_s)
        except GoneSourceError:
            return False

    def sessions(self) -> Sequence[Session]:
        """Every session with rows, oldest change first; deleted and cold ones have none."""
        return self.survey().sessions

    def survey(self) -> Survey:
        """The sessions, and which ids have no rows and why, in one snapshot."""

        def work(connection: sqlite3.Connection) -> Survey:
            place = Place(self.agent, self.database, self._now_ms())
            return survey(connection, read_schema(connection), place, self._headers)

        try:
            found = query(self.database, work, self._busy_timeout_s)
        except GoneSourceError:
            return _EMPTY
        self._headers = dict(found.headers)
        return found

    def fate(self, session_id: str) -> Fate:
        """Why a session that was once here may have no rows: what is in no table was deleted by the user."""
        found = self.survey()
        if any(one.session_id == session_id for one in found.sessions):
            return Fate.LIVE
        return Fate.COLD if session_id in found.cold else Fate.DELETED

    def changed_ms(self) -> int:
        """When the database or its WAL was last written, whatever was written; 0 when there is none."""
        return newest_change_ms(self.database)

    def open(self, session: Session, cursor: Cursor | None) -> Opening:
        """Compare the rows with the cursor. WAIT when the database is locked."""
        try:
            generation, top, tail = self._probe(session, cursor.position if cursor is not None else 0)
        except LockedSourceError:
            return Opening(Start.WAIT, 0, "locked")
        except GoneSourceError:
            return Opening(Start.NOTHING, 0, "gone")
        if top is None:
            return Opening(Start.NOTHING, 0, "no rows")
        self._generations[session.session_id] = generation
        if cursor is None:
            return Opening(Start.FRESH)
        return _compare(cursor, generation, top, tail)

    def read(self, session: Session, position: int) -> Iterator[Record]:
        """Records from ``position`` on.

        A rewrite or deletion meanwhile ends it; the next ``open`` finds out.
        """
        seq = position
        self._last_pages = {}
        known = self._generations.get(session.session_id) if position else None
        while True:
            try:
                page = self._page(session, seq)
            except GoneSourceError:
                return
            if known is None:
                known = self._generations[session.session_id] = page.generation
            if page.generation != known:
                return
            self._remember(session.session_id, page)
            for row in page.rows:
                yield from _records(row)
            if not page.more:
                return
            seq = page.rows[-1].seq + 1

    def cursor_at(self, session: Session, position: int, carry: str) -> Cursor:
        """The cursor for ``position``: of what was read there, else of what stands there now."""
        generation = self._generations.get(session.session_id)
        tail = self._tail_as_read(session.session_id, position)
        if generation is None or tail is None:
            try:
                now, _, stored = self._probe(session, position)
            except GoneSourceError:
                now, stored = "", ""
            generation = now if generation is None else generation
            tail = stored if tail is None else tail
        return Cursor(StoreKind.SQLITE, position, generation, tail, carry)

    def last_entries(self, session: Session, cursor: Cursor | None = None) -> str:
        """The hash of the last entries' texts, however they are stored."""

        def work(connection: sqlite3.Connection) -> str:
            schema, name = read_schema(connection), session.session_id
            if cursor is None:
                return last_rows_hash(connection, schema, name, sys.maxsize)
            now = (
                generation_of(connection, schema, name),
                tail_before(connection, schema, name, cursor.position),
            )
            fits = now == (cursor.head, cursor.tail)
            return last_rows_hash(connection, schema, name, cursor.position) if fits else ""

        try:
            return query(self.database, work, self._busy_timeout_s)
        except (GoneSourceError, LockedSourceError):
            return ""

    def _remember(self, session_id: str, page: Page) -> None:
        """Keep the last two pages of the session that is read just now, unless they are large."""
        small = sum(row.stored_bytes for row in page.rows) <= 2 * PAGE_BYTES and not page.giant
        self._last_pages = {session_id: [*self._last_pages.get(session_id, [])[-1:], page] if small else []}

    def _tail_as_read(self, session_id: str, position: int) -> str | None:
        for page in reversed(self._last_pages.get(session_id, [])):
            for row in reversed(page.rows):
                if row.seq + 1 == position:
                    return row.tail()
        return None

    def _probe(self, session: Session, position: int) -> tuple[str, int | None, str]:
        """Generation, highest sequence number, and the hash of the event before ``position``."""

        def work(connection: sqlite3.Connection) -> tuple[str, int | None, str]:
            schema = read_schema(connection)
            generation = generation_of(connection, schema, session.session_id)
            top = last_seq(connection, session.session_id)
            return generation, top, tail_before(connection, schema, session.session_id, position)

        return query(self.database, work, self._busy_timeout_s)

    def _page(self, session: Session, seq: int) -> Page:
        def work(connection: sqlite3.Connection) -> Page:
            return fetch_page(connection, read_schema(connection), session.session_id, seq)

        return query(self.database, work, self._busy_timeout_s)


def _compare(cursor: Cursor, generation: str, top: int, tail: str) -> Opening:
    """Where to go on in a session whose last row is ``top``."""
    if cursor.store is not StoreKind.SQLITE:
        return Opening(Start.RESCAN, 0, "store changed")
    if cursor.head != generation:
        return Opening(Start.RESCAN, 0, "rewritten")
    if cursor.tail != tail:
        return Opening(Start.RESCAN, 0, "tail changed")
    if top < cursor.position:
        return Opening(Start.NOTHING, cursor.position, "nothing new")
    return Opening(Start.RESUME, cursor.position, "grown")


def _records(row: Row) -> Iterator[Record]:
    line = row.line()
    bodies = [line] if isinstance(line, BadRecord) else events_from_line(line)
    for body in bodies:
        yield Record(row.seq, row.seq + 1, body)
