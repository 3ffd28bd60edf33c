"""Reflections, step by step: planned, committed, and taken back. Each step is durable."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.note import Compression, DraftNote, Usage
from totalrecall.domain.session import SessionKind, StoreKind
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import loaded, session_json, stored
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import BatchStatus, SessionRow
from totalrecall.ledger.settle import insert_notes

if TYPE_CHECKING:
    from totalrecall.ledger.reflection_rows import Departure, Merger, ReflectionPlan, ReflectionRow, Undo

# Every run of the observer opens a ledger; only the few that have a reflection in hand load its rows.
PLANNED, COMMITTED, REFUSED, UNDOING, UNDONE = "planned", "committed", "refused", "undoing", "undone"
REFUSED_KEPT = 200
_SELECT = (
    "SELECT marker, status, started_ms, ended_ms, engine, numbers, backup, before_digest, after_digest,"
    " after_bytes, undo, undone_ms FROM reflections"
)
# By the order in which they were made: clocks are set back.
_NEWEST = " ORDER BY reflection_id DESC LIMIT ?"
_PUT = "INSERT INTO reflections VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# A reflection reads no session; the row of its marker is there so that its notes are found like all others.
_NO_SESSION = session_json(
    SessionRow("", StoreKind.JSONL, "", SessionKind.MACHINE, "", Cursor(StoreKind.JSONL), False, None, None)
)


class ReflectionsPart(Part):
    """Reflections, what left the log, and what came back."""

    def plan_reflection(self, plan: ReflectionPlan) -> None:
        """Make durable what the log is about to become; a plan of the same marker is replaced."""
        with self._db.write() as connection:
            _forget_plan(connection, plan.marker)
            _put_batch(connection, plan.marker, plan.engine, plan.started_ms, plan.usage)
            into = _put_mergers(connection, plan)
            connection.execute(
                _PUT,
                (
                    plan.marker,
                    PLANNED,
                    plan.started_ms,
                    None,
                    plan.engine,
                    "",
                    json.dumps(dict(plan.numbers)),
                    stored(plan.backup),
                    plan.swap.before,
                    plan.swap.after,
                    plan.swap.after_bytes,
                    "",
                    None,
                ),
            )
            connection.executemany(
                "INSERT INTO departures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                [
                    (
                        plan.marker,
                        one.number,
                        one.note_id,
                        one.day.isoformat(),
                        stored(one.line),
                        one.block,
                        one.reason,
                        into.get(one.number, ""),
                        one.by_hash,
                    )
                    for one in plan.departures
                ],
            )

    def commit_reflection(self, marker: str, *, now_ms: int) -> None:
        """End a reflection whose file is in place: its notes count, what left is marked as removed."""
        with self._db.write() as connection:
            _demand(connection, marker, PLANNED)
            sql = "UPDATE batches SET status = ?, settled_ms = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.COMMITTED.value, now_ms, marker))
            connection.execute(
                "UPDATE notes SET removed_ms = ? WHERE removed_ms IS NULL AND (note_id IN"
                " (SELECT note_id FROM departures WHERE marker = ?) OR parent_id IN"
                " (SELECT note_id FROM departures WHERE marker = ?))",
                (now_ms, marker, marker),
            )
            connection.execute("UPDATE departures SET left_ms = ? WHERE marker = ?", (now_ms, marker))
            sql = "UPDATE reflections SET status = ?, ended_ms = ? WHERE marker = ?"
            connection.execute(sql, (COMMITTED, now_ms, marker))

    def discard_reflection(self, marker: str) -> None:
        """Forget a plan whose file never took its place. Twice is fine."""
        with self._db.write() as connection:
            _forget_plan(connection, marker)

    def record_refused(self, started_ms: int, engine: str, numbers: Mapping[str, int | float | str]) -> None:
        """Keep that a reflection was refused and why, for the history; the oldest give way."""
        status = REFUSED
        with self._db.write() as connection:
            sql = "SELECT coalesce(max(reflection_id), 0) + 1 FROM reflections"
            marker = f"refused-{connection.execute(sql).fetchone()[0]}"
            values = (marker, status, started_ms, started_ms, engine, "", json.dumps(dict(numbers)))
            connection.execute(_PUT, (*values, "", "", "", 0, "", None))
            connection.execute(
                "DELETE FROM reflections WHERE status = ? AND marker NOT IN (SELECT marker FROM reflections"
                " WHERE status = ? ORDER BY reflection_id DESC LIMIT ?)",
                (status, status, REFUSED_KEPT),
            )

    def plan_undo(self, marker: str, undo: Undo, *, now_ms: int) -> None:
        """Make durable what an undo is about to bring back; an earlier plan of it is replaced."""
        with self._db.write() as connection:
            _demand(connection, marker, COMMITTED, UNDOING)
            _put_batch(connection, undo.marker, "undo", now_ms, Usage())
            sql = "UPDATE reflections SET status = ?, undo = ? WHERE marker = ?"
            connection.execute(sql, (UNDOING, json.dumps(asdict(undo)), marker))

    def commit_undo(self, marker: str, *, now_ms: int) -> None:
        """End an undo whose file is in place: the reflection's notes left, what returned counts again."""
        with self._db.write() as connection:
            _demand(connection, marker, UNDOING)
            row = connection.execute(f"{_SELECT} WHERE marker = ?", (marker,)).fetchone()
            undo = _undo_from(row[10])
            sql = "UPDATE batches SET status = ?, settled_ms = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.COMMITTED.value, now_ms, undo.marker))
            sql = "UPDATE notes SET removed_ms = ? WHERE marker = ? AND removed_ms IS NULL"
            connection.execute(sql, (now_ms, marker))
            sql = "UPDATE departures SET returned_ms = ? WHERE marker = ? AND number = ?"
            connection.executemany(sql, [(now_ms, marker, one) for one in undo.returning])
            connection.execute(
                "UPDATE notes SET removed_ms = NULL WHERE note_id IN (SELECT note_id FROM departures WHERE"
                " marker = ? AND returned_ms IS NOT NULL) OR parent_id IN (SELECT note_id FROM departures"
                " WHERE marker = ? AND returned_ms IS NOT NULL)",
                (marker, marker),
            )
            sql = "UPDATE reflections SET status = ?, undone_ms = ? WHERE marker = ?"
            connection.execute(sql, (UNDONE, now_ms, marker))

    def discard_undo(self, marker: str) -> None:
        """Forget an undo whose file never took its place: the reflection stands as before."""
        with self._db.write() as connection:
            sql = "UPDATE reflections SET status = ?, undo = '' WHERE marker = ? AND status = ?"
            values = (COMMITTED, marker, UNDOING)
            connection.execute(sql, values)

    def open_reflection(self) -> ReflectionRow | None:
        """The reflection or undo that a crash cut short, None in most runs."""
        rows = self._db.read(f"{_SELECT} WHERE status IN ('planned', 'undoing') LIMIT 1")
        return _row(rows[0]) if rows else None

    def last_reflection(self) -> ReflectionRow | None:
        """The newest reflection that stands: what an undo takes back."""
        rows = self._db.read(f"{_SELECT} WHERE status = 'committed'{_NEWEST}", (1,))
        return _row(rows[0]) if rows else None

    def reflections(self, limit: int) -> list[ReflectionRow]:
        """The newest reflections, refused and undone ones among them, newest first."""
        return [_row(one) for one in self._db.read(f"{_SELECT}{_NEWEST}", (limit,))]

    def departures(self, marker: str) -> list[Departure]:
        """What left the log with a reflection, by number."""
        from totalrecall.ledger.reflection_rows import Departure

        sql = (
            "SELECT number, note_id, day, line, block, reason, into_id, by_hash, returned_ms FROM departures"
            " WHERE marker = ? ORDER BY number"
        )
        return [
            Departure(row[0], row[1], date.fromisoformat(row[2]), loaded(row[3]), *row[4:])
            for row in self._db.read(sql, (marker,))
        ]

    def left_since(self, since_ms: int) -> dict[str, int]:
        """How many notes left the log since then and did not return, by reason (R077)."""
        where = "left_ms >= ? AND returned_ms IS NULL"
        sql = f"SELECT reason, count(*) FROM departures WHERE {where} GROUP BY reason"  # noqa: S608
        return {str(reason): int(number) for reason, number in self._db.read(sql, (since_ms,))}


def _forget_plan(connection: sqlite3.Connection, marker: str) -> None:
    connection.execute("DELETE FROM reflections WHERE marker = ? AND status = ?", (marker, PLANNED))
    sql = "DELETE FROM batches WHERE marker = ? AND status = ?"
    connection.execute(sql, (marker, BatchStatus.REFLECTING.value))


def _put_batch(
    connection: sqlite3.Connection, marker: str, engine: str, planned_ms: int, usage: Usage
) -> None:
    reflecting = BatchStatus.REFLECTING.value
    connection.execute("DELETE FROM batches WHERE marker = ? AND status = ?", (marker, reflecting))
    connection.execute(
        "INSERT INTO batches (marker, session_id, session_after, status, provisional, planned_ms, engine,"
        " model, prompt_hash, calls, tokens_in, tokens_out, cost_usd, file_digest, attempts, error,"
        " nothing_notable, settled_ms) VALUES (?, '', ?, ?, 0, ?, ?, '', '', ?, ?, ?, ?, '', 0, '', 0, NULL)",
        (
            marker,
            _NO_SESSION,
            reflecting,
            planned_ms,
            f"reflector {engine}",
            usage.calls,
            usage.tokens_in,
            usage.tokens_out,
            usage.cost_usd,
        ),
    )


def _put_mergers(connection: sqlite3.Connection, plan: ReflectionPlan) -> dict[int, str]:
    """Stores the new notes; which departure each number goes into."""
    identities = tuple(dict.fromkeys(cite for one in plan.mergers for cite in one.cites))
    places = {identity: place for place, identity in enumerate(identities, 1)}
    drafts = [
        DraftNote(one.note, tuple(places[cite] for cite in one.cites), one.verified) for one in plan.mergers
    ]
    insert_notes(connection, plan.marker, Compression(tuple(drafts)), identities)
    into: dict[int, str] = {}
    for note_id, one in zip(note_ids(plan.marker, plan.mergers), plan.mergers, strict=True):
        into |= dict.fromkeys(one.stands_for, note_id)
    return into


def note_ids(marker: str, mergers: Sequence[Merger]) -> list[str]:
    """The names that the new notes get: children count after their parent."""
    ids, ordinal = [], 0
    for one in mergers:
        ids.append(f"{marker}-{ordinal}")
        ordinal += 1 + len(one.note.children)
    return ids


def _demand(connection: sqlite3.Connection, marker: str, *allowed: str) -> None:
    row = connection.execute("SELECT status FROM reflections WHERE marker = ?", (marker,)).fetchone()
    if row is None or row[0] not in allowed:
        said = row[0] if row else "unknown"
        raise LedgerError(
            f"Reflection {marker} is {said}.",
            "Nothing was changed. The next run goes on from what is stored.",
        )


def _row(values: Sequence[Any]) -> ReflectionRow:
    from totalrecall.ledger.reflection_rows import ReflectionRow, ReflectionStatus, Swap

    marker, status, started_ms, ended_ms, engine, numbers, backup, *rest = values
    before, after, size, undo, undone_ms = rest
    return ReflectionRow(
        marker,
        ReflectionStatus(status),
        started_ms,
        ended_ms,
        engine,
        json.loads(numbers),
        loaded(backup),
        Swap(before, after, size),
        _undo_from(undo) if undo else None,
        undone_ms,
    )


def _undo_from(text: str) -> Undo:
    from totalrecall.ledger.reflection_rows import Swap, Undo

    said = json.loads(text)
    return replace(Undo(**said), swap=Swap(**said["swap"]), returning=tuple(said["returning"]))
