"""The schema is found by its columns; what is optional may be missing, what is unknown is said."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import message
from tests.unit.transcripts_sqlite.follower import Follower, session_of, store_of
from totalrecall.domain.session import SessionKind
from totalrecall.errors import SourceError
from totalrecall.transcripts.sqlite.connection import LockedSourceError

ROWS = "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, PRIMARY KEY (session_id, seq))"


def made(database: Path, *statements: str) -> Path:
    """A database of these statements, closed."""
    database.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return database


def row(seq: int, text: str) -> str:
    """An INSERT of a message into session ``s1``."""
    body = json.dumps(message(f"{seq}" * 36, text))
    return f"INSERT INTO transcript_events (session_id, seq, event_json) VALUES ('s1', {seq}, '{body}')"


@pytest.mark.report("R001")
def test_the_smallest_schema_is_enough(database: Path) -> None:
    """Rows alone, without an index, times, generations or a schema number, are read and followed."""
    follower = Follower(store_of(made(database, ROWS, row(0, "hello"))))
    assert follower.run() == ["hello"]
    session = session_of(follower.store, "s1")
    assert (session.key, session.kind, session.modified_ms, session.size) == ("", SessionKind.MAIN, 0, 1)
    made(database, row(1, "more"))
    assert follower.run() == ["more"]


@pytest.mark.report("R001")
def test_a_window_chain_without_nodes_tells_what_ended(database: Path) -> None:
    """Where session_nodes is missing, the successor's previous_session_id ends a session; scope tells groups."""
    windows = "CREATE TABLE session_windows (session_id, session_key, previous_session_id, session_scope)"
    made(database, ROWS, windows, row(0, "old"))
    made(
        database,
        "INSERT INTO transcript_events VALUES ('s2', 0, '{}'), ('g', 0, '{}')",
        "INSERT INTO session_windows VALUES ('s1', 'agent:main:main', NULL, 'conversation'),"
        " ('s2', 'agent:main:main', 's1', 'conversation'), ('g', 'agent:main:x', NULL, 'group')",
    )
    found = {one.session_id: one for one in store_of(database).sessions()}
    assert {name: one.ended for name, one in found.items()} == {"s1": True, "s2": False, "g": False}
    assert found["g"].kind is SessionKind.GROUP


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, body TEXT)",
        "CREATE TABLE transcript_events (session TEXT, number INTEGER, event_json TEXT)",
        "CREATE TABLE something_else (id INTEGER)",
    ],
)
def test_an_unknown_schema_is_said_in_one_sentence(database: Path, statement: str) -> None:
    """No silence and no traceback: the title is one sentence, the hint what to do."""
    store = store_of(made(database, statement))
    with pytest.raises(SourceError) as caught:
        store.sessions()
    assert not isinstance(caught.value, LockedSourceError)
    assert caught.value.title.count(". ") == 0
    assert caught.value.title.endswith(".")
    assert caught.value.hint


def test_a_file_that_is_no_database_is_said(database: Path) -> None:
    """Garbage in the database's place is an error of the source, not of ours."""
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database, and it is long enough to be looked at" * 100)
    with pytest.raises(SourceError, match="damaged or no SQLite file"):
        store_of(database).sessions()


def test_a_table_without_row_ids_is_read(database: Path) -> None:
    """A layout without row ids gives its rows; one over the limit is counted instead of read in pieces."""
    made(database, ROWS + " WITHOUT ROWID", row(0, "small"), row(1, "big " * 2_000_000), row(2, "after"))
    follower = Follower(store_of(database))
    assert follower.run() == ["small", "after"]
    assert follower.run() == []
