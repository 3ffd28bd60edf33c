"""Batches, step by step: planned, answer stored, block being written, committed. Each step is durable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from totalrecall.domain.note import Compression, Usage
from totalrecall.domain.state import MessageState
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import (
    SEEN_COLUMNS,
    SESSION_COLUMNS,
    loaded,
    seen_from,
    seen_values,
    session_from,
    session_from_json,
    session_json,
    stored,
)
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import BatchRow, BatchStatus, SeenRow, SessionRow
from totalrecall.ledger.sessions import rewind
from totalrecall.ledger.settle import (
    COVERED,
    covered_provisional,
    demand,
    insert_notes,
    keep_dropped,
    outcome_of,
    settle,
    status_of,
)

_COLUMNS = (
    "marker, session_id, session_after, status, provisional, planned_ms, engine, model, prompt_hash, calls,"
    " tokens_in, tokens_out, cost_usd, file_digest, attempts, error, nothing_notable, settled_ms"
)
_SELECT = f"SELECT {_COLUMNS} FROM batches"  # noqa: S608 (constants only)
_ANSWERABLE = {BatchStatus.PLANNED, BatchStatus.GENERATED}
_WRITABLE = {BatchStatus.GENERATED, BatchStatus.WRITING}


class BatchesPart(Part):
    """Batches."""

    def plan(self, batch: BatchRow) -> None:
        """Make a range durable before the model is asked; a batch that is only planned is replaced.

        Raises LedgerError when a batch of that marker has already gone further.
        """
        usage = batch.usage
        values: tuple[Any, ...] = (
            batch.marker,
            stored(batch.session.session_id),
            session_json(batch.session),
            BatchStatus.PLANNED.value,
            int(batch.provisional),
            batch.planned_ms,
            batch.engine,
            stored(batch.model),
            batch.prompt_hash,
            usage.calls,
            usage.tokens_in,
            usage.tokens_out,
            usage.cost_usd,
            "",
            batch.attempts,
            stored(batch.error),
            0,
            None,
        )
        with self._db.write() as connection:
            if status_of(connection, batch.marker) is not None:
                demand(connection, batch.marker, {BatchStatus.PLANNED}, "planned again")
                connection.execute("DELETE FROM batches WHERE marker = ?", (batch.marker,))
            marks = ",".join("?" * len(values))
            connection.execute(f"INSERT INTO batches ({_COLUMNS}) VALUES ({marks})", values)  # noqa: S608
            connection.executemany(
                "INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(batch.marker, place, *seen_values(one)[:7]) for place, one in enumerate(batch.seen)],
            )

    def store_answer(self, marker: str, compression: Compression, identities: Sequence[bytes] = ()) -> None:
        """Keep an engine's answer, so that a crash costs no second call. A later answer replaces it.

        ``identities[n - 1]`` is the message that the engine cites as n. A number outside it is left out.
        """
        usage = compression.usage
        with self._db.write() as connection:
            demand(connection, marker, _ANSWERABLE, "given an answer")
            connection.execute("DELETE FROM notes WHERE marker = ?", (marker,))
            insert_notes(connection, marker, compression, tuple(identities))
            connection.execute(
                "UPDATE batches SET status = ?, engine = ?, model = ?, prompt_hash = ?, calls = ?,"
                " tokens_in = ?, tokens_out = ?, cost_usd = ?, nothing_notable = ? WHERE marker = ?",
                (
                    BatchStatus.GENERATED.value,
                    compression.engine,
                    stored(compression.model),
                    compression.prompt_hash,
                    usage.calls,
                    usage.tokens_in,
                    usage.tokens_out,
                    usage.cost_usd,
                    int(compression.nothing_notable),
                    marker,
                ),
            )
            sql = "SELECT planned_ms FROM batches WHERE marker = ?"
            planned_ms = connection.execute(sql, (marker,)).fetchone()[0]
            keep_dropped(connection, marker, compression, planned_ms)

    def mark_writing(self, marker: str, file_digest: str) -> None:
        """Say that the block goes into the notes' file now, which had ``file_digest`` before."""
        with self._db.write() as connection:
            demand(connection, marker, _WRITABLE, "written")
            sql = "UPDATE batches SET status = ?, file_digest = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.WRITING.value, file_digest, marker))

    def commit(self, marker: str, *, now_ms: int) -> tuple[str, ...]:
        """End a batch whose notes are in the file: states, session and cursor, status, in one transaction.

        Returns the markers of provisional batches that are fully covered now; they stay in ``provisional``
        until their blocks are out of the file and ``drop_provisional`` is called. A second commit changes
        nothing.

        Raises LedgerError when there is no stored answer, or none that settles anything (R031).
        """
        with self._db.write() as connection:
            if status_of(connection, marker) == (BatchStatus.COMMITTED, False):
                return ()
            if demand(connection, marker, _WRITABLE, "committed"):
                raise LedgerError(
                    f"Batch {marker} is provisional and moves no cursor.", "Nothing was changed."
                )
            settle(connection, marker, outcome_of(connection, marker))
            sql = "UPDATE batches SET status = ?, settled_ms = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.COMMITTED.value, now_ms, marker))
            return tuple(covered_provisional(connection))

    def commit_provisional(self, marker: str, *, now_ms: int = 0) -> None:
        """Say that a provisional block is in the file. No cursor moves, no message is settled."""
        with self._db.write() as connection:
            if status_of(connection, marker) == (BatchStatus.COMMITTED, True):
                return
            if not demand(connection, marker, _WRITABLE, "committed as provisional"):
                raise LedgerError(f"Batch {marker} is not provisional.", "Nothing was changed.")
            sql = "UPDATE batches SET status = ?, settled_ms = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.COMMITTED.value, now_ms, marker))

    def set_aside(self, marker: str, reason: str, now_ms: int) -> None:
        """Give up on a batch for now: its messages are set aside and the cursor moves on."""
        with self._db.write() as connection:
            if demand(connection, marker, _ANSWERABLE, "set aside"):
                raise LedgerError(f"Batch {marker} is provisional; discard it.", "Nothing was changed.")
            settle(connection, marker, MessageState.SET_ASIDE)
            connection.execute("DELETE FROM notes WHERE marker = ?", (marker,))
            sql = "UPDATE batches SET status = ?, error = ?, settled_ms = ? WHERE marker = ?"
            connection.execute(sql, (BatchStatus.SET_ASIDE.value, stored(reason), now_ms, marker))

    def release_set_aside(self, markers: Sequence[str]) -> list[SeenRow]:
        """Make the messages of set-aside batches pending again; returns their rows, with the positions.

        Their sessions are read again from the start, where everything else is known. That is stored in the
        same transaction, so that a crash right after it leaves no message behind the cursor without a state.
        """
        released: list[SeenRow] = []
        with self._db.write() as connection:
            for marker in markers:
                demand(connection, marker, {BatchStatus.SET_ASIDE}, "released")
                sql = f"SELECT {SEEN_COLUMNS} FROM seen WHERE marker = ? AND state = 'set_aside'"  # noqa: S608
                released += [seen_from(one) for one in connection.execute(sql, (marker,))]
                connection.execute("DELETE FROM seen WHERE marker = ? AND state = 'set_aside'", (marker,))
                connection.execute("DELETE FROM batches WHERE marker = ?", (marker,))
            for session_id in {one.session_id for one in released}:
                rewind(connection, session_id)
        return sorted(released, key=lambda one: (one.session_id, one.position))

    def discard(self, marker: str) -> None:
        """Forget a plan that no engine has answered; its messages stay pending. Twice is fine."""
        with self._db.write() as connection:
            if status_of(connection, marker) is not None:
                demand(connection, marker, {BatchStatus.PLANNED}, "discarded")
                connection.execute("DELETE FROM batches WHERE marker = ?", (marker,))

    def drop_open(self) -> None:
        """Forget every batch that is under way: only for a ledger restored from a copy."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM batches WHERE status IN ('planned', 'generated', 'writing')")

    def open_batches(self) -> list[BatchRow]:
        """Batches that are planned, generated or being written, oldest first, with all their entries."""
        sql = f"{_SELECT} WHERE status IN ('planned', 'generated', 'writing') ORDER BY planned_ms, marker"
        return [self._batch(one, full=True) for one in self._db.read(sql)]

    def provisional(self, session_id: str | None = None) -> list[BatchRow]:
        """Provisional batches whose block is in the file, of one session or of all, oldest first."""
        where, values = ("", ()) if session_id is None else (" AND session_id = ?", (stored(session_id),))
        sql = f"{_SELECT} WHERE provisional AND status = 'committed'{where} ORDER BY planned_ms, marker"
        return [self._batch(one, full=True) for one in self._db.read(sql, values)]

    def would_replace(self, marker: str) -> tuple[str, ...]:
        """Provisional batches that committing ``marker`` would cover: their blocks leave with its writing.

        With "" those that are covered already.
        """
        return tuple(row[0] for row in self._db.read(COVERED, (marker,)))

    def drop_provisional(self, markers: Sequence[str]) -> None:
        """Forget provisional batches whose block is out of the file."""
        with self._db.write() as connection:
            sql = "DELETE FROM batches WHERE marker = ? AND provisional"
            connection.executemany(sql, [(one,) for one in markers])

    def batch(self, marker: str) -> BatchRow | None:
        """One batch with its entries as far as they are not settled, None when unknown."""
        rows = self._db.read(f"{_SELECT} WHERE marker = ?", (marker,))
        return self._batch(rows[0], full=True) if rows else None

    def batches(self, limit: int) -> list[BatchRow]:
        """The newest batches, newest first, without their entries."""
        sql = f"{_SELECT} ORDER BY planned_ms DESC, marker LIMIT ?"
        return [self._batch(one, full=False) for one in self._db.read(sql, (limit,))]

    def committed_since(self, since_ms: int) -> list[BatchRow]:
        """Batches of talk whose notes were committed at that time or later, oldest first, without entries."""
        sql = (
            f"{_SELECT} WHERE status = 'committed' AND NOT provisional AND settled_ms >= ?"
            " ORDER BY settled_ms, marker"
        )
        return [self._batch(one, full=False) for one in self._db.read(sql, (since_ms,))]

    def _batch(self, values: Sequence[Any], *, full: bool) -> BatchRow:
        marker, session_id, after, status, provisional, planned_ms, engine, model, prompt_hash = values[:9]
        calls, tokens_in, tokens_out, cost_usd, file_digest, attempts, error, nothing, settled_ms = values[9:]
        return BatchRow(
            marker=marker,
            session=session_from_json(after) if after else self._session(session_id),
            seen=self._entries(marker) if full else (),
            status=BatchStatus(status),
            provisional=bool(provisional),
            planned_ms=planned_ms,
            engine=engine,
            model=loaded(model),
            prompt_hash=prompt_hash,
            usage=Usage(calls, tokens_in, tokens_out, cost_usd),
            file_digest=file_digest,
            attempts=attempts,
            error=loaded(error),
            nothing_notable=bool(nothing),
            settled_ms=settled_ms,
        )

    def _session(self, session_id: Any) -> SessionRow:
        sql = f"SELECT {', '.join(SESSION_COLUMNS)} FROM sessions WHERE session_id = ?"  # noqa: S608
        return session_from(self._db.read(sql, (session_id,))[0])

    def _entries(self, marker: str) -> tuple[SeenRow, ...]:
        sql = (
            "SELECT identity, session_id, position, is_message, state, reason, at_ms, marker FROM planned"
            " WHERE marker = ? ORDER BY ordinal"
        )
        return tuple(seen_from(one) for one in self._db.read(sql, (marker,)))
