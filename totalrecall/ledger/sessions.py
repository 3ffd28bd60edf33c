"""Adoption, and how far each session is observed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from totalrecall.domain.session import StoreKind
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import SESSION_COLUMNS, loaded, session_from, session_values, stored
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import Adoption, SessionEnd, SessionRow

_COLUMNS = ", ".join(SESSION_COLUMNS)
_MARKS = ", ".join("?" for _ in SESSION_COLUMNS)
_PUT = f"INSERT OR REPLACE INTO sessions ({_COLUMNS}) VALUES ({_MARKS})"  # noqa: S608 (constants only)


class SessionsPart(Part):
    """Sessions and adoption."""

    def adoption(self) -> Adoption | None:
        """When the agent was adopted, None before that."""
        rows = self._db.read("SELECT value FROM facts WHERE name = 'adoption'")
        return Adoption(*json.loads(rows[0][0])) if rows else None

    def adopt(self, adoption: Adoption, sessions: Sequence[SessionRow]) -> Adoption:
        """Begin with the agent, once: the sessions that exist now, with their cursors.

        Returns the adoption in force: an earlier one stays, and then nothing is changed.
        """
        with self._db.write() as connection:
            row = connection.execute("SELECT value FROM facts WHERE name = 'adoption'").fetchone()
            if row is not None:
                return Adoption(*json.loads(row[0]))
            put_adoption(connection, adoption)
            connection.executemany(_PUT, [session_values(one) for one in sessions])
        return adoption

    def move_adoption(self, begins_at_ms: int) -> None:
        """Let older messages count too (backfill); later ones never stop counting.

        Raises LedgerError when the agent is not adopted yet.
        """
        with self._db.write() as connection:
            row = connection.execute("SELECT value FROM facts WHERE name = 'adoption'").fetchone()
            if row is None:
                raise LedgerError("The agent has not been adopted yet.", "Run `totalrecall observe` first.")
            now = Adoption(*json.loads(row[0]))
            put_adoption(connection, Adoption(now.adopted_at_ms, min(now.begins_at_ms, begins_at_ms)))

    def session(self, session_id: str) -> SessionRow | None:
        """One session, None when the ledger does not know it."""
        sql = f"SELECT {_COLUMNS} FROM sessions WHERE session_id = ?"  # noqa: S608 (constants only)
        rows = self._db.read(sql, (stored(session_id),))
        return session_from(rows[0]) if rows else None

    def sessions(self) -> list[SessionRow]:
        """Every session the ledger knows, by id."""
        sql = f"SELECT {_COLUMNS} FROM sessions ORDER BY session_id"  # noqa: S608 (constants only)
        return [session_from(one) for one in self._db.read(sql)]

    def session_ends(self) -> dict[str, SessionEnd]:
        """How far every session is observed, by stream."""
        sql = "SELECT session_id, store, position, last_entries, ended, rebuilt FROM sessions"
        stores = {one.value: one for one in StoreKind}
        return {
            loaded(name): SessionEnd(stores[store], position, last, bool(ended), bool(rebuilt))
            for name, store, position, last, ended, rebuilt in self._db.read(sql)
        }

    def has_rebuilt(self) -> bool:
        """Whether a session's messages are yet to be registered, after a repair from the mirror."""
        return bool(self._db.read("SELECT 1 FROM sessions WHERE rebuilt LIMIT 1"))

    def put_session(self, row: SessionRow, *, rescan: bool = False) -> bool:
        """Store a session as it is now; False, and nothing stored, when that would turn its cursor back.

        A lower position in the same transcript (same store, same head) comes from somebody who read an older
        ledger. ``rescan`` says that it is meant: the transcript was rewritten and is read again from there.
        """
        with self._db.write() as connection:
            return put_session(connection, row, rescan=rescan)


def put_adoption(connection: sqlite3.Connection, adoption: Adoption) -> None:
    """Store the adoption."""
    text = json.dumps([adoption.adopted_at_ms, adoption.begins_at_ms])
    connection.execute("INSERT OR REPLACE INTO facts VALUES ('adoption', ?)", (text,))


def put_session(connection: sqlite3.Connection, row: SessionRow, *, rescan: bool = False) -> bool:
    """Store a session; False, and nothing stored, when its cursor would go back without ``rescan``."""
    if not rescan:
        sql = "SELECT store, head, position FROM sessions WHERE session_id = ?"
        before = connection.execute(sql, (stored(row.session_id),)).fetchone()
        same = before is not None and (before[0], before[1]) == (row.store.value, row.cursor.head)
        if same and row.cursor.position < before[2]:
            return False
    connection.execute(_PUT, session_values(row))
    return True


def rewind(connection: sqlite3.Connection, session_id: str) -> None:
    """Have the session read again from its start; what is known is passed over then."""
    sql = "UPDATE sessions SET position = 0, tail = '', carry = '' WHERE session_id = ?"
    connection.execute(sql, (stored(loaded(session_id)),))
