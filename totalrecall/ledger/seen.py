"""Which entries are known, and the one state each is in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import SEEN_COLUMNS, seen_from, seen_values, stored
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import Counts, SeenRow, SessionRow
from totalrecall.ledger.sessions import put_session

CHUNK = 1000


class SeenPart(Part):
    """Known entries."""

    def known(self, identities: Sequence[bytes]) -> dict[bytes, SeenRow]:
        """Those of ``identities`` that have a state, with their rows."""
        found: dict[bytes, SeenRow] = {}
        for start in range(0, len(identities), CHUNK):
            chunk = identities[start : start + CHUNK]
            marks = ",".join("?" * len(chunk))
            sql = f"SELECT {SEEN_COLUMNS} FROM seen WHERE identity IN ({marks})"  # noqa: S608 (only marks)
            for one in self._db.read(sql, chunk):
                found[one[0]] = seen_from(one)
        return found

    def pass_over(self, session: SessionRow, seen: Sequence[SeenRow], *, rescan: bool = False) -> None:
        """Store entries that go to no engine, and the session with its cursor, in one transaction.

        An identity that has a state keeps it. A cursor that would go back stays where it is, as in
        ``put_session``; what was seen is stored all the same.
        """
        with self._db.write() as connection:
            insert_seen(connection, seen)
            put_session(connection, session, rescan=rescan)

    def register(self, session: SessionRow, seen: Sequence[SeenRow]) -> None:
        """Fill in, after a rebuild from the mirror, what lies before the session's cursor.

        ``session`` is stored with ``rebuilt`` as it says; its cursor does not go back.
        """
        self.pass_over(session, seen)

    def mark_forgotten(self, identities: Sequence[bytes]) -> None:
        """Messages whose words the user had removed: they stay known and count as skipped, "forgotten"."""
        sql = "UPDATE seen SET state = ?, reason = ? WHERE identity = ?"
        state, reason = MessageState.SKIPPED.value, SkipReason.FORGOTTEN.value
        with self._db.write() as connection:
            connection.executemany(sql, [(state, reason, one) for one in identities])

    def counts(self, session_id: str | None = None) -> Counts:
        """How many messages are in each state, of one session or of all."""
        where, values = ("", ()) if session_id is None else (" AND session_id = ?", (stored(session_id),))
        # Grouped the way the index is sorted: no row is touched, nothing is sorted.
        sql = f"SELECT state, reason, count(*) FROM seen WHERE is_message = 1{where}"  # noqa: S608 (constants only)
        sql += " GROUP BY session_id, is_message, state, reason"
        by_state: dict[MessageState, int] = {}
        by_reason: dict[SkipReason, int] = {}
        for state, reason, count in self._db.read(sql, values):
            by_state[MessageState(state)] = by_state.get(MessageState(state), 0) + count
            if reason:
                by_reason[SkipReason(reason)] = by_reason.get(SkipReason(reason), 0) + count
        return Counts(by_state, by_reason)


def insert_seen(connection: sqlite3.Connection, seen: Iterable[SeenRow]) -> None:
    """Store entries; the first state of an identity stays.

    Raises LedgerError for ``PENDING``: that state is never stored.
    """
    sql = f"INSERT OR IGNORE INTO seen ({SEEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
    connection.executemany(sql, (_settled(one) for one in seen))


def _settled(row: SeenRow) -> tuple[Any, ...]:
    if row.state in {MessageState.PENDING, MessageState.BEFORE_ADOPTION}:
        raise LedgerError(
            f"An entry cannot be stored as {row.state.value}.", "This is a bug; please report it."
        )
    return seen_values(row)
