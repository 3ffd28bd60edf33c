"""The service's own bookkeeping for one agent."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from totalrecall.ledger.batches import BatchesPart
from totalrecall.ledger.database import Database
from totalrecall.ledger.encode import loaded, session_from_json
from totalrecall.ledger.forgetting import ForgettingPart
from totalrecall.ledger.provenance import NotesPart
from totalrecall.ledger.reflections import ReflectionsPart
from totalrecall.ledger.rows import SessionRow
from totalrecall.ledger.runs import RunsPart
from totalrecall.ledger.seen import SeenPart
from totalrecall.ledger.sessions import SessionsPart

if TYPE_CHECKING:
    from totalrecall.ledger.mirror import HighWater, SessionMark


class Ledger(SessionsPart, SeenPart, BatchesPart, NotesPart, ReflectionsPart, ForgettingPart, RunsPart):
    """What was read, what became of it, where each note came from. SQLite, one file per agent.

    Every method is one transaction and durable when it returns. Not for use by several threads; several
    processes may have the same ledger open.
    """

    @classmethod
    def open(cls, folder: Path, *, now_ms: int) -> Self:
        """The ledger in ``folder`` (made if missing: folder 0700, file 0600), checked and up to date.

        ``quick_check`` runs after an unclean end and once a day.

        Raises:
            LedgerError: it is damaged or of a newer version, or there is no room; the hint says what to do.
            BusyError: another process has been making or checking it for too long.
        """
        return cls(Database.open(folder, now_ms=now_ms))

    @property
    def path(self) -> Path:
        """The file."""
        return self._db.path

    def close(self) -> None:
        """Let go of the file. Twice is fine."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole ledger into another database, as it is at one moment."""
        self._db.backup_to(target)

    def high_water(self, upcoming: str = "") -> HighWater:
        """What the mirror is to say: adoption, and per session how far it is observed.

        With ``upcoming`` as it will be once that batch is committed: the mirror is written before that.
        """
        # The mirror is written with a batch only: a run with nothing new does not pay for its import.
        from totalrecall.ledger.mirror import HighWater

        counted = {
            loaded(session_id): (count, identity)
            for session_id, count, identity, _ in self._db.read(
                "SELECT session_id, count(*), identity, max(position) FROM seen WHERE is_message = 1"
                " GROUP BY session_id"
            )
        }
        rows = {one.session_id: one for one in self.sessions()}
        if upcoming:
            self._look_ahead(upcoming, rows, counted)
        marks = tuple(_mark(row, *counted.get(row.session_id, (0, b""))) for row in rows.values())
        return HighWater(self.adoption(), marks)

    def _look_ahead(
        self, marker: str, rows: dict[str, SessionRow], counted: dict[str, tuple[int, bytes]]
    ) -> None:
        found = self._db.read("SELECT session_after FROM batches WHERE marker = ?", (marker,))
        if not found or not found[0][0]:
            return
        after = session_from_json(found[0][0])
        rows[after.session_id] = after
        sql = (
            "SELECT p.identity FROM planned p LEFT JOIN seen s USING (identity)"
            " WHERE p.marker = ? AND p.is_message AND s.identity IS NULL ORDER BY p.ordinal"
        )
        fresh = self._db.read(sql, (marker,))
        count, last = counted.get(after.session_id, (0, b""))
        counted[after.session_id] = (count + len(fresh), fresh[-1][0] if fresh else last)


def _mark(row: SessionRow, count: int, last: bytes) -> SessionMark:
    from totalrecall.ledger.mirror import SessionMark

    return SessionMark(
        session_id=row.session_id,
        store=row.store,
        key=row.key,
        kind=row.kind,
        location=row.location,
        position=row.cursor.position,
        head=row.cursor.head,
        tail=row.cursor.tail,
        existed_at_adoption=row.existed_at_adoption,
        ended=row.ended,
        messages=count,
        last_identity=last.hex(),
    )
