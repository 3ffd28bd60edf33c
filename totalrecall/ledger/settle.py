"""What happens to a batch's entries, session and notes when it ends. All inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from typing import Any

from totalrecall.domain.note import Compression, DraftNote, Note
from totalrecall.domain.state import MessageState
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import session_from_json, stored, text_hash
from totalrecall.ledger.rows import BatchStatus
from totalrecall.ledger.sessions import put_session

KNOWN = "known"
DROPPED_KEPT = 2000

# Committed provisional batches each of whose messages is settled, or would be by the batch given.
# The plus keeps SQLite to the small index of provisional batches instead of walking all of them by time.
COVERED = """
    SELECT b.marker FROM batches b
    WHERE b.provisional AND b.status = 'committed' AND NOT EXISTS (
        SELECT 1 FROM planned p LEFT JOIN seen s ON s.identity = p.identity
        WHERE p.marker = b.marker AND p.is_message AND p.state = 'pending'
          AND (s.identity IS NULL OR s.state = 'set_aside')
          AND p.identity NOT IN (SELECT q.identity FROM planned q WHERE q.marker = ?))
    ORDER BY +b.planned_ms, b.marker
"""


def status_of(connection: sqlite3.Connection, marker: str) -> tuple[BatchStatus, bool] | None:
    """A batch's status and whether it is provisional; None when there is no such batch."""
    sql = "SELECT status, provisional FROM batches WHERE marker = ?"
    row = connection.execute(sql, (marker,)).fetchone()
    return (BatchStatus(row[0]), bool(row[1])) if row else None


def demand(connection: sqlite3.Connection, marker: str, allowed: set[BatchStatus], step: str) -> bool:
    """Whether the batch is provisional.

    Raises LedgerError when it is not in one of the ``allowed`` states: a step was left out or done twice.
    """
    found = status_of(connection, marker)
    if found is None or found[0] not in allowed:
        said = found[0].value if found else "unknown"
        raise LedgerError(
            f"Batch {marker} cannot be {step}: it is {said}.",
            "Nothing was changed. The next run goes on from what is stored.",
        )
    return found[1]


def outcome_of(connection: sqlite3.Connection, marker: str) -> MessageState:
    """What a commit makes of the batch's messages.

    Raises LedgerError when the answer was neither a note nor a plain "nothing notable" (R031).
    """
    if connection.execute("SELECT 1 FROM notes WHERE marker = ? LIMIT 1", (marker,)).fetchone():
        return MessageState.NOTED
    sql = "SELECT nothing_notable FROM batches WHERE marker = ?"
    if connection.execute(sql, (marker,)).fetchone()[0]:
        return MessageState.NOTHING_NOTABLE
    reasons = {row[0] for row in connection.execute("SELECT reason FROM dropped WHERE marker = ?", (marker,))}
    if reasons == {KNOWN}:
        return MessageState.NOTED
    raise LedgerError(
        f"Batch {marker} cannot be committed: its answer has no note and does not say there is none.",
        "It is to be set aside. Nothing was changed.",
    )


def settle(connection: sqlite3.Connection, marker: str, state: MessageState) -> None:
    """Give the batch's pending entries their state, keep the others', move the session's cursor."""
    connection.execute(
        "INSERT OR IGNORE INTO seen SELECT identity, session_id, position, is_message,"
        " CASE state WHEN 'pending' THEN ? ELSE state END, reason, at_ms, marker FROM planned"
        " WHERE marker = ?",
        (state.value, marker),
    )
    connection.execute("DELETE FROM planned WHERE marker = ?", (marker,))
    sql = "SELECT session_after FROM batches WHERE marker = ?"
    put_session(connection, session_from_json(connection.execute(sql, (marker,)).fetchone()[0]))
    # From here on the session's own row tells; this copy holds what the noise rules remember of the talk.
    connection.execute("UPDATE batches SET session_after = '' WHERE marker = ?", (marker,))


def covered_provisional(connection: sqlite3.Connection) -> list[str]:
    """Committed provisional batches each of whose messages is settled."""
    return [str(row[0]) for row in connection.execute(COVERED, ("",))]


def insert_notes(
    connection: sqlite3.Connection, marker: str, answer: Compression, identities: tuple[bytes, ...]
) -> None:
    """Store an answer's notes, children after their parent, each with what it cites."""
    ordinal = 0
    for draft in answer.notes:
        cites = [identities[number - 1] for number in draft.cites if 0 < number <= len(identities)]
        parent = _insert(connection, marker, ordinal, (draft, draft.note, None), cites)
        ordinal += 1
        for child in draft.note.children:
            _insert(connection, marker, ordinal, (draft, child, parent), cites)
            ordinal += 1


def keep_dropped(connection: sqlite3.Connection, marker: str, answer: Compression, at_ms: int) -> None:
    """Keep the lines that were left out, for `notes --dropped`; the oldest give way."""
    connection.execute("DELETE FROM dropped WHERE marker = ?", (marker,))
    connection.executemany(
        "INSERT INTO dropped (marker, text, reason, at_ms) VALUES (?, ?, ?, ?)",
        [(marker, stored(one.text), one.reason, at_ms) for one in answer.dropped],
    )
    sql = "DELETE FROM dropped WHERE dropped_id <= (SELECT max(dropped_id) FROM dropped) - ?"
    connection.execute(sql, (DROPPED_KEPT,))


def _insert(
    connection: sqlite3.Connection,
    marker: str,
    ordinal: int,
    what: tuple[DraftNote, Note, str | None],
    cites: list[bytes],
) -> str:
    draft, note, parent = what
    note_id = f"{marker}-{ordinal}"
    values: tuple[Any, ...] = (
        note_id,
        marker,
        ordinal,
        note.day.isoformat(),
        note.time,
        note.priority.value,
        note.type.value if note.type else None,
        stored(note.text),
        text_hash(note.text),
        parent,
        int(draft.verified),
        None,
    )
    connection.execute(f"INSERT INTO notes VALUES ({','.join('?' * len(values))})", values)  # noqa: S608
    connection.executemany(
        "INSERT INTO cites (note_id, ordinal, identity) VALUES (?, ?, ?)",
        [(note_id, place, identity) for place, identity in enumerate(cites)],
    )
    return note_id
