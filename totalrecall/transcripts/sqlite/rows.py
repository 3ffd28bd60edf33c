"""Rows of one session, a page at a time, in bounded memory."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from totalrecall.domain.event import BadRecord
from totalrecall.transcripts.giant import LineReducer
from totalrecall.transcripts.last_entries import ENTRIES, WINDOW_BYTES, hash_of
from totalrecall.transcripts.sqlite.packed import PackedError, unpack
from totalrecall.transcripts.sqlite.schema import EVENTS, WATERMARKS, Schema

PAGE_ROWS = 200
PAGE_BYTES = 1024 * 1024
_CHUNK_BYTES = 262144


@dataclass(frozen=True, slots=True)
class Row:
    """One stored event: its place, and its body as it is stored (one of the two), or why it is left out."""

    seq: int
    plain: bytes | None = None
    packed: bytes | None = None
    bad: BadRecord | None = None

    @property
    def stored_bytes(self) -> int:
        """The size of the body as it is stored."""
        return len(self.plain or b"") + len(self.packed or b"")

    def line(self) -> bytes | BadRecord:
        """The event's JSON, unpacked.

        Raises SourceError when it is compressed and no decoder is installed.
        """
        if self.bad is not None:
            return self.bad
        if self.plain is not None:
            return self.plain
        if self.packed is None:
            return BadRecord("empty", "", 0)
        try:
            return unpack(self.packed)
        except PackedError as error:
            return BadRecord(error.reason, digest_of(self.packed), len(self.packed))

    def tail(self) -> str:
        """The hash by which a cursor after this row knows it: of its text, however it is stored."""
        line = self.line()
        content = line.digest.encode() if isinstance(line, BadRecord) else line
        return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a session in order.

    Attributes:
        rows: none when nothing stands at or after the place that was asked for.
        generation: the session's rewrite generation when they were read, "" if it was never rewritten.
        more: False when the session ended with this page.
        giant: the one row is reduced, so its text is not the stored one.
    """

    rows: tuple[Row, ...]
    generation: str
    more: bool
    giant: bool = False


def digest_of(data: bytes) -> str:
    """A short hash that names a record without its text."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def fetch_page(connection: sqlite3.Connection, schema: Schema, session_id: str, start_seq: int) -> Page:
    """The rows from ``start_seq`` on: at most PAGE_ROWS, and about PAGE_BYTES of them.

    A value over the connection's limit ends the page before it: SQLite refuses it before it makes room.
    Python loses the row just before the refusal, so what is asked for next is first tried alone.
    """
    generation = generation_of(connection, schema, session_id)
    rows: list[Row] = []
    room = PAGE_BYTES
    try:
        for row in _select(connection, schema, session_id, start_seq, PAGE_ROWS):
            rows.append(row)
            room -= row.stored_bytes
            if room <= 0:
                return Page(tuple(rows), generation, more=True)
    except sqlite3.DataError:
        if rows:
            return Page(tuple(rows), generation, more=True)
        return _lone_row(connection, schema, session_id, start_seq)
    return Page(tuple(rows), generation, more=len(rows) == PAGE_ROWS)


def _select(
    connection: sqlite3.Connection, schema: Schema, session_id: str, start_seq: int, limit: int
) -> Iterator[Row]:
    found = connection.execute(
        f"SELECT seq, {schema.body} FROM {EVENTS} WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ?",
        (session_id, start_seq, limit),
    )
    for seq, plain, packed in found:
        yield Row(seq, _as_bytes(plain), _as_bytes(packed))


def _lone_row(connection: sqlite3.Connection, schema: Schema, session_id: str, start_seq: int) -> Page:
    generation = generation_of(connection, schema, session_id)
    try:
        rows = tuple(_select(connection, schema, session_id, start_seq, 1))
    except sqlite3.DataError:
        giant = _giant_row(connection, schema, session_id, start_seq)
        return Page((giant,), generation, more=True, giant=True)
    return Page(rows, generation, more=True)


def generation_of(connection: sqlite3.Connection, schema: Schema, session_id: str) -> str:
    """The session's rewrite generation: it changes when OpenClaw rewrote what stood already."""
    if not schema.has(WATERMARKS, "session_id", "generation"):
        return ""
    row = connection.execute(
        f"SELECT generation FROM {WATERMARKS} WHERE session_id = ?", (session_id,)
    ).fetchone()
    return "" if row is None or row[0] is None else _as_text(row[0])


def last_seq(connection: sqlite3.Connection, session_id: str) -> int | None:
    """The highest sequence number of the session, None when it has no rows."""
    row = connection.execute(f"SELECT max(seq) FROM {EVENTS} WHERE session_id = ?", (session_id,)).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def tail_before(connection: sqlite3.Connection, schema: Schema, session_id: str, position: int) -> str:
    """A hash of the last event before ``position``, "" when none stands there.

    Of its text, not of its stored form: OpenClaw compresses rows when it moves to a newer schema.
    """
    where = "WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1"
    try:
        row = connection.execute(
            f"SELECT seq, {schema.body} FROM {EVENTS} {where}", (session_id, position)
        ).fetchone()
    except sqlite3.DataError:
        seq = connection.execute(f"SELECT seq FROM {EVENTS} {where}", (session_id, position)).fetchone()[0]
        digest = hashlib.blake2b(digest_size=16)
        for chunk in _giant_chunks(connection, schema, session_id, seq):
            digest.update(chunk)
        return digest.hexdigest()
    if row is None:
        return ""
    return Row(row[0], _as_bytes(row[1]), _as_bytes(row[2])).tail()


def last_rows_hash(connection: sqlite3.Connection, schema: Schema, session_id: str, end_seq: int) -> str:
    """The hash of the last 50 events before ``end_seq``, or of the newest MiB of them; "" behind a giant."""
    entries: list[bytes] = []
    room = WINDOW_BYTES
    try:
        for seq, plain, packed in connection.execute(
            f"SELECT seq, {schema.body} FROM {EVENTS} WHERE session_id = ? AND seq < ?"
            f" ORDER BY seq DESC LIMIT {ENTRIES}",
            (session_id, end_seq),
        ):
            line = Row(seq, _as_bytes(plain), _as_bytes(packed)).line()
            content = line.digest.encode() if isinstance(line, BadRecord) else line
            room -= len(content)
            entries.append(hashlib.blake2b(content, digest_size=16).digest())
            if room <= 0:
                break
    except sqlite3.DataError:
        return ""
    return hash_of(reversed(entries))


def _giant_row(connection: sqlite3.Connection, schema: Schema, session_id: str, start_seq: int) -> Row:
    """A row over the limit, with its long strings shortened while it passes by (R018)."""
    seq, packed = connection.execute(
        f"SELECT seq, {_is_packed(schema)} FROM {EVENTS}"
        " WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT 1",
        (session_id, start_seq),
    ).fetchone()
    reducer = LineReducer()
    size_bytes = 0
    for chunk in _giant_chunks(connection, schema, session_id, seq):
        size_bytes += len(chunk)
        reducer.feed(chunk)
    if packed or not size_bytes:  # OpenClaw packs nothing of that size
        return Row(seq, bad=BadRecord("too_large", "", size_bytes))
    return Row(seq, plain=reducer.finish())


def _giant_chunks(
    connection: sqlite3.Connection, schema: Schema, session_id: str, seq: int
) -> Iterator[bytes]:
    """The stored bytes of one row in pieces, never the whole of it; none in a table without row ids."""
    try:
        rowid, packed = connection.execute(
            f"SELECT rowid, {_is_packed(schema)} FROM {EVENTS} WHERE session_id = ? AND seq = ?",
            (session_id, seq),
        ).fetchone()
    except sqlite3.OperationalError:
        return
    column = "event_zstd" if packed else "event_json"
    with closing(connection.blobopen(EVENTS, column, rowid, readonly=True)) as blob:
        while chunk := blob.read(_CHUNK_BYTES):
            yield chunk


def _is_packed(schema: Schema) -> str:
    return "event_zstd IS NOT NULL" if schema.has(EVENTS, "event_zstd") else "0"


def _as_bytes(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return str(value).encode()


def _as_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
