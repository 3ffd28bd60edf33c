"""Removing words from the ledger and its copies so that no byte of them is left."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import LedgerError
from totalrecall.ledger.encode import loaded
from totalrecall.ledger.part import Part

Holds = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text in the ledger that holds what is to be forgotten.

    Attributes:
        table: where it stands.
        key: its row.
        text: the words.
    """

    table: str
    key: tuple[Any, ...]
    text: str


# The tables that hold words: their key, the column, and how a text is emptied.
_WORDS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "notes": (("note_id",), "text", "UPDATE notes SET text = '', text_hash = zeroblob(0) WHERE note_id = ?"),
    "dropped": (("dropped_id",), "text", "DELETE FROM dropped WHERE dropped_id = ?"),
    "batches": (("marker",), "error", "UPDATE batches SET error = '' WHERE marker = ?"),
    "runs": (("run_id",), "numbers", "UPDATE runs SET numbers = '{}' WHERE run_id = ?"),
    "departures": (
        ("marker", "number"),
        "line",
        "UPDATE departures SET line = '', by_hash = zeroblob(0) WHERE marker = ? AND number = ?",
    ),
}


class ForgettingPart(Part):
    """Finding and removing words."""

    def texts_holding(self, holds: Holds) -> list[HeldText]:
        """Every text of the ledger that holds what is to be forgotten; small facts of jobs included."""
        found = [one for one in _held(self._db.read, holds) if one.text]
        return found + list(_held_facts(self._db.read, holds))

    def remove_texts(self, holds: Holds) -> bool:
        """Empty them all; False when another reader kept the write-ahead log from being emptied."""
        with self._db.write() as connection:
            _remove(connection, holds)
        return self._db.truncate_wal()

    def forget_all(self) -> bool:
        """Every word and every trail of a note is gone; place marks and the books of what was read stay.

        Messages that have a state count as forgotten. False when another reader kept the write-ahead log.
        """
        with self._db.write() as connection:
            for table in ("cites", "notes", "dropped", "departures", "reflections", "runs"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 (constants only)
            connection.execute("UPDATE batches SET error = ''")
            connection.execute("DELETE FROM batches WHERE status <> 'committed'")
            connection.execute("DELETE FROM facts WHERE name = 'job:distill:written'")
            connection.execute(
                "UPDATE seen SET state = ?, reason = ? WHERE state <> ?",
                (MessageState.SKIPPED.value, SkipReason.FORGOTTEN.value, MessageState.SKIPPED.value),
            )
        return self._db.truncate_wal()

    def cited_by(self, note_ids: Sequence[str]) -> list[bytes]:
        """The identities of the messages that these notes stand on."""
        sql = "SELECT DISTINCT identity FROM cites WHERE note_id = ?"
        return [row[0] for one in note_ids for row in self._db.read(sql, (one,))]

    def identities_of(self, session_id: str) -> list[bytes]:
        """The identities of all messages of a session that have a state."""
        sql = "SELECT identity FROM seen WHERE session_id = ? AND is_message = 1"
        return [row[0] for row in self._db.read(sql, (session_id,))]

    def note_ids_citing(self, identities: Sequence[bytes]) -> list[str]:
        """The notes that stand on at least one of these messages."""
        sql = "SELECT DISTINCT note_id FROM cites WHERE identity = ?"
        found = [row[0] for one in identities for row in self._db.read(sql, (one,))]
        return list(dict.fromkeys(found))


def remove_from_copies(copies: Sequence[Path], holds: Holds) -> int:
    """Empty the same texts in the ledger's copies; how many copies there are.

    A copy that cannot be opened is removed: nobody could say what is in it.

    Raises:
        LedgerError: a copy cannot be changed.
    """
    for path in copies:
        try:
            uri = f"{path.absolute().as_uri()}?mode=rw"
            with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                _remove(connection, holds)
                connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if (error.sqlite_errorcode & 0xFF) not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise LedgerError(
                    f"The backup {path} cannot be cleaned: {error}.", "Remove the file."
                ) from error
            path.unlink()
    return len(copies)


_Read = Callable[[str], Sequence[tuple[Any, ...]]]


def _remove(connection: sqlite3.Connection, holds: Holds) -> None:
    def read(sql: str) -> Sequence[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    for one in list(_held(read, holds)):
        connection.execute(_WORDS[one.table][2], one.key)
    for one in list(_held_facts(read, holds)):
        value = _without(one.text, holds)
        if value is None:
            connection.execute("DELETE FROM facts WHERE name = ?", one.key)
        else:
            connection.execute("UPDATE facts SET value = ? WHERE name = ?", (value, *one.key))


def _held(read: _Read, holds: Holds) -> Iterator[HeldText]:
    tables = {row[0] for row in read("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table, (keys, column, _) in _WORDS.items():
        if table not in tables:
            continue
        for row in read(f"SELECT {', '.join(keys)}, {column} FROM {table}"):  # noqa: S608 (constants only)
            text = loaded(row[-1])
            if text and holds(text):
                yield HeldText(table, tuple(row[:-1]), text)


def _held_facts(read: _Read, holds: Holds) -> Iterator[HeldText]:
    for name, value in read("SELECT name, value FROM facts"):
        text = loaded(value)
        if any(holds(one) for one in _strings(text)):
            yield HeldText("facts", (name,), text)


def _strings(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except ValueError:
        return [text]
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else [text]


def _without(text: str, holds: Holds) -> str | None:
    """A list without the items that hold it; None for anything else: the whole fact goes."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, list):
        return None
    return json.dumps([one for one in found if not (isinstance(one, str) and holds(one))], ensure_ascii=False)
