"""The notes, and where each came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from totalrecall.domain.note import NoteType, Priority
from totalrecall.ledger.encode import loaded, normalised, seen_from, text_hash
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import DroppedRow, NoteRow, SeenRow

_COLUMNS = (
    "n.note_id, n.marker, n.ordinal, n.day, n.time, n.priority, n.type, n.text, n.parent_id, n.verified,"
    " n.removed_ms"
)
_COMMITTED = f"SELECT {_COLUMNS} FROM notes n JOIN batches b USING (marker) WHERE b.status = 'committed'"  # noqa: S608
_NEWEST = " ORDER BY n.day DESC, n.time DESC, b.planned_ms DESC, n.ordinal DESC LIMIT ?"
_FIRST = " ORDER BY b.planned_ms DESC, n.ordinal LIMIT ?"
ANY = -1


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes to list; the default is all that are in the file.

    Attributes:
        since: first day.
        until: last day.
        priority: only this one.
        removed: True only those that left the file, None both.
        verified: only (un)verified ones, None both.
    """

    since: date | None = None
    until: date | None = None
    priority: Priority | None = None
    removed: bool | None = False
    verified: bool | None = None


class NotesPart(Part):
    """Notes and provenance."""

    def notes(self, wanted: NoteFilter | None = None, limit: int = ANY) -> list[NoteRow]:
        """Notes of committed batches, newest first."""
        wanted = wanted or NoteFilter()
        clauses: list[tuple[str, Any]] = [
            (" AND n.day >= ?", wanted.since.isoformat() if wanted.since else None),
            (" AND n.day <= ?", wanted.until.isoformat() if wanted.until else None),
            (" AND n.priority = ?", wanted.priority.value if wanted.priority else None),
            (" AND (n.removed_ms IS NOT NULL) = ?", wanted.removed),
            (" AND n.verified = ?", wanted.verified),
        ]
        used = [(clause, value) for clause, value in clauses if value is not None]
        sql = _COMMITTED + "".join(clause for clause, _ in used) + _NEWEST
        return self._rows(sql, (*(value for _, value in used), limit))

    def note_texts(self, limit: int) -> list[str]:
        """The words of the newest notes in the file, newest first."""
        return [one.text for one in self.notes(limit=limit) if one.text]

    def notes_of(self, marker: str) -> list[NoteRow]:
        """A batch's notes in their order, whatever its status."""
        sql = f"SELECT {_COLUMNS} FROM notes n WHERE n.marker = ? ORDER BY n.ordinal"  # noqa: S608
        return self._rows(sql, (marker,))

    def find_note(self, text: str) -> list[NoteRow]:
        """Notes with these words (case, spacing and line start aside), else those that contain them."""
        exact = self._rows(
            f"{_COMMITTED} AND n.text_hash = ? AND n.text <> ''{_FIRST}", (text_hash(text), ANY)
        )
        wanted = normalised(text)
        if exact or not wanted:
            return exact
        return [one for one in self._rows(_COMMITTED + _FIRST, (ANY,)) if wanted in normalised(one.text)]

    def notes_named(self, note_ids: Sequence[str]) -> list[NoteRow]:
        """The notes of these names that still have words."""
        sql = f"SELECT {_COLUMNS} FROM notes n WHERE n.note_id = ? AND n.text <> ''"  # noqa: S608
        return [note for one in note_ids for note in self._rows(sql, (one,))]

    def has_had(self, text: str) -> bool:
        """Whether a note with these words was ever stored, purged ones included."""
        sql = "SELECT 1 FROM notes WHERE text_hash = ? LIMIT 1"
        return bool(self._db.read(sql, (text_hash(text),)))

    def provenance(self, note_id: str) -> list[SeenRow]:
        """The messages a note stands for, in the order it cites them; of a provisional note still pending."""
        sql = (
            "SELECT coalesce(s.identity, p.identity), coalesce(s.session_id, p.session_id),"
            " coalesce(s.position, p.position), coalesce(s.is_message, p.is_message),"
            " coalesce(s.state, p.state), CASE WHEN s.state IS NULL THEN p.reason ELSE s.reason END,"
            " CASE WHEN s.state IS NULL THEN p.at_ms ELSE s.at_ms END, coalesce(s.marker, p.marker)"
            " FROM cites c JOIN notes n USING (note_id) LEFT JOIN seen s ON s.identity = c.identity"
            " LEFT JOIN planned p ON p.marker = n.marker AND p.identity = c.identity"
            " WHERE c.note_id = ? AND (s.identity IS NOT NULL OR p.identity IS NOT NULL) ORDER BY c.ordinal"
        )
        return [seen_from(one) for one in self._db.read(sql, (note_id,))]

    def notes_citing(self, identity: bytes) -> list[NoteRow]:
        """The notes that stand for a message."""
        clause = " AND n.note_id IN (SELECT c.note_id FROM cites c WHERE c.identity = ?)"
        return self._rows(_COMMITTED + clause + _FIRST, (identity, ANY))

    def mark_removed(self, note_ids: Sequence[str], now_ms: int) -> None:
        """Say that notes have left the file; the first time counts."""
        sql = "UPDATE notes SET removed_ms = ? WHERE note_id = ? AND removed_ms IS NULL"
        with self._db.write() as connection:
            connection.executemany(sql, [(now_ms, one) for one in note_ids])

    def truncate_wal(self) -> bool:
        """Empty the write-ahead log; False when another reader keeps it."""
        return self._db.truncate_wal()

    def dropped(self, limit: int) -> list[DroppedRow]:
        """The newest lines that were left out of an answer, newest first."""
        sql = "SELECT dropped_id, marker, text, reason, at_ms FROM dropped ORDER BY dropped_id DESC LIMIT ?"
        rows = self._db.read(sql, (limit,))
        return [DroppedRow(number, marker, loaded(text), why, at) for number, marker, text, why, at in rows]

    def _rows(self, sql: str, values: Sequence[Any]) -> list[NoteRow]:
        return [self._note(one) for one in self._db.read(sql, values)]

    def _note(self, values: Sequence[Any]) -> NoteRow:
        note_id, marker, ordinal, day, time, priority, kind, text, parent_id, verified, removed_ms = values
        sql = "SELECT identity FROM cites WHERE note_id = ? ORDER BY ordinal"
        return NoteRow(
            note_id,
            marker,
            ordinal,
            date.fromisoformat(day),
            time,
            Priority(priority),
            NoteType(kind) if kind else None,
            loaded(text),
            parent_id,
            bool(verified),
            tuple(row[0] for row in self._db.read(sql, (note_id,))),
            removed_ms,
        )
